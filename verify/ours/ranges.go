package ours

import (
	"context"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// ranges is the statement on mechanisms with a bounded range.
func ranges() register.Checks {
	whole := func(expEps *big.Rat) impl.Mechanism { return withRange(loss.Exp(expEps)) }
	return register.Checks{
		"OUR-L13": checked(register.All(rangesAreGames(claimedGame(whole)), bothEnds(0.0)),
			near("one t for all steps, whatever was seen", rangesAreGames(fixedThreshold)),
			near("a step of range ε is (ε/2, 0)-DP", rangesAreGames(claimedGame(halfDP))),
			near("with 99/100 of e^ε", rangesAreGames(claimedGame(func(expEps *big.Rat) impl.Mechanism {
				return withRange(loss.Exp(rat.Mul(rat.Of("99/100"), expEps)))
			}))),
			near("with a loss of 1/1000 more", bothEnds(1e-3)),
			near("with a loss of 1/1000 less", bothEnds(-1e-3))),
	}
}

// withRange is a step with a range.
func withRange(eps loss.Epsilon) impl.Mechanism {
	return impl.Mechanism{Eps: eps, Delta: new(big.Rat), IsRange: true, Count: 1}
}

// halfDP is a step of which every loss is at most half the range; e^ε is a square.
func halfDP(expEps *big.Rat) impl.Mechanism {
	root := new(big.Rat).SetFrac(new(big.Int).Sqrt(expEps.Num()), new(big.Int).Sqrt(expEps.Denom()))
	return impl.Mechanism{Eps: loss.Exp(root), Delta: new(big.Rat), Count: 1}
}

// contest is steps of one range, each followed by a stop with a charge.
type contest struct {
	expEps  *big.Rat
	charges []*big.Rat
	menu    []finite.Pair // laws that an adversary may choose from
}

// bound is a δ that is claimed for all adversaries.
type bound = func(t *register.T, c contest) *big.Rat

// claimedGame is the δ that impl finds for such steps.
func claimedGame(step func(expEps *big.Rat) impl.Mechanism) bound {
	return func(t *register.T, c contest) *big.Rat {
		p := impl.Pipeline{}
		for k, charge := range c.charges {
			p.Mechanisms = append(p.Mechanisms, step(c.expEps))
			p.Stops = append(p.Stops, impl.Stop{After: k + 1, Eps: loss.Exp(charge)})
		}
		_, upper := optDel(t, p, 1e-4).Rats()
		return upper
	}
}

// fixedThreshold is the largest δ of the steps with two losses, if all are the same.
func fixedThreshold(_ *register.T, c contest) *big.Rat {
	most := new(big.Rat)
	for _, one := range twoLosses(c.expEps) {
		c.menu = []finite.Pair{one}
		most = rat.Max(most, c.gain(0, rat.One, rat.One))
	}
	return most
}

// gain is what an adversary who chooses each step by what was seen gains at best behind k steps, where the outputs so
// far have the probabilities a and b.
func (c contest) gain(k int, a, b *big.Rat) *big.Rat {
	best := new(big.Rat)
	if k > 0 {
		best = rat.Positive(rat.Sub(a, rat.Mul(c.charges[k-1], b)))
	}
	if k == len(c.charges) {
		return best
	}
	for _, laws := range c.menu {
		sum := new(big.Rat)
		for _, o := range laws.Outputs() {
			sum.Add(sum, c.gain(k+1, rat.Mul(a, laws[0].Pr(o)), rat.Mul(b, laws[1].Pr(o))))
		}
		best = rat.Max(best, sum)
	}
	return best
}

// twoLosses are steps that lose t or t − ε, e^t in eighths.
func twoLosses(expEps *big.Rat) (menu []finite.Pair) {
	for x := rat.One; x.Cmp(expEps) <= 0; x = rat.Add(x, big.NewRat(1, 8)) { // e^t
		menu = append(menu, finite.PairOf(spec.RangeLaws(expEps, x)))
	}
	return menu
}

// hasRange reports whether all P/Q are within a factor.
func hasRange(p finite.Pair, expEps *big.Rat) bool {
	var least, most *big.Rat
	for _, o := range p.Outputs() {
		if p[0].Pr(o).Sign() == 0 || p[1].Pr(o).Sign() == 0 {
			return false
		}
		ratio := rat.Quo(p[0].Pr(o), p[1].Pr(o))
		if least == nil || ratio.Cmp(least) < 0 {
			least = ratio
		}
		if most == nil || ratio.Cmp(most) > 0 {
			most = ratio
		}
	}
	return most.Cmp(rat.Mul(expEps, least)) <= 0
}

// rangesAreGames lets adversaries choose among steps with the range, by what was seen. None gains more than is claimed;
// and where the best t of one step is among them, one gains as much.
var rangesAreGames = finite.Over("e^ε in {9/4, 4}, e^E of the first stop in {1, 25/16}, e^E of the second in "+
	"{1, 3/2}, steps in {1, 2}; each step chosen, by what was seen, from all pairs of laws over 3 outputs in sixths with "+
	"that range, and from those that lose t or t − ε, e^t in eighths",
	func(t *register.T, claim bound, expEps, first, second *big.Rat, steps int) {
		c := contest{expEps: expEps, charges: []*big.Rat{first, second}[:steps], menu: twoLosses(expEps)}
		for p := range finite.Pairs(3, 6) {
			if hasRange(p, expEps) {
				c.menu = append(c.menu, p)
			}
		}
		worst, most := c.gain(0, rat.One, rat.One), claim(t, c)
		t.AtMost(worst, most, "an adversary gains δ = %s, at most %.6g was claimed", worst, rat.Float64(most))
		if enough := rat.Mul(rat.Of("999/1000"), most); steps == 1 {
			t.Require(worst.Cmp(enough) >= 0, "δ = %s is enough, %.6g was claimed", worst, rat.Float64(most))
		}
	})

// oneRange is what a step of range ε is worth where outputs before it lost so much more than is charged behind it: with
// t = (ε − more)/2, where that is a choice, and where it is none, as every loss is enough, or none.
func oneRange(eps, more float64) float64 {
	if more >= eps {
		return -math.Expm1(-more)
	}
	x := math.Expm1(min(0, -(eps+more)/2))
	return x * x / -math.Expm1(-eps)
}

// twoRanges is what two steps are worth, charged behind each: the largest value over t of the first one, on a grid.
func twoRanges(eps, other, charge, last float64) (most float64) {
	const parts = 4000
	pays := func(more float64) float64 { return max(0, -math.Expm1(-more)) }
	for i := range parts + 1 {
		t := eps * float64(i) / parts
		p := math.Expm1(t-eps) / math.Expm1(-eps)
		most = max(most, p*max(pays(t-charge), oneRange(other, t-last))+
			(1-p)*max(pays(t-eps-charge), oneRange(other, t-eps-last)))
	}
	return most
}

// bothEnds holds both ends that impl finds for two steps, and for each of the stops alone, against the closed form of
// one step, at losses that are so much larger.
var bothEnds = finite.Over("first in {1/10, 1, 3}, second in {1/5, 1}, charge in {0, 1/20, 1/2}, more in {0, 1/10, "+
	"1}; two steps with these ranges, charged so much after the first, and so much more after the second",
	func(t *register.T, off float64, first, second, charge, more *big.Rat) {
		const width, alone, rounding = 1e-3, 2e-2, 1e-6 // asked for, of single stops, and of the grid
		last := rat.Add(charge, more)
		p := impl.Pipeline{
			Mechanisms: []impl.Mechanism{withRange(loss.Nats(first)), withRange(loss.Nats(second))},
			Stops:      []impl.Stop{{After: 1, Eps: loss.Nats(charge)}, {After: 2, Eps: loss.Nats(last)}},
		}
		ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
		defer cancel()
		result := register.Must(impl.OptDel(ctx, p, impl.Options{RelWidth: width}))
		a, b := rat.Float64(first), rat.Float64(second)
		c, d := rat.Float64(charge)-off, rat.Float64(last)-off
		wants := []float64{twoRanges(a, b, c, d), oneRange(a, -c), twoRanges(a, b, math.Inf(1), d)}
		for i, found := range append([]interval.Interval{result.OptDel}, result.SingleStop...) {
			x := found.Float()
			least, most := wants[i]*(1-rounding), wants[i]*(1+rounding)+1e-15
			t.Require(x.Lo <= most && least <= x.Hi && x.Hi-x.Lo <= alone*most,
				"%s: from %.9g to %.9g, is %.9g", []string{"both stops", "the first", "the second"}[i], x.Lo, x.Hi,
				wants[i])
		}
	})
