package report

import (
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdfCanvas is a page of a PDF on which quadratic curves are drawn right: vgpdf draws other ones.
type pdfCanvas struct{ *vgpdf.Canvas }

// newPDF returns an empty page. It is dated 1970, so that a picture is the same file whenever it is drawn.
func newPDF(width, height vg.Length) pdfCanvas {
	date := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(date)
	fpdf.SetDefaultModificationDate(date)
	return pdfCanvas{vgpdf.New(width, height)}
}

// Fill fills a path.
func (c pdfCanvas) Fill(path vg.Path) { c.Canvas.Fill(cubic(path)) }

// cubic returns the same path with its quadratic curves as cubic ones: the control points of these are two thirds
// of the way from either end to the one control point. A quadratic curve must not follow an arc.
func cubic(path vg.Path) (same vg.Path) {
	var last vg.Point
	for _, part := range path {
		if part.Type == vg.CurveComp && len(part.Control) == 1 {
			part.Control = []vg.Point{towards(last, part.Control[0]), towards(part.Pos, part.Control[0])}
		}
		same, last = append(same, part), part.Pos
	}
	return same
}

func towards(from, control vg.Point) vg.Point {
	return from.Add(control.Sub(from).Scale(2. / 3))
}
