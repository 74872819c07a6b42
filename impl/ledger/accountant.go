package ledger

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/internal/check"
	"checkrr/impl/loss"
)

// Part is a set of a partition 𝒫 of a mechanism's outputs, with its ℰ.
type Part struct {
	Name string
	Eps  loss.Epsilon
}

// Guarantee is (𝒫, ℰ, δ)-output differential privacy. One part alone is (ε, δ)-DP.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2.
type Guarantee struct {
	Parts []Part
	Delta *big.Rat

	// DP is what the mechanism guarantees as a whole, if that is known to be better than the worst part: of a
	// pipeline, its optimal composition. It is not charged, but compared with; see [Spending]. If it is worse, it
	// does not count.
	DP *DPGuarantee
}

// DPGuarantee is (ε, δ)-differential privacy.
//
// Source: Hartmann et al. (2022), Definition 1; ODP-D1.
type DPGuarantee struct {
	Eps   loss.Epsilon
	Delta *big.Rat
}

// fault returns the field that breaks a rule, and the rule.
func (d *DPGuarantee) fault() (field, rule string) {
	if field, rule = check.Epsilon(d.Eps); rule == "" {
		field, rule = "delta", check.Delta(d.Delta)
	}
	return field, rule
}

// validate returns nil, or a [*GuaranteeError].
func (d *DPGuarantee) validate() error {
	if field, rule := d.fault(); rule != "" {
		return &GuaranteeError{Field: field, Rule: rule}
	}
	return nil
}

// GuaranteeError says which rule a guarantee breaks.
type GuaranteeError struct {
	Part  string // the part at fault, if it is one
	Field string // "parts", "name", "eps", "exp_eps" or "delta"; "dp" for what follows it in Rule
	Rule  string // what was found and what must hold
}

// Error names the part and the field, and says the rule.
func (e *GuaranteeError) Error() string {
	if e.Part != "" && (e.Field == "eps" || e.Field == "exp_eps") {
		return fmt.Sprintf("part %q: %s %s", e.Part, e.Field, e.Rule)
	}
	return e.Field + " " + e.Rule
}

// Validate returns nil, or a [*GuaranteeError] for the first rule that g breaks.
func (g Guarantee) Validate() error {
	if len(g.Parts) == 0 {
		return &GuaranteeError{Field: "parts", Rule: "has no entry, must have at least one"}
	}
	for _, p := range g.Parts {
		if p.Name == "" && len(g.Parts) > 1 { // a part that was not observed has no name either
			return &GuaranteeError{Field: "parts", Rule: "has an empty name, must name each of several parts"}
		}
		if field, rule := check.Epsilon(p.Eps); rule != "" {
			return &GuaranteeError{p.Name, field, rule}
		}
	}
	if name, twice := g.duplicate(); twice {
		return &GuaranteeError{name, "parts", fmt.Sprintf("has %q twice, must have every part once", name)}
	}
	if rule := check.Delta(g.Delta); rule != "" {
		return &GuaranteeError{Field: "delta", Rule: rule}
	}
	if g.DP != nil {
		if field, rule := g.DP.fault(); rule != "" {
			return &GuaranteeError{Field: "dp", Rule: field + " " + rule}
		}
	}
	return nil
}

// duplicate returns a name that two parts have.
func (g Guarantee) duplicate() (name string, twice bool) {
	const few = 8 // pairs are compared up to here, which needs no memory
	if len(g.Parts) <= few {
		for i, p := range g.Parts {
			for _, q := range g.Parts[:i] {
				if p.Name == q.Name {
					return p.Name, true
				}
			}
		}
		return "", false
	}
	seen := make(map[string]bool, len(g.Parts))
	for _, p := range g.Parts {
		if seen[p.Name] {
			return p.Name, true
		}
		seen[p.Name] = true
	}
	return "", false
}

// Worst returns sup ℰ: what the guarantee costs without ODP, as (sup ℰ, δ)-DP (ODP-L4).
// It panics if there is no part.
func (g Guarantee) Worst() loss.Epsilon { return slices.MaxFunc(g.Parts, byEps).Eps }

// least returns the smallest ℰ of the parts, of which there is one at least.
func (g Guarantee) least() loss.Epsilon { return slices.MinFunc(g.Parts, byEps).Eps }

// WorstPart returns the number of a part with the largest ℰ, from 0. It panics if there is no part.
func (g Guarantee) WorstPart() int {
	worst := g.Worst()
	return slices.IndexFunc(g.Parts, func(p Part) bool { return p.Eps.Equal(worst) })
}

func byEps(p, q Part) int { return loss.Of(p.Eps).Cmp(loss.Of(q.Eps)) }

// AsDP returns what g guarantees as a whole: DP or, if that is not given or no better, the worst part and δ. Both
// hold; of two of which one has the smaller ε and the other the smaller δ it is DP. It panics if there is no part.
func (g Guarantee) AsDP() (loss.Epsilon, *big.Rat) {
	if dp := g.betterDP(); dp != nil {
		return dp.Eps, dp.Delta
	}
	return g.Worst(), g.Delta
}

// betterDP returns DP, or nil if the worst part and δ are at most that.
func (g Guarantee) betterDP() *DPGuarantee {
	if g.DP != nil && g.Delta.Cmp(g.DP.Delta) <= 0 && loss.Of(g.Worst()).Cmp(loss.Of(g.DP.Eps)) <= 0 {
		return nil
	}
	return g.DP
}

// AsPDP returns what an [Odometer] may count, if it is known that this is probabilistic DP: DP if it is
// given, even if the worst part has a smaller ε and δ, as that may be no more than (ε, δ)-DP. If δ is 0 it is that,
// and [Guarantee.AsDP] counts. It panics if there is no part.
func (g Guarantee) AsPDP() (loss.Epsilon, *big.Rat) {
	if g.DP != nil && g.Delta.Sign() > 0 {
		return g.DP.Eps, g.DP.Delta
	}
	return g.AsDP()
}

// At returns ℰ of the part that was observed, or a [*GuaranteeError] if g is not valid or has no such part.
func (g Guarantee) At(observed string) (loss.Epsilon, error) {
	if err := g.Validate(); err != nil {
		return loss.Epsilon{}, err
	}
	for _, p := range g.Parts {
		if p.Name == observed {
			return p.Eps, nil
		}
	}
	return loss.Epsilon{}, &GuaranteeError{Field: "observed", Rule: fmt.Sprintf("is %q, must be one of %s",
		observed, g.names())}
}

// names lists the parts for a message.
func (g Guarantee) names() string {
	const most = 10
	var names []string
	for _, p := range g.Parts[:min(len(g.Parts), most)] {
		names = append(names, fmt.Sprintf("%q", p.Name))
	}
	if left := len(g.Parts) - most; left > 0 {
		names = append(names, fmt.Sprintf("%d more", left))
	}
	return strings.Join(names, ", ")
}

// Amount is a loss, or a budget of it.
type Amount struct {
	Eps   loss.Sum `json:"eps"`
	Delta loss.Sum `json:"delta"`
}

// String is a for a message, such as "ε = 0.3, δ = 1e-05". What is long is there with 12 digits, and "about" before it.
func (a Amount) String() string { return fmt.Sprintf("ε = %s, δ = %s", a.Eps.Text(), a.Delta.Text()) }

func (a Amount) plus(b Amount) Amount { return Amount{a.Eps.Plus(b.Eps), a.Delta.Plus(b.Delta)} }

func (a Amount) plusExactly(b Amount) Amount {
	return Amount{a.Eps.PlusExactly(b.Eps), a.Delta.PlusExactly(b.Delta)}
}

// Minus returns a − b.
func (a Amount) Minus(b Amount) Amount { return Amount{a.Eps.Minus(b.Eps), a.Delta.Minus(b.Delta)} }

// Within reports whether neither part of a exceeds that of b.
func (a Amount) Within(b Amount) bool { return a.Eps.Cmp(b.Eps) <= 0 && a.Delta.Cmp(b.Delta) <= 0 }

// spend returns a after a mechanism that is charged what it is, and whether that may be: if a and the most that it
// may be charged are within the budget. What rounding lifts above the budget is cut down to it.
func (a Amount) spend(most, charge, budget Amount) (after Amount, admitted bool) {
	if !a.plusExactly(most).Within(budget) {
		return a, false
	}
	sum := a.plus(charge)
	return Amount{sum.Eps.CutTo(budget.Eps), sum.Delta.CutTo(budget.Delta)}, true
}

// Spending is what a sequence of mechanisms has spent, with ODP and without. It is
// immutable; the zero value is nothing. Totals do not depend on the order as long as
// they are not rounded; see [Sum.IsRounded].
type Spending struct {
	Events     int    `json:"events"`
	ODP        Amount `json:"odp"`         // Σ ℰ_i(the part observed), Σ δ_i
	WithoutODP Amount `json:"without_odp"` // the same mechanisms by what [Guarantee.AsDP] says
	HasDP      bool   `json:"has_dp"`      // whether a mechanism had a DP that counts; if not, the two δ are one sum
}

// Add returns s and one more mechanism, whose output was in the part observed.
func (s Spending) Add(g Guarantee, observed string) (Spending, error) {
	eps, err := g.At(observed)
	if err != nil {
		return s, err
	}
	return s.add(s.ODP.plus(Amount{loss.Of(eps), loss.OfRat(g.Delta)}), g), nil
}

// add is Add for a guarantee that is valid, by what ODP is with it.
func (s Spending) add(odp Amount, g Guarantee) Spending {
	s.Events++
	s.ODP, s.HasDP = odp, s.HasDP || g.betterDP() != nil
	if eps, delta := g.AsDP(); s.HasDP {
		s.WithoutODP = s.WithoutODP.plus(Amount{loss.Of(eps), loss.OfRat(delta)})
	} else {
		s.WithoutODP = Amount{s.WithoutODP.Eps.Plus(loss.Of(eps)), odp.Delta}
	}
	return s
}

// Accountant keeps a privacy budget by the composition theorem of output differential
// privacy: a mechanism is admitted by its worst part and charged for the part observed.
// An Accountant is an immutable value; Spend returns its successor. So it is for one caller,
// who runs one mechanism after the other: two who ask the same Accountant are both admitted. A
// program with several callers keeps the same budget, by the same rule, with [NewBudget], where a
// mechanism is reserved before it runs. The zero value has no budget.
//
// Nothing is ever charged too little, nor admitted beyond the budget: sums are exact,
// and if they must be rounded to keep their memory bounded, they are rounded up, but not
// beyond the budget, which was not exceeded.
//
// Source: Hartmann et al. (2022), Algorithm 1 and Theorem 7; ODP-A1, ODP-T7.
// Also in the checks of ODP-X7.
// Symbols: (ε_t, δ_t) = Budget, (ε_r, δ_r) = Remaining.
// Deviation from print: none; lines 7 and 8 subtract, as the arXiv version has them (ODP-A1). The adversary is the
// caller.
// Cost: of an event, that of adding it; O(1) space over any number of events.
type Accountant struct {
	rule  SumFilter
	spent Spending
}

// NewAccountant returns an accountant with the budget (eps, delta).
//
// Source: Hartmann et al. (2022), Algorithm 1, line 2; ODP-A1, ODP-T7.
// Domain: ε ≥ 0, at most 1e289, or any e^ε ≥ 1; δ in [0, 1].
// Deviation from print: as for [Accountant].
func NewAccountant(eps loss.Epsilon, delta *big.Rat) (Accountant, error) {
	rule, err := sumFilter(eps, delta)
	return Accountant{rule: rule}, err
}

// Budget returns (ε_t, δ_t).
func (a Accountant) Budget() Amount { return a.rule.budget }

// Spent returns what was spent.
func (a Accountant) Spent() Spending { return a.spent }

// Remaining returns (ε_r, δ_r): what the worst part of the next mechanism may cost.
func (a Accountant) Remaining() Amount { return a.Budget().Minus(a.spent.ODP) }

// Fits returns the largest ε of an (ε, 0)-DP mechanism, or of the worst part of one with parts, that is still admitted,
// rounded down.
func (a Accountant) Fits() float64 {
	return a.rule.Fits(a.sums(), Guarantee{})
}

// sums is what the rule remembers.
func (a Accountant) sums() Sums { return Sums{a.spent.ODP.Eps, a.spent.ODP.Delta} }

// Admits returns nil if a mechanism with the guarantee g may be run next, whatever it will
// output; a [*NotAdmittedError] if it may not; or a [*GuaranteeError].
//
// Source: Hartmann et al. (2022), Algorithm 1, line 4; ODP-A1, ODP-T7.
// Also in the checks of ODP-X2, ODP-X3, ODP-X7 and ODP-X30.
// Deviation from print: as for [Accountant].
func (a Accountant) Admits(g Guarantee) error {
	if err := g.Validate(); err != nil {
		return err
	}
	_, err := a.admit(g, g.WorstPart())
	return err
}

// admit returns what is spent after a mechanism whose output was in the part of that number, or a [*NotAdmittedError].
func (a Accountant) admit(g Guarantee, observed int) (Amount, error) {
	after, admitted := a.rule.SpendPart(a.sums(), g, observed)
	if !admitted {
		return a.spent.ODP, notAdmitted(&a.rule, a.sums(), g)
	}
	return a.rule.Spent(after), nil
}

// Spend returns the accountant after a mechanism with the guarantee g, whose output was
// in the part observed. If there is an error, which is that of Admits or a
// [*GuaranteeError] for an unknown part, the accountant returned is a.
//
// Source: Hartmann et al. (2022), Algorithm 1, lines 7 and 8; ODP-A1, ODP-T7.
// Also in the checks of ODP-X2, ODP-X3 and ODP-X7.
// Deviation from print: as for [Accountant].
func (a Accountant) Spend(g Guarantee, observed string) (Accountant, error) {
	k, err := g.part(observed)
	if err != nil {
		return a, err
	}
	after, err := a.admit(g, k)
	if err != nil {
		return a, err
	}
	a.spent = a.spent.add(after, g)
	return a, nil
}
