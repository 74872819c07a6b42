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

// Values computed by hand. With e^ε = 3 and δ = 0 the sequences 1, 11, 111 have
// the probabilities (3/4, 1/4), (9/16, 1/16), (27/64, 1/64).
func TestPaper_Theorem15ByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		p               Pipeline
		optDel, lemma11 string
	}{
		{"one mechanism", exact("3 0", stop(1, "2")), "1/4", "1/4"},
		{"charge is epsilon", exact("3 1/10", stop(1, "3")), "1/10", "1/10"},
		{"charge above epsilon", exact("3 0", stop(1, "4")), "0", "0"},
		{"epsilon is 0", decimal("0 0", stop(1, "1")), "0", "0"},
		{"delta is 1", exact("3 1", stop(1, "1000")), "1", "1"},
		{"second says nothing", exact("3 0, 1 0", stop(2, "1")), "1/2", "1/2"},
		{"stop early", exact("3 0, 3 0", stop(1, "1"), stop(2, "4")), "1/2", "13/16"},
		{"go on", exact("3 0, 3 0", stop(1, "2"), stop(2, "4")), "5/16", "9/16"},
		{"delta is 1, twice", exact("1 1, 1 1", stop(1, "1"), stop(2, "1")), "1", "2"},
		// 111: 27/64 − 2/64; 112, 121, 211: 9/64 − 6/64 each.
		{"three mechanisms", exact("3 0, 3 0, 3 0", stop(3, "2")), "34/64", "34/64"},
		// After 1: stop for 3/4 − 1/4 = 32/64, or go on for 34/64 − 3/64.
		// After 2: stop for nothing, or go on for 3/64, the sequence 211.
		{"stop after 1 or 3", exact("3 0, 3 0, 3 0", stop(1, "1"), stop(3, "2")), "35/64", "66/64"},
	}
	for _, test := range tests {
		v := mustExact(t, test.p)
		if v.OptDel.Cmp(rat(test.optDel)) != 0 || v.Lemma11.Cmp(rat(test.lemma11)) != 0 {
			t.Errorf("%s: OptDel %v, want %s; Lemma 11 %v, want %s", test.name, v.OptDel, test.optDel, v.Lemma11, test.lemma11)
		}
	}
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
