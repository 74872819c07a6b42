package noise

import (
	"fmt"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// # What is contributed
//
// A record, or a user, contributes with probability Sampling, and then one of the amounts of Adds; without these, 1. A
// group of members, each of which does so independently, contributes no more than their sum. So Q is noise around 0,
// and P around a random amount: Poisson sampling is the case of the amounts 0 and 1.

// mostAmounts bounds how many amounts there may be.
const mostAmounts = 128

// members returns how many there are in the group.
func (a *Additive) members() int64 { return int64(max(1, a.Group)) }

// member returns what one member contributes: amounts from 0 on, each with its probability, or, of 0, nothing.
func (a *Additive) member() (amounts [][2]*big.Rat) {
	adds := a.Adds
	if adds == nil {
		adds = [][2]*big.Rat{{num.One, num.One}}
	}
	amounts = [][2]*big.Rat{{new(big.Rat), new(big.Rat).Sub(num.One, a.Sampling)}}
	for _, x := range adds {
		part := new(big.Rat).Mul(x[1], a.Sampling)
		if x[0].Sign() == 0 {
			amounts[0][1] = part.Add(part, amounts[0][1])
			continue
		}
		amounts = append(amounts, [2]*big.Rat{x[0], part})
	}
	return amounts
}

// Only returns the only amount beside 0 that can be contributed, and with which probability; nil if there are several.
func (a *Additive) Only() (amount, probability *big.Rat) {
	if a.isCut() {
		return nil, nil
	}
	if a.Adds == nil && a.members() == 1 {
		return num.One, a.Sampling
	}
	amounts := a.member()
	isCertain := amounts[0][1].Sign() == 0
	if len(amounts) != 2 || a.members() > 1 && !isCertain {
		return nil, nil
	}
	return new(big.Rat).Mul(amounts[1][0], new(big.Rat).SetInt64(a.members())), amounts[1][1]
}

// IsRandom reports whether it is random what is contributed: then (P, Q) and (Q, P) differ.
func (a *Additive) IsRandom() bool {
	amount, probability := a.Only()
	return amount == nil || probability.Cmp(num.One) < 0
}

// Takes returns the probability that something is contributed: of batches that are cut, that where they are not, which
// is larger, unless all are.
func (a *Additive) Takes() *big.Rat {
	if a.isCut() && a.Sampling.Cmp(num.One) == 0 {
		return big.NewRat(int64(a.MaxBatch), int64(a.Records))
	}
	if a.Adds == nil && a.members() == 1 {
		return a.Sampling
	}
	nothing, x := big.NewRat(1, 1), a.member()[0][1]
	for range a.members() {
		nothing.Mul(nothing, x)
	}
	return nothing.Sub(num.One, nothing)
}

// Contributions returns what all members contribute together: amounts above 0, rising, each with its probability.
func (a *Additive) Contributions() (amounts [][2]*big.Rat) {
	one := a.member()
	all := [][2]*big.Rat{{new(big.Rat), num.One}}
	for range a.members() {
		all = added(all, one)
	}
	return all[1:]
}

// added returns the law of the sum of two independent amounts, which rise, from 0 on.
func added(x, y [][2]*big.Rat) (sum [][2]*big.Rat) {
	for _, b := range y {
		at := 0
		for _, a := range x {
			amount, p := new(big.Rat).Add(a[0], b[0]), new(big.Rat).Mul(a[1], b[1])
			for at < len(sum) && sum[at][0].Cmp(amount) < 0 {
				at++
			}
			if at < len(sum) && sum[at][0].Cmp(amount) == 0 {
				sum[at][1].Add(sum[at][1], p)
				continue
			}
			sum = append(sum, [2]*big.Rat{})
			copy(sum[at+1:], sum[at:])
			sum[at] = [2]*big.Rat{amount, p}
		}
	}
	return sum
}

// extent returns the least amount above 0 of a member, and the most that all contribute together.
func (a *Additive) extent() (least, most *big.Rat) {
	least, most = num.One, num.One
	if a.Adds != nil {
		amounts := a.member()
		least, most = amounts[1][0], amounts[len(amounts)-1][0]
	}
	if a.IsExchanged() {
		most = big.NewRat(2, 1)
	}
	return least, new(big.Rat).Mul(most, new(big.Rat).SetInt64(a.members()))
}

// contributionFault returns the rule that Adds and Group break; empty if there is none.
func (a *Additive) contributionFault() string {
	isNormal := a.Noise == Gaussian || a.Noise == GDP
	switch {
	case a.Adds != nil && !isNormal:
		return fmt.Sprintf("adds is given, must be with %s noise", Gaussian)
	case a.Group < 0 || a.Group > mostGroup:
		return fmt.Sprintf("there are %d members in a group, must be from 1 to %d", a.Group, mostGroup)
	case a.members() > 1 && a.Noise == DiscreteGaussian:
		return "discrete Gaussian noise is not known for groups"
	case a.members() > 1 && !isNormal && a.Sampling.Cmp(num.One) < 0:
		return fmt.Sprintf("%s noise with sampling is not known for groups", a.Noise)
	case a.members() > 1 && bitsOf(a.Sampling) > mostBits:
		return fmt.Sprintf("sampling must have at most %d bits for a group", mostBits)
	case a.Adds != nil:
		if rule := addsFault(a.Adds); rule != "" {
			return rule
		}
	}
	if rule := a.batchFault(); rule != "" {
		return rule
	}
	if a.Adds != nil && a.Takes().Cmp(leastSampling) < 0 {
		return "something must be added with a probability of at least 1e-9"
	}
	if a.IsRandom() && !isFew(len(a.member()), int(a.members())) {
		return fmt.Sprintf("a group of %d contributes one of more than %d amounts, which are too many", a.members(),
			mostAmounts)
	}
	return ""
}

// mostGroup bounds the members of a group.
const mostGroup = 1000

// mostBits bounds numbers of which powers are taken, or that are added in great number.
const mostBits = 1 << 12

func bitsOf(x *big.Rat) int { return x.Num().BitLen() + x.Denom().BitLen() }

// isFew reports whether there are at most mostAmounts ways to choose so many members' amounts, C(n + members − 1,
// members).
func isFew(n, members int) bool {
	ways := 1
	for i := 1; i <= members; i++ {
		if ways = ways * (n + i - 1) / i; ways > mostAmounts {
			return false
		}
	}
	return true
}

// addsFault returns the rule that amounts break.
func addsFault(adds [][2]*big.Rat) string {
	if len(adds) == 0 || len(adds) > mostAmounts {
		return fmt.Sprintf("adds has %d amounts, must have from 1 to %d", len(adds), mostAmounts)
	}
	var probabilities []*big.Rat
	for i, x := range adds {
		switch {
		case x[0] == nil || x[0].Sign() < 0:
			return fmt.Sprintf("adds: amount %d must be a number of at least 0", i+1)
		case x[1] == nil || x[1].Sign() <= 0 || x[1].Cmp(num.One) > 0:
			return fmt.Sprintf("adds: the probability of amount %d must be above 0 and at most 1", i+1)
		case bitsOf(x[0])+bitsOf(x[1]) > mostBits:
			return fmt.Sprintf("adds: amount %d and its probability must have at most %d bits", i+1, mostBits)
		case i > 0 && adds[i-1][0].Cmp(x[0]) >= 0:
			return fmt.Sprintf("adds: amount %d must be above the one before it", i+1)
		}
		probabilities = append(probabilities, x[1])
	}
	if adds[len(adds)-1][0].Sign() == 0 {
		return "adds: every amount is 0, must have one above 0"
	}
	sum, denominator, err := SumOf(probabilities)
	switch {
	case err != nil:
		return "adds: the probabilities " + err.Error()
	case sum.Cmp(denominator) != 0:
		return "adds: the probabilities must add up to exactly 1"
	}
	return ""
}
