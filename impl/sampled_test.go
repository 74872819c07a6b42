package impl

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// must returns x.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// plainOutputs are P and Q of every output of a mechanism.
type plainOutputs [][2]float64

// with returns the outputs of both together.
func (x plainOutputs) with(y plainOutputs) (z plainOutputs) {
	for _, a := range x {
		for _, b := range y {
			z = append(z, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	return z
}

// plainPair returns those of one mechanism like m, from what it is by definition.
func plainPair(m Mechanism) (x plainOutputs) {
	switch {
	case m.Sampled != nil:
		x = plainOutputs{{1, 1}}
		for _, part := range m.Parts() {
			for range part.Count {
				x = x.with(plainPair(part))
			}
		}
		s := rational.Float64(m.Sampled.Rate)
		for i, o := range x {
			x[i][0] = s*o[0] + (1-s)*o[1]
		}
	case m.Law != nil:
		for _, o := range m.Law {
			x = append(x, [2]float64{rational.Float64(o[0]), rational.Float64(o[1])})
		}
	case m.Losses != nil:
		left := [2]float64{1, 1}
		for _, l := range m.Losses.List() {
			p := rational.Float64(l[1])
			q := p * math.Exp(-rational.Float64(l[0]))
			x, left = append(x, [2]float64{p, q}), [2]float64{left[0] - p, left[1] - q}
		}
		x = append(x, [2]float64{left[0], 0}, [2]float64{0, left[1]})
	default:
		d, e := rational.Float64(m.Delta), loss.Float64(m.Eps)
		p, q := (1-d)/(1+math.Exp(-e)), (1-d)/(1+math.Exp(e))
		x = plainOutputs{{p, q}, {q, p}, {d, 0}, {0, d}}
	}
	return x
}

// tree returns OptDel by going through all sequences of outputs, for neighbours in one order.
func tree(p Pipeline, isReversed bool) float64 {
	var steps []plainOutputs
	for _, m := range p.Mechanisms {
		x := plainPair(m)
		if isReversed {
			for i, o := range x {
				x[i] = [2]float64{o[1], o[0]}
			}
		}
		steps = append(steps, slices.Repeat([]plainOutputs{x}, m.Count)...)
	}
	var value func(k int, a, b float64) float64
	value = func(k int, a, b float64) (v float64) {
		if a == 0 {
			return 0
		}
		if k < len(steps) {
			for _, o := range steps[k] {
				v += value(k+1, a*o[0], b*o[1])
			}
		}
		if i := slices.IndexFunc(p.Stops, func(s Stop) bool { return s.After == k }); i >= 0 {
			v = max(v, a-math.Exp(loss.Float64(p.Stops[i].Eps))*b)
		}
		return v
	}
	return value(0, 1, 1)
}

// randomInner returns a mechanism with few outputs.
func randomInner(r *rand.Rand) (m Mechanism) {
	m.Count = 1
	switch r.IntN(4) {
	case 0:
		p, q := int64(r.IntN(8)), int64(1+r.IntN(7))
		m.Law = Law{{big.NewRat(p, 8), big.NewRat(q, 8)}, {big.NewRat(8-p, 8), big.NewRat(8-q, 8)}}
	case 1:
		m.Losses = must(certify.NewLosses([][2]*big.Rat{{big.NewRat(int64(r.IntN(5)-5), 7), big.NewRat(1, 4)},
			{big.NewRat(int64(r.IntN(9)+1), 7), big.NewRat(int64(1+r.IntN(8)), 16)}}))
	default:
		m.Eps, m.Delta = loss.Nats(big.NewRat(int64(1+r.IntN(40)), 20)), []*big.Rat{{}, big.NewRat(1, 50)}[r.IntN(2)]
		if r.IntN(2) == 0 {
			m.Eps = loss.Exp(big.NewRat(int64(21+r.IntN(60)), 20))
		}
	}
	return m
}

// randomSampled returns a pipeline with mechanisms that see one sample, and sometimes one that sees all records.
func randomSampled(r *rand.Rand) (p Pipeline) {
	k := 0
	for range 1 + r.IntN(2) {
		var inner []Mechanism
		for range 1 + r.IntN(2) {
			inner = append(inner, randomInner(r))
		}
		if len(inner) == 1 {
			inner[0].Count = 1 + r.IntN(2)
		}
		rate := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 10), big.NewRat(1, 1), big.NewRat(1, 1000)}[r.IntN(4)]
		m := Mechanism{Sampled: must(certify.NewSampled(rate, inner)), Count: 1 + r.IntN(2)}
		if r.IntN(3) == 0 && p.Mechanisms != nil {
			m = randomInner(r)
		}
		p.Mechanisms, k = append(p.Mechanisms, m), k+m.Count
	}
	for after := 1; after <= k; after++ {
		if after == k || r.IntN(2) == 0 {
			p.Stops = append(p.Stops, Stop{After: after, Eps: loss.Nats(big.NewRat(int64(r.IntN(30)), 20))})
		}
	}
	return p
}

// TestExhaustive_Sampled: OptDel of few steps, of which some see a sample together, is what all sequences of outputs
// give.
func TestExhaustive_Sampled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		if seed >= 20 && !*testkit.Full {
			break
		}
		p := randomSampled(rand.New(rand.NewPCG(seed, 77)))
		r, err := OptDel(t.Context(), p, Options{RelWidth: 1e-3})
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		want := max(tree(p, false), tree(p, true))
		if near := 1e-13; r.OptDel.Float().Lo > want+near || r.OptDel.Float().Hi < want-near ||
			r.OptDel.Float().Hi-r.OptDel.Float().Lo > 2e-3*want+1e-12 {
			t.Errorf("%d: between %g and %g, must contain %g (%s)", seed, r.OptDel.Lower, r.OptDel.Upper, want, r.Shortfall)
		}
	}
}

// What no charge can buy of a sample is told exactly, and so is the largest loss; a record that is added has one
// whatever sees the sample.
func TestLeak_Sampled(t *testing.T) {
	t.Parallel()
	half := big.NewRat(1, 2)
	of := func(text string) Pipeline {
		return OneStop([]Mechanism{{Sampled: must(certify.NewSampled(half, parsed(text).Mechanisms)), Count: 2}})
	}
	// (1 − 0.19/2)² is left of finite losses
	p, leak := of("1 0.1 x2"), rational.MustParse("0.180975")
	checkTooSmall(t, p, rational.MustParse("0.180974999999999999999999999"), true)
	c, err := OptComp(t.Context(), p.Mechanisms, leak, Options{})
	if want := 2 * math.Log((1+math.Exp(2))/2); err != nil || math.Abs(c.Eps.Float().Hi-want) > 1e-12 {
		t.Errorf("%v, %v, must be %v", c, err, want)
	}
	for _, text := range []string{"gaussian 2, 1 0.1", "law 1/2,3/4 1/4,1/4 1/4,0, gaussian 1"} {
		q := of(text)
		lost := rational.MustParse(map[bool]string{true: "0.0975", false: "0.234375"}[text[0] == 'g'])
		checkTooSmall(t, q, lost, true)
		if hasMostLoss(q.Mechanisms[0]) || !hasMostLoss(q.Orders()[1].Mechanisms[0]) {
			t.Errorf("%s: a largest loss must be there for a record that is added, and only then", text)
		}
	}
	_, most := mostLoss(of("1 0.1").Orders()[1].Mechanisms[0], 128)
	if want := math.Log(2); math.Abs(most.Float().Hi-want) > 1e-12 {
		t.Errorf("the largest loss is %v, must be %v", most, want)
	}
	_, most = mostLoss(of("1 0, ln(2) 0").Orders()[1].Mechanisms[0], 128)
	if want := -math.Log((1 + math.Exp(-1)/2) / 2); math.Abs(most.Float().Hi-want) > 1e-12 {
		t.Errorf("the largest loss is %v, must be %v", most, want)
	}
}

// TestControl_TwoSamplesAreCaught: two releases of one sample lose more than those of two samples, and other rates
// something else: neither is taken for the one.
func TestControl_TwoSamplesAreCaught(t *testing.T) {
	t.Parallel()
	inner := Mechanism{Eps: exactly(0.5), Delta: new(big.Rat), Count: 1}
	sampled := func(rate int64, inner ...Mechanism) Mechanism {
		return Mechanism{Sampled: must(certify.NewSampled(big.NewRat(rate, 10_000), inner)), Count: 1}
	}
	stops := []Stop{{After: 2, Eps: exactly(0.05)}, {After: 4, Eps: exactly(0.1)}}
	one, two := sampled(1000, inner, inner), sampled(1000, inner)
	one.Count, two.Count = 4, 4
	r, err := OptDel(t.Context(), Pipeline{[]Mechanism{one}, stops}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	contains := func(x float64) bool { return r.OptDel.Float().Lo <= x && x <= r.OptDel.Float().Hi }
	if want := tree(Pipeline{[]Mechanism{one}, stops}, false); !contains(want) {
		t.Errorf("between %g and %g, must contain %g", r.OptDel.Lower, r.OptDel.Upper, want)
	}
	larger := inner
	larger.Eps = exactly(0.501)
	near, other := sampled(1001, inner, inner), sampled(1000, inner, larger)
	near.Count, other.Count = 4, 4
	for name, m := range map[string]Mechanism{"two samples": two, "another rate": near, "another ε": other} {
		p := Pipeline{[]Mechanism{m}, stops}
		if name == "two samples" {
			p.Mechanisms, p.Stops = []Mechanism{m, m}, []Stop{{After: 4, Eps: stops[0].Eps}, {After: 8, Eps: stops[1].Eps}}
		}
		if x := max(tree(p, false), tree(p, true)); contains(x) {
			t.Errorf("%s: between %g and %g, contains %g", name, r.OptDel.Lower, r.OptDel.Upper, x)
		}
	}
}

// What releases everything of the one and the other record, and Gaussian noise in two entries or in one.
func TestSampled_Edges(t *testing.T) {
	t.Parallel()
	of := rational.MustParse
	optDel := func(rate, eps string, count int, inner ...Mechanism) (lower, upper float64) {
		sampled := must(certify.NewSampled(of(rate), inner))
		p := Pipeline{[]Mechanism{{Sampled: sampled, Count: count}}, []Stop{{After: count, Eps: loss.Nats(of(eps))}}}
		x := must(OptDel(t.Context(), p, Options{RelWidth: 1e-3})).OptDel.Float()
		return x.Lo, x.Hi
	}
	zero, one := new(big.Rat), rational.One
	all := Mechanism{Law: certify.Law{{zero, one}, {one, zero}}, Count: 1}
	for _, rate := range []string{"1", "1/4"} {
		lower, upper := optDel(rate, "1", 1, Mechanism{Eps: loss.Nats(of("0.1")), Delta: zero, Count: 1}, all)
		if s := rational.Float64(of(rate)); lower > s || upper < s || upper > s*(1+1e-9) || lower < s*(1-1e-9) {
			t.Errorf("rate %s: δ is in [%g, %g], must be %g", rate, lower, upper, s)
		}
	}
	noise := func(count int) Mechanism {
		return Mechanism{Count: count, Additive: &certify.Additive{Noise: certify.Gaussian, Scale: of("0.3"), Sampling: one}}
	}
	lower, upper := optDel("0.1", "0.9218", 12, noise(1), noise(1))
	least, most := optDel("0.1", "0.9218", 12, noise(2))
	if lower > most || least > upper || upper > lower*(1+2e-3) || most > least*(1+2e-3) {
		t.Errorf("two entries: [%g, %g], one: [%g, %g]", lower, upper, least, most)
	}
}
