package report

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outlined is a canvas on which texts are drawn as the outlines of their letters, so that a picture looks the
// same where its font is not installed. It keeps the texts, in the order in which they were drawn.
type outlined struct {
	vg.CanvasSizer
	texts []string
}

// FillString draws a text from a point on its baseline.
func (c *outlined) FillString(face font.Face, at vg.Point, text string) {
	if text == "" {
		return
	}
	c.texts = append(c.texts, text)
	c.Fill(outline(face, at, text))
}

// outline returns the outlines of a text. Each letter stands where the text up to its end has the width that the
// font measures, so that kerning is that of the measure.
func outline(face font.Face, at vg.Point, text string) (path vg.Path) {
	letters := []rune(text)
	for i, letter := range letters {
		start := face.Width(string(letters[:i+1])) - face.Width(string(letter))
		path = append(path, glyph(face, at.Add(vg.Point{X: start}), letter)...)
	}
	return path
}

// glyph returns the outline of one letter.
func glyph(face font.Face, at vg.Point, letter rune) (path vg.Path) {
	unit := face.Font.Size / vg.Length(face.Face.UnitsPerEm())
	place := func(p fixed.Point26_6) vg.Point { // y of glyphs points down
		return vg.Point{X: at.X + unit*vg.Length(p.X), Y: at.Y - unit*vg.Length(p.Y)}
	}
	for _, s := range segments(face.Face, letter) {
		a, b, c := place(s.Args[0]), place(s.Args[1]), place(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			path.Move(a)
		case sfnt.SegmentOpLineTo:
			path.Line(a)
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(a, b)
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(a, b, c)
		}
	}
	return path
}

// segments returns the outline of a letter in units of the font, or that of a box if the font does not have it.
func segments(f *sfnt.Font, letter rune) sfnt.Segments {
	index, err := f.GlyphIndex(nil, letter)
	Must(err)
	s, err := f.LoadGlyph(nil, index, fixed.Int26_6(f.UnitsPerEm()), nil)
	Must(err)
	return s
}
