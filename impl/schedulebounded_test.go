package impl

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// boundedStep is a mechanism with the largest loss of one of them, for both orders of neighbours.
type boundedStep struct {
	Mechanism
	most float64
}

// boundedSteps are mechanisms of all kinds that have a largest loss.
func boundedSteps(t *testing.T) []boundedStep {
	losses, err := certify.NewLosses([][2]*big.Rat{ // randomized response, rounded
		{rational.MustParse("-0.3"), rational.MustParse("0.42555748318834101284")}, {rational.MustParse("0.3"), rational.MustParse("0.57444251681165898715")},
	})
	if err != nil {
		t.Fatal(err)
	}
	law := Law{{big.NewRat(1, 2), big.NewRat(1, 3)}, {big.NewRat(1, 2), big.NewRat(2, 3)}}
	each := func(e, delta string) Mechanism {
		return Mechanism{Eps: loss.Nats(rational.MustParse(e)), Delta: rational.MustParse(delta)}
	}
	return []boundedStep{
		{noisy(certify.Laplace, "8.051", "1", 0), 1 / 8.051},
		{noisy(certify.Laplace, "0.7", "1", 0), 1 / 0.7},
		{noisy(certify.Laplace, "1.5", "0.1", 0), math.Log1p(0.1 * math.Expm1(1/1.5))},
		{noisy(certify.Laplace, "30", "0.01", 0), math.Log1p(0.01 * math.Expm1(1/30.0))},
		{each("0.2", "0"), 0.2},
		{each("0.07", "1e-15"), 0.07},
		{Mechanism{Law: law}, math.Log(1.5)},
		{Mechanism{Losses: losses}, 0.3},
	}
}

// boundedPipeline returns a random pipeline of such steps, and the largest losses up to each stop.
func boundedPipeline(r *rand.Rand, steps []boundedStep) (p Pipeline, most []float64) {
	length, sum := 0, 0.0
	entries := 1 + r.IntN(3)
	for i := range entries {
		s := steps[r.IntN(len(steps))]
		s.Count = 1 + r.IntN(4)
		length, sum = length+s.Count, sum+s.most*float64(s.Count)
		p.Mechanisms = append(p.Mechanisms, s.Mechanism)
		if i == entries-1 || r.IntN(2) == 0 {
			p.Stops, most = append(p.Stops, Stop{After: length, Eps: loss.Nats(new(big.Rat))}), append(most, sum)
		}
	}
	return p, most
}

// wasted returns the first charge that is above the largest losses up to its stop, which nobody needs to pay, or −1.
// Some are logarithms of numbers near 1, which are rounded for every step.
func wasted(charges []*big.Rat, most []float64) int {
	const rounding = 1e-13
	return slices.IndexFunc(charges, func(e *big.Rat) bool {
		i := slices.Index(charges, e)
		return rational.Float64(e) > most[i]+rounding
	})
}

// Where there is a largest loss, no charge is above it, whatever the shape.
func TestSchedule_Bounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r, steps := rand.New(rand.NewPCG(1, 2)), boundedSteps(t)
	for i := range testkit.AtLeast(4, 12) {
		p, most := boundedPipeline(r, steps)
		digits := 2 + r.IntN(14)
		delta, shape := rational.MustParse(fmt.Sprintf("%de-%d", 1+r.IntN(9), digits)), Shapes[i%len(Shapes)]
		t.Run(fmt.Sprintf("%d: %s at %s", i, shape, rational.Decimal(delta)), func(t *testing.T) {
			s, err := DesignSchedule(t.Context(), p, delta, ScheduleOptions{Shape: shape})
			if err != nil {
				t.Fatal(err)
			}
			for name, charges := range map[string][]*big.Rat{"charges": s.Charges(), "Lemma 11": s.Lemma11, "single stops": s.SingleStop} {
				if i := wasted(charges, most); i >= 0 {
					t.Errorf("%s: %v after %d, more than the largest losses together, %.17g", name, charges[i].FloatString(17), p.Stops[i].After, most[i])
				}
			}
			again, err := OptDel(t.Context(), s.Pipeline, Options{RelWidth: 1e-2})
			if err != nil {
				t.Fatal(err)
			}
			lower, _ := again.OptDel.Rats()
			if _, upper := s.Result.OptDel.Rats(); upper.Cmp(delta) > 0 || lower.Cmp(delta) > 0 {
				t.Errorf("OptDel is %v, by another call %v", s.Result.OptDel, again.OptDel)
			}
			if s.Shortfall != "" && digits <= 8 {
				// beyond, what is charged less than the largest losses may be next to nothing
				t.Error(s.Shortfall)
			}
		})
	}
}

// The largest losses are enough with δ = 0, and hardly less is not: so nothing but a charge above them is waste, and
// [wasted] tells them apart.
func TestControl_Bounded(t *testing.T) {
	t.Parallel()
	r, steps := rand.New(rand.NewPCG(3, 4)), boundedSteps(t)
	steps = slices.Concat(steps[:5], steps[6:7]) // without any δ
	for range testkit.AtLeast(4, 10) {
		p, most := boundedPipeline(r, steps)
		charged := func(factor float64) (charges []*big.Rat) {
			for _, x := range most {
				charges = append(charges, new(big.Rat).SetFloat64(x*factor))
			}
			return charges
		}
		for _, row := range []struct {
			factor          float64
			isZero, isAbove bool
		}{{1 - 1e-3, false, false}, {1 + 1e-9, true, true}} {
			charges := charged(row.factor)
			x, err := OptDel(t.Context(), p.charged(charges), Options{RelWidth: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			if isZero := x.OptDel.Upper.Sign() == 0; isZero != row.isZero || !isZero && x.OptDel.Lower.Sign() == 0 {
				t.Errorf("%v: OptDel is %v with %v times the largest losses", p, x.OptDel, row.factor)
			}
			if isAbove := wasted(charges, most) >= 0; isAbove != row.isAbove {
				t.Errorf("%v times the largest losses are above them: %v", row.factor, isAbove)
			}
		}
	}
}

// Four Laplace steps were charged 0.5098 at their end, where 4/8.051 is enough for δ = 0.
func TestBounded_FourLaplaceSteps(t *testing.T) {
	t.Parallel()
	ms := []Mechanism{noisy(certify.Laplace, "8.051", "1", 4)}
	delta, each := rational.MustParse("1e-5"), 1/8.051
	for _, after := range [][]int{{4}, {1, 2, 3, 4}} {
		s, err := DesignSchedule(t.Context(), stoppedAfter(ms, after...), delta, ScheduleOptions{})
		if err != nil || s.Shortfall != "" {
			t.Fatal(err, s)
		}
		for i, k := range after {
			for _, e := range []*big.Rat{s.Charges()[i], s.SingleStop[i], s.Lemma11[i]} {
				if x := rational.Float64(e) / each; x >= float64(k) || x < float64(k)-1e-2 {
					t.Errorf("%v is charged after %d", e.FloatString(9), k)
				}
			}
		}
	}
	c, err := OptComp(t.Context(), ms, delta, Options{})
	if err != nil || c.Eps.Float().Hi >= 4*each || c.Eps.Float().Lo < 4*each-1e-3 {
		t.Errorf("composition: %v, %v", c, err)
	}
	d := foundNoise(t, stoppedAfter(ms, 1, 2, 3, 4), "0.5", "1e-5", NoiseOptions{})
	if scale := scaleOf(d.Pipeline.Mechanisms, 0); scale > 8.01 || wasted((&Schedule{Pipeline: d.Pipeline}).Charges()[:3], []float64{1 / scale, 2 / scale, 3 / scale}) >= 0 {
		t.Errorf("noise: %v, %v", scale, d.Pipeline.Stops)
	}
}

// Where early stops are charged next to the largest loss, and later ones far below it, charges were the largest
// losses, or left a tenth of δ.
func TestBounded_ManyLaplaceSteps(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(1, []struct {
		scale        string
		count, every int
	}{{"3.25", 50, 1}, {"1", 200, 10}}) {
		var after []int
		for k := row.every; k <= row.count; k += row.every {
			after = append(after, k)
		}
		s, err := DesignSchedule(t.Context(), stoppedAfter([]Mechanism{noisy(certify.Laplace, row.scale, "1", row.count)}, after...), rational.MustParse("1e-9"), ScheduleOptions{})
		if err != nil || s.Shortfall != "" {
			t.Fatalf("scale %s: %v, %v", row.scale, err, s)
		}
		for i, e := range s.Charges() {
			if e.Cmp(s.Lemma11[i]) > 0 {
				t.Errorf("scale %s: %s is charged after %d, by Lemma 11 %s", row.scale, e.FloatString(12), after[i], s.Lemma11[i].FloatString(12))
			}
		}
	}
}

// A stop that charges the largest loss pays nothing, and does not hide what later ones do: that was between 0 and
// 1.1e-12.
func TestBounded_ChargedInFull(t *testing.T) {
	t.Parallel()
	p := stoppedAfter([]Mechanism{noisy(certify.Laplace, "1", "1", 200)}, 10, 200)
	last := rational.MustParse("165")
	var lower [2]float64
	for i, first := range []string{"10", "11"} {
		r, err := OptDel(t.Context(), p.charged([]*big.Rat{rational.MustParse(first), last}), Options{})
		if err != nil || r.Shortfall != "" {
			t.Fatal(err, r)
		}
		lower[i] = r.OptDel.Float().Lo
	}
	if math.Abs(lower[0]/lower[1]-1) > 1e-4 {
		t.Errorf("lower ends are %v, must be about the same", lower)
	}
}

// Where hardly less than the largest loss would be charged, rounding hid that δ is small: nothing was found for 10^−20.
func TestBounded_HardlyLess(t *testing.T) {
	testkit.Deep(t)
	t.Parallel()
	var after []int
	for k := 10; k <= 200; k += 10 {
		after = append(after, k)
	}
	s, err := DesignSchedule(t.Context(), stoppedAfter([]Mechanism{noisy(certify.Laplace, "1", "1", 200)}, after...), rational.MustParse("1e-20"), ScheduleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if last := rational.Float64(s.Charges()[len(after)-1]); !(last < 169) {
		t.Errorf("after 200 steps %v is charged, must be less than 169", last)
	}
}

// Next to the largest loss of a discrete step δ leaps: what single stops are charged for comparison left half of it.
// With one stop, all charges are the same.
func TestBounded_SingleStopsAtLeaps(t *testing.T) {
	t.Parallel()
	ms := []Mechanism{
		noisy(certify.DiscreteGaussian, "0.5937", "1", 2),
		noisy(certify.DiscreteGaussian, "0.5", "1", 1),
	}
	delta := rational.MustParse("0.00430702")
	s, err := DesignSchedule(t.Context(), stoppedAfter(ms, 1, 2, 3), delta, ScheduleOptions{Shape: Sqrt})
	if err != nil || s.Shortfall != "" {
		t.Fatal(err, s)
	}
	for i, e := range s.SingleStop {
		r, err := OptDel(t.Context(), s.Pipeline.charged(s.SingleStop), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if x := r.SingleStop[i].Float(); x.Hi > rational.Float64(delta) || x.Lo < 0.9*rational.Float64(delta) {
			t.Errorf("after %d alone %s is charged, which needs %v", s.Pipeline.Stops[i].After, e.FloatString(9), x)
		}
	}
	one, err := DesignSchedule(t.Context(), stoppedAfter(ms[:1], 2), rational.MustParse("1e-6"), ScheduleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*big.Rat{one.Lemma11[0], one.SingleStop[0]} {
		if e.Cmp(one.Charges()[0]) != 0 {
			t.Errorf("with one stop %v is charged, must be %v", e, one.Charges()[0])
		}
	}
}
