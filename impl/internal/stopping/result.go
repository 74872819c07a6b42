package stopping

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// Order is an order of neighbours: which of the laws (P, Q) of a mechanism is that of the database with P0. It is
// empty if there are no laws for which that matters.
type Order string

// OrderNames are the orders, as [NewOrders] has them.
var OrderNames = [...]Order{"(P, Q)", "(Q, P)"}

// Result is what is certified about a problem.
type Result struct {
	OptDel     interval.Interval   // ODP-T15
	Lemma11    interval.Interval   // ODP-E4: the sum of SingleStop; for several orders the largest of their sums
	SingleStop []interval.Interval // smallest δ if the pipeline could end at this stop only
	// the worst stopping rule, one line a stop; nil if time ran out before it was found
	Rule  []certify.Threshold
	Order Order // of the neighbours that Rule is for; empty without a Rule
	// of neighbours for whom the work ended before there was a result, which Shortfall says; empty if there are none
	Unknown  Order
	RelWidth float64 // of OptDel that was requested, or taken if none was
	// how much wider than that Lemma 11 may be: 10 with noise or losses from 50 stops on, and otherwise 1
	Lemma11Slack float64
	Method       Method // Lattice, or Bracket if losses were rounded in one of the orders
	Arithmetic   string // "float64", or "big.Float" with its precision; both if the orders differ
	Shortfall    string // why a requested width was not reached; empty if all were

	// Certified is the intervals again, with all that is needed to check them: for each order of neighbours
	// but Unknown, if the mechanisms have laws for which they differ.
	Certified []*certify.Bounds

	orders []*Result // for neighbours in each of several orders, if this is what is known of all
}

// newResult returns what the checker found.
func newResult(b *certify.Bounds) *Result {
	r := &Result{
		OptDel: interval.Interval(b.OptDel), Lemma11: interval.Interval(b.Lemma11), Rule: slices.Clone(b.Rule),
		Method: Lattice, Arithmetic: "float64", Certified: []*certify.Bounds{b},
	}
	for _, x := range b.SingleStop {
		r.SingleStop = append(r.SingleStop, interval.Interval(x))
	}
	switch {
	case b.Hints.Bits > 0:
		r.Arithmetic = fmt.Sprintf("big.Float with %d bits", b.Hints.Bits)
	case b.Hints.Lower != nil:
		r.Method = Bracket
	}
	return r
}

// withSingles returns r with the single stops of others.
func (r *Result) withSingles(others *Result) *Result {
	all := *r
	all.SingleStop, all.Lemma11 = others.SingleStop, others.Lemma11
	return &all
}

// each returns the results for neighbours in each order, if r is that for all; otherwise r.
func (r *Result) each() []*Result {
	if r.orders == nil {
		return []*Result{r}
	}
	return r.orders
}

// isShort reports whether some width was not reached.
func (r *Result) isShort() bool {
	return slices.ContainsFunc(r.each(), func(x *Result) bool { return x.Shortfall != "" })
}

// orLess returns what is enough to know of another problem: that it is not larger.
func (r *Result) orLess() *Enough { return &Enough{r.OptDel.Lower, r.Lemma11.Lower} }

// Worst returns the result for all neighbours, where results are those for each of [NewOrders]; nil is one that
// there is not. The larger δ counts, and the rule that needs it: a lower end of one of them is one of the larger δ, for
// an upper end all are needed.
func Worst(results ...*Result) *Result { return worst(results, make([]error, len(results))) }

// worst is [Worst] where errors say why there is no result.
func worst(results []*Result, errs []error) *Result {
	var most *Result
	for _, r := range results {
		if r != nil &&
			(most == nil || cmp.Or(r.OptDel.Lower.Cmp(most.OptDel.Lower), r.OptDel.Upper.Cmp(most.OptDel.Upper)) > 0) {
			most = r
		}
	}
	if most == nil || len(results) == 1 {
		return most
	}
	all := &Result{
		OptDel: interval.Of(0, 0), Lemma11: interval.Of(0, 0),
		SingleStop: slices.Repeat([]interval.Interval{interval.Of(0, 0)}, len(most.SingleStop)),
		Rule:       most.Rule, orders: results,
	}
	if most.Rule != nil {
		all.Order = OrderNames[slices.Index(results, most)]
	}
	var shortfalls []string
	for i, r := range results {
		if r == nil {
			r, all.Unknown = unknown(len(most.SingleStop), errs[i]), OrderNames[i]
		}
		if r.Shortfall != "" {
			shortfalls = append(shortfalls, fmt.Sprintf("for neighbours %s: %s", OrderNames[i], r.Shortfall))
		}
		all.take(r)
	}
	if max(all.OptDel.RelWidth(), all.Lemma11.RelWidth()/max(1, all.Lemma11Slack)) > all.RelWidth {
		all.Shortfall = strings.Join(shortfalls, "; ")
	}
	return all
}

// unknown is what is known without any work, of so many stops, and that an error ended it, or the time that there was.
func unknown(stops int, err error) *Result {
	reason := "the work ended before there was a result"
	if err != nil {
		reason += ": " + err.Error()
	}
	return &Result{
		OptDel: interval.Of(0, 1), Lemma11: interval.Of(0, float64(stops)),
		SingleStop: slices.Repeat([]interval.Interval{interval.Of(0, 1)}, stops),
		Shortfall:  reason,
	}
}

// take makes all intervals the larger of themselves and those of s, and says how both were found.
func (r *Result) take(s *Result) {
	r.OptDel, r.Lemma11 = interval.Max(r.OptDel, s.OptDel), interval.Max(r.Lemma11, s.Lemma11)
	for i, x := range s.SingleStop {
		r.SingleStop[i] = interval.Max(r.SingleStop[i], x)
	}
	r.RelWidth, r.Lemma11Slack = max(r.RelWidth, s.RelWidth), max(r.Lemma11Slack, s.Lemma11Slack)
	if r.Method != Bracket {
		r.Method = cmp.Or(s.Method, r.Method)
	}
	switch {
	case r.Arithmetic == "":
		r.Arithmetic = s.Arithmetic
	case s.Arithmetic != "" && s.Arithmetic != r.Arithmetic:
		r.Arithmetic += " and " + s.Arithmetic
	}
	r.Certified = append(r.Certified, s.Certified...)
}
