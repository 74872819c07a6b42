package report

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ends writes the names of curves at their ends, right of a figure: for few curves, in place of a legend.
type ends struct {
	figure *plot.Plot
	all    []end
}

type end struct {
	label string
	y     float64 // of the last point
	color color.Color
}

// endGap is between a figure and the names of its curves.
const endGap = vg.Length(6)

// AddCurve draws a curve with its name, as [AddSeries] does.
type AddCurve func(label string, points plotter.XYs, look Look)

// LabelEnds lets the curves that are drawn with the function that it returns have their names at their ends.
func LabelEnds(figure *plot.Plot) AddCurve {
	e := &ends{figure: figure}
	figure.Add(e)
	return func(label string, points plotter.XYs, look Look) {
		AddLine(figure, points, look)
		if parts := FiniteParts(points); len(parts) > 0 {
			last := parts[len(parts)-1]
			e.all = append(e.all, end{label, last[len(last)-1].Y, look.Color})
		}
	}
}

func (e *ends) style(c color.Color) text.Style {
	style := e.figure.Legend.TextStyle
	style.Color, style.XAlign, style.YAlign = c, draw.XLeft, draw.YCenter
	return style
}

// Plot writes the names, the lowest first, so far above each other that they can be read.
func (e *ends) Plot(c draw.Canvas, figure *plot.Plot) {
	_, y := figure.Transforms(&c)
	all := slices.Clone(e.all)
	slices.SortStableFunc(all, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	height := e.style(color.Black).Height("Mg")
	places := make([]vg.Length, len(all))
	for i, x := range all {
		places[i] = max(y(x.y), c.Min.Y+height/2)
		if i > 0 {
			places[i] = max(places[i], places[i-1]+height)
		}
	}
	top := c.Max.Y
	for i := len(all) - 1; i >= 0; i-- {
		places[i] = min(places[i], top)
		top = places[i] - height
		c.FillText(e.style(all[i].color), vg.Point{X: c.Max.X + endGap, Y: places[i]}, all[i].label)
	}
}

// GlyphBoxes keeps room for the names.
func (e *ends) GlyphBoxes(*plot.Plot) (boxes []plot.GlyphBox) {
	for _, x := range e.all {
		style := e.style(x.color)
		width, half := endGap+style.Width(x.label), style.Height(x.label)/2
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: 0.5,
			Rectangle: vg.Rectangle{Min: vg.Point{Y: -half}, Max: vg.Point{X: width, Y: half}}})
	}
	return boxes
}
