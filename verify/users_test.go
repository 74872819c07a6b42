package verify

import (
	"math/big"
	"math/rand/v2"
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

// drawUsers makes it random how much a step adds, for a user or for a group, and returns the most.
func drawUsers(r *rand.Rand, a *certify.Additive) (most float64) {
	most = 1
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
	return most * float64(max(1, a.Group))
}

// addsMore reports whether a step adds anything but 0 or 1.
func addsMore(a *certify.Additive) bool {
	return a != nil && (a.Group > 0 || a.Adds != nil || a.Noise == certify.GDP)
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
	if !*full {
		return // the other takes a second
	}
	group := step("1", "0.01", 2, 1000, nil)
	lower, _ := delta("4.5535", 1e-4, group)
	if _, upper := delta("4.5545", 1e-4, group); lower < 1e-6 || upper > 1e-6 {
		t.Errorf("a group of two: δ is at least %.9g at 4.5535, and at most %.9g at 4.5545; at 4.554 it must be 1e-6",
			lower, upper)
	}
}
