package selection

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// runsLaws are laws with what each number of runs has, by its definition.
func runsLaws() map[string]struct {
	law RunsLaw
	pr  func(k int) float64
} {
	type entry = struct {
		law RunsLaw
		pr  func(k int) float64
	}
	negative := func(eta, gamma string) entry {
		e, g := rational.Float64(rational.MustParse(eta)), rational.Float64(rational.MustParse(gamma))
		return entry{TruncatedNegativeBinomial{rational.MustParse(eta), rational.MustParse(gamma)},
			func(k int) float64 {
				switch {
				case k == 0:
					return 0
				case e == 0:
					return math.Pow(1-g, float64(k)) / (float64(k) * math.Log(1/g))
				}
				p := 1 / (math.Pow(g, -e) - 1)
				for l := range k {
					p *= (1 - g) * (float64(l) + e) / float64(l+1)
				}
				return p
			}}
	}
	return map[string]entry{
		"η = −1/2": negative("-1/2", "1/10"), "η = 0": negative("0", "1/10"), "η = 1": negative("1", "1/5"),
		"η = 3": negative("3", "1/5"),
		"Poisson": {PoissonRuns{rational.MustParse("5")}, func(k int) float64 {
			x, _ := math.Lgamma(float64(k) + 1)
			return math.Exp(-5 + float64(k)*math.Log(5) - x)
		}},
	}
}

// The mean and f(s) are the sums over all numbers of runs, and nothing loses more than the loss: two samples of which
// one is rare, above randomized response.
func TestRunsLaw(t *testing.T) {
	t.Parallel()
	for name, x := range runsLaws() {
		var mean, miss float64
		for k := range 2000 {
			mean += float64(k) * x.pr(k)
			miss += math.Pow(0.75, float64(k)) * x.pr(k)
		}
		for what, pair := range map[string][2]float64{"mean": {mean, x.law.Mean().Float().Hi},
			"f(3/4)": {miss, x.law.Miss(big.NewRat(3, 4)).Float().Hi}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*pair[0] {
				t.Errorf("%s: the %s is %v, by its sum %v", name, what, pair[1], pair[0])
			}
		}
		e := big.NewRat(3, 1)
		tiny := rational.MustParse("1e-9")
		pr := func(rarer, likelier *big.Rat) *big.Rat { // that the best is the part that is next to the rarer answer
			low := complement(rarer)
			upper, lower := x.law.Miss(low), x.law.Miss(new(big.Rat).Sub(low, new(big.Rat).Mul(tiny, likelier)))
			p, _ := bits.Sub(upper, lower).Rats()
			return p
		}
		quarter, rest := big.NewRat(1, 4), big.NewRat(3, 4)
		got := math.Log(rational.Float64(new(big.Rat).Quo(pr(quarter, rest), pr(rest, quarter))))
		if most := x.law.Loss(loss.Exp(e)).Float().Hi; got > most || got < most-1e-6 {
			t.Errorf("%s: the worst oracle loses %v, by the law %v", name, got, most)
		}
	}
}

func TestNewTruncatedNegativeBinomial(t *testing.T) {
	t.Parallel()
	for _, eta := range []string{"-9/10", "-1/2", "0", "1/1000", "1", "7"} {
		for _, mean := range []string{"1001/1000", "10", "123456", "1e12"} {
			l, err := NewTruncatedNegativeBinomial(rational.MustParse(eta), rational.MustParse(mean))
			if err != nil {
				if eta != "-9/10" && eta != "7" {
					t.Errorf("η = %s, mean %s: %v", eta, mean, err)
				}
				continue
			}
			got, want := l.Mean(), bits.Rat(rational.MustParse(mean))
			if ratio := bits.Quo(got, want).Float(); got.Upper.Cmp(want.Upper) > 0 || ratio.Lo < 1-1e-5 {
				t.Errorf("η = %s, mean %s: %v", eta, mean, got)
			}
		}
	}
	for want, bad := range map[string][2]string{"eta is -1, must be greater than -1": {"-1", "10"},
		"mean is 1, must be greater than 1": {"1", "1"}} {
		_, err := NewTruncatedNegativeBinomial(rational.MustParse(bad[0]), rational.MustParse(bad[1]))
		testkit.ExpectError(t, err, want)
	}
}

func TestLargestRunEps(t *testing.T) {
	t.Parallel()
	for name, x := range runsLaws() {
		for _, budget := range []string{"1e-6", "1", "700"} {
			eps, err := LargestRunEps(x.law, rational.MustParse(budget))
			got := x.law.Loss(loss.Nats(new(big.Rat).SetFloat64(eps)))
			most := bits.Rat(rational.MustParse(budget))
			if err != nil || got.Upper.Cmp(most.Upper) > 0 || bits.Quo(got, most).Float().Lo < 1-1e-6 {
				t.Errorf("%s, budget %s: ε_1 = %g loses %v, %v", name, budget, eps, got, err)
			}
		}
	}
	if _, err := LargestRunEps(nil, rational.One); err == nil {
		t.Error("no law is accepted")
	}
	if _, err := LargestRunEps(PoissonRuns{rational.One}, rational.MustParse("701")); err == nil {
		t.Error("a budget of 701 is accepted")
	}
}
