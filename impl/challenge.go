package impl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/challenge"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// OdometerRule is a privacy odometer, given by what it remembers, to be challenged by [ChallengeOdometer].
// Memories are as for a [Filter].
//
// Source: Whitehouse et al. (2023), Definition 6; FAC-D6.
type OdometerRule interface {
	// Start returns what is remembered at first.
	Start() any
	// Spend returns what is remembered after m.
	Spend(memory any, m Mechanism) (after any)
	// Reading returns an interval that contains the running ε: a point, if what is shown is meant.
	// [math.MaxFloat64] stands for a number that no finite loss exceeds.
	Reading(memory any) interval.Float
}

// CurveRule is the rule of an [Odometer]: it reads +Inf once Σ δ_m exceeds δ″, and before that what a curve
// charges for V and −ln(1 − Σ δ_m), or Σ ε_m if that is less. The latter is never exceeded by a finite loss, so that the rule
// need not remember it.
//
// Also in the checks of FAC-T3.
type CurveRule struct {
	curve Curve
	log   interval.Float
	most  loss.Sum
}

// NewCurveRule returns the rule of NewOdometer(curve, delta1, delta2).
//
// Also in the checks of FAC-T3.
func NewCurveRule(curve Curve, delta1, delta2 *big.Rat) (*CurveRule, error) {
	o, err := NewOdometer(curve, delta1, delta2)
	if err != nil {
		return nil, err
	}
	return &CurveRule{o.curve, o.log, o.most}, nil
}

// passed is the memory of a [CurveRule] once the δ of the mechanisms have exceeded δ″: nothing is promised any more.
type passed struct{}

// String is the memory for people.
func (passed) String() string { return "no bound any more" }

// Start implements [OdometerRule].
func (r *CurveRule) Start() any { return Sums{} }

// Spend implements [OdometerRule].
func (r *CurveRule) Spend(memory any, m Mechanism) any {
	s, isBound := memory.(Sums)
	if !isBound {
		return memory
	}
	next := Sums{s.Charge.Plus(squared(m.Eps)), s.Delta.Plus(loss.OfRat(m.Delta))}
	if next.Delta.Cmp(r.most) > 0 {
		return passed{}
	}
	return next
}

// Reading implements [OdometerRule].
func (r *CurveRule) Reading(memory any) interval.Float {
	s, isBound := memory.(Sums)
	switch {
	case !isBound:
		return interval.Point(math.Inf(1))
	case s.Charge.Sign() == 0:
		return interval.Point(0)
	}
	return interval.Point(min(charge(r.curve, s.Charge.Float(), r.log, shift(s.Delta)), math.MaxFloat64))
}

// ChallengeOptions are those of a challenge.
type ChallengeOptions struct {
	Claim    *big.Rat           // what the worst is claimed to be at most; may be nil
	Plays    int                // how many lines of the adversary are returned; 1000 if that is not positive
	Progress func(done float64) // is told the fraction done; may be nil
}

// Challenge is what the worst adversary of a rule attains, and the adversary.
type Challenge struct {
	Worst     interval.Interval // contains what the worst adversary attains
	Adversary []Play            // one that attains at least the lower end, in the situations that it gets into; elsewhere it stops
	Complete  bool              // whether that is all of it
	Unit      loss.Epsilon      // of losses

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
func ChallengeFilter(ctx context.Context, menu []Mechanism, rounds int, f Filter, eps loss.Epsilon, o ChallengeOptions) (*Challenge, error) {
	if f == nil {
		return nil, errors.New("ChallengeFilter: the filter is missing")
	}
	if field, rule := brokenParameter(eps); rule != "" {
		return nil, fmt.Errorf("ChallengeFilter: %s %s", field, rule)
	}
	m, err := newMatch(menu, rounds, f.Start())
	if err != nil {
		return nil, fmt.Errorf("ChallengeFilter: %w", err)
	}
	m.spend = f.Spend
	m.exceeds = func(int32) (challenge.Memory, error) {
		return challenge.Memory{Exceeds: challenge.Never, MayExceed: challenge.Never, Infinite: true, MayBeInfinite: true}, nil
	}
	stop := newPayoff(m.unit, eps)
	m.problem.Stop, m.problem.ExactStop = stop.at, stop.exactly
	c, err := m.play(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("ChallengeFilter: %w", err)
	}
	return c, nil
}

// ChallengeOdometer returns the largest probability that the privacy loss ever exceeds the reading of an odometer,
// over all adversaries who choose up to so many mechanisms after seeing all outputs, or stop.
//
// Mechanisms are (ε_j, δ_j)-randomized response, which is (ε_j, δ_j)-probabilistically DP (FAC-X28). Others can be
// worse: those of [ChallengeODPOdometer] and, with δ_j > 0, the one with the laws (1, 0) and (1 − δ, δ) loses −ln(1 − δ) for sure. That a rule holds is said of the menu as it is played.
//
// Source: Whitehouse et al. (2023), Definition 6 and Theorem 3; FAC-D6, FAC-T3.
// Symbols: (ε_j, δ_j) = menu[j−1].
// Domain, accuracy, errors and cost: as for [ChallengeFilter]. Where a reading is no point, a loss within it does not
// exceed it for the lower end, and does for the upper one.
func ChallengeOdometer(ctx context.Context, menu []Mechanism, rounds int, r OdometerRule, o ChallengeOptions) (*Challenge, error) {
	if r == nil {
		return nil, errors.New("ChallengeOdometer: the odometer is missing")
	}
	m, err := newMatch(menu, rounds, r.Start())
	if err != nil {
		return nil, fmt.Errorf("ChallengeOdometer: %w", err)
	}
	m.spend = func(memory any, c Mechanism) (any, bool) { return r.Spend(memory, c), true }
	m.exceeds = func(number int32) (challenge.Memory, error) {
		x, err := m.reading(r, number)
		if err != nil {
			return challenge.Memory{}, err
		}
		finite, mayBe := x.Hi < math.Inf(1), x.Lo < math.Inf(1)
		return challenge.Memory{Exceeds: m.firstAbove(x.Hi), MayExceed: m.firstAbove(x.Lo), Infinite: finite, MayBeInfinite: mayBe}, nil
	}
	c, err := m.play(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("ChallengeOdometer: %w", err)
	}
	return c, nil
}

// match is a rule and a menu, in the words of the search.
type match struct {
	memories
	menu    []Mechanism
	order   []int // of the steps: their numbers in the menu
	unit    loss.Epsilon
	problem challenge.Problem
	spend   func(memory any, m Mechanism) (after any, admitted bool)
	exceeds func(number int32) (challenge.Memory, error) // without what follows it
}

// maxMenu is the largest number of mechanisms of a menu.
const maxMenu = 255

// maxChallengeRounds is the largest number of rounds of a challenge.
const maxChallengeRounds = 100_000

func newMatch(menu []Mechanism, rounds int, start any) (*match, error) {
	if rounds < 0 || rounds > maxChallengeRounds {
		return nil, fmt.Errorf("rounds is %d, must be at least 0 and at most %d", rounds, maxChallengeRounds)
	}
	if len(menu) == 0 || len(menu) > maxMenu {
		return nil, fmt.Errorf("menu: there are %d mechanisms, must be at least 1 and at most %d", len(menu), maxMenu)
	}
	var eps []loss.Epsilon
	for i, c := range menu {
		if err := checkChoice(c); err != nil {
			return nil, fmt.Errorf("menu: mechanism %d: %w", i+1, err)
		}
		eps = append(eps, c.Eps)
	}
	unit, spans, wrong, ok := stopping.CommonUnit(eps)
	if !ok {
		return nil, &UnitError{wrong, eps[wrong]}
	}
	m := &match{menu: menu, order: boldest(menu, spans), unit: unit}
	if _, err := m.number(start, noMemory, 0); err != nil {
		return nil, err
	}
	m.problem = challenge.Problem{Rounds: rounds, Memory: m.memory}
	for _, i := range m.order {
		m.problem.Steps = append(m.problem.Steps, stepOf(menu[i], spans[i]))
	}
	return m, nil
}

// boldest returns the numbers of the mechanisms, those with the largest δ and then with the largest ε first: of what
// is worth the same, the adversary plays the first.
func boldest(menu []Mechanism, spans []int) (order []int) {
	for i := range menu {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(menu[j].Delta.Cmp(menu[i].Delta), cmp.Compare(spans[j], spans[i]))
	})
	return order
}

// UnitError says that the ε of a menu are no multiples of one number.
type UnitError struct {
	Index int // of the first mechanism that does not fit to those before it, from 0
	Eps   loss.Epsilon
}

// Error says what must hold.
func (e *UnitError) Error() string {
	return fmt.Sprintf("menu: mechanism %d: its ε, %s, has no common unit with those before it: all must be given as ε, or all as e^ε that are powers of one number, and not be too far apart", e.Index+1, e.Eps)
}

// checkChoice refuses what is no randomized response.
func checkChoice(c Mechanism) error {
	if c.Law != nil {
		return errors.New("law is given, must be eps and delta")
	}
	if c.Count != 1 {
		return fmt.Errorf("count is %d, must be 1", c.Count)
	}
	if field, rule := c.Eps.FaultExp(); rule != "" {
		return fmt.Errorf("%s %s", field, rule)
	}
	if rule := brokenDelta(c.Delta); rule != "" {
		return fmt.Errorf("delta %s", rule)
	}
	return nil
}

// stepOf returns the P0-masses of randomized response: δ, and the odds e^ε : 1 for the rest.
func stepOf(c Mechanism, span int) challenge.Step {
	const n = interval.Precision(128)
	rest := n.Rat(new(big.Rat).Sub(rational.One, c.Delta))
	odds := c.Eps.EncloseExp(n)
	all := n.Add(odds, n.Int(1))
	up, down := n.Quo(odds, all), n.Quo(n.Int(1), all)
	s := challenge.Step{Span: span, Up: n.Mul(rest, up).Float(), Down: n.Mul(rest, down).Float(), Infinite: n.Rat(c.Delta).Float()}
	s.Exact = massesOf(c.Delta, up)
	if c.Eps.IsExp() {
		exact := new(big.Rat).Quo(c.Eps.Rat(), new(big.Rat).Add(c.Eps.Rat(), rational.One))
		s.Exact.Least, s.Exact.Most = exact, exact
	}
	return s
}

// massesOf returns the masses of a step, given δ and what of the rest goes up.
func massesOf(delta *big.Rat, up interval.Interval) challenge.Masses {
	least, most := up.Rats()
	return challenge.Masses{Infinite: delta, Least: least, Most: most}
}

// memory returns a memory for the search.
func (m *match) memory(number int32) (challenge.Memory, error) {
	before := m.all[number]
	out, err := m.exceeds(number)
	if err != nil {
		return out, err
	}
	for _, i := range m.order {
		after, admitted := m.spend(before, m.menu[i])
		next := int32(challenge.Refused)
		if admitted {
			if next, err = m.number(after, number, i); err != nil {
				return out, err
			}
		}
		out.Next = append(out.Next, next)
	}
	return out, nil
}

// firstAbove returns the least multiple of the unit that exceeds x.
func (m *match) firstAbove(x float64) int {
	about := x / m.unit.Float64()
	switch {
	case !(about < challenge.Never-2):
		return challenge.Never
	case about < -challenge.Never+2:
		return -challenge.Never
	}
	return firstAbove(m.unit, loss.Nats(new(big.Rat).SetFloat64(x)), int(math.Floor(about)))
}

// firstAbove returns the least number of units that is more than ε, of which about n are ε.
func firstAbove(unit, eps loss.Epsilon, n int) int {
	for exceeds(unit, n, eps) {
		n--
	}
	for !exceeds(unit, n, eps) {
		n++
	}
	return n
}

// exceeds reports whether n units are more than ε.
func exceeds(unit loss.Epsilon, n int, eps loss.Epsilon) bool {
	return multipleOf(unit, n).Minus(loss.Of(eps)).Sign() > 0
}

// multipleOf returns n·unit.
func multipleOf(unit loss.Epsilon, n int) loss.Sum {
	if unit.IsExp() {
		return loss.Of(loss.Exp(rational.Power(unit.Rat(), n)))
	}
	return loss.OfRat(new(big.Rat).Mul(unit.Rat(), new(big.Rat).SetInt64(int64(n))))
}

// defaultPlays is how many lines of an adversary are returned.
const defaultPlays = 1000

func (o ChallengeOptions) plays() int {
	if o.Plays <= 0 {
		return defaultPlays
	}
	return o.Plays
}

// play searches.
func (m *match) play(ctx context.Context, o ChallengeOptions) (*Challenge, error) {
	m.problem.Progress = o.Progress
	worst, adversary, err := challenge.Worst(ctx, m.problem)
	if many, ok := errors.AsType[*challenge.LimitError](err); ok {
		return nil, &SituationsError{many.Error()}
	}
	if err != nil {
		return nil, err
	}
	c := &Challenge{Worst: worst.Interval(), Unit: m.unit}
	plays, all := adversary.Plays(o.plays())
	c.Complete = all
	for _, p := range plays {
		c.Adversary = append(c.Adversary, Play{p.Round, m.all[p.Memory], p.Least, p.Most, p.IsInfinite, m.order[p.Step], nil})
	}
	return c, c.judge(o.Claim, func() (bool, error) { return challenge.AtMost(ctx, m.problem, o.Claim) })
}

// judge compares what was found with a claim, in rationals if it must be: atMost says whether the claim is known to hold.
func (c *Challenge) judge(claim *big.Rat, atMost func() (bool, error)) (err error) {
	if claim == nil {
		return nil
	}
	lower, upper := c.Worst.Rats()
	c.Holds, c.Refuted = upper.Cmp(claim) <= 0, lower.Cmp(claim) > 0
	if !c.Holds && !c.Refuted {
		c.Holds, err = atMost()
	}
	return err
}

// payoff is what it is worth to stop at a loss of so many units, max(0, 1 − e^(ε−ℓ)).
type payoff struct {
	unit, eps loss.Epsilon
	step, at0 interval.Interval // the unit and ε
	first     int               // the least loss that exceeds ε
	known     map[int]interval.Float
}

func newPayoff(unit, eps loss.Epsilon) *payoff {
	p := &payoff{unit: unit, eps: eps, step: unit.Enclose(bits), at0: eps.Enclose(bits), known: map[int]interval.Float{}}
	about := eps.Float64() / unit.Float64()
	if !(about < challenge.Never-2) {
		p.first = challenge.Never
		return p
	}
	p.first = firstAbove(unit, eps, int(about))
	return p
}

// at returns the worth of n units: the difference is enclosed to 192 bits, so that nothing is lost next to ε; from a
// difference of 1 on float64 is enough.
func (p *payoff) at(n int) interval.Float {
	if n < p.first {
		return interval.Point(0)
	}
	if x, ok := p.known[n]; ok {
		return x
	}
	d := bits.Sub(bits.Mul(bits.Int(int64(n)), p.step), p.at0)
	x := interval.Point(1)
	if f := d.Float(); f.Lo >= 1 {
		x = x.Sub(f.Neg().Exp()).Within(0, 1)
	} else {
		x = bits.Max0(bits.Sub(bits.Int(1), bits.Exp(bits.Neg(d)))).Float()
	}
	p.known[n] = x
	return x
}

// exactly returns the worth of n units, or a number hardly above it.
func (p *payoff) exactly(n int) *big.Rat {
	if n < p.first {
		return new(big.Rat)
	}
	if p.unit.IsExp() && p.eps.IsExp() {
		q := rational.Power(p.unit.Rat(), n)
		return q.Sub(rational.One, q.Quo(p.eps.Rat(), q))
	}
	return new(big.Rat).SetFloat64(p.at(n).Hi)
}
