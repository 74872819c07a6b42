package ledger

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// FilterRun is a sequence of mechanisms under a filter: a budget that is kept. It is safe for concurrent use.
//
// Before a mechanism runs it is reserved, then it is committed by what was observed:
//
//	v, err := run.Reserve("", g) // an error: it may not run
//	… run it …
//	err = v.Commit(observed)
//
// There is no other way to ask before a run: what [FilterRun.Read] says to fit may be taken by another caller
// meanwhile.
//
// A mechanism may read one of several disjoint parts of the data only, which is given a name then, its partition; see
// [Partitioned] for what that must be. Each partition has the whole budget, and a mechanism on all of the data is
// counted on every one. That is the theorem of the filter for each pair of neighbours: they differ in one partition,
// and a mechanism on another has the same law for both. It is (0, 0)-DP for that pair, which every filter here admits
// and charges nothing.
//
// Reservations keep the theorem, too. Let mechanisms be in the order in which they were chosen, each between its
// Reserve and its run. What a mechanism was chosen by is outputs of mechanisms before it, so the adversary of the
// theorem may choose it. The last to be reserved, of it and those before it, was admitted with all of them counted:
// those that were over then by what was observed, the others, itself included, at their worst. Charges do not grow
// when they are committed. So the filter, asked in that order, would have admitted every one. This is for mechanisms
// that are chosen as a whole before they run: one that answers questions in the course of its run, which may depend
// on outputs of others, is not covered. Nor is what can be learnt from how long a run takes.
//
// The zero value is not valid; use [NewFilterRun] or, for the sum, [NewBudget].
//
// Cost: that of the filter, and on each partition as often as there are open reservations; space for these and the
// partitions.
type FilterRun struct {
	filter BudgetFilter

	mu    sync.Mutex
	lanes Partitioned[lane]
	n     int // mechanisms that are over
	open  int // reservations
}

// NewFilterRun returns a run of f without a mechanism. It panics if f is nil.
func NewFilterRun(f BudgetFilter) *FilterRun {
	return &FilterRun{filter: f, lanes: NewPartitioned(lane{spent: f.Start(), held: f.Start()})}
}

// NewBudget returns a run without a mechanism that keeps the budget (eps, delta) by the sum, [NewFilterRun] of
// [NewSumFilter]: the rule of an [Accountant], for several callers.
//
// Source: as for [NewAccountant].
// Domain: ε ≥ 0, at most 1e289, or any e^ε ≥ 1; δ in [0, 1].
func NewBudget(eps loss.Epsilon, delta *big.Rat) (*FilterRun, error) {
	f, err := sumFilter(eps, delta)
	if err != nil {
		return nil, err
	}
	return NewFilterRun(&f), nil
}

// Filter returns the filter.
func (r *FilterRun) Filter() BudgetFilter { return r.filter }

// NotAdmittedError is a mechanism that a filter does not admit. Of several partitions that it reads, Spent is the
// largest, as With, and Fits the least: the largest ε that would have been admitted, with δ = 0, for its worst part.
type NotAdmittedError struct {
	Requested, Budget Amount
	Spent             Amount // what is spent, and what open reservations hold at their worst
	With              Amount // what would be with the request; by other rules than the sum not Spent + Requested
	Open              int    // reservations, also on other partitions
	Fits              float64
	// how far the request is above what fits, at most: ε above [BudgetFilter.Limit], δ above what remains; 0 if it fits
	Exceeds Amount
	// on which the most is lacking; "" if that is so without one, or if ε and δ lack on different ones
	Partition string
}

// Error says what was requested, by how much that is more than what fits, what would be spent with it, of which
// budget, and what was spent or is reserved.
func (e *NotAdmittedError) Error() string {
	on := ""
	if e.Partition != "" {
		on = fmt.Sprintf("on the partition %q, ", e.Partition)
	}
	excess := e.Exceeds.Above0(func(x loss.Sum) string { return fmt.Sprintf("= %.2g", x.Float().Hi) })
	taken := "spent"
	if e.Open > 0 {
		taken = fmt.Sprintf("spent or reserved (open reservations: %d)", e.Open)
	}
	return on + fmt.Sprintf("requested %s, about %s more than fits: with it %s of the budget %s would be spent, "+
		"now %s: %s; with δ = 0, at most ε = %g fits", e.Requested.readable(), excess, e.With.readable(),
		e.Budget.readable(), taken, e.Spent.readable(), e.Fits)
}

func (a Amount) readable() string {
	return fmt.Sprintf("ε = %s and δ = %s", readable(a.Eps), readable(a.Delta))
}

// readable returns a sum as it is or, if that takes more digits than anybody reads, about what it is.
func readable(x loss.Sum) string {
	const longest = 24
	if text := x.Text(); len(text) <= longest {
		return text
	}
	return fmt.Sprintf("about %.6g", x.Float().Hi)
}

// Above0 says what of ε and δ is above 0, each as text writes it; ε if neither is. It panics if text is nil.
func (a Amount) Above0(text func(loss.Sum) string) string {
	eps, delta := "ε "+text(a.Eps), "δ "+text(a.Delta)
	switch {
	case a.Delta.Sign() <= 0:
		return eps
	case a.Eps.Sign() <= 0:
		return delta
	}
	return eps + " and " + delta
}

// Spend counts a mechanism on all of the data that is (eps, delta)-DP, as [FilterRun.SpendOn] does.
func (r *FilterRun) Spend(eps loss.Epsilon, delta *big.Rat) error {
	return r.SpendGuarantee(Guarantee{Parts: []Part{{Eps: eps}}, Delta: delta}, "")
}

// SpendGuarantee is [FilterRun.SpendOn] for a mechanism on all of the data.
func (r *FilterRun) SpendGuarantee(g Guarantee, observed string) error {
	return r.SpendOn("", g, observed)
}

// SpendOn counts a mechanism that is over: it is for going through a ledger. Before a mechanism runs use
// [FilterRun.Reserve], since what is refused here has been released already.
//
// Its output was in the part observed: a [PartFilter] charges it for that part, other filters for what it guarantees
// as a whole. It read the partition or, if that is "", all of the data. The error is a [*NotAdmittedError], a
// [*GuaranteeError] for a mechanism that is none, or that of a partition that cannot be told apart; nothing is
// counted then.
func (r *FilterRun) SpendOn(partition string, g Guarantee, observed string) error {
	k, err := g.part(observed)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.step(partition, func(l lane) (lane, bool) { return l.spend(r.filter, g, k) })
	if err != nil {
		return r.refusal(err, partition, g)
	}
	r.n++
	return nil
}

// part returns the number of the part that was observed, from 0, or a [*GuaranteeError].
func (g Guarantee) part(observed string) (int, error) {
	if _, err := g.At(observed); err != nil {
		return 0, err
	}
	return slices.IndexFunc(g.Parts, func(p Part) bool { return p.Name == observed }), nil
}

// spendPart returns whether a mechanism may run by a filter, and what is remembered if the part of that number is
// observed.
func spendPart(f Filter, memory any, g Guarantee, observed int) (after any, admitted bool) {
	if parts, ok := f.(PartFilter); ok {
		return parts.SpendPart(memory, g, observed)
	}
	eps, delta := g.AsDP()
	return f.Spend(memory, impl.Mechanism{Eps: eps, Delta: delta, Count: 1})
}

// errNotAdmitted is what a step returns that a filter does not admit.
var errNotAdmitted = errors.New("not admitted")

// step does the same on all lanes of a partition, or on none.
func (r *FilterRun) step(partition string, next func(lane) (after lane, admitted bool)) error {
	return r.lanes.Step(partition, func(l lane) (lane, error) {
		after, admitted := next(l)
		if !admitted {
			return l, errNotAdmitted
		}
		return after, nil
	})
}

// refusal returns why a step was refused or, if err is another error, that. Of several partitions the largest of what
// is spent counts, and the least that fits: what is asked for next must fit on all of them.
func (r *FilterRun) refusal(err error, partition string, g Guarantee) error {
	if err != errNotAdmitted {
		return err
	}
	e := &NotAdmittedError{Open: r.open, Fits: math.Inf(1)}
	excess := map[string]Amount{}
	for name, l := range r.lanes.on(partition) {
		on := notAdmitted(r.filter, l.held, g)
		e.Requested, e.Budget, excess[name] = on.Requested, on.Budget, on.Exceeds
		e.Spent, e.Exceeds, e.Fits = e.Spent.Larger(on.Spent), e.Exceeds.Larger(on.Exceeds), min(e.Fits, on.Fits)
		e.With = e.With.Larger(on.With)
	}
	for name := range r.lanes.on(partition) {
		if e.Exceeds.Within(excess[name]) {
			e.Partition = name
			break
		}
	}
	return e
}

// notAdmitted says why a filter does not admit a mechanism or, if it does, by how much it exceeds nothing.
func notAdmitted(f BudgetFilter, memory any, g Guarantee) *NotAdmittedError {
	eps, delta := g.Worst(), g.Delta
	if _, ok := f.(PartFilter); !ok {
		eps, delta = g.AsDP()
	}
	e := &NotAdmittedError{Requested: Amount{loss.Of(eps), loss.OfRat(delta)}, Spent: f.Spent(memory),
		With: f.With(memory, g), Budget: f.Budget(), Fits: f.Fits(memory, g)}
	e.Exceeds = Amount{e.Requested.Eps.Minus(f.Limit(memory, g)),
		e.Requested.Delta.Minus(e.Budget.Minus(e.Spent).Delta)}.Larger(Amount{})
	if _, admitted := spendPart(f, memory, g, g.WorstPart()); !admitted && e.Exceeds.Within(Amount{}) {
		e.Exceeds.Eps = ulp(e.Requested.Eps) // it would fit but for the rounding of a charge
	}
	return e
}

// ulp returns about the last bit of a sum as a float64, and more than 0.
func ulp(s loss.Sum) loss.Sum {
	return loss.OfRat(new(big.Rat).SetFloat64(max(s.Float().Hi*0x1p-52, math.SmallestNonzeroFloat64)))
}

// Account is where a [FilterRun] stands. Open reservations are counted at their worst.
type Account struct {
	Events        int // that are over
	Open          int // reservations
	Budget, Spent Amount
	Fits          float64 // the largest ε of an (ε, 0)-DP mechanism that is still admitted, rounded down
}

// Read returns where the run stands. Spent is the largest of all partitions, ε and δ each, and Fits the smallest:
// what fits for a mechanism on all of the data. On a partition that was not named yet at least as much fits.
func (r *FilterRun) Read() Account {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := Account{Events: r.n, Open: r.open, Budget: r.filter.Budget()}
	for name, l := range r.lanes.All() {
		spent := r.filter.Spent(l.held)
		if name == "" {
			a.Spent, a.Fits = spent, r.filter.Fits(l.held, Guarantee{})
			continue
		}
		a.Spent = a.Spent.Larger(spent)
		if !admitsBoth(admittedAlone(r.filter, l.held), a.Fits) {
			a.Fits = min(a.Fits, r.filter.Fits(l.held, Guarantee{}))
		}
	}
	return a
}

// Larger returns the larger ε and the larger δ of two amounts.
func (a Amount) Larger(b Amount) Amount {
	if a.Eps.Cmp(b.Eps) < 0 {
		a.Eps = b.Eps
	}
	if a.Delta.Cmp(b.Delta) < 0 {
		a.Delta = b.Delta
	}
	return a
}

// ReadOn returns what is spent on the records of one partition, and what fits there; without a name, on those in
// none. Open reservations are counted at their worst.
func (r *FilterRun) ReadOn(partition string) (spent Amount, fits float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.lanes.On(partition).held
	return r.filter.Spent(held), r.filter.Fits(held, Guarantee{})
}
