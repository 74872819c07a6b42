package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"checkrr/impl"
)

// Looks of the picture.
const (
	plotWidth   = 8 * vg.Inch
	plotHeight  = 5 * vg.Inch
	plotDPI     = 160
	maxGlyphs   = 60 // with more stops than this, lines only
	chargeLabel = "charged loss E"
	ruleLabel   = "worst rule: stop at or above"
	neverLabel  = "worst rule: never stop"
)

var (
	chargeColor = color.RGBA{R: 0x77, G: 0x77, B: 0x77, A: 0xff}
	ruleColor   = color.RGBA{R: 0x1f, G: 0x5f, B: 0xb4, A: 0xff}
)

// plotFormat returns "svg" or "png", or "" if file's name ends in neither.
func plotFormat(file string) string {
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case ".svg", ".png":
		return ext[1:]
	}
	return ""
}

// plotRule draws the worst stopping rule into a file.
func plotRule(p *problem, s *solution, file string) error {
	figure, err := figureOf(p, s)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := canvasOf(figure, plotFormat(file)).WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

func canvasOf(figure *plot.Plot, format string) io.WriterTo {
	if format == "svg" {
		c := vgsvg.New(plotWidth, plotHeight)
		figure.Draw(withMargin(c))
		return c
	}
	c := vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(plotDPI))
	figure.Draw(withMargin(c))
	return vgimg.PngCanvas{Canvas: c}
}

func withMargin(c vg.CanvasSizer) draw.Canvas {
	const margin = 10
	return draw.Crop(draw.New(c), margin, -margin, margin, -margin)
}

// figureOf draws the charged losses and the thresholds over the stops.
func figureOf(p *problem, s *solution) (*plot.Plot, error) {
	figure := plot.New()
	figure.Title.Text = fmt.Sprintf("Worst stopping rule: OptDel ≤ %s (Lemma 11: %s)",
		roundTo(s.OptDel.Upper, 4, true).fixed(), roundTo(s.Lemma11.Upper, 4, true).fixed())
	figure.X.Label.Text = "iteration (number of mechanisms that have run)"
	figure.Y.Label.Text = "privacy loss"
	useSans(figure)
	figure.Add(grid())

	charges := make(plotter.XYs, len(p.Stops))
	thresholds := make(plotter.XYs, len(p.Stops))
	for i, stop := range p.Stops {
		charges[i] = plotter.XY{X: float64(stop.After), Y: nats(stop.Eps)}
		thresholds[i] = plotter.XY{X: float64(stop.After), Y: math.Inf(1)}
		if i < len(s.Rule) {
			thresholds[i].Y = s.Rule[i].LossAtLeast
		}
	}
	hasGlyphs := len(p.Stops) <= maxGlyphs
	if err := addSeries(figure, chargeLabel, charges, hasGlyphs, chargeColor, draw.CircleGlyph{}, []vg.Length{4, 3}); err != nil {
		return nil, err
	}
	if err := addSeries(figure, ruleLabel, thresholds, hasGlyphs, ruleColor, draw.PyramidGlyph{}, nil); err != nil {
		return nil, err
	}
	setRange(figure, charges)
	return figure, nil
}

// addSeries draws points as a line that is broken where they are infinite.
// A point between two gaps is drawn as a glyph, or it would be invisible.
func addSeries(figure *plot.Plot, label string, points plotter.XYs, hasGlyphs bool, c color.Color, shape draw.GlyphDrawer, dashes []vg.Length) error {
	var thumbnails []plot.Thumbnailer
	for _, part := range finiteParts(points) {
		line, glyphs, err := plotter.NewLinePoints(part)
		if err != nil {
			return err
		}
		line.Color, line.Width, line.Dashes = c, vg.Points(1.5), dashes
		glyphs.Color, glyphs.Shape, glyphs.Radius = c, shape, vg.Points(3)
		figure.Add(line)
		thumbnails = []plot.Thumbnailer{line}
		if hasGlyphs || len(part) == 1 {
			figure.Add(glyphs)
		}
		if hasGlyphs {
			thumbnails = []plot.Thumbnailer{line, glyphs}
		}
	}
	if thumbnails == nil {
		label = neverLabel
	}
	figure.Legend.Add(label, thumbnails...)
	return nil
}

// finiteParts splits points at those that are not finite.
func finiteParts(points plotter.XYs) []plotter.XYs {
	var parts []plotter.XYs
	start := 0
	for i := 0; i <= len(points); i++ {
		if i < len(points) && !math.IsInf(points[i].Y, 0) && !math.IsNaN(points[i].Y) {
			continue
		}
		if start < i {
			parts = append(parts, points[start:i])
		}
		start = i + 1
	}
	return parts
}

// setRange lets both axes start at 0 and puts the legend where there is room.
func setRange(figure *plot.Plot, charges plotter.XYs) {
	last := charges[len(charges)-1]
	figure.X.Min, figure.X.Max = 0, last.X*1.03
	figure.Y.Min = 0
	figure.Y.Max *= 1.1
	if !(figure.Y.Max > 0) {
		figure.Y.Max = 1
	}
	figure.X.Tick.Marker = plot.TickerFunc(roundTicks)
	figure.Y.Tick.Marker = plot.TickerFunc(roundTicks)
	figure.Legend.Top = last.Y < figure.Y.Max/3
	figure.Legend.Padding = vg.Points(3)
	figure.Legend.XOffs = -vg.Points(10)
	figure.Legend.YOffs = vg.Points(10)
	if figure.Legend.Top {
		figure.Legend.YOffs = -figure.Legend.YOffs
	}
}

// roundTicks marks between five and eleven multiples of a power of ten, or of
// twice or five times one.
func roundTicks(_, last float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(last)))
	for _, finer := range []float64{2, 2.5, 2} {
		if last/step >= 5 {
			break
		}
		step /= finer
	}
	var ticks []plot.Tick
	for i := 0.0; i*step <= last; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: short(i*step, 6)})
	}
	return ticks
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color = color.Gray{Y: 0xe4}
	g.Horizontal.Color = color.Gray{Y: 0xe4}
	return g
}

func useSans(figure *plot.Plot) {
	for _, style := range []*text.Style{
		&figure.Title.TextStyle, &figure.Legend.TextStyle,
		&figure.X.Label.TextStyle, &figure.X.Tick.Label,
		&figure.Y.Label.TextStyle, &figure.Y.Tick.Label,
	} {
		style.Font.Variant = "Sans"
	}
	figure.Title.Padding = vg.Points(8)
	figure.X.Label.Padding = vg.Points(4)
	figure.Y.Label.Padding = vg.Points(4)
	figure.X.Padding = 0
	figure.Y.Padding = 0
}

// nats returns the parameter as a float64, for drawing.
func nats(e impl.Epsilon) float64 {
	if !e.IsExp() {
		x, _ := e.Rat().Float64()
		return x
	}
	mantissa := new(big.Float)
	exponent := new(big.Float).SetRat(e.Rat()).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}
