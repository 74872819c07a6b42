package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
)

// Choice is what an adversary may choose in one round: a mechanism with finitely many
// outputs on two neighbouring databases, and the guarantee (𝒫, ℰ, δ) that is claimed for it.
// Nothing here believes the claim: it is what the accountant is told.
type Choice struct {
	Name    string
	Outputs []string      // their names
	Laws    [2][]*big.Rat // by database and output: its probability
	Part    []int         // by output: its part of 𝒫
	ExpE    []*big.Rat    // by part: e^ℰ
	Delta   *big.Rat      // δ
}

// Rule is an accountant, given by what it remembers.
type Rule struct {
	Start  []*big.Rat                                                   // what it remembers at first
	Admits func(state []*big.Rat, c *Choice) bool                       // whether c may run now
	Next   func(state []*big.Rat, c *Choice, output int) (_ []*big.Rat) // what it remembers after that
}

// SumRule returns the accountant of Algorithm 1 in the arXiv version, which remembers
// e^(ε_r) and δ_r.
//
// Source: Hartmann et al. (2022), Algorithm 1, lines 2, 4, 7 and 8; ODP-A1.
// Also in the checks of ODP-T7, ODP-X3, ODP-X9, ODP-X30 and ODP-X31.
// Symbols: e^(ε_t) = expEpsT, δ_t = deltaT.
// Domain: e^(ε_t) ≥ 1, δ_t ≥ 0.
// Accuracy: exact.
// Deviation from print: as for [Accountant].
// Cost: O(parts) a round.
func SumRule(expEpsT, deltaT *big.Rat) Rule {
	return Rule{
		Start: []*big.Rat{rational.Copy(expEpsT), rational.Copy(deltaT)},
		Admits: func(left []*big.Rat, c *Choice) bool {
			return slices.MaxFunc(c.ExpE, (*big.Rat).Cmp).Cmp(left[0]) <= 0 && c.Delta.Cmp(left[1]) <= 0
		},
		Next: func(left []*big.Rat, c *Choice, output int) []*big.Rat {
			return []*big.Rat{
				new(big.Rat).Quo(left[0], c.ExpE[c.Part[output]]),
				new(big.Rat).Sub(left[1], c.Delta),
			}
		},
	}
}

// maxSituations is the largest number of situations that [WorstAdversary] keeps.
const maxSituations = 1 << 21

// maxRounds is the largest number of rounds that [WorstAdversary] plays. Each
// round is a call inside another one.
const maxRounds = 1 << 16

// WorstAdversary returns the largest Pr(V^[0] ∈ 𝒱) − e^ε Pr(V^[1] ∈ 𝒱) over all
// adversaries that play at most the given number of rounds on a menu under an accountant,
// and all sets of views 𝒱; and an adversary that attains it.
//
// It is backward induction. Let a and b be the probabilities of the view so far. Once the
// adversary has stopped, the best 𝒱 holds the view or not: max(0, a − e^ε b). Before
// that, sets of views after different outputs can be chosen independently, so a round is
// worth the largest, over what the accountant admits, of the sum over its outputs. The
// worth is homogeneous in (a, b), so it is b times a function of the ratio a/b, of what the
// accountant remembers, and of the rounds left; each such situation is solved once. Views
// with a = 0 are worth 0, and views with b = 0 are worth a, whatever follows.
//
// Source: Hartmann et al. (2022), Algorithm 1 and Theorem 7; ODP-A1, ODP-T7.
// Also in the checks of ODP-X2, ODP-X9, ODP-X32, OUR-L14 and OUR-X21.
// Symbols: e^ε = expEps; I = rounds.
// Domain: e^ε ≥ 1; I in [0, 2^16]; laws that are laws; an accountant that
// remembers numbers; at most 2^21 situations. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: the adversary may stop, which is to play mechanisms with a fixed
// output from then on; it tosses no coins, which cannot help it.
// Cost: situations × menu × outputs.
func WorstAdversary(ctx context.Context, menu []Choice, rounds int, rule Rule, expEps *big.Rat) (
	worst *big.Rat, best *Strategy, err error,
) {
	defer check.Named("WorstAdversary", &err)
	err = cmp.Or(check.Between("rounds", rounds, 0, maxRounds), check.In("exp_eps", expEps, "[1, ∞)"), rule.check(),
		check.NotNil("ctx", ctx))
	for i := range menu {
		if fault := menu[i].check(); err == nil && fault != nil {
			err = fmt.Errorf("choice %d (%s): %w", i+1, menu[i].Name, fault)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	a := newAdversarySearch(cloneMenu(menu), rule, expEps)
	v := a.solve(ctx, rounds, rule.Start, rational.One)
	if a.err != nil {
		return nil, nil, a.err
	}
	return v.worth, a.strategy(rounds, rule.Start, rational.One), nil
}

// cloneMenu returns a menu in memory of its own.
func cloneMenu(menu []Choice) (own []Choice) {
	numbers := func(of []*big.Rat) (own []*big.Rat) {
		for _, x := range of {
			own = append(own, rational.Copy(x))
		}
		return own
	}
	for _, c := range menu {
		own = append(own, Choice{c.Name, slices.Clone(c.Outputs), [2][]*big.Rat{numbers(c.Laws[0]), numbers(c.Laws[1])},
			slices.Clone(c.Part), numbers(c.ExpE), rational.Copy(c.Delta)})
	}
	return own
}

// check refuses what is no accountant.
func (r Rule) check() error {
	return cmp.Or(check.NotNil("rule: Admits", r.Admits), check.NotNil("rule: Next", r.Next),
		checkRemembered("Start", r.Start))
}

// checkRemembered refuses what is no list of numbers.
func checkRemembered(what string, numbers []*big.Rat) error {
	if i := slices.Index(numbers, nil); i >= 0 {
		return fmt.Errorf("rule: number %d of %s is missing, must be a number", i+1, what)
	}
	return nil
}

// check refuses what is no mechanism with a partition.
func (c *Choice) check() error {
	if n := len(c.Part); len(c.Outputs) != n || len(c.Laws[0]) != n || len(c.Laws[1]) != n || n == 0 {
		return fmt.Errorf("there are %d outputs, laws of %d and %d, and parts of %d, "+
			"must be equally many and at least 1", len(c.Outputs), len(c.Laws[0]), len(c.Laws[1]), n)
	}
	err := check.In("delta", c.Delta, "[0, ∞)")
	for z, k := range c.Part {
		err = cmp.Or(err, check.Between("part of output "+c.Outputs[z], k, 0, len(c.ExpE)-1))
	}
	for k, e := range c.ExpE {
		err = cmp.Or(err, check.In(fmt.Sprintf("exp_eps of part %d", k), e, "[1, ∞)"))
	}
	return cmp.Or(err, check.Law("law 0", slices.All(c.Laws[0])), check.Law("law 1", slices.All(c.Laws[1])))
}

// adversarySearch is a search for the worst adversary.
type adversarySearch struct {
	menu   []Choice
	rule   Rule
	expEps *big.Rat
	ratios [][]*big.Rat   // by choice and output: P0/P1, or nil where one of them is 0
	lost   []*big.Rat     // by choice: the P0 of the outputs with P1 = 0
	states map[string]int // numbers for what the accountant remembers
	solved map[situation]verdict
	read   map[situation]*Strategy
	err    error
}

// situation is what the worth of the rest depends on.
type situation struct {
	rounds, state int
	ratio         string // a/b
}

// verdict is what a situation is worth, and the choice that makes it so; or stop.
type verdict struct {
	worth  *big.Rat // divided by b
	choice int
}

const stop = -1

func newAdversarySearch(menu []Choice, rule Rule, expEps *big.Rat) *adversarySearch {
	a := &adversarySearch{menu: menu, rule: rule, expEps: expEps,
		states: map[string]int{}, solved: map[situation]verdict{}, read: map[situation]*Strategy{}}
	for _, c := range menu {
		ratios, lost := make([]*big.Rat, len(c.Part)), new(big.Rat)
		for z, p0 := range c.Laws[0] {
			switch p1 := c.Laws[1][z]; {
			case p1.Sign() == 0:
				lost.Add(lost, p0)
			case p0.Sign() > 0:
				ratios[z] = new(big.Rat).Quo(p0, p1)
			}
		}
		a.ratios, a.lost = append(a.ratios, ratios), append(a.lost, lost)
	}
	return a
}

// state returns the number of what the accountant remembers.
func (a *adversarySearch) state(remembered []*big.Rat) int {
	var key strings.Builder
	for _, x := range remembered {
		key.WriteString(x.RatString())
		key.WriteByte(' ')
	}
	if _, known := a.states[key.String()]; !known {
		a.states[key.String()] = len(a.states)
	}
	return a.states[key.String()]
}

// solve returns what the rest is worth where a/b is the ratio.
func (a *adversarySearch) solve(ctx context.Context, rounds int, remembered []*big.Rat, ratio *big.Rat) verdict {
	at := situation{rounds, a.state(remembered), ratio.RatString()}
	if v, done := a.solved[at]; done {
		return v
	}
	best := verdict{new(big.Rat).Sub(ratio, a.expEps), stop}
	if best.worth.Sign() < 0 {
		best.worth.SetInt64(0)
	}
	if err := ctx.Err(); err != nil && a.err == nil {
		a.err = err
	}
	for i := range a.menu {
		if rounds == 0 || a.err != nil {
			break
		}
		if c := &a.menu[i]; a.rule.Admits(remembered, c) {
			worth := new(big.Rat).Mul(ratio, a.lost[i])
			for z, step := range a.ratios[i] {
				if step == nil {
					continue
				}
				next := a.rule.Next(remembered, c, z)
				if err := checkRemembered("Next", next); err != nil {
					a.err = err
					break
				}
				then := a.solve(ctx, rounds-1, next, new(big.Rat).Mul(ratio, step))
				worth.Add(worth, new(big.Rat).Mul(c.Laws[1][z], then.worth))
			}
			if worth.Cmp(best.worth) > 0 {
				best = verdict{worth, i}
			}
		}
	}
	if len(a.solved) == maxSituations && a.err == nil {
		a.err = fmt.Errorf("there are more than %d situations", maxSituations)
	}
	a.solved[at] = best
	return best
}

// Strategy is a deterministic adversary: what it plays now, and what after each output.
// Nil stops.
type Strategy struct {
	Choice *Choice     // what it plays now
	Then   []*Strategy // by output
}

// strategy reads the adversary off what was solved. After an output that only one of the
// databases has, it stops. Equal situations share one strategy.
func (a *adversarySearch) strategy(rounds int, remembered []*big.Rat, ratio *big.Rat) *Strategy {
	at := situation{rounds, a.state(remembered), ratio.RatString()}
	v, done := a.solved[at]
	if !done {
		panic("internal error: a situation was not solved")
	}
	if v.choice == stop {
		return nil
	}
	if s := a.read[at]; s != nil {
		return s
	}
	s := &Strategy{Choice: &a.menu[v.choice]}
	for z, step := range a.ratios[v.choice] {
		var then *Strategy
		if step != nil {
			then = a.strategy(rounds-1, a.rule.Next(remembered, s.Choice, z), new(big.Rat).Mul(ratio, step))
		}
		s.Then = append(s.Then, then)
	}
	a.read[at] = s
	return s
}

// String says what is played after which output; where nothing is said, the adversary stops.
func (s *Strategy) String() string {
	if s == nil || s.Choice == nil {
		return "stop"
	}
	after := map[string][]string{} // outputs, by what is played after them
	var order []string
	for z, then := range s.Then {
		if then == nil || z >= len(s.Choice.Outputs) {
			continue
		}
		text := then.String()
		if after[text] == nil {
			order = append(order, text)
		}
		after[text] = append(after[text], s.Choice.Outputs[z])
	}
	var branches []string
	for _, text := range order {
		branches = append(branches, "after "+strings.Join(after[text], " or ")+": "+text)
	}
	if len(branches) == 0 {
		return s.Choice.Name
	}
	return s.Choice.Name + " (" + strings.Join(branches, "; ") + ")"
}
