package ledger

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// budget returns a run of the sum filter.
func budget(t testing.TB, eps, delta string) *FilterRun {
	t.Helper()
	r, err := NewBudget(testkit.NatsOf(eps), rational.MustParse(delta))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// spentOn returns the sum of ε that is held on a partition.
func spentOn(t testing.TB, r *FilterRun, partition string) string {
	t.Helper()
	spent, _ := r.ReadOn(partition)
	return ratOf(t, spent.Eps)
}

// TestReservation: what is held, released, and charged at its worst.
func TestReservation(t *testing.T) {
	t.Parallel()
	r, g := budget(t, "1", "1e-6"), guarantee("1e-7", testkit.NatsOf("0.1"), testkit.NatsOf("0.4"))
	var open []*Reservation
	reserve := func(want bool) {
		t.Helper()
		v, err := r.Reserve("", g)
		if (err == nil) != want {
			t.Fatalf("admitted is %v, want %v", err == nil, want)
		}
		if err == nil {
			open = append(open, v)
		}
	}
	is := func(events, held int, spent string) {
		t.Helper()
		if a := r.Read(); a.Events != events || a.Open != held || ratOf(t, a.Spent.Eps) != spent {
			t.Errorf("%d events, %d open, spent %s, want %d, %d, %s",
				a.Events, a.Open, a.Spent.Eps.Text(), events, held, spent)
		}
	}
	over := func(err error) {
		t.Helper()
		testkit.ExpectError(t, err, "over")
	}
	reserve(true)
	reserve(true)
	reserve(false) // 0.2 is left
	is(0, 2, "4/5")
	if err := r.SpendGuarantee(g, "a"); err == nil {
		t.Error("what is over is admitted beside two that are open")
	}
	if err := open[1].Commit("a"); err != nil {
		t.Error(err)
	}
	is(1, 1, "1/2")
	reserve(true)
	if err := open[0].Cancel(); err != nil {
		t.Error(err)
	}
	is(1, 1, "1/2")
	if err := open[2].Commit("c"); err == nil || err.Error() != `observed is "c", must be one of "a", "b"` {
		t.Errorf("error %v", err)
	}
	is(2, 0, "1/2")
	for _, v := range open {
		over(v.Commit("a"))
		over(v.Cancel())
	}
	is(2, 0, "1/2")
	reserve(true) // and it is never committed
	for r.SpendGuarantee(guarantee("0", testkit.NatsOf("0.1")), "a") == nil {
	}
	is(3, 1, "1")
	if _, err := r.Reserve("", Guarantee{}); err == nil {
		t.Error("a guarantee that is none is reserved")
	}
}

// TestReservation_Copy: a copy is the same reservation, which is over once.
func TestReservation_Copy(t *testing.T) {
	t.Parallel()
	r, g := budget(t, "1", "0"), guarantee("0", testkit.NatsOf("0.1"), testkit.NatsOf("0.4"))
	for range 2 {
		v, err := r.Reserve("", g)
		if err != nil {
			t.Fatal(err)
		}
		twin := *v
		if err := twin.Commit("a"); err != nil {
			t.Error(err)
		}
		if v.Commit("a") == nil || v.Cancel() == nil || twin.Cancel() == nil {
			t.Error("it is over twice")
		}
	}
	if a := r.Read(); a.Events != 2 || a.Open != 0 || ratOf(t, a.Spent.Eps) != "1/5" {
		t.Errorf("%d events, %d open, spent %s", a.Events, a.Open, a.Spent.Eps.Text())
	}
}

// TestReserveOnPartitions: each has the whole budget, and a refusal names the one that lacks it.
func TestReserveOnPartitions(t *testing.T) {
	t.Parallel()
	r, g := budget(t, "1", "0"), guarantee("0", testkit.NatsOf("0.1"), testkit.NatsOf("0.4"))
	reserve := func(partition string) (*Reservation, error) { return r.Reserve(partition, g) }
	all, err := reserve("")
	a, err2 := reserve("a")
	b, err3 := reserve("b")
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	refused, _ := errors.AsType[*NotAdmittedError](second(reserve("a")))
	if refused == nil || refused.Partition != "a" || ratOf(t, refused.Spent.Eps) != "4/5" ||
		refused.Fits != 0.19999999999999998 {
		t.Fatalf("%+v", refused)
	}
	want := `on the partition "a", requested ε = 0.4 and δ = 0, about ε = 0.2 more than fits: with it ε = 1.2 ` +
		`and δ = 0 of the budget ε = 1 and δ = 0 would be spent, now spent or reserved (open reservations: 3): ε = 0.8 ` +
		`and δ = 0; with δ = 0, at most ε = 0.19999999999999998 fits`
	if refused.Error() != want {
		t.Errorf("got  %v\nwant %s", refused, want)
	}
	if err := errors.Join(a.Commit("a"), r.SpendOn("b", guarantee("0", testkit.NatsOf("0.2")), "a")); err != nil {
		t.Fatal(err)
	}
	refused, _ = errors.AsType[*NotAdmittedError](second(reserve("")))
	if refused == nil || refused.Partition != "b" || refused.Fits != 0 {
		t.Fatalf("%+v", refused)
	}
	if err := errors.Join(all.Commit("a"), b.Cancel()); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(spentOn(t, r, ""), spentOn(t, r, "a"), spentOn(t, r, "b"), spentOn(t, r, "new"))
	if got != "1/101/53/101/10" {
		t.Errorf("spent %s", got)
	}
	if s := r.Read(); ratOf(t, s.Spent.Eps) != "3/10" || s.Fits != 0.7 || s.Events != 3 {
		t.Errorf("%+v", s)
	}
	err = r.SpendOn("\xff", g, "a")
	testkit.ExpectError(t, err, "UTF-8")
}

func second(_ *Reservation, err error) error { return err }

// TestTooManyPartitions: the last that can be told apart is taken, the next is an error, those that are known go on.
func TestTooManyPartitions(t *testing.T) {
	t.Parallel()
	r, g := budget(t, "1", "0"), guarantee("0", testkit.NatsOf("0.1"))
	for i := range MaxPartitions {
		if err := r.SpendOn(fmt.Sprint(i), g, "a"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.Reserve("more", g)
	if want := `partition "more" is one too many: there are 4096, the most that are told apart`; err == nil ||
		err.Error() != want {
		t.Errorf("error %v", err)
	}
	if err := errors.Join(r.SpendOn("7", g, "a"), r.SpendGuarantee(g, "a")); err != nil {
		t.Error(err)
	}
	if a := r.Read(); ratOf(t, a.Spent.Eps) != "3/10" || a.Fits != 0.7 {
		t.Errorf("%+v", a)
	}
}

// filtersOf returns every filter with a budget: the sum, those of variances, and the ODP filter.
func filtersOf(t testing.TB, eps, delta, delta2 string) []BudgetFilter {
	t.Helper()
	e, d, leak := testkit.NatsOf(eps), rational.MustParse(delta), rational.MustParse(delta2)
	sum, err := NewSumFilter(e, d)
	adaptive, err2 := NewAdaptiveFilter(e, d, leak)
	zcdp, err3 := NewZCDPFilter(e, d, leak)
	odp, err4 := NewODPFilter(e, d, leak, nil)
	if err := errors.Join(err, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	return []BudgetFilter{sum, adaptive, zcdp, odp}
}

// FiltersOf is filtersOf, for the tests of users.
var FiltersOf = filtersOf

// testFilters are filters that admit some twenty mechanisms as drawnMechanism draws them.
func testFilters(t testing.TB) map[string]BudgetFilter {
	all := filtersOf(t, "3", "1e-5", "5e-6")
	return map[string]BudgetFilter{"sum": all[0], "variance": all[1], "odp": all[3]}
}

// drawnMechanism draws a guarantee and a number of a part, of which ε is up to 0.5.
func drawnMechanism(t *rapid.T) (g Guarantee, observed int) {
	var eps []loss.Epsilon
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		n := rapid.Int64Range(0, 50).Draw(t, "eps")
		if rapid.Bool().Draw(t, "exp") {
			eps = append(eps, loss.Exp(big.NewRat(100+n, 100)))
		} else {
			eps = append(eps, loss.Nats(big.NewRat(n, 100)))
		}
	}
	g = guarantee("0", eps...)
	g.Delta = big.NewRat(rapid.Int64Range(0, 10).Draw(t, "delta"), 10_000_000)
	return g, rapid.IntRange(0, len(eps)-1).Draw(t, "observed")
}

// naive is what a [FilterRun] must do: it keeps what there was as lists, and adds all up when it is asked.
type naive struct {
	filter BudgetFilter
	lists  map[string][]counted // by partition; "" for all of the data
}

// counted is a mechanism that counts for one of its parts.
type counted struct {
	g    Guarantee
	part int
	at   *Reservation // nil if there was none
}

func (n naive) partitions() []string { return slices.Sorted(maps.Keys(n.lists)) }

// memory adds up what the filter remembers of each mechanism alone.
func (n naive) memory(partition string, more ...counted) any {
	all := slices.Concat(n.lists[""], more)
	if partition != "" {
		all = append(all, n.lists[partition]...)
	}
	sum := n.filter.Start()
	for _, c := range all {
		switch alone, _ := spendPart(n.filter, n.filter.Start(), c.g, c.part); one := alone.(type) {
		case Sums:
			s := sum.(Sums)
			sum = Sums{s.Charge.PlusExactly(one.Charge), s.Delta.PlusExactly(one.Delta)}
		case ODPSums:
			s := sum.(ODPSums)
			sum = ODPSums{s.Eps.PlusExactly(one.Eps), s.Charge.PlusExactly(one.Charge), s.Delta.PlusExactly(one.Delta)}
		}
	}
	return sum
}

// admits returns the partitions on which a mechanism does not fit.
func (n naive) admits(partition string, g Guarantee) (short []string) {
	for _, name := range n.partitions() {
		if partition != "" && name != partition {
			continue
		}
		if n.filter.Check(1000, n.memory(name, counted{g: g, part: g.WorstPart()})) != nil {
			short = append(short, name)
		}
	}
	return short
}

// says reports whether a refusal is that of all partitions that a mechanism reads, and names one on which too little
// is left.
func (n naive) says(e *NotAdmittedError, partition string, short []string) bool {
	var spent Amount
	fits := math.Inf(1)
	for _, name := range n.partitions() {
		if partition != "" && name != partition {
			continue
		}
		memory := n.memory(name)
		spent, fits = spent.Larger(n.filter.Spent(memory)), min(fits, n.filter.Fits(memory, Guarantee{}))
	}
	isNamed := slices.Contains(short, e.Partition) || e.Partition == "" && len(short) > 1
	return isNamed && e.Fits == fits && e.Spent.Eps.Cmp(spent.Eps) == 0 && e.Spent.Delta.Cmp(spent.Delta) == 0 &&
		(e.Exceeds.Eps.Sign() > 0 || e.Exceeds.Delta.Sign() > 0)
}

func (n naive) add(partition string, c counted) { n.lists[partition] = append(n.lists[partition], c) }

// end makes a reservation count for a part, or not at all if that is −1.
func (n naive) end(v *Reservation, part int) {
	i := slices.IndexFunc(n.lists[v.partition], func(c counted) bool { return c.at == v })
	if part < 0 {
		n.lists[v.partition] = slices.Delete(n.lists[v.partition], i, i+1)
		return
	}
	n.lists[v.partition][i].part = part
}

// TestLaw_ReservationsAreExact: whatever the order of commits, and on whatever partitions, a run admits, holds and
// charges what adding up says.
func TestLaw_ReservationsAreExact(t *testing.T) {
	t.Parallel()
	for name, f := range testFilters(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				r, n := NewFilterRun(f), naive{f, map[string][]counted{"": nil}}
				var open []*Reservation
				for range rapid.IntRange(0, 60).Draw(t, "steps") {
					open = randomStep(t, r, n, open)
					sameAsNaive(t, r, n, len(open))
				}
				sameReading(t, r, n)
			})
		})
	}
}

// randomStep does the same in a run and by adding up, and returns what is open.
func randomStep(t *rapid.T, r *FilterRun, n naive, open []*Reservation) []*Reservation {
	do := rapid.SampledFrom([]string{"reserve", "reserve", "reserve", "commit", "commit", "cancel", "spend"}).Draw(t,
		"do")
	if do == "reserve" || do == "spend" {
		partition := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "partition")
		g, part := drawnMechanism(t)
		if _, isKnown := n.lists[partition]; !isKnown {
			defer func() { // a refusal does not make a partition known
				if len(n.lists[partition]) == 0 {
					delete(n.lists, partition)
				}
			}()
			n.lists[partition] = nil
		}
		short := n.admits(partition, g)
		want := len(short) == 0
		var v *Reservation
		var err error
		if do == "reserve" {
			v, err = r.Reserve(partition, g)
			part = g.WorstPart()
		} else {
			err = r.SpendOn(partition, g, g.Parts[part].Name)
		}
		if refused, isRefused := errors.AsType[*NotAdmittedError](err); isRefused == want || isRefused &&
			!n.says(refused, partition, short) {
			t.Fatalf("%s %v on %q: %+v, admitted should be %v, short are %q", do, g, partition, err, want, short)
		}
		if want {
			n.add(partition, counted{g, part, v})
		}
		if v != nil {
			open = append(open, v)
		}
		return open
	}
	if len(open) == 0 {
		return open
	}
	i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
	v, part := open[i], -1
	err := error(nil)
	if do == "commit" {
		part = rapid.IntRange(0, len(v.g.Parts)-1).Draw(t, "part")
		err = v.Commit(v.g.Parts[part].Name)
	} else {
		err = v.Cancel()
	}
	if err != nil {
		t.Fatal(err)
	}
	n.end(v, part)
	return slices.Delete(open, i, i+1)
}

// sameAsNaive compares what is remembered.
func sameAsNaive(t *rapid.T, r *FilterRun, n naive, open int) {
	state, events := r.State(), 0
	for name, list := range n.lists {
		events += len(list)
		got := state.All
		if name != "" {
			got = state.Parts[name]
		}
		if want := n.memory(name); !sameMemory(got, want) {
			t.Fatalf("on %q %v is held, want %v", name, got, want)
		}
	}
	if state.Events != events || r.open != open || len(state.Parts) < len(n.lists)-1 {
		t.Fatalf("%d events, %d open, want %d and %d: %v", state.Events, r.open, events, open, state.Parts)
	}
}

// sameReading compares what is read.
func sameReading(t *rapid.T, r *FilterRun, n naive) {
	var spent Amount
	fits := n.filter.Fits(n.memory(""), Guarantee{})
	for _, name := range n.partitions() {
		memory := n.memory(name)
		spent, fits = spent.Larger(n.filter.Spent(memory)), min(fits, n.filter.Fits(memory, Guarantee{}))
	}
	a := r.Read()
	if a.Spent.Eps.Cmp(spent.Eps) != 0 || a.Spent.Delta.Cmp(spent.Delta) != 0 || !a.Spent.Within(a.Budget) ||
		a.Fits != fits {
		t.Fatalf("spent %v, want %v of %v, %v fits, want %v", a.Spent, spent, a.Budget, a.Fits, fits)
	}
}
