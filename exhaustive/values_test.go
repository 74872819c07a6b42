package exhaustive

import (
	"context"
	"math"
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

// One mechanism and one stop: δ + (1−δ)·max(0, (e^ε − e^ℰ)/(1 + e^ε)).
func TestPaper_OneMechanism(t *testing.T) {
	t.Parallel()
	g := newGenerator(2)
	n := rational{}
	for range 200 {
		p := g.pipeline(1)
		x, delta, e := p.Mechanisms[0].Eps.Rat, p.Mechanisms[0].Delta, p.Stops[0].Eps.Rat
		gap := n.max(n.quo(n.sub(x, e), n.add(one, x)), new(big.Rat))
		want := n.add(delta, n.mul(n.sub(one, delta), gap))
		if got := mustExact(t, p).OptDel; got.Cmp(want) != 0 {
			t.Errorf("%v: %v, want %v", p, got, want)
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

// The i-th single value is the OptDel of the pipeline cut off at stop i with
// no other stop, and max_i single_i ≤ OptDel ≤ Σ_i single_i.
func TestLaw_SingleStops(t *testing.T) {
	t.Parallel()
	g := newGenerator(3)
	for range 100 {
		p := g.pipeline(5)
		v := mustExact(t, p)
		sum := new(big.Rat)
		for i, s := range p.Stops {
			alone := mustExact(t, Pipeline{p.Mechanisms[:s.After], []Stop{s}})
			if v.Single[i].Cmp(alone.OptDel) != 0 {
				t.Errorf("%v: stop %d is %v, alone %v", p, i+1, v.Single[i], alone.OptDel)
			}
			if v.OptDel.Cmp(v.Single[i]) < 0 {
				t.Errorf("%v: OptDel %v is below stop %d alone, %v", p, v.OptDel, i+1, v.Single[i])
			}
			sum.Add(sum, v.Single[i])
		}
		if v.Lemma11.Cmp(sum) != 0 || v.OptDel.Cmp(sum) > 0 {
			t.Errorf("%v: OptDel %v, Lemma 11 %v, sum of single stops %v", p, v.OptDel, v.Lemma11, sum)
		}
	}
}

// If the charges do not increase, stopping early never pays.
func TestLaw_DecreasingCharges(t *testing.T) {
	t.Parallel()
	p := exact("2 1/9, 3 0, 11/10 1/1000, 7/5 0", stop(1, "3"), stop(3, "2"), stop(4, "2"))
	if v := mustExact(t, p); v.OptDel.Cmp(v.Single[2]) != 0 {
		t.Errorf("OptDel %v, last stop alone %v", v.OptDel, v.Single[2])
	}
}

// ODP-X24, for two stops and more.
func TestPaper_Equation4IsLarger(t *testing.T) {
	t.Parallel()
	g := newGenerator(4)
	for range 100 {
		p := g.pipeline(5)
		for k := range p.Mechanisms {
			p.Mechanisms[k].Delta = rat(pick(g, "1", "1/1000000", "1/3"))
		}
		v := mustExact(t, p)
		if order := v.Lemma11.Cmp(v.OptDel); len(p.Stops) > 1 && order <= 0 || order < 0 {
			t.Errorf("%v: Lemma 11 %v, OptDel %v", p, v.Lemma11, v.OptDel)
		}
	}
}

func TestExhaustive_EncloseExact(t *testing.T) {
	t.Parallel()
	g := newGenerator(5)
	for range 60 {
		p := g.pipeline(5)
		want := everyValue(mustExact(t, p))
		for _, prec := range []uint{24, 53, 200} {
			for i, got := range everyValue(mustEnclose(t, p, prec)) {
				if !got.contains(want[i]) {
					t.Errorf("%v: value %d is %v, with %d bits %v", p, i, want[i], prec, got)
				}
				if width := widthOf(got); width > math.Ldexp(encloseUlps, -int(prec)) {
					t.Errorf("%v: value %d has width %g with %d bits", p, i, width, prec)
				}
			}
		}
	}
}

// encloseUlps bounds the width of every enclosure in these tests in units of
// 2^(−prec). At each of at most 5 stops at most 4^5 numbers are added up, which
// widens their sum, at most 1, by 2 units each; the numbers themselves went
// through fewer than 10 operations a mechanism: 5 · (4^5 · 2 + 5 · 10 · 2) < 2^14.
const encloseUlps = 1 << 14

// everyValue returns OptDel, Lemma11 and the single stops.
func everyValue[T any](v Values[T]) []T { return append([]T{v.OptDel, v.Lemma11}, v.Single...) }

func widthOf(v Interval) float64 {
	width, _ := new(big.Float).Sub(v.Hi, v.Lo).Float64()
	return width
}

// decimals are problems whose ε are given as ε.
var decimals = []Pipeline{
	decimal("0.1 0", Stop{1, nats("0.05")}),
	decimal("0.1 1e-6, 0.1 1e-6, 0.3 0, 0.7 0.01, 1.5 1e-9, 0 0",
		Stop{2, nats("0.1")}, Stop{3, nats("0.2")}, Stop{6, nats("1")}),
	decimal("700 0, 700 0.5", Stop{1, nats("650")}, Stop{2, nats("709")}),
	{[]Mechanism{{Eps: nats("0.5"), Delta: rat("0")}, {Eps: exps("7/4"), Delta: rat("1/100")}}, []Stop{{1, exps("5/4")}, {2, nats("1")}}},
}

// More bits give intervals inside those of fewer bits, or at least meeting them.
func TestEncloseNested(t *testing.T) {
	t.Parallel()
	for _, p := range decimals {
		fine := everyValue(mustEnclose(t, p, 300))
		for i, coarse := range everyValue(mustEnclose(t, p, 100)) {
			if coarse.Lo.Cmp(fine[i].Lo) > 0 || coarse.Hi.Cmp(fine[i].Hi) < 0 {
				t.Errorf("%v: value %d is %v with 100 bits, %v with 300", p, i, coarse, fine[i])
			}
		}
	}
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
