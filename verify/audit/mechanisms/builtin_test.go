package mechanisms

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// found is what all laws of a mechanism say together.
type found struct {
	refuted  bool
	complete int // laws
	proved   int
	losses   []float64 // by part: the largest lower bound
	claim    audit.Claim
	delta    float64 // the largest lower bound
}

// made is a mechanism with everything set.
func made(t testing.TB, name string, p Params) *Case {
	t.Helper()
	m, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Make(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// laws are those that were computed, by mechanism and parameters: several tests are about the same.
var laws sync.Map

// lawsOf returns all that is known of a case.
func lawsOf(t *testing.T, name string, c *Case) []audit.Law {
	t.Helper()
	compute, _ := laws.LoadOrStore(fmt.Sprint(name, c.Settings, c.Claim.IsDP()),
		sync.OnceValues(func() ([]audit.Law, error) { return c.Laws(context.Background()) }))
	all, err := compute.(func() ([]audit.Law, error))()
	if err != nil {
		t.Fatal(name, err)
	}
	return all
}

func find(t *testing.T, name string, p Params) found {
	t.Helper()
	c := made(t, name, p)
	laws := lawsOf(t, name, c)
	f := found{losses: make([]float64, len(c.Claim.Parts)), claim: c.Claim}
	for _, l := range laws {
		one, err := l.Check(c.Claim)
		if err != nil {
			t.Fatal(name, l.Inputs, err)
		}
		f.refuted = f.refuted || one.Refuted
		f.complete += boolInt(l.Complete)
		f.proved += boolInt(one.Proved)
		delta, _ := one.Delta.Lower.Float64()
		f.delta = max(f.delta, delta)
		for k, loss := range one.Losses {
			x, _ := loss.Loss.Lower.Float64()
			f.losses[k] = max(f.losses[k], x)
		}
	}
	return f
}

// known is what laws say of a mechanism: that the claim is "true" or "refuted", or by default what the catalogue says,
// and what its parts lose at least.
type known struct {
	name   string
	p      Params
	is     string
	losses []float64
}

// check finds a true claim proved on every pair of inputs of which all is known, and refuted on none; and a wrong one
// refuted.
func (k known) check(t *testing.T) found {
	t.Helper()
	m, err := Find(k.name)
	if err != nil {
		t.Fatal(err)
	}
	f := find(t, k.name, k.p)
	refuted := k.is == "refuted" || k.is == "" && !m.Right()
	if f.refuted != refuted || !refuted && f.proved < f.complete {
		t.Errorf("%s %v: refuted %v, %d proved of %d complete; δ at least %g",
			k.name, k.p, f.refuted, f.proved, f.complete, f.delta)
	}
	for part, least := range k.losses {
		charge := loss.Float64(f.claim.Parts[part].Eps)
		if !(f.losses[part] >= least) || !f.refuted && f.delta == 0 && f.losses[part] > charge+1e-15 {
			t.Errorf("%s %v: part %d: loss %g, must be at least %g and at most the charge %g", k.name, k.p, part,
				f.losses[part], least, charge)
		}
	}
	return f
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		for _, claim := range m.Claims {
			f := known{name: m.Name, p: Params{Claim: claim}}.check(t)
			if m.Right() && f.complete == 0 && m.Name != "logreg-test" {
				t.Errorf("%s, %s: no complete law", m.Name, claim)
			}
		}
	}
}

// The same, for other ε, and for fewer and more candidates or queries, or other δ.
func TestCatalogue_Sizes(t *testing.T) {
	t.Parallel()
	tenth, half, ten, million := big.NewRat(1, 10), big.NewRat(1, 2), whole(10), big.NewRat(1, 1_000_000)
	every := []*big.Rat{tenth, whole(4), one}[:atLeast(1, 3)]
	for _, test := range []struct {
		names string
		eps   []*big.Rat
		p     []Params
	}{
		{"discrete-laplace", every, []Params{{}}},
		{"gaussian discrete-gaussian", every, []Params{{Delta: half}, {Delta: million}}},
		{"gaussian-classical", []*big.Rat{ten, whole(40)}, []Params{{Delta: half}, {Delta: million}}},
		{"gaussian-variance", every, []Params{{Delta: million}}},
		{"gaussian-printed", []*big.Rat{tenth, one}, []Params{{Delta: million}}},
		{"numeric-sparse", every, []Params{{C: 1, Queries: 2}, {C: 3, Queries: 9}, {C: 6, Queries: 20}}},
		{"numeric-sparse-reused", every, []Params{{Queries: 5}, {Queries: 20}}},
		{"one-sided-max one-sided-max-utility one-sided-max-unhalved exponential exponential-unhalved " +
			"exponential-range", every, []Params{{Queries: 2}, {Queries: 20}}},
	} {
		for _, name := range strings.Fields(test.names) {
			for _, eps := range test.eps {
				for _, p := range test.p {
					p.Eps = eps
					known{name: name, p: p}.check(t)
				}
			}
		}
	}
}

// The losses that were found by quadrature before, and those of the literature. A claim with the δ of the leak is true,
// and so is one with a larger ε, and one with less is not.
func TestKnown(t *testing.T) {
	t.Parallel()
	half := big.NewRat(1, 2)
	rows := []known{
		{"laplace", Params{}, "", []float64{1}},
		{"laplace", Params{Eps: half, Noise: big.NewRat(4, 5)}, "refuted", []float64{0.625}},
		{"laplace-small", Params{}, "", []float64{1.25}},
		{"histogram-inverted", Params{Eps: half}, "", []float64{2}},
		{"toy", Params{}, "", []float64{1, 0}},
		{"svt", Params{Claim: "odp", C: 3}, "", []float64{0.4999, 0.644, 0.716, 0.741}},
		{"svt-uncharged", Params{}, "", []float64{0.4999, 0.644, 0.716, 0.741}},
		{"svt-lee-clifton", Params{C: 1, Queries: 10}, "", []float64{1.746}},
		{"svt-lee-clifton", Params{C: 3, Queries: 10}, "", []float64{4.61}},
		{"svt-chen", Params{Queries: 10}, "", []float64{4.486}},
		{"svt-chen", Params{Queries: 16}, "", []float64{7.347}},
		{"svt-roth", Params{Queries: 9}, "", []float64{3.99}},
		{"svt-roth", Params{Queries: 17}, "", []float64{7.99}},
		{"svt-stoddard", Params{}, "", []float64{math.Inf(1)}},
		{"above-threshold", Params{}, "", []float64{0.9999}},
		{"sparse", Params{}, "", []float64{0.97}},
		{"noisy-max", Params{}, "", []float64{0.9999}},
		{"noisy-max-value", Params{}, "", []float64{2.4999}},
		{"noisy-max-value", Params{Queries: 8, Eps: half}, "", []float64{1.9999}},
		{"noisy-max-value-exponential", Params{}, "", []float64{math.Inf(1)}},
		{"laplace-float", Params{}, "", []float64{math.Inf(1)}},
		{"laplace-float", Params{Eps: big.NewRat(1, 100)}, "", []float64{math.Inf(1)}},
		{"laplace-float", Params{Eps: big.NewRat(100, 1)}, "", []float64{math.Inf(1)}},
		{"leak", Params{}, "", []float64{math.Inf(1)}},
		{"private-iqr", Params{}, "", []float64{0, 0.6666}},
		{"discrete-laplace", Params{}, "", []float64{1}},
		{"discrete-laplace", Params{Eps: half, Noise: big.NewRat(4, 5)}, "refuted", []float64{0.625}},
		{"numeric-sparse", Params{}, "", []float64{0.97}},
		{"numeric-sparse", Params{C: 1, Queries: 12}, "", []float64{0.99}},
		{"numeric-sparse-reused", Params{}, "", []float64{1.9999}},
		{"numeric-sparse-reused", Params{Queries: 18, Eps: half}, "", []float64{1.9999}},
		{"numeric-sparse-reused", Params{Queries: 9, Eps: greatestNumber}, "", []float64{199.99}},
		{"one-sided-max", Params{}, "", []float64{1}},
		{"one-sided-max-utility", Params{Queries: 20}, "", []float64{1}},
		{"one-sided-max-unhalved", Params{}, "", []float64{2}},
		{"exponential", Params{}, "", []float64{0.9999}},
		{"exponential-unhalved", Params{}, "", []float64{1.9999}},
		{"exponential-range", Params{}, "", []float64{math.Inf(1)}},
		{"random-stopping", Params{}, "", []float64{0.9}},
		{"random-stopping-once", Params{}, "", []float64{2.5}},
		{"best-of-all", Params{}, "", []float64{4.7}},
		{"best-of-all", Params{Queries: 2}, "", []float64{1.9}},
		{"laplace", Params{Noise: big.NewRat(999999, 1000000)}, "refuted", nil},
		{"laplace", Params{Noise: big.NewRat(1000001, 1000000)}, "true", nil},
		{"laplace", Params{Noise: big.NewRat(4, 5), Delta: big.NewRat(1, 10)}, "refuted", nil},
		{"laplace", Params{Noise: big.NewRat(4, 5), Delta: big.NewRat(12, 100)}, "true", nil},
		{"histogram", Params{Noise: big.NewRat(4, 5), Queries: 10}, "refuted", nil},
		{"svt", Params{Noise: big.NewRat(2, 3), Claim: "odp"}, "refuted", nil},
		{"above-threshold", Params{Noise: big.NewRat(9, 10)}, "refuted", nil},
		{"sparse", Params{Noise: big.NewRat(9, 10)}, "refuted", nil},
		{"noisy-max", Params{Noise: big.NewRat(9, 10)}, "refuted", nil},
		{"svt-lee-clifton", Params{C: 1, Delta: big.NewRat(1, 50)}, "true", nil},
		{"leak", Params{Delta: big.NewRat(1, 6000)}, "refuted", nil},
		{"randomized-response", Params{Delta: big.NewRat(1, 10)}, "true", nil},
		{"odp-composition", Params{Delta: big.NewRat(1, 3)}, "true", nil},
		{"odp-composition-observed", Params{Delta: big.NewRat(1, 3)}, "refuted", nil},
		{"response-pipeline", Params{Queries: 5, Eps: big.NewRat(3, 1)}, "true", nil},
		{"response-pipeline", Params{Queries: 1}, "true", nil},
		{"private-iqr", Params{Delta: big.NewRat(1, 1000000), Eps: big.NewRat(1, 2)}, "true", nil},
		{"discrete-laplace", Params{Noise: big.NewRat(999999, 1000000)}, "refuted", nil},
		{"discrete-laplace", Params{Noise: big.NewRat(1000001, 1000000)}, "true", nil},
		{"gaussian", Params{Noise: big.NewRat(101, 100)}, "true", nil},
		{"discrete-gaussian", Params{Noise: big.NewRat(99, 100)}, "refuted", nil},
		{"discrete-gaussian", Params{Noise: big.NewRat(101, 100)}, "true", nil},
		{"one-sided-max", Params{Noise: big.NewRat(999999, 1000000)}, "refuted", nil},
		{"one-sided-max-utility", Params{Noise: big.NewRat(999999, 1000000)}, "refuted", nil},
		{"exponential", Params{Noise: big.NewRat(99, 100)}, "refuted", nil},
		// those that take long, of mechanisms that are above, too
		{"sparse", Params{C: 3, Queries: 18}, "", []float64{0.99}},
		{"svt", Params{Noise: big.NewRat(2, 3)}, "refuted", nil},
		{"svt", Params{Noise: big.NewRat(3, 2), Claim: "odp"}, "true", nil},
		{"numeric-sparse", Params{Noise: big.NewRat(9, 10)}, "refuted", nil},
		{"gaussian", Params{Noise: big.NewRat(99, 100)}, "refuted", nil},
	}
	for _, k := range rows[:atLeast(len(rows)-5, len(rows))] {
		k.check(t)
	}
	// the pipeline's claim is exactly tight: with a little less δ it is refuted
	c := made(t, "response-pipeline", Params{})
	all := lawsOf(t, "response-pipeline", c)
	c.Claim.Delta = mul(c.Claim.Delta, big.NewRat(999999999, 1000000000))
	if f, err := all[0].Check(c.Claim); err != nil || !f.Refuted {
		t.Errorf("%v, refuted %v, must be", err, f.Refuted)
	}
}

// The law of the one-sided noisy arg-max, in intervals, against impl's in rational numbers, where both can be
// computed: at e^λ = 3/2.
func TestOneSidedLaw(t *testing.T) {
	for _, utilities := range [][]int{{0}, {0, 0}, {3, 1, 0, 3, -4}, slices.Repeat([]int{1, 0}, 10)} {
		base := big.NewRat(3, 2)
		var q []interval.Interval
		for _, gap := range gapsOf(utilities) {
			x := one
			for range gap {
				x = quo(x, base)
			}
			q = append(q, oneSidedBits.Rat(x))
		}
		want := impl.OneSidedLaw(base, utilities)
		for r, p := range oneSidedLaw(q) {
			if !p.Contains(want[r]) || p.RelWidth() > 1e-100 {
				t.Errorf("%v: output %d has [%g, %g], must be about %v", utilities, r, p.Lower, p.Upper, want[r])
			}
		}
	}
}

// The δ that the laws need is that of impl's formula, where nothing is rounded, and nearly that where it is.
func TestNormalLaw_SmallestDelta(t *testing.T) {
	for _, variance := range []*big.Rat{big.NewRat(1, 10), one, whole(30)} {
		for _, eps := range []*big.Rat{big.NewRat(1, 10), one, whole(4)} {
			above := func(x *big.Rat) (interval.Interval, error) { return discreteGaussianAbove(x, variance) }
			discrete, err := noise.DiscreteGaussianDelta(1, variance, eps)
			if err != nil {
				t.Fatal(err)
			}
			sigma := normalBits.Sqrt(normalBits.Rat(variance))
			for _, test := range []struct {
				law  normalLaw
				want interval.Interval
				off  float64 // absolute
			}{
				{normalLaw{variance, one, above}, discrete, 1e-40},
				{gaussianLaw(variance), impl.GaussianDelta(one, sigma, eps), 1e-11},
			} {
				cells, err := test.law.cells(eps)
				if err != nil {
					t.Fatal(err)
				}
				f, err := audit.Law{Cells: cells, Complete: true}.Check(audit.DP(loss.Nats(eps), new(big.Rat)))
				if err != nil {
					t.Fatal(err)
				}
				low, _ := new(big.Float).Sub(test.want.Lower, f.Delta.Upper).Float64()
				high, _ := new(big.Float).Sub(f.Delta.Lower, test.want.Upper).Float64()
				if low > test.off || high > test.off {
					t.Errorf("σ² = %s, ε = %s: δ is [%g, %g], must be [%g, %g]", variance, eps, f.Delta.Lower,
						f.Delta.Upper, test.want.Lower, test.want.Upper)
				}
			}
		}
	}
}

// The exact law of the interquartile range against impl's formula for δ.
func TestPrivateIQR_SmallestDelta(t *testing.T) {
	f := find(t, "private-iqr", Params{Claim: "odp"})
	delta, eps := big.NewRat(1, 1000), loss.Nats(big.NewRat(1, 3))
	var laws [2]impl.IQRLaw
	for b, x := range []zeroOne{{25, 72}, {24, 73}} {
		var err error
		if laws[b], err = impl.LawOfPrivateIQR(x.records(), eps, delta); err != nil {
			t.Fatal(err)
		}
	}
	want, err := impl.SmallestIQRDelta(laws[0], laws[1], 3, 2)
	x, _ := want.Lower.Float64()
	if err != nil || math.Abs(f.delta-x) > 1e-15 || x < 9e-4 {
		t.Errorf("δ is at least %g, must be %g, %v", f.delta, x, err)
	}
}

// What is drawn depends on the seed alone.
func TestSample_Seed(t *testing.T) {
	c := made(t, "histogram", Params{})
	draw := func(seed byte, n int) string {
		s := new(audit.Sample)
		if err := c.Pairs[0].Samplers[0].Sample(t.Context(), n, [32]byte{seed}, s); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(s.Groups()[0].Numbers[:9])
	}
	if draw(1, 10) != draw(1, 10000) || draw(1, 10) == draw(2, 10) {
		t.Error("outputs must be those of the seed")
	}
}
