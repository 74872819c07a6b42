package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ChallengeOptions are those of a challenge.
type ChallengeOptions struct {
	Claim    *big.Rat           // what the worst is claimed to be at most; may be nil
	Plays    int                // how many lines of the adversary are returned; 1000 if that is not positive
	Progress func(done float64) // is told the fraction done; may be nil
}

// Challenge is what the worst adversary of a rule attains, and the adversary.
type Challenge struct {
	Worst interval.Interval // contains what the worst adversary attains
	// one that attains at least the lower end, in the situations that it gets into; elsewhere it stops
	Adversary []Play
	Complete  bool         // whether that is all of it
	Unit      loss.Epsilon // of losses

	Holds, Refuted bool // whether it is known that the claim holds, that it does not
}

// SituationsError says that there are more situations than are kept.
type SituationsError struct{ Rule string }

// Error says which limit was passed, and what helps.
func (e *SituationsError) Error() string { return e.Rule }

// Play is what the adversary does in some situations.
type Play struct {
	Round       int   // that comes, from 1
	Memory      any   // what the rule remembers
	Least, Most int   // the privacy loss so far is in this range of multiples of the unit
	Infinite    bool  // or it is infinite
	Choice      int   // the mechanism of the menu that is played
	Parts       []int // of an ODP mechanism: in which the loss is +ℰ, and in which −ℰ; from 0
}

// ChallengeFilter returns the largest Pr(view ∈ 𝒱 | x) − e^ε Pr(view ∈ 𝒱 | x′), over all sets 𝒱 and all adversaries
// who choose up to so many mechanisms after seeing all outputs, as far as the filter admits them, or stop. The
// smallest δ for which the filter with this menu is (ε, δ)-DP is in that interval.
// FAC-T2 fails as printed; [NewZCDPFilter] says how it is mended.
//
// Mechanisms are (ε_j, δ_j)-randomized response: no (ε_j, δ_j)-DP mechanism is worse (FAC-L11).
//
// Source: Whitehouse et al. (2023), Theorems 1, 2 and 8; FAC-T1, FAC-T2, FAC-T8.
// Also in the checks of FAC-I1.
// Symbols: (ε_j, δ_j) = menu[j−1], ε = eps.
// Domain: a menu of 1 to 255 mechanisms without laws, of which the ε are multiples of one number (decimals always
// are; powers of one number, if they are given as e^ε); rounds at least 0; at most 2^24 situations a round.
// Accuracy: contains the number; a relative width of about 10^-15 times the rounds, and a little more for many rounds.
// Errors: ctx.Err(); what is wrong with the menu, or with what the rule remembers or shows; too many situations.
// Cost: O(rounds · memories · losses · menu) time, O(memories · losses) space.
func ChallengeFilter(ctx context.Context, menu []impl.Mechanism, rounds int, f Filter, eps loss.Epsilon,
	o ChallengeOptions) (c *Challenge, err error) {
	defer check.Named("ChallengeFilter", &err)
	if err := cmp.Or(check.NotNil("ctx", ctx), check.NotNil("f", f)); err != nil {
		return nil, err
	}
	parts, err := asGuarantees(menu)
	if err != nil {
		return nil, err
	}
	spend := func(memory any, choice, _ int) (any, bool) { return f.Spend(memory, menu[choice]) }
	c, err = challengeFilter(ctx, parts, rounds, f.Start, spend, eps, o)
	return c.withoutParts(), err
}

// ChallengeODPFilter is [ChallengeFilter] with a menu of ODP mechanisms: no mechanisms with these guarantees,
// neighbours, sets of views and adversaries attain more. A mechanism of the worst has a loss of +ℰ in one part, or −ℰ
// in one, which may be the same. Its δ has a loss of +∞.
//
// Source: docs/odp-filter.md, Theorem 3.
// Symbols: the guarantees are the menu, ε = eps.
// Domain: 1 to 255 guarantees with at most 8 parts each, of which the ℰ are multiples of one number (decimals always
// are; powers of one number, if they are given as e^ε); rounds at least 0; at most 2^24 situations a round.
// Accuracy: contains the number; a relative width of about 10^-15 times the rounds.
// Errors: ctx.Err(); what is wrong with the menu or with what the rule does, such as to admit a mechanism by the part
// that will be observed; too many situations.
// Cost: O(situations · menu · parts²).
func ChallengeODPFilter(ctx context.Context, menu []Guarantee, rounds int, f PartFilter, eps loss.Epsilon,
	o ChallengeOptions) (c *Challenge, err error) {
	defer check.Named("ChallengeODPFilter", &err)
	if err := cmp.Or(check.NotNil("ctx", ctx), check.NotNil("f", f)); err != nil {
		return nil, err
	}
	spend := func(memory any, choice, part int) (any, bool) { return f.SpendPart(memory, menu[choice], part) }
	return challengeFilter(ctx, menu, rounds, f.Start, spend, eps, o)
}

// ChallengeOdometer returns the largest probability that the privacy loss ever exceeds the reading of an odometer,
// over all adversaries who choose up to so many mechanisms after seeing all outputs, or stop.
// FAC-T3 fails as printed if δ_m > 0; [Odometer] says how it is mended.
//
// Mechanisms are (ε_j, δ_j)-randomized response, which is (ε_j, δ_j)-probabilistically DP (FAC-X28). Others can be
// worse: those of [ChallengeODPOdometer] and, with δ_j > 0, the one with the laws (1, 0) and (1 − δ, δ) loses −ln(1 −
// δ) for sure. That a rule holds is said of the menu as it is played.
//
// Source: Whitehouse et al. (2023), Definition 6 and Theorem 3; FAC-D6, FAC-T3.
// Symbols: (ε_j, δ_j) = menu[j−1].
// Domain: 1 to 255 mechanisms without laws, of which the ε are multiples of one number (decimals always are; powers of
// one number, if they are given as e^ε); rounds at least 0; at most 2^24 situations a round.
// Accuracy, errors and cost: as for [ChallengeFilter]. Where a reading is no point, a loss within it does not exceed it
// for the lower end, and does for the upper one.
func ChallengeOdometer(ctx context.Context, menu []impl.Mechanism, rounds int, r OdometerRule,
	o ChallengeOptions) (c *Challenge, err error) {
	defer check.Named("ChallengeOdometer", &err)
	parts, err := asGuarantees(menu)
	if err == nil {
		c, err = challengeOdometer(ctx, parts, rounds, r, o)
	}
	return c.withoutParts(), err
}

// ChallengeODPOdometer is [ChallengeOdometer] with mechanisms that have parts, as [ChallengeODPFilter] plays them:
// the loss is +ℰ in one part, or −ℰ in one, which may be the same. The odometer counts each by its largest ℰ and its
// δ. With parts of different ℰ more may be attained than by randomized response with the largest: what goes up less
// does so more often.
//
// Source: docs/challenge.md, "Odometers and parts".
// Domain: 1 to 255 guarantees with at most 8 parts each, of which the ℰ are multiples of one number (decimals always
// are; powers of one number, if they are given as e^ε); rounds at least 0; at most 2^24 situations a round.
// Accuracy, errors and cost: as for [ChallengeODPFilter]; a reading that is no point as for [ChallengeOdometer].
func ChallengeODPOdometer(ctx context.Context, menu []Guarantee, rounds int, r OdometerRule,
	o ChallengeOptions) (c *Challenge, err error) {
	defer check.Named("ChallengeODPOdometer", &err)
	return challengeOdometer(ctx, menu, rounds, r, o)
}

// asGuarantees returns DP mechanisms as those of one part.
func asGuarantees(menu []impl.Mechanism) (parts []Guarantee, err error) {
	for i, m := range menu {
		switch {
		case m.Law != nil:
			return nil, fmt.Errorf("menu: mechanism %d: law is given, must be eps and delta", i+1)
		case m.Count != 1:
			return nil, fmt.Errorf("menu: mechanism %d: count is %d, must be 1", i+1, m.Count)
		}
		parts = append(parts, Guarantee{Parts: []Part{{Eps: m.Eps}}, Delta: m.Delta})
	}
	return parts, nil
}

// withoutParts is c for a menu of DP mechanisms, whose plays have no parts.
func (c *Challenge) withoutParts() *Challenge {
	for i := 0; c != nil && i < len(c.Adversary); i++ {
		c.Adversary[i].Parts = nil
	}
	return c
}

// UnitError says that the ε of a menu are no multiples of one number.
type UnitError struct {
	Index int // of the first mechanism that does not fit to those before it, from 0
	Eps   loss.Epsilon
}

// Error says what must hold.
func (e *UnitError) Error() string {
	return fmt.Sprintf("menu: mechanism %d: its ε, %s, has no common unit with those before it: all must be given "+
		"as ε, or all as e^ε that are powers of one number, and not be too far apart", e.Index+1, e.Eps)
}
