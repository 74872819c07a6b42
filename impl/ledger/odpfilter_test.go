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

// TestODPFilterZero: with ε = 0 some ε still fit, if there is a δ′: those of which randomized response has a distance,
// (e^ε − 1)/(e^ε + 1), of at most δ′.
func TestODPFilterZero(t *testing.T) {
	t.Parallel()
	f, err := NewODPFilter(testkit.NatsOf("0"), rational.MustParse("1e-5"), new(big.Rat), nil)
	if err != nil {
		t.Fatal(err)
	}
	fits := f.Fits(f.Start(), Guarantee{})
	if distance := math.Tanh(fits / 2); distance > 1e-5 || distance < 0.5e-5 {
		t.Errorf("ε = %g fits, with a distance of %g", fits, distance)
	}
}

// TestAdvancedODPFilterObserved: the part that is observed must be one of those that the guarantee has.
func TestAdvancedODPFilterObserved(t *testing.T) {
	t.Parallel()
	g := Guarantee{Parts: []Part{{"a", testkit.NatsOf("0.1")}, {"b", testkit.NatsOf("0.2")}}, Delta: new(big.Rat)}
	for observed, want := range map[int]string{0: "", 1: "", 2: "round 2: the part observed is 2, must be at least 0 and less than 2", -1: "round 2: the part observed is -1"} {
		_, err := AdvancedODPFilter([]Guarantee{g, g}, []int{0, observed}, testkit.NatsOf("3"), rational.MustParse("1e-5"), new(big.Rat), nil)
		testkit.ExpectError(t, err, want)
	}
}

// BenchmarkFilterRun is one event of each filter: a thousand different ones, of which ε has nine digits.
func BenchmarkFilterRun(b *testing.B) {
	eps, delta, leak := testkit.NatsOf("1e5"), rational.MustParse("1e-5"), rational.MustParse("5e-6")
	adaptive, err := NewAdaptiveFilter(eps, delta, leak)
	if err != nil {
		b.Fatal(err)
	}
	odp, err := NewODPFilter(eps, delta, leak, nil)
	if err != nil {
		b.Fatal(err)
	}
	zcdp, err := NewZCDPFilter(eps, delta, leak)
	if err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]BudgetFilter{"adaptive": adaptive, "zcdp": zcdp, "odp-advanced": odp} {
		for parts := 1; parts <= 2; parts++ {
			b.Run(fmt.Sprintf("%s/%d", name, parts), func(b *testing.B) {
				run, i := NewFilterRun(f), int64(0)
				b.ReportAllocs()
				for b.Loop() {
					g := Guarantee{Delta: new(big.Rat)}
					for k := range parts {
						i++
						g.Parts = append(g.Parts, Part{"ab"[k : k+1], loss.Nats(big.NewRat(1000+i%1000, 1_000_000_000))})
					}
					if err := run.SpendGuarantee(g, "a"); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestFits: what is said to fit is admitted, and the next float64 is not: an error of one step in either direction is
// one.
func TestFits(t *testing.T) {
	t.Parallel()
	delta, leak := rational.MustParse("1e-6"), rational.MustParse("5e-7")
	for i := range 60 {
		eps := rational.MustParse([]string{"0.01", "0.03", "1/7", "0.2"}[i%4])
		budget := loss.Nats(big.NewRat(int64(1+i%5), 1))
		sum, err := NewSumFilter(budget, delta)
		adaptive, err2 := NewAdaptiveFilter(budget, delta, leak)
		zcdp, err3 := NewZCDPFilter(budget, delta, leak)
		odp, err4 := NewODPFilter(budget, delta, leak, nil)
		if err := errors.Join(err, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		for _, f := range []BudgetFilter{sum, adaptive, zcdp, odp} {
			memory := f.Start()
			for range i {
				memory, _ = f.Spend(memory, impl.Mechanism{Eps: loss.Nats(eps), Delta: new(big.Rat), Count: 1})
			}
			x := f.Fits(memory, Guarantee{})
			if above := math.Nextafter(x, math.Inf(1)); !admitsBoth(admittedAlone(f, memory), x) || admitsBoth(admittedAlone(f, memory), above) {
				t.Errorf("%T, %d × %v: %v is said to be the largest that fits: %v, and the next: %v", f, i, eps, x, admitsBoth(admittedAlone(f, memory), x), admitsBoth(admittedAlone(f, memory), above))
			}
		}
	}
}

// TestFitsAtTheEnd: where little is left, what fits is not 0, and is the largest, up to the rounding of charges.
func TestFitsAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		eps, delta, spent string
		count             int
		last              string
	}{{"1", "1e-6", "0.02", 125, "0.0081"}, {"1", "1e-6", "0.01", 502, "0.0037"}, {"3", "1e-6", "0.05", 152, "0.001"}, {"10", "0.3", "0.1", 900, "0.002"}} {
		f, err := NewODPFilter(testkit.NatsOf(tt.eps), rational.MustParse(tt.delta), new(big.Rat), nil)
		if err != nil {
			t.Fatal(err)
		}
		memory := f.Start()
		for range tt.count {
			memory, _ = f.Spend(memory, impl.Mechanism{Eps: testkit.NatsOf(tt.spent), Delta: new(big.Rat), Count: 1})
		}
		memory, _ = f.Spend(memory, impl.Mechanism{Eps: testkit.NatsOf(tt.last), Delta: new(big.Rat), Count: 1})
		x := f.Fits(memory, Guarantee{})
		if x == 0 || !admitsBoth(admittedAlone(f, memory), x) || admitsBoth(admittedAlone(f, memory), x*(1+1e-9)) {
			t.Errorf("%+v: %v is said to be the largest that fits", tt, x)
		}
	}
}

// TestFitsRandomEnd: so it is wherever a filter may be stopped.
func TestFitsRandomEnd(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 9))
	f, err := NewODPFilter(testkit.NatsOf("3"), rational.MustParse("1e-6"), new(big.Rat), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		left := loss.OfRat(big.NewRat(random.Int64N(1e16), 1e18))
		memory := ODPSums{Eps: f.budget.Eps.Plus(loss.Of(testkit.NatsOf("1"))), Charge: f.capacity.Minus(left)}
		if x := f.Fits(memory, Guarantee{}); x == 0 || !admitsBoth(admittedAlone(f, memory), x) || admitsBoth(admittedAlone(f, memory), x*(1+1e-9)) {
			t.Errorf("with %v left: %v is said to be the largest that fits", left, x)
		}
	}
}

// TestFitsTiny: what fits into a tiny budget is near it, though its square is 0 as a float64.
func TestFitsTiny(t *testing.T) {
	t.Parallel()
	for _, eps := range []string{"1e-160", "1e-300", "3e-320"} {
		for name, of := range map[string]func(loss.Epsilon, *big.Rat, *big.Rat) (*VarianceFilter, error){"adaptive": NewAdaptiveFilter, "zcdp": NewZCDPFilter} {
			f, err := of(testkit.NatsOf(eps), rational.MustParse("1e-6"), new(big.Rat))
			if err != nil {
				t.Fatal(err)
			}
			x := f.Fits(f.Start(), Guarantee{})
			most, _ := strconv.ParseFloat(eps, 64)
			if !admitsBoth(admittedAlone(f, f.Start()), x) || admitsBoth(admittedAlone(f, f.Start()), math.Nextafter(x, 1)) || x > most || x < most/10 {
				t.Errorf("%s, ε = %s: %v is said to be the largest that fits", name, eps, x)
			}
		}
	}
}

// TestODPChargeAccuracy: a charge is above the exact one by no more than is said of it.
func TestODPChargeAccuracy(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 20000 {
		lambda, a, b := math.Exp(20*random.Float64()-8), math.Exp(14*random.Float64()-9), math.Exp(14*random.Float64()-9)
		if i%2 == 0 { // where λℰ is about 1
			a, b = math.Exp(2*random.Float64()-1)/lambda, math.Exp(2*random.Float64()-1)/lambda
		}
		least, most := interval.Point(min(a, b, 600)), interval.Point(min(max(a, b), 600))
		at := interval.Point(lambda)
		for _, same := range []bool{true, false} {
			bound := 1e-14 * (1 + lambda*most.Hi)
			if !same {
				bound = max(bound, 1e-11*math.Exp(3*lambda*most.Hi))
			}
			low := least
			if same {
				low = most
			}
			observed := []interval.Float{low, most}[i/2%2]
			c := pricingOf(at, low, most).charge(observed)
			if up := floatOfSum(roundedUp(c.Hi)) - c.Lo; up > bound && c.Hi < 2*ResponseCharge(at, most).Lo {
				t.Errorf("λ = %v, ℰ from %v to %v: %v is rounded up by %.3g, must be less than %.3g", lambda, low.Lo, most.Lo, c, up, bound)
			}
		}
	}
}

func floatOfSum(s loss.Sum) float64 { return s.Float().Lo }

// TestODPFilter_FitsOfParts: what fits for the worst of several parts is admitted, and hardly more is not; it is less
// than for one part, whose bet serves nothing else, unless the sum admits it.
func TestODPFilter_FitsOfParts(t *testing.T) {
	t.Parallel()
	f, err := NewODPFilter(testkit.NatsOf("3"), rational.MustParse("1e-5"), new(big.Rat), nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(x float64) Guarantee {
		return Guarantee{Parts: []Part{{"few", testkit.NatsOf("0.01")}, {"many", loss.Nats(new(big.Rat).SetFloat64(x))}}, Delta: new(big.Rat)}
	}
	memory := f.Start()
	for n := range 45 {
		x, alone := f.Fits(memory, with(0.1)), f.Fits(memory, Guarantee{})
		if _, admitted := f.SpendPart(memory, with(x), 1); !admitted || x > alone {
			t.Errorf("%d: %v is said to fit for the worst of two parts, %v for one: admitted %v", n, x, alone, admitted)
		}
		if _, admitted := f.SpendPart(memory, with(x*(1+1e-9)), 1); admitted {
			t.Errorf("%d: more than %v, the most that is said to fit, is admitted", n, x)
		}
		memory, _ = f.Spend(memory, impl.Mechanism{Eps: testkit.NatsOf("0.1"), Delta: new(big.Rat), Count: 1})
	}
}

// TestODPFilter_NearlyEqualParts: the part observed is not charged more than the worst one, by which a mechanism was
// admitted.
func TestODPFilter_NearlyEqualParts(t *testing.T) {
	t.Parallel()
	f, err := NewODPFilter(testkit.NatsOf("1"), rational.MustParse("1e-5"), rational.MustParse("5e-6"), nil)
	if err != nil {
		t.Fatal(err)
	}
	run := NewFilterRun(f)
	for range 34 {
		if err := run.Spend(testkit.NatsOf("0.04278832168137388"), new(big.Rat)); err != nil {
			t.Fatal(err)
		}
	}
	g := Guarantee{Parts: []Part{{"a", testkit.NatsOf("0.012975713658608659")}, {"b", testkit.NatsOf("0.01297571365860876")}}, Delta: new(big.Rat)}
	if err := run.SpendGuarantee(g, "a"); err != nil {
		t.Fatal(err)
	}
	if err := NewFilterRun(f).Resume(run.State()); err != nil {
		t.Error(err)
	}
}

// TestRefusalIsNotByZero: what is refused exceeds what remains, even if only by the rounding of a charge.
func TestRefusalIsNotByZero(t *testing.T) {
	t.Parallel()
	delta, leak := rational.MustParse("1e-5"), rational.MustParse("5e-6")
	adaptive, err := NewAdaptiveFilter(testkit.NatsOf("1"), delta, leak)
	odp, err2 := NewODPFilter(testkit.NatsOf("1"), delta, leak, nil)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, f := range []BudgetFilter{adaptive, odp} {
		for k := range 30 {
			power, _ := interval.Precision(200).Exp(f.Limit(f.Start(), Guarantee{}).Bounds(200)).Lower.Rat(nil)
			less := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(10+k)), nil))
			eps := loss.Exp(power.Mul(power, new(big.Rat).Sub(rational.One, less)))
			err := NewFilterRun(f).Spend(eps, new(big.Rat))
			if cause, isRefused := errors.AsType[*NotAdmittedError](err); isRefused {
				if refused++; cause.Exceeds.Eps.Sign() <= 0 {
					t.Errorf("%T, 1e-%d less than the limit: refused, as it exceeds what remains by %v", f, 10+k, cause.Exceeds.Eps.Text())
				}
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}
