package report

import (
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// texts are such as pictures have, with letters that are moved together, holes, and signs beyond ASCII.
var texts = []string{"AVATAR Type 11", "Worst stopping rule: OptDel ≤ 8.258e-06", "ε·(1 − spread), δ, α, Λ, ε₂ ∞",
	"1e-6", "%&<>'\""}

func sans(size vg.Length) font.Face {
	return font.NewCache(liberation.Collection()).Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// edges returns the left and the right edge of a path.
func edges(path vg.Path) (left, right vg.Length) {
	left, right = vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
	for _, part := range path {
		left, right = min(left, part.Pos.X), max(right, part.Pos.X)
	}
	return left, right
}

// TestOutline_Width: what follows a text stands where the font's measure says that the text ends.
func TestOutline_Width(t *testing.T) {
	t.Parallel()
	face := sans(12)
	if face.Width("AV") >= face.Width("A")+face.Width("V") {
		t.Error("nothing is moved together in AV")
	}
	left, right := edges(outline(face, vg.Point{}, "H"))
	for _, text := range texts {
		l, r := edges(outline(face, vg.Point{X: 100, Y: 7}, "H"+text+"H"))
		want := 100 + right + face.Width("H"+text+"H") - face.Width("H")
		if math.Abs(float64(l-100-left)) > 1e-9 || math.Abs(float64(r-want)) > 1e-9 {
			t.Errorf("%q reaches from %v to %v, want %v to %v", text, l, r, 100+left, want)
		}
	}
}

// drawn returns a picture of a letter, by its outline or as vgimg draws it by itself.
func drawn(letter rune, isOutlined bool) image.Image {
	picture := vgimg.NewWith(vgimg.UseWH(40, 40), vgimg.UseDPI(144))
	var c vg.Canvas = picture
	if isOutlined {
		c = &outlined{CanvasSizer: picture}
	}
	c.FillString(sans(24), vg.Point{X: 10, Y: 10}, string(letter))
	return picture.Image()
}

// difference returns the sum of what two pictures differ by, as a part of the ink of the first.
func difference(a, b image.Image) float64 {
	var sum, ink float64
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, _, _, _ := a.At(x, y).RGBA()
			q, _, _, _ := b.At(x, y).RGBA()
			sum, ink = sum+math.Abs(float64(p)-float64(q)), ink+0xffff-float64(p)
		}
	}
	return sum / ink
}

// TestOutline_Letters compares outlines of letters with what vgimg draws by itself: they are the same to the rounding
// of shades, and those of other letters are not.
func TestOutline_Letters(t *testing.T) {
	t.Parallel()
	const most, least = 0.05, 0.1 // 0.024 and 0.16, of i and l, were seen
	letters := []rune(strings.ReplaceAll(strings.Join(texts, ""), " ", ""))
	slices.Sort(letters)
	letters = slices.Compact(letters)
	for i, letter := range letters {
		if index, err := sans(24).Face.GlyphIndex(nil, letter); err != nil || index == 0 {
			t.Errorf("the font has no %q: %v", letter, err)
		}
		outline := drawn(letter, true)
		if d := difference(drawn(letter, false), outline); !(d < most) {
			t.Errorf("the outline of %q differs by %g of the ink, want less than %g", letter, d, most)
		}
		other := letters[(i+1)%len(letters)]
		if d := difference(drawn(other, false), outline); !(d > least) {
			t.Errorf("the outline of %q differs from %q by %g of the ink, want more than %g", letter, other, d, least)
		}
	}
}
