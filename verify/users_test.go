package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// chance is an amount that is contributed, with its probability.
type chance struct{ amount, p float64 }

// membersChances returns what all members of a group contribute together: one for each way in which they can, so that
// equal amounts stand there as often as they occur.
func membersChances(a *certify.Additive, members int) []chance {
	if members == 0 {
		return []chance{{0, 1}}
	}
	q := rat.Float64(a.Sampling)
	one := []chance{{0, 1 - q}}
	if a.Adds == nil {
		one = append(one, chance{1, q})
	}
	for _, x := range a.Adds {
		one = append(one, chance{rat.Float64(x[0]), q * rat.Float64(x[1])})
	}
	var all []chance
	for _, x := range membersChances(a, members-1) {
		for _, y := range one {
			all = append(all, chance{x.amount + y.amount, x.p * y.p})
		}
	}
	return all
}

// usersQuadrature returns n + 1 points of Gaussian noise around what is contributed, by the trapezoid rule.
func usersQuadrature(a *certify.Additive, n int) (s quadrature) {
	scale, far := rat.Float64(a.Scale), 0.0
	chances := membersChances(a, max(1, a.Group))
	for _, x := range chances {
		far = max(far, x.amount)
	}
	density := func(y float64) float64 { return math.Exp(-y*y/(2*scale*scale)) / (scale * math.Sqrt(2*math.Pi)) }
	from, to := -9*scale, far+9*scale
	h := (to - from) / float64(n)
	for k := range n + 1 {
		y := from + h*float64(k)
		with, without := 0.0, density(y)*h
		for _, x := range chances {
			with += x.p * density(y-x.amount) * h
		}
		s.add(a.Added, 1, with, without)
	}
	return s
}

// usersMechanism returns a random step with several amounts, of a user or of a group, and its points in both orders.
func usersMechanism(r *rand.Rand, n int) (m impl.Mechanism, both [2]quadrature) {
	a := certify.Additive{Noise: certify.Gaussian, Sampling: rat.List("1", "0.5", "0.1", "0.02")[r.IntN(4)]}
	most := 1.0
	switch kind := r.IntN(4); kind {
	case 0: // a group
		a.Group = 2 + r.IntN(3)
	case 3: // a mechanism that is known to be GDP
		a.Noise, a.Sampling, a.Group = certify.GDP, rat.One, r.IntN(3)
	default:
		amounts, left := rat.List("0", "0.3", "1", "1.5", "2", "3"), int64(1000)
		for i, x := range amounts {
			part := r.Int64N(left + 1)
			if i == len(amounts)-1 || r.IntN(4) == 0 && i > 0 {
				part = left
			}
			if left -= part; part > 0 {
				a.Adds, most = append(a.Adds, [2]*big.Rat{x, big.NewRat(part, 1000)}), max(most, rat.Float64(x))
			}
		}
		if a.Adds[0][0].Sign() == 0 && len(a.Adds) == 1 { // nothing is added
			a.Adds = nil
		}
		a.Group = r.IntN(3)
	}
	most *= float64(max(1, a.Group))
	a.Scale = big.NewRat(int64(1000*most*(0.7+4*r.Float64())), 1000)
	back := a
	back.Added = true
	return impl.Mechanism{Additive: &a}, [2]quadrature{usersQuadrature(&a, n), usersQuadrature(&back, n)}
}

// TestOptDel_Users compares intervals with the recursion over losses, as [TestOptDel_Quadrature] does, for steps of
// which it is random how much they add: 10 pipelines with stops and few points, or 300, seed 53. It
// shares nothing with the law of such
// steps: what a group adds is found by going through all that its members may do.
func TestOptDel_Users(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(53, 2024))
	n := amount(600, 1600)
	for i := range amount(10, 300) {
		var p impl.Pipeline
		var steps [2][]quadrature
		for range 1 + r.IntN(2) {
			m, both := usersMechanism(r, n)
			m.Count = 1 + r.IntN(3)
			p.Mechanisms = append(p.Mechanisms, m)
			for i := range both {
				steps[i] = append(steps[i], slices.Repeat([]quadrature{both[i]}, m.Count)...)
			}
		}
		charges, last := map[int]float64{}, 0.2+r.Float64()
		for k := 1; k <= len(steps[0]); k++ {
			if k == len(steps[0]) || r.IntN(2) == 0 {
				e := big.NewRat(int64(math.Round(last*1000)), 1000)
				charges[k] = rat.Float64(e)
				p.Stops = append(p.Stops, impl.Stop{After: k, Eps: loss.Nats(e)})
				last += r.Float64() * 0.5
			}
		}
		if !isLeftOut(i) {
			compareWithQuadrature(t, i, p, steps, charges, 1e-4*math.Pow(4800/float64(n), 2), 1e-12)
		}
	}
}

// TestOptDel_PublishedUsers compares with what others print: the test of Google's dp_accounting for mixtures of
// Gaussians, and a group of two in DP-SGD. The tolerance is that of their last digits.
func TestOptDel_PublishedUsers(t *testing.T) {
	t.Parallel()
	adds := func(numbers ...string) (amounts [][2]*big.Rat) {
		for i, x := range rat.List(numbers...) {
			if i%2 == 0 {
				amounts = append(amounts, [2]*big.Rat{x, rat.Of(numbers[i+1])})
			}
		}
		return amounts
	}
	step := func(noise string, sampling string, group, count int, amounts [][2]*big.Rat) impl.Mechanism {
		return impl.Mechanism{Count: count, Additive: &certify.Additive{Noise: certify.Gaussian, Scale: rat.Of(noise),
			Sampling: rat.Of(sampling), Group: group, Adds: amounts}}
	}
	delta := func(eps string, width float64, steps ...impl.Mechanism) (lower, upper float64) {
		p := impl.OneStop(steps)
		p.Stops[0].Eps = loss.Nats(rat.Of(eps))
		result, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: width})
		if err != nil {
			t.Fatal(err)
		}
		x := result.OptDel.Float()
		return x.Lo, x.Hi
	}
	users := []impl.Mechanism{step("1", "1", 0, 3, adds("0", "0.2", "1", "0.6", "2", "0.2")),
		step("2", "1", 0, 2, adds("0", "0.33", "2", "0.34", "3", "0.33"))}
	if lower, upper := delta("17.193115", 1e-6, users...); upper < 1e-6*(1-2e-6) || lower > 1e-6*(1+2e-6) {
		t.Errorf("users: δ is between %.9g and %.9g, must be 1e-6", lower, upper)
	}
	group := step("1", "0.01", 2, 1000, nil)
	lower, _ := delta("4.5535", 1e-4, group)
	if _, upper := delta("4.5545", 1e-4, group); lower < 1e-6 || upper > 1e-6 {
		t.Errorf("a group of two: δ is at least %.9g at 4.5535, and at most %.9g at 4.5545; at 4.554 it must be 1e-6",
			lower, upper)
	}
}
