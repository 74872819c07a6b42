package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/internal/adversary"
	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// attack is a rule and a menu, in the words of the search.
type attack struct {
	filterStates
	menu    []Guarantee
	units   [][]int // by mechanism and part: its ℰ
	order   []int   // of the mechanisms: their numbers in the menu
	unit    loss.Epsilon
	plays   []Play // by step of the problem: its mechanism and parts
	problem adversary.Problem
	spend   spending
	exceeds func(number int32) (adversary.Memory, error) // without what follows it
}

// spending returns whether a mechanism of the menu may run and, if it may and its output is in a part, what is
// remembered then.
type spending func(memory any, choice, part int) (after any, admitted bool)

// maxMenu is the largest number of mechanisms of a menu, maxChallengeParts that of their parts.
const (
	maxMenu           = 255
	maxChallengeParts = 8
)

// maxChallengeRounds is the largest number of rounds of a challenge.
const maxChallengeRounds = 100_000

// challengeFilter is [ChallengeODPFilter], given what the filter does.
func challengeFilter(ctx context.Context, menu []Guarantee, rounds int, start func() any, spend spending,
	eps loss.Epsilon, o ChallengeOptions) (*Challenge, error) {
	a, err := newAttack(menu, rounds, start(), spend)
	if err = cmp.Or(check.Rule(check.Epsilon(eps)), err); err != nil {
		return nil, err
	}
	a.exceeds = func(int32) (adversary.Memory, error) {
		return adversary.Memory{Exceeds: adversary.Never, MayExceed: adversary.Never,
			Infinite: true, MayBeInfinite: true}, nil
	}
	stop := newPayoff(a.unit, eps)
	a.problem.Stop, a.problem.ExactStop = stop.at, stop.exactly
	return a.search(ctx, o)
}

// challengeOdometer is [ChallengeODPOdometer].
func challengeOdometer(ctx context.Context, menu []Guarantee, rounds int, r OdometerRule,
	o ChallengeOptions) (*Challenge, error) {
	if err := cmp.Or(check.NotNil("ctx", ctx), check.NotNil("r", r)); err != nil {
		return nil, err
	}
	spend := func(memory any, choice, _ int) (any, bool) {
		g := menu[choice]
		return r.Spend(memory, impl.Mechanism{Eps: g.Worst(), Delta: g.Delta, Count: 1}), true
	}
	a, err := newAttack(menu, rounds, r.Start(), spend)
	if err != nil {
		return nil, err
	}
	a.exceeds = func(number int32) (adversary.Memory, error) {
		x, err := a.reading(r, number)
		if err != nil {
			return adversary.Memory{}, err
		}
		return adversary.Memory{Exceeds: a.firstAbove(x.Hi), MayExceed: a.firstAbove(x.Lo),
			Infinite: x.Hi < math.Inf(1), MayBeInfinite: x.Lo < math.Inf(1)}, nil
	}
	return a.search(ctx, o)
}

func newAttack(menu []Guarantee, rounds int, start any, spend spending) (*attack, error) {
	if err := check.Between("rounds", rounds, 0, maxChallengeRounds); err != nil {
		return nil, err
	}
	if len(menu) == 0 || len(menu) > maxMenu {
		return nil, fmt.Errorf("menu: there are %d mechanisms, must be at least 1 and at most %d", len(menu), maxMenu)
	}
	var eps []loss.Epsilon
	var owner []int // by ε: its mechanism
	for i, g := range menu {
		if err := checkPlayable(g); err != nil {
			return nil, fmt.Errorf("menu: mechanism %d%w", i+1, err)
		}
		for _, p := range g.Parts {
			eps, owner = append(eps, p.Eps), append(owner, i)
		}
	}
	unit, units, wrong, ok := stopping.CommonUnit(eps)
	if !ok {
		return nil, &UnitError{owner[wrong], loss.Copy(eps[wrong])}
	}
	a := &attack{menu: menu, unit: unit, spend: spend}
	for _, g := range menu {
		a.units, units = append(a.units, units[:len(g.Parts)]), units[len(g.Parts):]
	}
	a.problem = adversary.Problem{Rounds: rounds, Memory: a.memory}
	a.addSteps()
	_, err := a.number(start, noMemory, 0)
	return a, err
}

// checkPlayable refuses what is no mechanism that can be played.
func checkPlayable(g Guarantee) error {
	if err := g.Validate(); err != nil {
		return fmt.Errorf(": %w", err)
	}
	if len(g.Parts) > maxChallengeParts {
		return fmt.Errorf(" has %d parts, must have at most %d", len(g.Parts), maxChallengeParts)
	}
	for _, p := range g.Parts {
		if err := check.Rule(loss.FaultExp(p.Eps)); err != nil {
			return fmt.Errorf(": %w", err)
		}
	}
	return nil
}

// addSteps adds the mechanisms of the worst with each guarantee, one for each part where the loss goes up and each
// where it goes down. Those with the largest δ and then with the largest ε come first: of what is worth the same, the
// adversary plays the first.
func (a *attack) addSteps() {
	for i := range a.menu {
		a.order = append(a.order, i)
	}
	slices.SortStableFunc(a.order, func(i, j int) int {
		return cmp.Or(a.menu[j].Delta.Cmp(a.menu[i].Delta), cmp.Compare(slices.Max(a.units[j]), slices.Max(a.units[i])))
	})
	for _, i := range a.order {
		first := len(a.problem.Units)
		a.problem.Units = append(a.problem.Units, a.units[i]...)
		for j, up := range a.menu[i].Parts {
			for k, down := range a.menu[i].Parts {
				s := stepOf(a.menu[i].Delta, up.Eps, down.Eps)
				s.UpPart, s.DownPart = first+j, first+k
				a.problem.Steps = append(a.problem.Steps, s)
				a.plays = append(a.plays, Play{Choice: i, Parts: []int{j, k}})
			}
		}
	}
}

// stepOf returns the P0-masses of the loss E, of the loss −F, and of an infinite one, δ: so that both laws have the
// mass 1, the rest is (e^F − 1) : (1 − e^(−E)); for E = F it is the odds e^E : 1 of randomized response.
func stepOf(delta *big.Rat, e, f loss.Epsilon) adversary.Step {
	const n = bits
	rest := n.Rat(new(big.Rat).Sub(rational.One, delta))
	up, down := responseShares(n, e)
	if !e.Equal(f) {
		one, far := n.Int(1), loss.EncloseExp(f, n)
		inverse := n.Quo(one, loss.EncloseExp(e, n))
		all := n.Sub(far, inverse)
		up, down = n.Quo(n.Sub(far, one), all), n.Quo(n.Sub(one, inverse), all)
	}
	part := func(x interval.Interval) interval.Float { return n.Mul(rest, x).Float().Within(0, 1) }
	s := adversary.Step{Up: part(up), Down: part(down), Infinite: n.Rat(delta).Float(),
		Exact: adversary.Masses{Infinite: delta}}
	s.Exact.Least, s.Exact.Most = up.Rats()
	if e.Log && f.Log && !(e.IsZero() && f.IsZero()) {
		all := new(big.Rat).Sub(f.Rat(), new(big.Rat).Inv(e.Rat()))
		exact := all.Quo(new(big.Rat).Sub(f.Rat(), rational.One), all)
		s.Exact.Least, s.Exact.Most = exact, exact
	}
	return s
}

// responseShares returns what randomized response puts on the losses ε and −ε.
func responseShares(n interval.Precision, eps loss.Epsilon) (up, down interval.Interval) {
	odds := loss.EncloseExp(eps, n)
	all := n.Add(odds, n.Int(1))
	return n.Quo(odds, all), n.Quo(n.Int(1), all)
}

// memory returns a memory for the search.
func (a *attack) memory(number int32) (adversary.Memory, error) {
	out, err := a.exceeds(number)
	for _, i := range a.order {
		if err == nil {
			out.Next, err = a.follow(out.Next, number, i)
		}
	}
	return out, err
}

// follow appends the numbers of the memories after a mechanism, by the part that is observed.
func (a *attack) follow(next []int32, number int32, choice int) ([]int32, error) {
	for k, part := range a.menu[choice].Parts {
		after, admitted := a.spend(a.all[number], choice, k)
		if k > 0 && admitted != (next[len(next)-1] != adversary.Refused) {
			return nil, fmt.Errorf("the rule %s admits mechanism %d of the menu if part %q is observed or if part %q "+
				"is, not both: it must not depend on that, as the mechanism has not run yet",
				a.when(number), choice+1, a.menu[choice].Parts[k-1].Name, part.Name)
		}
		n, err := int32(adversary.Refused), error(nil)
		if admitted {
			if n, err = a.number(after, number, choice); err != nil {
				return nil, err
			}
		}
		next = append(next, n)
	}
	return next, nil
}

// firstAbove returns the least multiple of the unit that exceeds x.
func (m *attack) firstAbove(x float64) int {
	about := x / loss.Float64(m.unit)
	switch {
	case !(about < adversary.Never-2):
		return adversary.Never
	case about < -adversary.Never+2:
		return -adversary.Never
	}
	return firstAbove(m.unit, loss.Nats(new(big.Rat).SetFloat64(x)), int(math.Floor(about)))
}

// defaultPlays is how many lines of an adversary are returned.
const defaultPlays = 1000

// search finds the worst adversary.
func (a *attack) search(ctx context.Context, o ChallengeOptions) (*Challenge, error) {
	a.problem.Progress = o.Progress
	worst, best, err := adversary.Worst(ctx, a.problem)
	if many, ok := errors.AsType[*adversary.LimitError](err); ok {
		return nil, &SituationsError{many.Error()}
	}
	if err != nil {
		return nil, err
	}
	c := &Challenge{Worst: worst.Interval(), Unit: loss.Copy(a.unit)}
	if o.Plays <= 0 {
		o.Plays = defaultPlays
	}
	plays, all := best.Plays(o.Plays)
	c.Complete = all
	for _, p := range plays {
		play := a.plays[p.Step]
		play.Round, play.Memory, play.Infinite = p.Round, a.all[p.Memory], p.IsInfinite
		play.Least, play.Most = p.Least, p.Most
		c.Adversary = append(c.Adversary, play)
	}
	if err := a.judge(ctx, c, o.Claim); err != nil {
		return nil, err
	}
	return c, nil
}

// judge compares what was found with a claim, in rationals if it must be.
func (a *attack) judge(ctx context.Context, c *Challenge, claim *big.Rat) (err error) {
	if claim == nil {
		return nil
	}
	lower, upper := c.Worst.Rats()
	c.Holds, c.Refuted = upper.Cmp(claim) <= 0, lower.Cmp(claim) > 0
	if !c.Holds && !c.Refuted {
		c.Holds, err = adversary.AtMost(ctx, a.problem, claim)
	}
	return err
}
