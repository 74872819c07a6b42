package verify

import (
	"math/big"
	"math/rand/v2"

	"checkrr/impl/certify"
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
