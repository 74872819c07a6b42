package report

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
