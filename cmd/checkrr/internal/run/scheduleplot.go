package run

import (
	"errors"
	"fmt"
	"image/color"
	"math/big"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/loss"
)

var lemmaColor = color.RGBA{R: 0xd9, G: 0x5f, B: 0x02, A: 0xff}

// draw draws the charges into a file and, below, how far they are above those of single
// stops.
func (s *plan) draw() error {
	if s.SingleStop == nil {
		return errors.New("--plot: time ran out before there was what the charges are compared with")
	}
	return s.o.Plot.Draw(s.app.Stderr, inLabels(s.problem, chargesFigure(s), excessFigure(s))...)
}

// chargesFigure draws the charges over the stops.
func chargesFigure(s *plan) *plot.Plot {
	figure := report.NewFigure(fmt.Sprintf("What may be charged for δ = %s (%s)", report.Typed(s.delta), s.Shape), "",
		"charge E")
	plain := slices.Repeat([]*big.Rat{s.PlainDP()}, len(s.SingleStop))
	add := report.LabelEnds(figure)
	add("plain DP", s.points(plain, nil), report.Look{Color: color.Black, Dashes: []vg.Length{1, 3}})
	s.addComparison(add, nil)
	add("this stop only (not valid)", s.points(s.SingleStop, nil),
		lookOf(s.Pipeline.Stops, report.ChargeColor, draw.CrossGlyph{}, 4, 3))
	startAtZero(figure, s.Pipeline.Stops)
	return figure
}

// excessFigure draws the charges less those of single stops.
func excessFigure(s *plan) *plot.Plot {
	figure := report.NewFigure("", stopsLabel, "charge E minus this stop only")
	s.addComparison(report.LabelEnds(figure), s.SingleStop)
	startAtZero(figure, s.Pipeline.Stops)
	return figure
}

// addComparison draws Lemma 11's charges and the schedule's.
func (s *plan) addComparison(add report.AddCurve, less []*big.Rat) {
	if s.Lemma11 != nil {
		look := lookOf(s.Pipeline.Stops, lemmaColor, draw.CircleGlyph{}, 6, 2)
		add(s.lemmaLabel(), s.points(s.Lemma11, less), look)
	}
	add("charge E", s.points(s.Charges(), less), lookOf(s.Pipeline.Stops, report.RuleColor, draw.PyramidGlyph{}))
}

// points are charges, less others, over the stops.
func (s *plan) points(charges, less []*big.Rat) plotter.XYs {
	points := make(plotter.XYs, len(charges))
	for i, e := range charges {
		points[i].X = float64(s.Pipeline.Stops[i].After)
		if less != nil {
			e = new(big.Rat).Sub(e, less[i])
		}
		points[i].Y = loss.Float64(loss.Nats(e))
	}
	return points
}
