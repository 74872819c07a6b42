package report

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

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
	if len(same) != 5 || same[1].Pos != a || len(same[2].Control) != 2 || same[2].Pos != c || same[3].Control[1] != b || same[4].Type != vg.CloseComp {
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
