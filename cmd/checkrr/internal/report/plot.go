package report

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colors of most pictures: of what is charged, and of rules.
var (
	ChargeColor = color.RGBA{R: 0x77, G: 0x77, B: 0x77, A: 0xff}
	RuleColor   = color.RGBA{R: 0x1f, G: 0x5f, B: 0xb4, A: 0xff}
)

// MaxGlyphs is with how many points a line has a glyph at each.
const MaxGlyphs = 60

// Look is how a line is drawn: with a glyph at each point or not, and in dashes unless there are none.
type Look struct {
	HasGlyphs bool
	Color     color.Color
	Shape     draw.GlyphDrawer
	Dashes    []vg.Length
}

// AddSeries draws points as a line that is broken where they are infinite.
// A point between two gaps is drawn as a glyph, or it would be invisible.
func AddSeries(figure *plot.Plot, label string, points plotter.XYs, look Look) {
	figure.Legend.Add(label, AddLine(figure, points, look)...)
}

// AddLine is [AddSeries] without a legend, and returns what would stand in it.
func AddLine(figure *plot.Plot, points plotter.XYs, look Look) (thumbnails []plot.Thumbnailer) {
	for _, part := range FiniteParts(points) {
		line, glyphs, err := plotter.NewLinePoints(part)
		Must(err)
		line.Color, line.Width, line.Dashes = look.Color, vg.Points(1.5), look.Dashes
		glyphs.Color, glyphs.Shape, glyphs.Radius = look.Color, look.Shape, vg.Points(3)
		figure.Add(line)
		thumbnails = []plot.Thumbnailer{line}
		if look.HasGlyphs || len(part) == 1 {
			figure.Add(glyphs)
		}
		if look.HasGlyphs {
			thumbnails = []plot.Thumbnailer{line, glyphs}
		}
	}
	return thumbnails
}

// AddPoints draws points that are not joined, where nothing is known between them, but those that are infinite.
func AddPoints(figure *plot.Plot, label string, points plotter.XYs, c color.Color, shape draw.GlyphDrawer) {
	finite := slices.Concat(FiniteParts(points)...)
	if len(finite) == 0 {
		figure.Legend.Add(label)
		return
	}
	glyphs, err := plotter.NewScatter(finite)
	Must(err)
	glyphs.Color, glyphs.Shape, glyphs.Radius = c, shape, vg.Points(4)
	figure.Add(glyphs)
	figure.Legend.Add(label, glyphs)
}

// FiniteParts splits points at those that are not finite.
func FiniteParts(points plotter.XYs) []plotter.XYs {
	var parts []plotter.XYs
	start := 0
	for i := 0; i <= len(points); i++ {
		if i < len(points) && isFinite(points[i].X) && isFinite(points[i].Y) {
			continue
		}
		if start < i {
			parts = append(parts, points[start:i])
		}
		start = i + 1
	}
	return parts
}

func isFinite(x float64) bool { return x-x == 0 }

// RoundTicks marks between five and eleven multiples of a power of ten, or of
// twice or five times one.
func RoundTicks(_, last float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(last)))
	for _, finer := range []float64{2, 2.5, 2} {
		if last/step >= 5 {
			break
		}
		step /= finer
	}
	var ticks []plot.Tick
	for i := 0.0; i*step <= last; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: Short(i*step, 6)})
	}
	return ticks
}

// DecadeTicks marks and labels powers of ten, and marks their multiples; where there are fewer than
// two powers the multiples by 2 and 5 are labelled too.
func DecadeTicks(first, last float64) []plot.Tick {
	low, high := math.Floor(math.Log10(first)), math.Ceil(math.Log10(last))
	isShort := math.Log10(last/first) < 2
	var ticks []plot.Tick
	for e := low; e <= high; e++ {
		for n := 1.0; n < 10; n++ {
			x := n * math.Pow(10, e)
			if x < first*(1-1e-9) || x > last*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: x}
			if n == 1 || isShort && (n == 2 || n == 5) {
				tick.Label = decadeLabel(x)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// decadeLabel writes numbers from 0.0001 to a few millions in full, and others as short as people do: 1e-5 and not
// 1e-05.
func decadeLabel(x float64) string {
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(Short(x, 7))
}

// NewFigure returns an empty figure with a grid, and round numbers at its axes.
func NewFigure(title, x, y string) *plot.Plot {
	figure := plot.New()
	figure.Title.Text, figure.X.Label.Text, figure.Y.Label.Text = title, x, y
	useSans(figure)
	figure.Add(newGrid())
	figure.X.Tick.Marker, figure.Y.Tick.Marker = plot.TickerFunc(RoundTicks), plot.TickerFunc(RoundTicks)
	return figure
}

// PlaceLegend puts the legend into a corner, so far from the upper or lower edge.
func PlaceLegend(figure *plot.Plot, top, left bool, distance vg.Length) {
	l := &figure.Legend
	l.Top, l.Left, l.Padding = top, left, vg.Points(3)
	l.XOffs, l.YOffs = -vg.Points(10), distance
	if left {
		l.XOffs = -l.XOffs
	}
	if top {
		l.YOffs = -l.YOffs
	}
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

// grid draws a line at each labelled tick but those on the axes, which are drawn before it and must not be hidden.
type grid struct{ lines *plotter.Grid }

func newGrid() grid {
	lines := plotter.NewGrid()
	lines.Vertical.Color = color.Gray{Y: 0xe4}
	lines.Horizontal.Color = color.Gray{Y: 0xe4}
	return grid{lines}
}

// Plot draws the grid of a figure.
func (g grid) Plot(c draw.Canvas, figure *plot.Plot) {
	inner := *figure
	inner.X.Tick.Marker, inner.Y.Tick.Marker = afterFirst(figure.X.Tick.Marker), afterFirst(figure.Y.Tick.Marker)
	g.lines.Plot(c, &inner)
}

// afterFirst marks what a marker does, but not the start of the axis.
func afterFirst(marker plot.Ticker) plot.TickerFunc {
	return func(first, last float64) []plot.Tick {
		return slices.DeleteFunc(marker.Ticks(first, last), func(t plot.Tick) bool { return t.Value <= first })
	}
}

// Colors, Dashes and Shapes tell the curves of a figure apart, also in black and white.
var (
	Colors = []color.Color{RuleColor, color.RGBA{R: 0xc8, G: 0x4b, B: 0x0f, A: 0xff},
		color.RGBA{R: 0x2e, G: 0x7d, B: 0x32, A: 0xff}, ChargeColor, color.RGBA{R: 0x7b, G: 0x1f, B: 0xa2, A: 0xff},
		color.RGBA{G: 0x83, B: 0x8f, A: 0xff}}
	Dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {1, 3}, {10, 3}}
	Shapes = []draw.GlyphDrawer{draw.PyramidGlyph{}, draw.CircleGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
		draw.RingGlyph{}, draw.PlusGlyph{}}

	// BareShapes are those of points alone, which may coincide.
	BareShapes = []draw.GlyphDrawer{draw.RingGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.SquareGlyph{},
		draw.TriangleGlyph{}, draw.CircleGlyph{}}
)
