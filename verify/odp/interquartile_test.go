package odp

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// iqrRecords returns n records of few values or of many, so that ties are common, or in two
// or three groups, which many replacements are needed to tear apart.
func iqrRecords(d register.Dice, n int) []*big.Rat {
	spread := []int{2, 4, 12, 100, 100000}[d.Roll(5)]
	divisor := []int64{1, 1, 10, 1000}[d.Roll(4)]
	groups := 1 + d.Roll(3)
	var x []*big.Rat
	for i := range n {
		group := int64(i * groups / n * 2 * spread)
		x = append(x, big.NewRat(int64(d.Roll(spread)-spread/3)+group*10, divisor))
	}
	return x
}

// The range agrees, and A_j by order statistics agrees with A_j by brute force.
func TestPair_IQRDistance(t *testing.T) {
	t.Parallel()
	samples := map[int]int{2: 1000, 3: 1000, 4: 1000, 5: 800, 6: 800, 7: 500, 8: 400, 9: 6}
	for n, count := range samples {
		if testing.Short() {
			count /= 5
		}
		d := register.Seeded(uint64(n))
		seen := map[int]int{}
		for range count {
			x := iqrRecords(d, n)
			if got, want := register.Must(impl.SampleIQR(x)), register.Must(spec.SampleIQR(x)); got.Cmp(want) != 0 {
				t.Fatalf("the range of %s is %s, must be %s", rat.Show(x...), rat.Show(got), rat.Show(want))
			}
			for j := 1; j <= 2; j++ {
				want, got := register.Must(spec.IQRDistance(x, allValues(x), j)), register.Must(impl.IQRDistance(x, j))
				if got != want {
					t.Fatalf("A_%d of %s is %d, must be %d", j, rat.Show(x...), got, want)
				}
				seen[got]++
			}
		}
		t.Logf("%d records: how often A_j was what: %v", n, seen)
	}
}

// A distance of 3, for which brute force takes 600,000 replacements: two groups of six.
func TestPair_IQRDistance_Three(t *testing.T) {
	t.Parallel()
	var x []*big.Rat
	for i := range int64(12) {
		x = append(x, big.NewRat(i/6*1000+i, 1))
	}
	if got, want := register.Must(impl.IQRDistance(x, 1)),
		register.Must(spec.IQRDistance(x, allValues(x), 1)); got != want || got != 3 {
		t.Errorf("A_1 is %d and by brute force %d, must be 3", got, want)
	}
}

// The bin edge at L = 0, the only one that a rational range can meet: 1 is in [0, 1), and
// the next smaller range is not.
func TestPair_IQRDistance_Edge(t *testing.T) {
	t.Parallel()
	for _, text := range [][]string{{"0", "0", "1", "1"}, {"0", "1"}, {"0", "0", "0.999999999", "0.999999999"},
		{"7", "7", "7"}} {
		var x []*big.Rat
		for _, number := range text {
			r, _ := new(big.Rat).SetString(number)
			x = append(x, r)
		}
		for j := 1; j <= 2; j++ {
			if got, want := register.Must(impl.IQRDistance(x, j)),
				register.Must(spec.IQRDistance(x, allValues(x), j)); got != want {
				t.Errorf("A_%d of %v is %d, must be %d", j, text, got, want)
			}
		}
	}
}

// Run on the same draws, spec and impl use as many of them and return the same outputs.
func TestTape_PrivateIQR(t *testing.T) {
	t.Parallel()
	source := impl.NewNoise([32]byte{1})
	d := register.Seeded(9)
	outputs := map[bool]int{}
	used := map[int]int{}
	for range 1500 {
		x := iqrRecords(d, 2+d.Roll(4))
		if d.Roll(4) == 1 {
			x = iqrUnequal()
		}
		eps, delta := big.NewRat(int64(1+d.Roll(20)), 8), big.NewRat(1, int64(1+d.Roll(64)))
		draws := []float64{source.Laplace(1), source.Laplace(1), source.Laplace(1)}
		a, b := &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}
		epsFloat, _ := eps.Float64()
		deltaFloat, _ := delta.Float64()
		want, wantOK, err := spec.PrivateIQR(x, allValues(x), epsFloat, deltaFloat, a)
		if err != nil {
			t.Fatal(err)
		}
		got, gotOK, err := impl.PrivateIQR(x, loss.Nats(eps), delta, b)
		if err != nil {
			t.Fatal(err)
		}
		// A power by two ways: each is off by some ulps times |z|/ε at most.
		if gotOK != wantOK || len(a.Scales) != len(b.Scales) || math.Abs(got-want) > 1e-12*want {
			t.Fatalf("x = %s, ε = %s, δ = %s, draws %v: %v, %v after %d draws, must be %v, %v after %d",
				rat.Show(x...), rat.Show(eps), rat.Show(delta), draws, got, gotOK, len(b.Scales), want, wantOK, len(a.Scales))
		}
		outputs[gotOK]++
		used[len(a.Scales)]++
	}
	if min(outputs[true], outputs[false], used[2], used[3]) < 50 {
		t.Errorf("outputs %v, draws %v: each case must be common", outputs, used)
	}
}

// M_IQR returns ⊥ if both discretizations do.
func TestLaw_PrivateIQR_Bottom(t *testing.T) {
	t.Parallel()
	x, expEps, delta := iqrUnequal(), big.NewRat(5, 1), big.NewRat(1, 7)
	a1, a2 := register.Must(spec.IQRDistance(x, allValues(x), 1)), register.Must(spec.IQRDistance(x, allValues(x), 2))
	if a1 != 1 || a2 != 2 {
		t.Fatalf("A_1 = %d, A_2 = %d, must be 1, 2", a1, a2)
	}
	bottom := rat.Mul(register.Must(spec.IQRBottom(a1, expEps, delta)), register.Must(spec.IQRBottom(a2, expEps, delta)))
	law := register.Must(impl.LawOfPrivateIQR(x, loss.Exp(expEps), delta))
	if !within(law.Bottom, bottom) || !within(law.Answer, rat.Complement(bottom)) || law.Bottom.RelWidth() > 1e-30 {
		t.Errorf("Pr(⊥) is in [%g, %g], Pr(ℝ) in [%g, %g], must be %s and the rest",
			law.Bottom.Lower, law.Bottom.Upper, law.Answer.Lower, law.Answer.Upper, rat.Show(bottom))
	}
}

// Pr(⊥) in intervals contains the exact one, and is narrow.
func TestPair_IQRBottom(t *testing.T) {
	t.Parallel()
	for _, expEps := range []*big.Rat{big.NewRat(101, 100), big.NewRat(3, 2), big.NewRat(7, 1)} {
		for _, delta := range []*big.Rat{big.NewRat(1, 1e15), big.NewRat(1, 16), big.NewRat(2, 3), rat.One} {
			for a := 1; a < 40; a++ {
				got, want := register.Must(impl.IQRBottom(a, loss.Exp(expEps), delta)),
					register.Must(spec.IQRBottom(a, expEps, delta))
				if !within(got, want) || got.RelWidth() > 1e-30 {
					t.Errorf("A = %d, e^ε = %s, δ = %s: [%g, %g], must be %s", a, rat.Show(expEps), rat.Show(delta), got.Lower,
						got.Upper, rat.Show(want))
				}
			}
		}
	}
}

func within(x interval.Interval, r *big.Rat) bool {
	lower, upper := x.Rats()
	return lower.Cmp(r) <= 0 && r.Cmp(upper) <= 0
}

// Where A_j is 1, an answer comes with probability δ/2.
func TestLaw_IQRBottom_Tail(t *testing.T) {
	t.Parallel()
	for _, delta := range []*big.Rat{big.NewRat(1, 1000), big.NewRat(1, 3), rat.One} {
		got := register.Must(spec.IQRBottom(1, big.NewRat(5, 4), delta))
		if want := rat.Complement(rat.Mul(rat.Half, delta)); got.Cmp(want) != 0 {
			t.Errorf("δ = %s: %s, must be %s", rat.Show(delta), rat.Show(got), rat.Show(want))
		}
	}
}

// The law of M_IQR grows from 0 to Pr(ℝ), and the counts of 5,000 runs fit it: a χ² test
// with 8 cells, level 1e-6. Moving a tenth of the runs to another cell
// is found with probability above 0.99.
func TestLaw_PrivateIQR(t *testing.T) {
	t.Parallel()
	const runs = 5000
	x := []*big.Rat{big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(3, 1), big.NewRat(4, 1), big.NewRat(9, 2),
		big.NewRat(6, 1)}
	eps, delta := loss.Nats(big.NewRat(3, 4)), big.NewRat(1, 4)
	law := register.Must(impl.LawOfPrivateIQR(x, eps, delta))
	edges := []*big.Rat{big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(7, 2), big.NewRat(5, 1),
		big.NewRat(9, 1)}
	at := []float64{0}
	for _, e := range edges {
		f, _ := register.Must(law.AtMost(e)).Upper.Float64()
		at = append(at, f)
	}
	answer, _ := law.Answer.Upper.Float64()
	at = append(at, answer, 1)
	if !slices.IsSorted(at) {
		t.Fatalf("the law is not monotone: %v", at)
	}
	counts := make([]float64, len(at)-1)
	noise := impl.NewNoise([32]byte{7})
	for range runs {
		value, ok, err := impl.PrivateIQR(x, eps, delta, noise)
		if err != nil {
			t.Fatal(err)
		}
		cell := len(counts) - 1
		if ok {
			cell = 0
			for _, e := range edges {
				if f, _ := e.Float64(); value > f {
					cell++
				}
			}
		}
		counts[cell]++
	}
	chi2 := 0.0
	for i, c := range counts {
		want := runs * (at[i+1] - at[i])
		chi2 += (c - want) * (c - want) / want
	}
	if chi2 > 40.5 { // the 1 − 1e-6 quantile for 7 degrees of freedom is 40.5
		t.Errorf("χ² is %g for counts %v", chi2, counts)
	}
}

// The δ of M_IQR on records 0, 1 against 0, 0 is δ − δ²/4, whatever ε is.
func TestPaper_Lemma10_Tight(t *testing.T) {
	t.Parallel()
	x, y := []*big.Rat{new(big.Rat), rat.One}, []*big.Rat{new(big.Rat), new(big.Rat)}
	for _, delta := range []*big.Rat{big.NewRat(1, 1e9), big.NewRat(1, 3), rat.One} {
		p := register.Must(impl.LawOfPrivateIQR(x, loss.Nats(big.NewRat(1, 10)), delta))
		q := register.Must(impl.LawOfPrivateIQR(y, loss.Nats(big.NewRat(1, 10)), delta))
		want := rat.Mul(delta, delta)
		want.Sub(delta, want.Quo(want, big.NewRat(4, 1)))
		if got := register.Must(impl.SmallestIQRDelta(p, q, 3, 2)); !within(got, want) || got.RelWidth() > 1e-30 {
			t.Errorf("δ = %s: [%g, %g], must be %s", rat.Show(delta), got.Lower, got.Upper, rat.Show(want))
		}
	}
}
