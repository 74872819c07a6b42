package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// PlaceLegendApart puts the legend into the corner that curves leave the most room in. Where no corner has enough, a
// linear y-axis gets longer. It goes by the ranges and scales of the axes, which must be set.
func PlaceLegendApart(figure *plot.Plot, curves ...plotter.XYs) {
	const lineHeight, distance = 0.055, 0.04 // as parts of the height
	enough := distance + lineHeight*float64(len(curves))
	most, isTop, isLeft := -1.0, false, false
	for _, left := range []bool{false, true} {
		for _, top := range []bool{false, true} {
			if room := roomInCorner(figure, top, left, curves); room > most {
				most, isTop, isLeft = room, top, left
			}
		}
	}
	if _, isLinear := figure.Y.Scale.(plot.LinearScale); isLinear && most < enough {
		room, left := roomInCorner(figure, true, false, curves), roomInCorner(figure, true, true, curves)
		isTop, isLeft = true, left > room
		figure.Y.Max = figure.Y.Min + (figure.Y.Max-figure.Y.Min)*(1-max(room, left))/(1-enough)
	}
	PlaceLegend(figure, isTop, isLeft, vg.Points(10))
}

// roomInCorner returns which part of the height is free of curves in a corner that is as wide as a legend, 2/5 of the
// width.
func roomInCorner(figure *plot.Plot, top, left bool, curves []plotter.XYs) float64 {
	room := 1.0
	for _, curve := range curves {
		for _, part := range FiniteParts(curve) {
			for i, to := range part {
				from := part[max(0, i-1)]
				for j := 0.0; j <= 1; j += 1.0 / 16 {
					x := mix(figure.X.Norm(from.X), figure.X.Norm(to.X), j)
					y := mix(figure.Y.Norm(from.Y), figure.Y.Norm(to.Y), j)
					if isNear := left && x <= 0.4 || !left && x >= 0.6; !isNear {
						continue
					}
					if top {
						y = 1 - y
					}
					room = math.Min(room, y)
				}
			}
		}
	}
	return room
}

func mix(from, to, share float64) float64 { return from + share*(to-from) }
