package report

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of all pictures; heights are by the number of figures.
const (
	plotWidth = 8 * vg.Inch
	plotDPI   = 160
)

var plotHeights = []vg.Length{1: 5 * vg.Inch, 2: 7.2 * vg.Inch, 3: 9 * vg.Inch}

// PlotFormats are the formats of pictures, as the endings of the names of their files.
var PlotFormats = []string{"svg", "png", "pdf"}

// PlotEndings says in a sentence how the name of a picture may end.
const PlotEndings = ".svg, .png or .pdf"

// PlotFormat returns the format of a picture by the name of its file, or "" if there is none.
func PlotFormat(file string) string {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	if slices.Contains(PlotFormats, format) {
		return format
	}
	return ""
}

// WritePicture draws figures below each other into a file, in the format that its name says.
func WritePicture(file string, figures ...*plot.Plot) error {
	data, err := picture(PlotFormat(file), figures)
	if err != nil {
		return err
	}
	return WriteFile(file, data)
}

// picture returns the file of a picture: the same bytes whenever it is drawn.
func picture(format string, figures []*plot.Plot) ([]byte, error) {
	canvas := newCanvas(format, plotWidth, plotHeights[len(figures)])
	letters := &outlined{CanvasSizer: canvas}
	drawBelow(figures, withMargin(letters))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	if format == "svg" {
		return described(b.Bytes(), letters.texts), nil
	}
	return b.Bytes(), nil
}

func newCanvas(format string, width, height vg.Length) vg.CanvasWriterTo {
	switch format {
	case "svg":
		return vgsvg.New(width, height)
	case "pdf":
		return newPDF(width, height)
	}
	return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(plotDPI))}
}

// drawBelow draws figures below each other, with their axes in line.
func drawBelow(figures []*plot.Plot, c draw.Canvas) {
	tiles := draw.Tiles{Rows: len(figures), Cols: 1, PadY: 14}
	rows := make([][]*plot.Plot, len(figures))
	for i, f := range figures {
		rows[i] = []*plot.Plot{f}
	}
	for i, row := range plot.Align(rows, tiles, c) {
		figures[i].Draw(row[0])
	}
}

func withMargin(c vg.CanvasSizer) draw.Canvas {
	const margin = 10
	return draw.Crop(draw.New(c), margin, -margin, margin, -margin)
}

// described adds the texts of a picture to its SVG, for those who cannot see outlines: the first as the title,
// and all of them, one a line, as the description.
func described(svg []byte, texts []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>\n", html.EscapeString(texts[0]))
	for _, text := range texts {
		fmt.Fprintln(&b, html.EscapeString(text))
	}
	fmt.Fprintln(&b, "</desc>")
	head, drawing, _ := bytes.Cut(svg, []byte("<g "))
	head = bytes.Replace(head, []byte("<svg "), []byte(`<svg role="img" `), 1)
	return slices.Concat(head, b.Bytes(), []byte("<g "), drawing)
}
