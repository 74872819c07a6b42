package impl

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/internal/rational"
)

func exampleLaw(t *testing.T, c int, eps1, eps2 *big.Rat) SparseVectorLaw {
	law, err := NewSparseVectorLaw(big.NewRat(1, 1), c, eps1, eps2)
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// exampleLevels are the answers of some runs.
var exampleLevels = [][]level{
	{{0, false, 1}},
	{{1, true, 1}},
	{{-9, false, 2}, {40, false, 1}},
	{{0, false, 20}, {0, true, 3}},
	{{-4, false, 3}, {7, false, 8}, {-30, true, 1}, {5, true, 2}},
}

// The margin against the certified loss: E − ln(1 + D/P0).
func TestClosestRun_Margin(t *testing.T) {
	t.Parallel()
	for _, eps := range [][2]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 2)}, {big.NewRat(1, 10), big.NewRat(9, 10)}, {big.NewRat(3, 1), big.NewRat(1, 9)}} {
		law := exampleLaw(t, 3, eps[0], eps[1])
		for _, levels := range exampleLevels {
			above := 0.0
			for _, l := range levels {
				if l.above {
					above += float64(l.times)
				}
			}
			margin := math.Exp(newRunSearch(law).margin(levels))
			runs := candidate{levels: levels}.runs()
			loss, err := law.Loss(runs[0], runs[1], 1e-13)
			if err != nil {
				t.Fatal(err)
			}
			e1, _ := eps[0].Float64()
			e2, _ := eps[1].Float64()
			certified, _ := loss.Lower.Float64()
			want := math.Expm1(e1 + above/3*e2 - certified)
			if math.Abs(margin-want) > 1e-6*want+1e-12 {
				t.Errorf("%v: margin %.15g, by the certified loss %.15g", levels, margin, want)
			}
		}
	}
}

func TestClosestRun_TailExcess(t *testing.T) {
	t.Parallel()
	tail := func(t float64) float64 { return math.Exp(logLaplaceBelow(-t)) }
	for _, h := range []float64{0.25, 1, 3} {
		for _, x := range []float64{-9, -3, -1.5, -0.25, -0.125, 0, 2} {
			got, want := tailExcess(x, h), h+math.Log(tail(x+h)/tail(x))
			if got < 0 || math.Abs(got-want) > 1e-14 {
				t.Errorf("t = %g, h = %g: %g, directly %g", x, h, got, want)
			}
		}
	}
	for _, h := range []float64{2000, 1e5} { // where e^t, or the tail at t + h, is 0 in float64
		for _, x := range []float64{-3 * h, -h, -h / 2, -800, -40, -2, -1, -0.5} {
			got, want := tailExcess(x, h), h+logLaplaceBelow(-x-h)-logLaplaceBelow(-x)
			if math.Abs(got-want) > 1e-15*h {
				t.Errorf("t = %g, h = %g: %g, directly %g", x, h, got, want)
			}
		}
	}
}

// Scales far below the change of an answer: the margin is large, and e^margin overflows.
func TestClosestRun_MarginOfSmallScales(t *testing.T) {
	t.Parallel()
	for _, scales := range [][2]string{{"1/50", "1/20"}, {"1/1000", "1/1000"}, {"1/50000", "1/2000"}, {"1/100", "1/25000"}} {
		law := SparseVectorLaw{RhoScale: rational.MustParse(scales[0]), NuScale: rational.MustParse(scales[1])}
		for _, levels := range exampleLevels {
			margin := newRunSearch(law).margin(levels)
			runs := candidate{levels: levels}.runs()
			loss, err := law.Loss(runs[0], runs[1], 1e-13)
			if err != nil {
				t.Fatal(err)
			}
			charge := new(big.Rat).Inv(law.RhoScale)
			for _, l := range levels {
				if l.above {
					charge.Add(charge, new(big.Rat).Quo(big.NewRat(int64(2*l.times), 1), law.NuScale))
				}
			}
			left, _ := new(big.Float).Sub(new(big.Float).SetPrec(200).SetRat(charge), loss.Lower).Float64()
			if want := max(0, margin) + math.Log1p(math.Exp(-math.Abs(margin))); math.Abs(left-want) > 1e-6+1e-12*want {
				t.Errorf("scales %v, %v: ln(1 + D/P0) is %.15g, by the certified loss %.15g", scales, levels, want, left)
			}
		}
	}
}

// A run is found, and it loses as much as a run that is made by hand, and no more than is
// charged: with enough ⊥ nearly that.
func TestClosestRun_Scales(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rho, nu     string
		above, most int
		nearly      bool // the loss is nearly the charge
	}{
		{"1/1000", "1/1000", 0, 4, true}, {"1/1000", "1/1000", 1, 4, true}, {"1/1000", "1/1000", 3, 4, false},
		{"1/1000", "1/1000", 3, 12, true}, {"1/100", "1/100", 3, 12, true}, {"6/1000", "1/1000", 3, 12, true}, {"1/500", "3/250", 3, 12, false},
		{"1/50000", "3/25000", 2, 12, true}, {"1/50000", "1/1250", 20, 40, false}, {"1/100000", "1/100000", 1, 1, false},
		{"1e7", "1e7", 1, 3, false}, {"2e5", "8e6", 2, 4, false}, {"1/1000", "1e3", 1, 3, false}, {"1e7", "1/100000", 2, 3, false},
	} {
		law := SparseVectorLaw{RhoScale: rational.MustParse(test.rho), NuScale: rational.MustParse(test.nu)}
		runs, loss, err := ClosestRun(law, test.above, test.most)
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		charge := new(big.Rat).Quo(big.NewRat(int64(2*test.above), 1), law.NuScale)
		most, _ := charge.Add(charge, new(big.Rat).Inv(law.RhoScale)).Float64()
		hand := candidate{levels: normal([]level{{0, false, test.most - test.above}, {0, true, test.above}})}.runs()
		least, err := law.Loss(hand[0], hand[1], 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		lower, _ := loss.Lower.Float64()
		if len(runs[0]) == 0 || loss.Lower.Sign() <= 0 || loss.Upper.Cmp(least.Lower) < 0 || lower > most*(1+1e-12) || test.nearly && lower < most*(1-1e-6) {
			t.Errorf("%+v: %d queries, loss %.15g, by hand %.15g, charged %.15g", test, len(runs[0]), lower, least.Lower, most)
		}
	}
}

// The runs are those of neighbours, and if one answer changes by less than 1 the loss is smaller.
func TestClosestRun_Runs(t *testing.T) {
	t.Parallel()
	law := exampleLaw(t, 3, big.NewRat(1, 2), big.NewRat(1, 2))
	runs, loss, err := ClosestRun(law, 2, 6)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for i, x := range runs[0] {
		y := runs[1][i]
		change := new(big.Rat).Sub(y.Query, x.Query)
		if x.Above {
			change.Neg(change)
			count++
		}
		if x.Above != y.Above || change.Cmp(big.NewRat(1, 1)) != 0 || x.Threshold.Sign() != 0 || y.Threshold.Sign() != 0 {
			t.Errorf("comparison %d: %v against %v", i+1, x, y)
		}
		closer := slices.Clone(runs[1])
		closer[i].Query = new(big.Rat).Add(x.Query, new(big.Rat).Quo(new(big.Rat).Sub(y.Query, x.Query), big.NewRat(2, 1)))
		less, err := law.Loss(runs[0], closer, 1e-9)
		if err != nil || less.Upper.Cmp(loss.Lower) >= 0 {
			t.Errorf("comparison %d closer: loss up to %g, %v, must be less than %g", i+1, less.Upper, err, loss.Lower)
		}
	}
	if count != 2 || len(runs[0]) > 6 {
		t.Errorf("%d ⊤ in %d queries, must be 2 in at most 6", count, len(runs[0]))
	}
}

func TestClosestRun_BadInput(t *testing.T) {
	t.Parallel()
	good := exampleLaw(t, 3, big.NewRat(1, 2), big.NewRat(1, 2))
	one, zero, tiny := big.NewRat(1, 1), new(big.Rat), big.NewRat(1, 1e9)
	for _, bad := range []struct {
		law         SparseVectorLaw
		above, most int
		want        string
	}{
		{good, -1, 4, "ClosestRun: c' is -1, must be at least 0 and at most 4, the most queries"},
		{good, 4, 9, "ClosestRun: c' is 4, must be at most the cutoff 3"},
		{good, 3, 2, "ClosestRun: c' is 3, must be at least 0 and at most 2, the most queries"},
		{good, 0, 0, "ClosestRun: most is 0, must be at least 1"},
		{good, 0, -1, "ClosestRun: most is -1, must be at least 1"},
		{SparseVectorLaw{nil, one, 1}, 0, 1, "ClosestRun: scale of ρ is missing, must be positive"},
		{SparseVectorLaw{one, nil, 1}, 0, 1, "ClosestRun: scale of ν is missing, must be at least 0"},
		{SparseVectorLaw{one, zero, 1}, 0, 1, "ClosestRun: scale of ν is 0, must be positive"},
		{SparseVectorLaw{one, one, -1}, 0, 1, "ClosestRun: cutoff is -1, must be at least 0"},
		{SparseVectorLaw{one, tiny, 1}, 0, 1, "ClosestRun: scale is 1e-09, must be from 1e-05 to 1e+07"},
	} {
		runs, loss, err := ClosestRun(bad.law, bad.above, bad.most)
		if err == nil || err.Error() != bad.want || runs[0] != nil || loss.Lower != nil {
			t.Errorf("c' = %d, most = %d: %v, must be %q", bad.above, bad.most, err, bad.want)
		}
	}
}
