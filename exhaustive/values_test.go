package exhaustive

import (
	"context"
	"math/big"
	"slices"
	"testing"
)

func mustExact(t *testing.T, p Pipeline) Values[*big.Rat] {
	t.Helper()
	v, err := Exact(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustEnclose(t *testing.T, p Pipeline, prec uint) Values[Interval] {
	t.Helper()
	v, err := Enclose(context.Background(), p, prec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// One stop and equal mechanisms: the number of 1s is binomial.
func TestPaper_Binomial(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 6; k++ {
		for _, delta := range []string{"0", "1/50", "1"} {
			for _, expE := range []string{"1", "3/2", "27/8", "4", "100"} {
				mechanism := Mechanism{Eps: exps("3/2"), Delta: rat(delta)}
				p := Pipeline{slices.Repeat([]Mechanism{mechanism}, k), []Stop{stop(k, expE)}}
				want := binomial(k, rat("3/2"), rat(delta), rat(expE))
				if got := mustExact(t, p).OptDel; got.Cmp(want) != 0 {
					t.Errorf("k = %d, δ = %s, e^ℰ = %s: %v, want %v", k, delta, expE, got, want)
				}
			}
		}
	}
}

// binomial returns 1 − (1−δ)^k + (1−δ)^k Σ_j C(k,j) max(0, x^j − e·x^(k−j))/(1+x)^k.
func binomial(k int, x, delta, e *big.Rat) *big.Rat {
	n := rational{}
	power := func(x *big.Rat, j int) *big.Rat {
		result := one
		for range j {
			result = n.mul(result, x)
		}
		return result
	}
	sum := new(big.Rat)
	for j := range k + 1 {
		ways := new(big.Rat).SetInt(new(big.Int).Binomial(int64(k), int64(j)))
		bracket := n.sub(power(x, j), n.mul(e, power(x, k-j)))
		sum = n.add(sum, n.mul(ways, n.max(bracket, new(big.Rat))))
	}
	regular := power(n.sub(one, delta), k)
	sum = n.quo(sum, power(n.add(one, x), k))
	return n.add(n.sub(one, regular), n.mul(regular, sum))
}

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
	got := mustEnclose(t, p, 1200).OptDel
	if !got.contains(rat("1e-300")) || got.contains(rat("0.999999999999e-300")) || got.contains(rat("1.000000000001e-300")) {
		t.Errorf("got %v, want 1e-300", got)
	}
}
