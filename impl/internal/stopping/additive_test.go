package stopping

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// mixed returns mechanisms of all kinds with some stops.
func mixed(charges ...float64) Problem {
	gaussian := func(scale, sampling *big.Rat, count int) certify.Mechanism {
		return certify.Mechanism{Additive: &certify.Additive{Noise: certify.Gaussian, Scale: scale, Sampling: sampling},
			Count: count}
	}
	p := certify.Problem{Mechanisms: []certify.Mechanism{
		gaussian(big.NewRat(5, 2), big.NewRat(1, 50), 300),
		{Additive: &certify.Additive{Noise: certify.Laplace, Scale: big.NewRat(5, 1), Sampling: big.NewRat(3, 10)},
			Count: 3},
		response(loss.Nats(big.NewRat(1, 10)), big.NewRat(1, 1000000), 4),
		{Law: certify.Law{{big.NewRat(1, 2), big.NewRat(1, 4)}, {big.NewRat(1, 2), big.NewRat(3, 4)}}, Count: 1},
		gaussian(big.NewRat(10, 1), big.NewRat(1, 1), 20),
	}}
	for i, after := range []int{100, 302, 308, 328} {
		p.Stops = append(p.Stops, certify.Stop{After: after, Eps: loss.Nats(new(big.Rat).SetFloat64(charges[i]))})
	}
	return New(p)
}

// The estimator is near what is certified, with mechanisms of all kinds.
func TestEstimator_Mixed(t *testing.T) {
	t.Parallel()
	charges := []float64{0.4, 0.8, 1.8, 3}
	p := mixed(charges...)
	certified, err := Solve(t.Context(), p, Options{RelWidth: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newObjective(t.Context(), p, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	var discounts []float64
	for i, e := range charges {
		discounts = append(discounts, d.largest[i]-e)
	}
	for i, x := range d.singles(t.Context(), discounts) {
		want, _ := certified.SingleStop[i].Upper.Float64()
		if math.Abs(x-want) > 0.02*want {
			t.Errorf("single stop %d: %v, must be near %v", i+1, x, want)
		}
	}
	value := d.optDel(t.Context(), discounts)
	want, _ := certified.OptDel.Upper.Float64()
	if math.Abs(value-want) > 0.02*want {
		t.Errorf("OptDel: %v, must be near %v", value, want)
	}
}

// TestTogether: amounts that all lie farther from 0 than float64 reaches by e^−η have losses all the same.
func TestTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amounts []amount
		etas    []float64
		want    float64
	}{
		{[]amount{{17, 0.5}, {18, 0.5}}, []float64{-824.5, -882}, -824.5 + math.Log(0.5)},
		{[]amount{{17, 0.25}, {18, 0.25}}, []float64{-824.5, -882}, math.Log(0.5)},
		{[]amount{{1, 0.5}, {2, 0.5}}, []float64{800, 700}, 800 + math.Log(0.5)},
		{[]amount{{1, 0.25}, {2, 0.25}}, []float64{0, 0}, 0},
	} {
		if got := together(c.amounts, c.etas); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%v, %v: %g, must be %g", c.amounts, c.etas, got, c.want)
		}
	}
}

// Rare large losses do not hide what matters: with two stops, the interval is as narrow as with one.
func TestSolve_RareLosses(t *testing.T) {
	t.Parallel()
	p := certify.Problem{Mechanisms: []certify.Mechanism{{Count: 10000, Additive: &certify.Additive{
		Noise: certify.Gaussian, Scale: big.NewRat(1, 1), Sampling: big.NewRat(1, 10000)}}}}
	for i, after := range []int{5000, 10000} {
		p.Stops = append(p.Stops, certify.Stop{After: after, Eps: loss.Nats(big.NewRat([]int64{45, 60}[i], 1000))})
	}
	const width = 1e-2
	r, err := Solve(t.Context(), New(p), Options{RelWidth: width})
	if err != nil {
		t.Fatal(err)
	}
	if found := max(r.OptDel.RelWidth(), r.Lemma11.RelWidth()); found > width {
		t.Errorf("width %.3g, must be at most %.3g", found, width)
	}
}
