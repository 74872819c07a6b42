package report

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func TestPlotFormat(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"a.svg": "svg", "a.b/c.PNG": "png", "a.pdf": "pdf", "svg": "", ".pdf": "pdf", "a.gif": "", "a.svg.gz": "",
		"a.": "", "": "", "-": "",
	} {
		if got := PlotFormat(file); got != want {
			t.Errorf("PlotFormat(%q) = %q, want %q", file, got, want)
		}
	}
	for _, format := range PlotFormats {
		if !strings.Contains(PlotEndings, "."+format) {
			t.Errorf("%q does not name .%s", PlotEndings, format)
		}
	}
}

// aPicture draws two figures with a title, a legend and labels on both axes.
func aPicture(t *testing.T, format string) []byte {
	t.Helper()
	above, below := NewFigure("δ < ε & \"so\" on", "", "smallest δ"), NewFigure("", "steps", "E ≤ ∞")
	for _, figure := range []*plot.Plot{above, below} {
		AddSeries(figure, "worst rule", plotter.XYs{{X: 0, Y: 0}, {X: 10, Y: 3}},
			Look{true, RuleColor, draw.CircleGlyph{}, []vg.Length{4, 3}})
		figure.Y.Tick.Marker = plot.TickerFunc(RoundTicks)
	}
	data, err := picture(format, []*plot.Plot{above, below})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestPicture_SVG: an SVG needs no font, and says in words what its letters show.
func TestPicture_SVG(t *testing.T) {
	t.Parallel()
	data := aPicture(t, "svg")
	for _, text := range []string{"<text", "font"} {
		if bytes.Contains(data, []byte(text)) {
			t.Errorf("the picture has %q", text)
		}
	}
	var svg struct {
		Role  string `xml:"role,attr"`
		Title string `xml:"title"`
		Desc  string `xml:"desc"`
	}
	if err := xml.Unmarshal(data, &svg); err != nil {
		t.Fatal(err)
	}
	const title = `δ < ε & "so" on`
	if svg.Role != "img" || svg.Title != title {
		t.Errorf("a picture of role %q and title %q, want img and %q", svg.Role, svg.Title, title)
	}
	lines := strings.Split(svg.Desc, "\n")
	for _, text := range []string{title, "smallest δ", "worst rule", "steps", "E ≤ ∞", "2.5"} {
		if !slices.Contains(lines, text) {
			t.Errorf("no %q in the description %q", text, lines)
		}
	}
}

// pdfStreams returns what the streams of a PDF say.
func pdfStreams(t *testing.T, data []byte) string {
	t.Helper()
	var all strings.Builder
	for _, stream := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(data, -1) {
		r, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// TestPicture_PDF: a PDF has no font and no text, but the curves of letters: cubic ones only, since vgpdf draws
// quadratic ones wrongly.
func TestPicture_PDF(t *testing.T) {
	t.Parallel()
	data := aPicture(t, "pdf")
	for _, text := range []string{"/BaseFont", "/FontFile"} {
		if bytes.Contains(data, []byte(text)) {
			t.Errorf("the document has %q", text)
		}
	}
	operators := map[string]int{}
	for line := range strings.Lines(pdfStreams(t, data)) {
		fields := strings.Fields(line)
		if len(fields) > 0 {
			operators[fields[len(fields)-1]]++
		}
	}
	if operators["Tj"]+operators["TJ"]+operators["ET"]+operators["v"] > 0 || operators["c"] < 500 {
		t.Errorf("text or curves other than cubic ones, or too few: %v", operators)
	}
}

// TestPicture_Same: a picture is the same bytes whenever it is drawn.
func TestPicture_Same(t *testing.T) {
	t.Parallel()
	for _, format := range PlotFormats {
		if !bytes.Equal(aPicture(t, format), aPicture(t, format)) {
			t.Errorf("two pictures as %s differ", format)
		}
	}
	for _, date := range []string{"/CreationDate (D:19700101000000)", "/ModDate (D:19700101000000)"} {
		if !bytes.Contains(aPicture(t, "pdf"), []byte(date)) {
			t.Errorf("no %q in a PDF", date)
		}
	}
}

// between is a point of the Bézier curve of some points, by de Casteljau's algorithm.
func between(t float64, points ...vg.Point) vg.Point {
	if len(points) == 1 {
		return points[0]
	}
	before, after := between(t, points[:len(points)-1]...), between(t, points[1:]...)
	return before.Scale(vg.Length(1 - t)).Add(after.Scale(vg.Length(t)))
}

// TestCubic: a quadratic curve and what it becomes go through the same points; all else stays.
func TestCubic(t *testing.T) {
	t.Parallel()
	a, b, c := vg.Point{X: 1, Y: 2}, vg.Point{X: 5, Y: -3}, vg.Point{X: 8, Y: 4}
	var path vg.Path
	path.Move(c)
	path.Line(a)
	path.QuadTo(b, c)
	path.CubeTo(a, b, a)
	path.Close()
	same := cubic(path)
	if len(same) != 5 || same[1].Pos != a || len(same[2].Control) != 2 || same[2].Pos != c || same[3].Control[1] != b ||
		same[4].Type != vg.CloseComp {
		t.Fatalf("%+v became %+v", path, same)
	}
	for i := range 11 {
		at := float64(i) / 10
		want, got := between(at, a, b, c), between(at, a, same[2].Control[0], same[2].Control[1], c)
		if d := got.Sub(want); math.Hypot(float64(d.X), float64(d.Y)) > 1e-12 {
			t.Errorf("at %g the curves are at %v and %v", at, want, got)
		}
	}
}
