package impl

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/loss"
)

// MaxMechanisms is the largest number of mechanisms of a [Pipeline].
const MaxMechanisms = 10_000_000

// Pipeline is the problem that [OptDel] solves: a sequence of (ε, δ)-DP
// mechanisms that may end early at given points (ODP-A3, ODP-X21).
type Pipeline certify.Problem

// Mechanism is one mechanism of a [Pipeline], or so many (Count) of the same: (ε, δ)-DP with Eps and Delta, or what has
// or is dominated by a Law, Losses or Additive noise. Its fields are those of [certify.Mechanism].
type Mechanism = certify.Mechanism

// Stop is where a [Pipeline] may end: After so many mechanisms, charged Eps. See [certify.Stop].
type Stop = certify.Stop

// Law has the probabilities of each output of a mechanism on two neighbouring databases, {P, Q}.
type Law = certify.Law

// OneStop returns the pipeline of the mechanisms that stops at its end only, charged 0.
func OneStop(mechanisms []Mechanism) Pipeline {
	end := 0
	for _, m := range mechanisms {
		end = min(end+m.Count, MaxMechanisms+1) // more are refused by [Pipeline.Validate]
	}
	return Pipeline{mechanisms, []Stop{{After: max(1, end), Eps: loss.Nats(new(big.Rat))}}}
}

// InputError says which number of a pipeline breaks which rule.
type InputError struct {
	List  string // "mechanisms" or "stops"
	Index int    // entry of the list, from 0, where messages count from 1; -1 for the list itself
	// "eps", "exp_eps", "delta", "law", "losses", a kind of noise, "count" or "after"; empty for the whole entry
	Field string
	Rule  string // what was found and what must hold
}

// Error names the entry and its field, and says the rule.
func (e *InputError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("%s: %s", e.List, e.Rule)
	}
	about := strings.Replace(e.Field+" "+e.Rule, " : ", ": ", 1) // what rules of noise begin with
	return fmt.Sprintf("%s %d: %s", e.List[:len(e.List)-1], e.Index+1, strings.TrimLeft(about, ": "))
}

// Validate returns nil if p is a problem that can be solved, and otherwise an
// [*InputError] for the first rule that it breaks: there is a mechanism and a stop; every ε is given, finite and at
// least 0, every δ in [0, 1], every count at least 1, and they are at most [MaxMechanisms] together; laws are as
// [Law] says; stops come in their order, and the last one is after all mechanisms.
func (p Pipeline) Validate() error {
	if len(p.Mechanisms) == 0 {
		return &InputError{"mechanisms", -1, "", "there are none, must be at least one"}
	}
	if len(p.Stops) == 0 {
		return &InputError{"stops", -1, "", "there are none, must be at least one"}
	}
	total, laws := 0, 0
	for i, m := range p.Mechanisms {
		if field, rule := brokenMechanism(m, MaxMechanisms-total); rule != "" {
			return &InputError{"mechanisms", i, field, rule}
		}
		if total += m.Count; m.Law != nil {
			laws += m.Count
		}
		if laws > maxLaws {
			return &InputError{"mechanisms", i, "count",
				fmt.Sprintf("is %d, a pipeline must have at most %d mechanisms with a law", m.Count, maxLaws)}
		}
	}
	last := 0
	for i, s := range p.Stops {
		if field, rule := brokenStop(s, last, total, i == len(p.Stops)-1); rule != "" {
			return &InputError{"stops", i, field, rule}
		}
		last = s.After
	}
	if laws > 0 {
		return p.checkLosses()
	}
	return nil
}

// Limits of the numbers of which logarithms are losses or charges: ratios P/Q of laws, and exp_eps. They are those of
// package certify.
const (
	maxLosses   = 1<<12 - 1 // different ones: one more is for the unit of a lattice
	maxLossBits = 1 << 21
)

// checkLosses returns an [*InputError] for the first law with which there are too many losses, or too long ones,
// those that are given as exp_eps among them.
func (p Pipeline) checkLosses() error {
	seen, bits := map[[2]string]bool{}, 0
	add := func(x *big.Rat) {
		bits += rational.Bits(x)
		switch x.Num().Cmp(x.Denom()) {
		case -1: // the same loss with the other sign
			x = new(big.Rat).Inv(x)
			fallthrough
		case 1:
			seen[[2]string{string(x.Num().Bytes()), string(x.Denom().Bytes())}] = true
		}
	}
	for _, e := range p.epsilons() {
		if e.Log {
			add(e.Rat())
		}
	}
	first := -1
	for i, m := range p.Mechanisms {
		if m.Law == nil || i > 0 && equalLaws(m.Law, p.Mechanisms[i-1].Law) {
			continue
		}
		for _, o := range certify.ByLoss(m.Law) {
			if o[0].Sign() > 0 && o[1].Sign() > 0 {
				add(new(big.Rat).Quo(o[0], o[1]))
			}
		}
		if bits > maxLossBits {
			const rule = "has losses that are too long: P/Q and exp_eps have more than %d bits up to here"
			return &InputError{"mechanisms", i, "law", fmt.Sprintf(rule, maxLossBits)}
		}
		if first < 0 && len(seen) > maxLosses {
			first = i
		}
	}
	if first >= 0 {
		const rule = "has losses too many: the laws and exp_eps have %d different ones in all, must have at most %d"
		return &InputError{"mechanisms", first, "law", fmt.Sprintf(rule, len(seen), maxLosses)}
	}
	return nil
}

// epsilons returns all ε and charges.
func (p Pipeline) epsilons() (es []loss.Epsilon) {
	for _, m := range p.Mechanisms {
		if m.IsDP() {
			es = append(es, m.Eps)
		}
	}
	for _, s := range p.Stops {
		es = append(es, s.Eps)
	}
	return es
}

// IsContinuous reports whether there are mechanisms of which the losses are on no lattice: those with noise, or Losses.
func (p Pipeline) IsContinuous() bool { return certify.Problem(p).IsContinuous() }

// IsOnGrid reports whether no lattice is known to hold all losses of some mechanism: those of IsContinuous, and of a
// bounded range.
func (p Pipeline) IsOnGrid() bool { return certify.Problem(p).IsOnGrid() }

// HasNoise reports whether there are mechanisms with noise that is known as such.
func (p Pipeline) HasNoise() bool {
	return slices.ContainsFunc(p.Mechanisms, certify.Mechanism.HasNoise)
}

// hasLaws reports whether more is known of some mechanism than ε and δ.
func (p Pipeline) hasLaws() bool { return p.refuseLaws() != nil }

// TooMany says why the outputs of m, whose losses are on no lattice, are not enumerated.
func TooMany(m Mechanism) string {
	switch {
	case m.Losses != nil:
		return "e^loss is no ratio"
	case m.Sampled != nil:
		return "what sees one sample has its losses on a grid"
	case m.IsRange:
		return "of a bounded range no law is known"
	}
	return "noise has infinitely many outputs"
}

// brokenMechanism returns the first field of m that breaks a rule, and the rule.
func brokenMechanism(m Mechanism, left int) (field, rule string) {
	field, rule = loss.Fault(m.Eps)
	isTwo := m.Additive != nil && m.Losses != nil || m.Sampled != nil && (m.Additive != nil || m.Losses != nil)
	switch {
	case m.IsContinuous() && (m.Law != nil || isTwo || m.Eps.Rat() != nil || m.Delta != nil || m.IsRange):
		return m.Kind(), "is given, must be without law, eps and delta, and without noise, losses and sampled but one"
	case m.Losses != nil && m.Losses.List() == nil:
		return "losses", "are none, must be made by certify.NewLosses"
	case m.IsContinuous() && m.Continuous().Fault() != "":
		return m.Kind(), ": " + m.Continuous().Fault()
	case m.IsContinuous():
		return brokenCount(m.Count, left)
	case m.Law != nil && (m.Eps.Rat() != nil || m.Delta != nil || m.IsRange):
		return "law", "is given, must be without eps and delta"
	case m.Law != nil && brokenLaw(m.Law) != "":
		return "law", brokenLaw(m.Law)
	case m.Law != nil:
		return brokenCount(m.Count, left)
	case m.IsRange && m.Eps.RangeFault() != "":
		return m.Kind(), fmt.Sprintf("is %s, %s", m.Eps, m.Eps.RangeFault())
	case rule != "":
		return field, rule
	case m.Delta == nil:
		return "delta", "is missing, must be between 0 and 1"
	case m.Delta.Sign() < 0 || m.Delta.Num().Cmp(m.Delta.Denom()) > 0:
		return "delta", fmt.Sprintf("is %s, must be between 0 and 1", rational.Decimal(m.Delta))
	}
	return brokenCount(m.Count, left)
}

func brokenCount(count, left int) (field, rule string) {
	switch {
	case count < 1:
		return "count", fmt.Sprintf("is %d, must be at least 1", count)
	case count > left:
		return "count", fmt.Sprintf("is %d, a pipeline must have at most %d mechanisms in all", count, MaxMechanisms)
	}
	return "", ""
}

// Limits of laws: outputs of one, and mechanisms that have one.
const (
	maxOutputs = 1 << 10
	maxLaws    = 1 << 16
)

// brokenLaw returns the rule that a law breaks.
func brokenLaw(l Law) string {
	if len(l) == 0 || len(l) > maxOutputs {
		return fmt.Sprintf("has %d outputs, must have from 1 to %d", len(l), maxOutputs)
	}
	var columns [2][]*big.Rat
	for i, output := range l {
		for b, x := range output {
			if x == nil || x.Sign() < 0 {
				return fmt.Sprintf("has the probability %s of output %d, must be at least 0", rational.Decimal(x), i+1)
			}
			columns[b] = append(columns[b], x)
		}
	}
	for b, column := range columns {
		if num, denom := rational.Sum(column); num.Cmp(denom) != 0 {
			return fmt.Sprintf("has %s numbers of its outputs, their %s, with the sum %s, must be 1",
				[2]string{"first", "second"}[b], [2]string{"P", "Q"}[b], shownSum(num, denom))
		}
	}
	return ""
}

// shownSum prints a sum that is not 1: exactly if that is short, and otherwise by how much it is off.
func shownSum(num, denom *big.Int) string {
	if denom.BitLen() <= 1024 {
		if text := rational.Decimal(new(big.Rat).SetFrac(num, denom)); !strings.HasPrefix(text, "about") {
			return text
		}
	}
	off, sign := new(big.Int).Sub(num, denom), "+"
	if off.Sign() < 0 {
		sign = "−"
	}
	part := new(big.Float).SetPrec(64).SetInt(off.Abs(off))
	return fmt.Sprintf("1 %s about %.6g", sign, part.Quo(part, new(big.Float).SetInt(denom)))
}

// refuseLaws returns an [*InputError] for the first mechanism with a law.
func (p Pipeline) refuseLaws() error {
	if i := slices.IndexFunc(p.Mechanisms, func(m Mechanism) bool { return !m.IsDP() }); i >= 0 {
		return &InputError{"mechanisms", i, p.Mechanisms[i].Kind(), "is given, must be eps and delta here"}
	}
	return nil
}

// brokenStop returns the first field of s that breaks a rule, and the rule.
func brokenStop(s Stop, previous, total int, isLast bool) (field, rule string) {
	switch {
	case s.After < 1:
		return "after", fmt.Sprintf("is %d, must be at least 1", s.After)
	case s.After <= previous:
		return "after", fmt.Sprintf("is %d, must be more than %d, the stop before it", s.After, previous)
	case s.After > total:
		return "after", fmt.Sprintf("is %d, must be at most %d, the number of mechanisms", s.After, total)
	case isLast && s.After != total:
		return "after", fmt.Sprintf("is %d, the last stop must be the end of the pipeline, %d", s.After, total)
	}
	return loss.Fault(s.Eps)
}

// clone returns p in memory of its own, where mechanisms that had the same law or noise share it.
func (p Pipeline) clone() Pipeline {
	p.Stops, p.Mechanisms = slices.Clone(p.Stops), slices.Clone(p.Mechanisms)
	laws, noise := map[*[2]*big.Rat]Law{}, map[*certify.Additive]*certify.Additive{}
	for i := range p.Stops {
		p.Stops[i].Eps = loss.Copy(p.Stops[i].Eps)
	}
	for i := range p.Mechanisms {
		m := &p.Mechanisms[i]
		m.Eps, m.Delta = loss.Copy(m.Eps), rational.Copy(m.Delta)
		if a := m.Additive; a != nil && noise[a] == nil {
			own := *a
			own.Scale, own.Sampling, own.Adds = rational.Copy(a.Scale), rational.Copy(a.Sampling), cloneLaw(a.Adds)
			own.Square = rational.Copy(a.Square)
			noise[a] = &own
		}
		m.Additive = noise[m.Additive]
		if len(m.Law) == 0 {
			continue
		}
		first := &m.Law[0]
		if len(laws[first]) != len(m.Law) {
			laws[first] = cloneLaw(m.Law)
		}
		m.Law = laws[first]
	}
	return p
}

// cloneLaw returns l in memory of its own.
func cloneLaw(l Law) Law {
	if l == nil {
		return nil
	}
	own := make(Law, len(l))
	for i, x := range l {
		own[i] = [2]*big.Rat{rational.Copy(x[0]), rational.Copy(x[1])}
	}
	return own
}

// problem returns p for the kernel, for neighbours in the order that laws are given in.
func (p Pipeline) problem() stopping.Problem { return stopping.New(certify.Problem(p)) }

// orders returns p for the kernel, for neighbours in both orders.
func (p Pipeline) orders() stopping.Orders { return stopping.NewOrders(certify.Problem(p)) }

// Problem returns p for [certify.Check], for neighbours in the order that laws are given in, with equal mechanisms
// together. p must be valid.
func (p Pipeline) Problem() certify.Problem { return certify.Problem(p.clone()).Grouped() }

// Orders returns p for neighbours in both orders, all laws (P, Q) and all of them (Q, P); p alone if that is the
// same problem. p must be valid, see [Pipeline.Validate].
func (p Pipeline) Orders() (orders []Pipeline) {
	for _, q := range certify.Problem(p).Orders() {
		orders = append(orders, Pipeline(q))
	}
	return orders
}

// equalLaws reports whether two laws have the same outputs in the same order.
func equalLaws(l, m Law) bool {
	return slices.EqualFunc(l, m, func(o, p [2]*big.Rat) bool { return o[0].Cmp(p[0]) == 0 && o[1].Cmp(p[1]) == 0 })
}
