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
	return report.WritePicture(s.o.Plot, chargesFigure(s), excessFigure(s))
}

// chargesFigure draws the charges over the stops.
func chargesFigure(s *plan) *plot.Plot {
	figure := report.NewFigure(fmt.Sprintf("What may be charged for δ = %s", report.Typed(s.delta)), "", "charged loss E")
	plain := make([]*big.Rat, len(s.SingleStop))
	for i := range plain {
		plain[i] = s.PlainDP()
	}
	s.addCharges(figure, "plain DP, wherever it stops", plain, nil, color.Black, noGlyph{}, []vg.Length{1, 3})
	s.addComparison(figure, nil)
	s.addCharges(figure, "if it could stop here only", s.SingleStop, nil, report.ChargeColor, draw.CrossGlyph{},
		[]vg.Length{4, 3})
	s.setAxes(figure)
	return figure
}

// excessFigure draws the charges less those of single stops.
func excessFigure(s *plan) *plot.Plot {
	figure := report.NewFigure("", "stop after this many mechanisms", "E above that of a single stop")
	s.addComparison(figure, s.SingleStop)
	s.setAxes(figure)
	return figure
}

// addComparison draws Lemma 11's charges and the schedule's.
func (s *plan) addComparison(figure *plot.Plot, less []*big.Rat) {
	if s.Lemma11 != nil {
		s.addCharges(figure, s.lemmaLabel(), s.Lemma11, less, lemmaColor, draw.CircleGlyph{}, []vg.Length{6, 2})
	}
	s.addCharges(figure, "schedule, "+string(s.shape), s.Charges(), less, report.RuleColor, draw.PyramidGlyph{}, nil)
}

// addCharges draws charges, less others, over the stops.
func (s *plan) addCharges(figure *plot.Plot, label string, charges, less []*big.Rat, c color.Color,
	shape draw.GlyphDrawer, dashes []vg.Length) {
	points := make(plotter.XYs, len(charges))
	for i, e := range charges {
		points[i].X = float64(s.Pipeline.Stops[i].After)
		if less != nil {
			e = new(big.Rat).Sub(e, less[i])
		}
		points[i].Y = loss.Float64(loss.Nats(e))
	}
	report.AddSeries(figure, label, points, len(points) <= report.MaxGlyphs, c, shape, dashes)
}

// noGlyph marks nothing.
type noGlyph struct{}

func (noGlyph) DrawGlyph(*draw.Canvas, draw.GlyphStyle, vg.Point) {}

// setAxes lets both axes start at 0 and puts the legend above the curves.
func (s *plan) setAxes(figure *plot.Plot) {
	stops := s.Pipeline.Stops
	figure.X.Min, figure.X.Max = 0, 1.03*float64(stops[len(stops)-1].After)
	figure.Y.Min, figure.Y.Max = 0, 1.5*figure.Y.Max
	if !(figure.Y.Max > 0) {
		figure.Y.Max = 1
	}
	report.PlaceLegend(figure, true, true, vg.Points(6))
}
