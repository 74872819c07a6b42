package run

import (
	"errors"
	"fmt"
	"image/color"
	"math/big"

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
	return s.o.Plot.Draw(chargesFigure(s), excessFigure(s))
}

// chargesFigure draws the charges over the stops.
func chargesFigure(s *plan) *plot.Plot {
	figure := report.NewFigure(fmt.Sprintf("What may be charged for δ = %s (%s)", report.Typed(s.delta), s.shape), "",
		"charged loss E")
	plain := make([]*big.Rat, len(s.SingleStop))
	for i := range plain {
		plain[i] = s.PlainDP()
	}
	add := report.LabelEnds(figure)
	add("plain DP", s.points(plain, nil), false, color.Black, nil, []vg.Length{1, 3})
	s.addComparison(add, nil)
	add("this stop only", s.points(s.SingleStop, nil), s.hasGlyphs(), report.ChargeColor, draw.CrossGlyph{},
		[]vg.Length{4, 3})
	s.setAxes(figure)
	return figure
}

// excessFigure draws the charges less those of single stops.
func excessFigure(s *plan) *plot.Plot {
	figure := report.NewFigure("", stopsLabel, "E above that of this stop only")
	s.addComparison(report.LabelEnds(figure), s.SingleStop)
	s.setAxes(figure)
	return figure
}

// addComparison draws Lemma 11's charges and the schedule's.
func (s *plan) addComparison(add report.AddCurve, less []*big.Rat) {
	if s.Lemma11 != nil {
		add(s.lemmaLabel(), s.points(s.Lemma11, less), s.hasGlyphs(), lemmaColor, draw.CircleGlyph{}, []vg.Length{6, 2})
	}
	add("schedule", s.points(s.Charges(), less), s.hasGlyphs(), report.RuleColor, draw.PyramidGlyph{}, nil)
}

func (s *plan) hasGlyphs() bool { return len(s.Pipeline.Stops) <= report.MaxGlyphs }

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

// setAxes lets both axes start at 0.
func (s *plan) setAxes(figure *plot.Plot) {
	stops := s.Pipeline.Stops
	figure.X.Min, figure.X.Max = 0, 1.03*float64(stops[len(stops)-1].After)
	figure.Y.Min, figure.Y.Max = 0, 1.1*figure.Y.Max
	if !(figure.Y.Max > 0) {
		figure.Y.Max = 1
	}
}
