package ledger

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"checkrr/impl"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// BenchmarkFilterRun is one event of each filter: a thousand different ones, of which ε has nine digits.
func BenchmarkFilterRun(b *testing.B) {
	for k, f := range filtersOf(b, "1e5", "1e-5", "5e-6") {
		name := []string{"sum", "adaptive", "zcdp", "odp-advanced"}[k]
		for parts := 1; parts <= 2; parts++ {
			b.Run(fmt.Sprintf("%s/%d", name, parts), func(b *testing.B) {
				run, i := NewFilterRun(f), int64(0)
				b.ReportAllocs()
				for b.Loop() {
					g := Guarantee{Delta: new(big.Rat)}
					for k := range parts {
						i++
						g.Parts = append(g.Parts,
							Part{"ab"[k : k+1], loss.Nats(big.NewRat(1000+i%1000, 1_000_000_000))})
					}
					if err := run.SpendGuarantee(g, "a"); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// fitting returns what is said to fit after so many (ε, 0)-DP mechanisms, which must be admitted; more than that by a
// part of it, or the next float64, must not.
func fitting(t *testing.T, f BudgetFilter, memory any, part float64) float64 {
	t.Helper()
	x := f.Fits(memory, Guarantee{})
	more := max(x*(1+part), math.Nextafter(x, math.Inf(1)))
	if admits := admittedAlone(f, memory); !admitsBoth(admits, x) || admitsBoth(admits, more) {
		t.Errorf("%T, %v: %v is said to be the largest that fits", f, memory, x)
	}
	return x
}

// after returns what is remembered of so many equal (ε, 0)-DP mechanisms.
func after(f Filter, memory any, eps string, count int) any {
	for range count {
		memory, _ = f.Spend(memory, impl.Mechanism{Eps: testkit.NatsOf(eps), Delta: new(big.Rat), Count: 1})
	}
	return memory
}

// TestFits: what is said to fit is admitted, and the next float64 is not: an error of one step in either direction is
// one. So it is, up to the rounding of charges, where little is left, wherever a filter may be stopped, in a budget of
// which the square is 0 as a float64, and without ε, where distances of at most δ′ fit.
func TestFits(t *testing.T) {
	t.Parallel()
	for i := range 40 {
		for _, f := range filtersOf(t, fmt.Sprint(1+i%5), "1e-6", "5e-7") {
			fitting(t, f, after(f, f.Start(), []string{"0.01", "0.03", "1/7", "0.2"}[i%4], i), 0)
		}
	}
	for _, row := range []struct {
		eps, delta, spent string
		count             int
		last              string
	}{{"1", "1e-6", "0.02", 125, "0.0081"}, {"3", "1e-6", "0.05", 152, "0.001"}, {"10", "0.3", "0.1", 900, "0.002"}} {
		f := filtersOf(t, row.eps, row.delta, "0")[3]
		if x := fitting(t, f, after(f, after(f, f.Start(), row.spent, row.count), row.last, 1), 1e-9); x == 0 {
			t.Errorf("%+v: nothing fits", row)
		}
	}
	random := rand.New(rand.NewPCG(8, 9))
	f := filtersOf(t, "3", "1e-6", "0")[3].(*ODPFilter)
	for range 100 {
		left := loss.OfRat(big.NewRat(random.Int64N(1e16), 1e18))
		memory := ODPSums{Eps: f.budget.Eps.Plus(loss.Of(testkit.NatsOf("1"))), Charge: f.capacity.Minus(left)}
		if x := fitting(t, f, memory, 1e-9); x == 0 {
			t.Errorf("nothing fits with %v left", left)
		}
	}
	for _, eps := range []string{"1e-160", "1e-300", "3e-320"} {
		for _, f := range filtersOf(t, eps, "1e-6", "0")[1:3] {
			most, _ := strconv.ParseFloat(eps, 64)
			if x := fitting(t, f, f.Start(), 0); x > most || x < most/10 {
				t.Errorf("%T, ε = %s: %v is said to fit", f, eps, x)
			}
		}
	}
	none := filtersOf(t, "0", "1e-5", "0")[3]
	if distance := math.Tanh(fitting(t, none, none.Start(), 1e-9) / 2); distance > 1e-5 || distance < 0.5e-5 {
		t.Errorf("without ε what fits has a distance of %g", distance)
	}
}

// TestODPFilter_FitsOfParts: what fits for the worst of several parts is admitted, and hardly more is not; it is less
// than for one part, whose bet serves nothing else, unless the sum admits it.
func TestODPFilter_FitsOfParts(t *testing.T) {
	t.Parallel()
	f := filtersOf(t, "3", "1e-5", "0")[3].(*ODPFilter)
	with := func(x float64) Guarantee {
		return guarantee("0", testkit.NatsOf("0.01"), loss.Nats(new(big.Rat).SetFloat64(x)))
	}
	for n := range 45 {
		memory := after(f, f.Start(), "0.1", n)
		x, alone := f.Fits(memory, with(0.1)), f.Fits(memory, Guarantee{})
		_, fits := f.SpendPart(memory, with(x), 1)
		if _, more := f.SpendPart(memory, with(x*(1+1e-9)), 1); !fits || more || x > alone {
			t.Errorf("%d: %v is said to fit for the worst of two parts, %v for one", n, x, alone)
		}
	}
}

// TestODPFilter_NearlyEqualParts: the part observed is not charged more than the worst one, by which a mechanism was
// admitted.
func TestODPFilter_NearlyEqualParts(t *testing.T) {
	t.Parallel()
	f := filtersOf(t, "1", "1e-5", "5e-6")[3]
	run := NewFilterRun(f)
	for range 34 {
		if err := run.Spend(testkit.NatsOf("0.04278832168137388"), new(big.Rat)); err != nil {
			t.Fatal(err)
		}
	}
	g := Guarantee{
		Parts: []Part{{"a", testkit.NatsOf("0.012975713658608659")}, {"b", testkit.NatsOf("0.01297571365860876")}},
		Delta: new(big.Rat),
	}
	if err := run.SpendGuarantee(g, "a"); err != nil {
		t.Fatal(err)
	}
	if err := NewFilterRun(f).Resume(run.State()); err != nil {
		t.Error(err)
	}
}

// What is spent with a mechanism that is admitted is what is said before, and more than the budget with one that is
// not: the figures of a refusal are those that decide.
func TestWith(t *testing.T) {
	t.Parallel()
	g := Guarantee{Parts: []Part{{"few", testkit.NatsOf("0.002")}, {"many", testkit.NatsOf("0.02")}},
		Delta: rational.MustParse("1e-9")}
	for _, f := range filtersOf(t, "1", "1e-5", "5e-6") {
		run := NewFilterRun(f)
		for n := 1; ; n++ {
			with := f.With(run.State().All, g)
			err := run.SpendGuarantee(g, "many")
			cause, isRefused := errors.AsType[*NotAdmittedError](err)
			if !isRefused && (err != nil || !f.Spent(run.State().All).equal(with)) {
				t.Fatalf("%T, %d: %v, spent are %v, must be %v", f, n, err, f.Spent(run.State().All), with)
			}
			if !isRefused {
				continue
			}
			if !cause.With.equal(with) || with.Within(f.Budget()) {
				t.Errorf("%T, %d: refused, as with it %v would be spent, and %v", f, n, cause.With, with)
			}
			break
		}
	}
	odp := NewFilterRun(filtersOf(t, "1", "1e-5", "5e-6")[3])
	g.Parts = g.Parts[1:]
	var err error
	for err == nil {
		err = odp.SpendGuarantee(g, "many")
	}
	testkit.ExpectError(t, err, "with it ε = 1.0029712875241599 and δ = 5.146e-06 of the budget ε = 1 and δ = 1e-05 "+
		"would be spent, now spent: ε = 0.9992438032060273 and δ = 5.145e-06;")
}

// TestRefusalIsNotByZero: what is refused exceeds what remains, even if only by the rounding of a charge.
func TestRefusalIsNotByZero(t *testing.T) {
	t.Parallel()
	refused := 0
	for _, f := range filtersOf(t, "1", "1e-5", "5e-6")[1:] {
		for k := range 30 {
			power, _ := interval.Precision(200).Exp(f.Limit(f.Start(), Guarantee{}).Bounds(200)).Lower.Rat(nil)
			less := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(10+k)), nil))
			eps := loss.Exp(power.Mul(power, new(big.Rat).Sub(rational.One, less)))
			err := NewFilterRun(f).Spend(eps, new(big.Rat))
			if cause, isRefused := errors.AsType[*NotAdmittedError](err); isRefused {
				if refused++; cause.Exceeds.Eps.Sign() <= 0 {
					t.Errorf("%T, 1e-%d less than the limit: refused, as it exceeds what remains by %v",
						f, 10+k, cause.Exceeds.Eps.Text())
				}
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}
