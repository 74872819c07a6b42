package impl

import (
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

// ChallengeODPFilter is [ChallengeFilter] with a menu of ODP mechanisms: no mechanisms with these guarantees, neighbours,
// sets of views and adversaries attain more. A mechanism of the worst has a loss of +ℰ in one part, or −ℰ in one, which may
// be the same. Its δ has a loss of +∞.
//
// Source: docs/odp-filter.md, Theorem 3.
// Symbols: the guarantees are the menu, ε = eps.
// Domain: a menu of 1 to 255 guarantees with at most 8 parts each, of which the ℰ are multiples of one number, see
// [ChallengeFilter]; rounds at least 0; at most 2^24 situations of all rounds.
// Accuracy: contains the number; a relative width of about 10^-15 times the rounds.
// Errors: ctx.Err(); what is wrong with the menu or with what the rule does, such as to admit a mechanism by the part that will
// be observed; too many situations.
// Cost: O(situations · menu · parts²).
func ChallengeODPFilter(ctx context.Context, menu []Guarantee, rounds int, f PartFilter, eps loss.Epsilon, o ChallengeOptions) (*Challenge, error) {
	if f == nil {
		return nil, errors.New("ChallengeODPFilter: the filter is missing")
	}
	if field, rule := brokenParameter(eps); rule != "" {
		return nil, fmt.Errorf("ChallengeODPFilter: %s %s", field, rule)
	}
	m, err := newODPMatch(menu, rounds, f)
	if err != nil {
		return nil, fmt.Errorf("ChallengeODPFilter: %w", err)
	}
	stop := newPayoff(m.unit, eps)
	m.exactly = stop.exactly
	m.worth = func(int32) (func(int) interval.Float, interval.Float, error) { return stop.at, interval.Point(1), nil }
	c, err := m.play(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("ChallengeODPFilter: %w", err)
	}
	return c, nil
}

// ChallengeODPOdometer is [ChallengeOdometer] with mechanisms that have parts, as [ChallengeODPFilter] plays them: the loss is
// +ℰ in one part, or −ℰ in one, which may be the same. The odometer counts each by its largest ℰ and its δ. With parts
// of different ℰ more may be attained than by randomized response with the largest: what goes up less does so more often.
//
// Source: docs/challenge.md, "Odometers and parts".
// Domain, accuracy, errors and cost: as for [ChallengeODPFilter]; a reading that is no point as for [ChallengeOdometer]. The plays
// returned are those where the loss is finite.
func ChallengeODPOdometer(ctx context.Context, menu []Guarantee, rounds int, r OdometerRule, o ChallengeOptions) (*Challenge, error) {
	if r == nil {
		return nil, errors.New("ChallengeODPOdometer: the odometer is missing")
	}
	m, err := newODPMatch(menu, rounds, worstParts{r})
	if err != nil {
		return nil, fmt.Errorf("ChallengeODPOdometer: %w", err)
	}
	m.worth = func(number int32) (func(int) interval.Float, interval.Float, error) {
		x, err := m.reading(r, number)
		if err != nil {
			return nil, x, err
		}
		surely, maybe := m.firstAbove(x.Hi), m.firstAbove(x.Lo)
		exceeded := func(n int) interval.Float { return interval.NewFloat(oneIf(n >= surely), oneIf(n >= maybe)) }
		return exceeded, interval.NewFloat(oneIf(x.Hi < math.Inf(1)), oneIf(x.Lo < math.Inf(1))), nil
	}
	c, err := m.play(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("ChallengeODPOdometer: %w", err)
	}
	return c, nil
}

func oneIf(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// worstParts is an odometer as a [PartFilter] that admits everything, and counts a mechanism by its largest ℰ.
type worstParts struct{ rule OdometerRule }

func (w worstParts) Start() any                                { return w.rule.Start() }
func (w worstParts) Spend(memory any, m Mechanism) (any, bool) { return w.rule.Spend(memory, m), true }
func (w worstParts) SpendPart(memory any, g Guarantee, _ int) (any, bool) {
	return w.rule.Spend(memory, Mechanism{Eps: g.Worst(), Delta: g.Delta, Count: 1}), true
}

// odpStep is a mechanism of the worst: its loss goes up in one part, down in another, by so many units.
type odpStep struct {
	choice             int    // of the menu
	parts              [2]int // in which it goes up, and down
	by                 [2]int
	up, down, infinite interval.Float // P0-masses
	exact              challenge.Masses
}

// odpMatch is a filter and a menu of ODP mechanisms.
type odpMatch struct {
	match  // its memories and their numbers
	menu   []Guarantee
	filter PartFilter
	rounds int
	steps  []odpStep
	next   [][][]int32 // by memory and mechanism: the memories by part; nil if it is not admitted

	// worth returns what it is worth to stop, given what is remembered: at a loss of so many units, and at an infinite one.
	worth func(number int32) (at func(units int) interval.Float, beyond interval.Float, err error)
	// exactly returns what it is worth to stop at a loss or, where that is not rational, a number hardly above it; nil: the upper
	// end of worth.
	exactly func(units int) *big.Rat
}

// maxChallengeParts is the largest number of parts, maxODPSituations that of all situations.
const (
	maxChallengeParts = 8
	maxODPSituations  = 1 << 24
)

func newODPMatch(menu []Guarantee, rounds int, f PartFilter) (*odpMatch, error) {
	if rounds < 0 || rounds > maxChallengeRounds {
		return nil, fmt.Errorf("rounds is %d, must be at least 0 and at most %d", rounds, maxChallengeRounds)
	}
	if len(menu) == 0 || len(menu) > maxMenu {
		return nil, fmt.Errorf("menu: there are %d mechanisms, must be at least 1 and at most %d", len(menu), maxMenu)
	}
	var eps []loss.Epsilon
	var owner []int // by ε: its mechanism
	for i, g := range menu {
		if err := g.Validate(); err != nil {
			return nil, fmt.Errorf("menu: mechanism %d: %w", i+1, err)
		}
		if len(g.Parts) > maxChallengeParts {
			return nil, fmt.Errorf("menu: mechanism %d has %d parts, must have at most %d", i+1, len(g.Parts), maxChallengeParts)
		}
		for _, p := range g.Parts {
			if field, rule := p.Eps.FaultExp(); rule != "" {
				return nil, fmt.Errorf("menu: mechanism %d: %s %s", i+1, field, rule)
			}
			eps, owner = append(eps, p.Eps), append(owner, i)
		}
	}
	unit, spans, wrong, ok := stopping.CommonUnit(eps)
	if !ok {
		return nil, &UnitError{owner[wrong], eps[wrong]}
	}
	m := &odpMatch{match: match{unit: unit}, menu: menu, filter: f, rounds: rounds}
	for i, g := range menu {
		m.addSteps(i, g, spans[:len(g.Parts)])
		spans = spans[len(g.Parts):]
	}
	_, err := m.number(f.Start(), noMemory, 0)
	return m, err
}

// addSteps adds the mechanisms of the worst for a guarantee, one for each part where the loss goes up, and where it goes down.
func (m *odpMatch) addSteps(choice int, g Guarantee, spans []int) {
	const n = interval.Precision(192)
	for j, p := range g.Parts {
		for k, q := range g.Parts {
			up, exactUp := upMass(n, p.Eps, q.Eps)
			rest := new(big.Rat).Sub(rational.One, g.Delta)
			of := n.Rat(rest)
			s := odpStep{choice: choice, parts: [2]int{j, k}, by: [2]int{spans[j], -spans[k]}, infinite: n.Rat(g.Delta).Float()}
			ups, downs := n.Mul(of, up), n.Mul(of, n.Sub(n.Int(1), up))
			s.up, s.down = ups.Float().Within(0, 1), downs.Float().Within(0, 1)
			s.exact = massesOf(g.Delta, up)
			if exactUp != nil {
				s.exact.Least, s.exact.Most = exactUp, exactUp
			}
			m.steps = append(m.steps, s)
		}
	}
}

// upMass returns the P0-mass of a loss of E, where the other one is −F: (e^F − 1)/(e^F − e^(−E)), so that both laws have the
// mass 1; and the number itself, if it is rational.
func upMass(n interval.Precision, e, f loss.Epsilon) (interval.Interval, *big.Rat) {
	if e.IsZero() && f.IsZero() {
		return n.Int(1), new(big.Rat).Set(rational.One)
	}
	up, far := e.EncloseExp(n), f.EncloseExp(n)
	x := n.Quo(n.Sub(far, n.Int(1)), n.Sub(far, n.Quo(n.Int(1), up)))
	if e.IsExp() && f.IsExp() {
		all := new(big.Rat).Sub(f.Rat(), new(big.Rat).Inv(e.Rat()))
		return x, all.Quo(new(big.Rat).Sub(f.Rat(), rational.One), all)
	}
	return x, nil
}

// follow finds what the rule remembers after all memories up to one, a mechanism and its part.
func (m *odpMatch) follow(memory int32) error {
	for n := int32(len(m.next)); n <= memory; n++ {
		row := make([][]int32, len(m.menu))
		for i, g := range m.menu {
			var err error
			if row[i], err = m.afterParts(n, i, g); err != nil {
				return err
			}
		}
		m.next = append(m.next, row)
	}
	return nil
}

// afterParts returns the memories by the part that is observed, or nil if the mechanism is not admitted.
func (m *odpMatch) afterParts(memory int32, choice int, g Guarantee) (parts []int32, err error) {
	for k := range g.Parts {
		after, admitted := m.filter.SpendPart(m.all[memory], g, k)
		if isFirst := k == 0; !isFirst && admitted != (parts != nil) {
			return nil, fmt.Errorf("the rule %s admits mechanism %d of the menu if part %q is observed or if part %q is, not both: it must not depend on that, as the mechanism has not run yet",
				m.when(memory), choice+1, g.Parts[k-1].Name, g.Parts[k].Name)
		}
		if !admitted {
			continue
		}
		next, err := m.number(after, memory, choice)
		if err != nil {
			return nil, err
		}
		parts = append(parts, next)
	}
	return parts, nil
}

// after returns the memory after a memory, a mechanism and its part; false if the mechanism is not admitted.
func (m *odpMatch) after(memory int32, choice, part int) (int32, bool) {
	parts := m.next[memory][choice]
	if parts == nil {
		return 0, false
	}
	return parts[part], true
}

// odpNode is a memory after some rounds, with a range of losses, in units.
type odpNode struct {
	memory    int32
	low, high int
	value     []interval.Float // by loss, from low
	beyond    interval.Float   // where the loss is infinite
	exact     []*big.Rat       // upper bounds of the values, once they were asked for
	plays     []int16          // by loss: a step, or -1
}

// odpLayer is what there may be after some rounds.
type odpLayer struct {
	nodes []*odpNode
	place map[int32]*odpNode // by memory
}

// add widens the range of losses of a memory.
func (l *odpLayer) add(memory int32, low, high int) {
	n := l.place[memory]
	if n == nil {
		n = &odpNode{memory: memory, low: low, high: high}
		l.place[memory], l.nodes = n, append(l.nodes, n)
	}
	n.low, n.high = min(n.low, low), max(n.high, high)
}

// layers goes through all that can happen.
func (m *odpMatch) layers(ctx context.Context) ([]*odpLayer, error) {
	first := &odpLayer{place: map[int32]*odpNode{}}
	first.add(0, 0, 0)
	all, situations := []*odpLayer{first}, 1
	for t := 0; t < m.rounds; t++ {
		next := &odpLayer{place: map[int32]*odpNode{}}
		for _, n := range all[t].nodes {
			if err := m.follow(n.memory); err != nil {
				return nil, err
			}
			for _, s := range m.steps {
				for i, by := range s.by {
					if to, admitted := m.after(n.memory, s.choice, s.parts[i]); admitted {
						next.add(to, n.low+by, n.high+by)
					}
				}
			}
		}
		if len(next.nodes) == 0 {
			break
		}
		for _, n := range next.nodes {
			situations += n.high - n.low + 1
		}
		if situations > maxODPSituations {
			return nil, &SituationsError{fmt.Sprintf("after %d rounds there have been more than %d situations: take fewer rounds, a smaller menu, or ε of which more are multiples of each other", t+1, maxODPSituations)}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, next)
	}
	return all, nil
}

// play searches.
func (m *odpMatch) play(ctx context.Context, o ChallengeOptions) (*Challenge, error) {
	layers, err := m.layers(ctx)
	if err != nil {
		return nil, err
	}
	for t, l := range slices.Backward(layers) {
		var then *odpLayer
		if t+1 < len(layers) {
			then = layers[t+1]
		}
		for _, n := range l.nodes {
			if err := m.solve(n, then); err != nil {
				return nil, err
			}
		}
		if then != nil {
			for _, n := range then.nodes {
				n.value = nil
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(float64(len(layers)-t) / float64(len(layers)))
		}
	}
	c := &Challenge{Worst: layers[0].nodes[0].value[0].Interval(), Unit: m.unit}
	c.Adversary, c.Complete = m.plays(layers, o.plays())
	return c, c.judge(o.Claim, func() (bool, error) { return m.atMost(ctx, layers, o.Claim) })
}

// solve finds what a node is worth at all losses, and what is played there: by the lower ends, so that it attains them.
func (m *odpMatch) solve(n *odpNode, then *odpLayer) error {
	n.value, n.plays = make([]interval.Float, n.high-n.low+1), make([]int16, n.high-n.low+1)
	stop, beyond, err := m.worth(n.memory)
	if err != nil {
		return err
	}
	n.beyond = beyond
	for x := range n.value {
		n.value[x], n.plays[x] = stop(n.low+x), -1
	}
	if then == nil {
		return nil
	}
	for i, s := range m.steps {
		up, admitted := m.after(n.memory, s.choice, s.parts[0])
		if !admitted {
			continue
		}
		down, _ := m.after(n.memory, s.choice, s.parts[1])
		above, below := then.place[up], then.place[down]
		infinite := s.infinite
		if above.beyond != interval.Point(1) {
			infinite = plusProduct(interval.Point(0), s.infinite, above.beyond)
		}
		n.beyond = interval.NewFloat(max(n.beyond.Lo, above.beyond.Lo), max(n.beyond.Hi, above.beyond.Hi))
		for x := range n.value {
			at := n.low + x
			v := plusProduct(infinite, s.up, above.value[at+s.by[0]-above.low])
			v = plusProduct(v, s.down, below.value[at+s.by[1]-below.low])
			if v.Lo > n.value[x].Lo {
				n.plays[x] = int16(i)
			}
			n.value[x] = interval.NewFloat(max(v.Lo, n.value[x].Lo), max(v.Hi, n.value[x].Hi))
		}
	}
	return nil
}

// plays returns what the adversary plays in the situations that it gets into, at most so many, and whether that is all.
func (m *odpMatch) plays(layers []*odpLayer, most int) (plays []Play, all bool) {
	here := map[[2]int]bool{{0, 0}: true} // memory and loss
	for t := range layers {
		var order [][2]int
		for at := range here {
			order = append(order, at)
		}
		slices.SortFunc(order, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
		next := map[[2]int]bool{}
		for _, at := range order {
			n := layers[t].place[int32(at[0])]
			i := n.plays[at[1]-n.low]
			if i < 0 {
				continue
			}
			s := m.steps[i]
			if len(plays) == most {
				return plays, false
			}
			plays = append(plays, Play{Round: t + 1, Memory: m.all[n.memory], Least: at[1], Most: at[1], Choice: s.choice, Parts: s.parts[:]})
			for b, by := range s.by {
				if mass := []interval.Float{s.up, s.down}[b]; mass.Hi > 0 {
					to, _ := m.after(n.memory, s.choice, s.parts[b])
					next[[2]int{int(to), at[1] + by}] = true
				}
			}
		}
		here = next
	}
	return plays, true
}

// plusProduct returns x + y·z, numbers that are not negative; a 0 stays one.
func plusProduct(x, y, z interval.Float) interval.Float {
	if y.Hi == 0 || z.Hi == 0 {
		return x
	}
	product := interval.NewFloat(max(0, math.Nextafter(y.Lo*z.Lo, -1)), math.Nextafter(y.Hi*z.Hi, math.Inf(1)))
	if x.Hi == 0 {
		return product
	}
	return x.Add(product).Within(0, 1)
}
