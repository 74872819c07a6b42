package odp

import (
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
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

// sameDistances compares the range, and A_1 and A_2 by order statistics with brute force. It returns A_1.
func sameDistances(t *testing.T, x []*big.Rat) (first int) {
	t.Helper()
	if got, want := register.Must(impl.SampleIQR(x)), register.Must(spec.SampleIQR(x)); got.Cmp(want) != 0 {
		t.Fatalf("the range of %s is %s, must be %s", rat.Show(x...), rat.Show(got), rat.Show(want))
	}
	for j := 2; j >= 1; j-- {
		want := register.Must(spec.IQRDistance(x, allValues(x), j))
		if first = register.Must(impl.IQRDistance(x, j)); first != want {
			t.Fatalf("A_%d of %s is %d, must be %d", j, rat.Show(x...), first, want)
		}
	}
	return first
}

// The range and the distances agree, also at the bin edge at L = 0, the only one that a rational range can meet: 1 is
// in [0, 1), and the next smaller range is not.
func TestPair_IQRDistance(t *testing.T) {
	t.Parallel()
	for n, count := range map[int]int{2: 100, 3: 100, 4: 100, 5: 60, 6: 50, 7: 30, 8: 20} {
		d := register.Seeded(uint64(n))
		for range count {
			sameDistances(t, iqrRecords(d, n))
		}
	}
	for _, x := range [][]*big.Rat{rat.List("0", "0", "1", "1"), rat.List("0", "1"),
		rat.List("0", "0", "0.999999999", "0.999999999"), rat.List("7", "7", "7")} {
		sameDistances(t, x)
	}
}

// A distance of 3: two groups of five.
func TestPair_IQRDistance_Three(t *testing.T) {
	t.Parallel()
	var x []*big.Rat
	for i := range int64(10) {
		x = append(x, big.NewRat(i/5*1000+i, 1))
	}
	if a := sameDistances(t, x); a != 3 {
		t.Errorf("A_1 is %d, must be 3", a)
	}
}

// The δ of M_IQR on records 0, 1 against 0, 0 is δ − δ²/4, whatever ε is.
func TestPaper_Lemma10_Tight(t *testing.T) {
	t.Parallel()
	law := func(delta *big.Rat, x ...string) impl.IQRLaw {
		return register.Must(impl.LawOfPrivateIQR(rat.List(x...), loss.Nats(big.NewRat(1, 10)), delta))
	}
	for _, delta := range rat.List("1e-9", "1/3", "1") {
		want := rat.Sub(delta, rat.Mul(rat.Of("1/4"), rat.Mul(delta, delta)))
		got := register.Must(impl.SmallestIQRDelta(law(delta, "0", "1"), law(delta, "0", "0"), 3, 2))
		if !got.Contains(want) || got.RelWidth() > 1e-30 {
			t.Errorf("δ = %s: [%g, %g], must be %s", rat.Show(delta), got.Lower, got.Upper, rat.Show(want))
		}
	}
}
