package exhaustive

import (
	"math/big"
	"testing"
)

// everyValue returns OptDel, Lemma11 and the single stops.
func everyValue[T any](v Values[T]) []T { return append([]T{v.OptDel, v.Lemma11}, v.Single...) }

func widthOf(v Interval) float64 {
	width, _ := new(big.Float).Sub(v.Hi, v.Lo).Float64()
	return width
}

// With enough bits even a tiny δ is known to many digits: the difference of
// 2/3 and 2/3 that comes with it here takes away a thousand of the 1200.
func TestEncloseTinyDelta(t *testing.T) {
	t.Parallel()
	p := exact("2 1e-300", stop(1, "2"))
	v, err := Enclose(t.Context(), p, 1200, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := v.OptDel
	below, above := rat("0.999999999999e-300"), rat("1.000000000001e-300")
	if !got.contains(rat("1e-300")) || got.contains(below) || got.contains(above) {
		t.Errorf("got %v, want 1e-300", got)
	}
}
