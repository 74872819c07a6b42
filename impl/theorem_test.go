package impl

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// sixteenths rounds down.
func sixteenths(x float64) loss.Epsilon { return exactly(math.Floor(16*x) / 16) }

// Every theorem is valid: at no stop, and in no sum, does it give less than optimal composition.
func TestLaw_TheoremsAreValid(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	closest := map[Theorem]float64{}
	for range 150 {
		p := Pipeline{}
		for range 1 + rng.IntN(4) {
			eps := float64(rng.IntN(9)) / 16 // 0 among them
			delta := []string{"0", "1e-9", "1e-30", "0.01", "1"}[rng.IntN(20)/4]
			if delta == "1" && rng.IntN(8) > 0 {
				delta = "0"
			}
			p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: exactly(eps), Delta: rational.MustParse(delta), Count: 1 + rng.IntN(40)})
		}
		total, spent := 0, 0.0
		for _, m := range p.Mechanisms {
			if rng.IntN(2) == 0 || total == 0 {
				p.Stops = append(p.Stops, Stop{After: total + 1, Eps: sixteenths((spent + loss.Float64(m.Eps)) * rng.Float64())})
			}
			total += m.Count
			spent += float64(m.Count) * loss.Float64(m.Eps)
		}
		if last := p.Stops[len(p.Stops)-1]; last.After < total {
			p.Stops = append(p.Stops, Stop{After: total, Eps: sixteenths(spent * (0.1 + 1.1*rng.Float64()*rng.Float64()))})
		}
		best := solve(t, p, Options{RelWidth: 1e-9})
		for _, theorem := range Theorems {
			stops, sum, err := Lemma11With(t.Context(), p, theorem)
			if err != nil {
				t.Fatal(err)
			}
			if sum.Upper.Cmp(best.Lemma11.Lower) < 0 {
				t.Errorf("%+v: %s gives %v, optimal composition %v", p, theorem, sum, best.Lemma11)
			}
			for i, delta := range stops {
				if delta.Upper.Cmp(best.SingleStop[i].Lower) < 0 {
					t.Errorf("%+v, stop %d: %s gives %v, optimal composition %v", p, i+1, theorem, delta, best.SingleStop[i])
				}
				if w := delta.RelWidth(); w > 0x1p-60 {
					t.Errorf("%s: relative width %g", theorem, w)
				}
				x, _ := delta.Upper.Float64()
				if y, _ := best.SingleStop[i].Lower.Float64(); x > 0 && x < 1 {
					closest[theorem] = max(closest[theorem], y/x)
				}
			}
		}
	}
	for theorem, least := range map[Theorem]float64{Basic: 0.5, AdvancedBook: 0.02, Advanced: 0.05, ZCDP: 0.1, RDP: 0.2} {
		if closest[theorem] < least || closest[theorem] > 1+1e-9 {
			t.Errorf("%s comes to %g of the optimal δ at best, expected %g to 1", theorem, closest[theorem], least)
		}
	}
}

// The formulas, as they are printed, in float64, for equal mechanisms; of those with α the least of many.
func TestLemma11With_ByHand(t *testing.T) {
	t.Parallel()
	const k, eps, own = 100.0, 0.1, 1e-7
	p := func(charge float64) Pipeline {
		return Pipeline{[]Mechanism{{Eps: loss.Nats(big.NewRat(1, 10)), Delta: rational.MustParse("1e-7"), Count: k}}, []Stop{{After: k, Eps: exactly(charge)}}}
	}
	scan := func(charge float64, renyi func(alpha float64) float64) float64 {
		least := 1.0
		for x := -8.0; x < 8; x += 1e-3 {
			alpha := 1 + math.Exp(x)
			if delta := math.Exp((alpha-1)*(k*renyi(alpha)-charge)) * math.Pow(1-1/alpha, alpha) / (alpha - 1); delta < least {
				least = delta
			}
		}
		return least
	}
	for _, charge := range []float64{0.5, 1.5, 4, 9.9, 10, 12} {
		for theorem, delta := range map[Theorem]float64{
			Basic:        map[bool]float64{true: k * own, false: 1}[charge >= 10],
			AdvancedBook: min(1, k*own+math.Exp(-math.Pow(max(0, charge-k*eps*math.Expm1(eps)), 2)/(2*k*eps*eps))),
			Advanced:     math.Exp(-math.Pow(max(0, charge-k*eps*math.Tanh(eps/2)), 2) / (2 * k * eps * eps)),
			ZCDP:         scan(charge, func(alpha float64) float64 { return alpha * eps * eps / 2 }),
			RDP: scan(charge, func(alpha float64) float64 {
				e := math.Exp(eps)
				return math.Log(math.Pow(e/(1+e), alpha)*math.Pow(1/(1+e), 1-alpha)+math.Pow(1/(1+e), alpha)*math.Pow(e/(1+e), 1-alpha)) / (alpha - 1)
			}),
		} {
			if theorem != Basic && theorem != AdvancedBook {
				delta = 1 - (1-delta)*math.Pow(1-own, k)
			}
			_, sum, err := Lemma11With(t.Context(), p(charge), theorem)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := sum.Upper.Float64(); !(got <= delta*(1+1e-6) && got >= delta*(1-1e-5)) {
				t.Errorf("E = %g: %s gives %g, want %g", charge, theorem, got, delta)
			}
		}
	}
}

func TestLemma11With_Edges(t *testing.T) {
	t.Parallel()
	pipeline := func(eps loss.Epsilon, delta string, count int, charge loss.Epsilon) Pipeline {
		return Pipeline{[]Mechanism{{Eps: eps, Delta: rational.MustParse(delta), Count: count}}, []Stop{{After: count, Eps: charge}}}
	}
	zero, half := loss.Nats(new(big.Rat)), loss.Exp(big.NewRat(3, 2))
	for name, row := range map[string]struct {
		p    Pipeline
		want map[Theorem]float64
	}{
		"nothing":                   {pipeline(zero, "0", 5, zero), map[Theorem]float64{Basic: 0, AdvancedBook: 0, Advanced: 0, ZCDP: 0, RDP: 0}},
		"δ of 1":                    {pipeline(zero, "1", 5, zero), map[Theorem]float64{Basic: 1, AdvancedBook: 1, Advanced: 1, ZCDP: 1, RDP: 1}},
		"all that basic needs":      {pipeline(half, "0", 3, loss.Exp(big.NewRat(27, 8))), map[Theorem]float64{Basic: 0}},
		"a hair less":               {pipeline(half, "0", 3, testkit.ExpOf("3.374999999999999999999999999999")), map[Theorem]float64{Basic: 1}},
		"no charge":                 {pipeline(half, "0", 3, zero), map[Theorem]float64{Basic: 1, AdvancedBook: 1, Advanced: 1}},
		"tiny δ":                    {pipeline(zero, "1e-200", 100, zero), map[Theorem]float64{Basic: 1e-198, AdvancedBook: 1e-198, Advanced: 1e-198, ZCDP: 1e-198, RDP: 1e-198}},
		"more than they can lose":   {pipeline(half, "0", 3, loss.Nats(big.NewRat(1000, 1))), map[Theorem]float64{Basic: 0, RDP: 0, ZCDP: 0, AdvancedBook: 0, Advanced: 0}},
		"a million of a large loss": {pipeline(loss.Nats(big.NewRat(1000, 1)), "0", 1_000_000, loss.Nats(big.NewRat(1, 1))), map[Theorem]float64{Basic: 1, AdvancedBook: 1, Advanced: 1, ZCDP: 1, RDP: 1}},
		"the largest ε":             {pipeline(testkit.NatsOf("1e288"), "0", 1, half), map[Theorem]float64{Basic: 1, AdvancedBook: 1, Advanced: 1, ZCDP: 1, RDP: 1}},
	} {
		for theorem, want := range row.want {
			_, sum, err := Lemma11With(t.Context(), row.p, theorem)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, theorem, err)
			}
			if got, _ := sum.Upper.Float64(); math.Abs(got-want) > 1e-9*want+1e-300 {
				t.Errorf("%s: %s gives %g, want %g", name, theorem, got, want)
			}
		}
	}
	if _, _, err := Lemma11With(t.Context(), pipeline(half, "0", 1, half), "moments"); err == nil {
		t.Error("no such theorem is accepted")
	}
	if _, _, err := Lemma11With(t.Context(), Pipeline{}, RDP); err == nil {
		t.Error("no pipeline is accepted")
	}
}
