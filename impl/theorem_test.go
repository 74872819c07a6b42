package impl

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// someMechanisms draws mechanisms of which some have no ε, or a δ of 1.
func someMechanisms(random *rand.Rand, most int) (ms []Mechanism) {
	for range 1 + random.IntN(most) {
		delta := []string{"0", "1e-9", "1e-30", "0.01", "1"}[random.IntN(20)/4]
		if delta == "1" && random.IntN(8) > 0 {
			delta = "0"
		}
		eps := exactly(float64(random.IntN(9)) / 16)
		ms = append(ms, Mechanism{Eps: eps, Delta: rational.MustParse(delta), Count: 1 + random.IntN(40)})
	}
	return ms
}

// Every theorem is valid: at no stop, and in no sum, does it give less than optimal composition.
func TestLaw_TheoremsAreValid(t *testing.T) {
	t.Parallel()
	random, closest := rand.New(rand.NewPCG(1, 2)), map[Theorem]float64{}
	sixteenths := func(x float64) loss.Epsilon { return exactly(math.Floor(16*x) / 16) } // rounded down
	for range testkit.AtLeast(50, 150) {
		p := Pipeline{Mechanisms: someMechanisms(random, 4)}
		total, spent := 0, 0.0
		for _, m := range p.Mechanisms {
			if random.IntN(2) == 0 || total == 0 {
				charge := sixteenths((spent + loss.Float64(m.Eps)) * random.Float64())
				p.Stops = append(p.Stops, Stop{After: total + 1, Eps: charge})
			}
			total, spent = total+m.Count, spent+float64(m.Count)*loss.Float64(m.Eps)
		}
		if p.Stops[len(p.Stops)-1].After < total {
			charge := sixteenths(spent * (0.1 + 1.1*random.Float64()*random.Float64()))
			p.Stops = append(p.Stops, Stop{After: total, Eps: charge})
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
				least := best.SingleStop[i]
				if delta.Upper.Cmp(least.Lower) < 0 || delta.RelWidth() > 0x1p-60 {
					t.Errorf("%+v, stop %d: %s gives %v, optimal composition %v", p, i+1, theorem, delta, least)
				}
				if x := delta.Float().Hi; x > 0 && x < 1 {
					closest[theorem] = max(closest[theorem], least.Float().Lo/x)
				}
			}
		}
	}
	for theorem, least := range map[Theorem]float64{Basic: 0.5, AdvancedBook: 0.02,
		Advanced: 0.05, ZCDP: 0.1, RDP: 0.2} {
		if closest[theorem] < least || closest[theorem] > 1+1e-9 {
			t.Errorf("%s comes to %g of the optimal δ at best, expected %g to 1", theorem, closest[theorem], least)
		}
	}
}

// The formulas, as they are printed, in float64, for equal mechanisms; of those with α the least of many.
func TestLemma11With_ByHand(t *testing.T) {
	t.Parallel()
	const k, eps, own = 100.0, 0.1, 1e-7
	ms := parsed("0.1 1e-7 x100").Mechanisms
	scan := func(charge float64, renyi func(alpha float64) float64) float64 {
		least := 1.0
		for x := -8.0; x < 8; x += 1e-3 {
			alpha := 1 + math.Exp(x)
			x := math.Exp((alpha-1)*(k*renyi(alpha)-charge)) * math.Pow(1-1/alpha, alpha) / (alpha - 1)
			if x < least { // not NaN
				least = x
			}
		}
		return 1 - (1-least)*math.Pow(1-own, k)
	}
	tail := func(x float64) float64 { return math.Exp(-math.Pow(max(0, x), 2) / (2 * k * eps * eps)) }
	for _, charge := range []float64{0.5, 1.5, 4, 9.9, 10, 12} {
		for theorem, delta := range map[Theorem]float64{
			Basic:        map[bool]float64{true: k * own, false: 1}[charge >= 10],
			AdvancedBook: min(1, k*own+tail(charge-k*eps*math.Expm1(eps))),
			Advanced:     1 - (1-tail(charge-k*eps*math.Tanh(eps/2)))*math.Pow(1-own, k),
			ZCDP:         scan(charge, func(alpha float64) float64 { return alpha * eps * eps / 2 }),
			RDP: scan(charge, func(alpha float64) float64 {
				up, down := math.Exp(eps)/(1+math.Exp(eps)), 1/(1+math.Exp(eps))
				one := math.Pow(up, alpha) * math.Pow(down, 1-alpha)
				return math.Log(one+math.Pow(down, alpha)*math.Pow(up, 1-alpha)) / (alpha - 1)
			}),
		} {
			_, sum, err := Lemma11With(t.Context(), OneStop(ms).charged([]*big.Rat{exactly(charge).Rat()}), theorem)
			if err != nil {
				t.Fatal(err)
			}
			if got := sum.Float().Hi; !(got <= delta*(1+1e-6) && got >= delta*(1-1e-5)) {
				t.Errorf("E = %g: %s gives %g, want %g", charge, theorem, got, delta)
			}
		}
	}
}

func TestLemma11With_Edges(t *testing.T) {
	t.Parallel()
	all := func(x float64) map[Theorem]float64 {
		return map[Theorem]float64{Basic: x, AdvancedBook: x, Advanced: x, ZCDP: x, RDP: x}
	}
	for problem, wants := range map[string]map[Theorem]float64{
		"0 0 x5 | 5 0":              all(0),
		"0 1 x5 | 5 0":              all(1),
		"ln(3/2) 0 x3 | 3 ln(27/8)": {Basic: 0},
		"ln(3/2) 0 x3 | 3 ln(3.37499999999999999999999999999)": {Basic: 1},
		"ln(3/2) 0 x3 | 3 0":          {Basic: 1, AdvancedBook: 1, Advanced: 1},
		"0 1e-200 x100 | 100 0":       all(1e-198),
		"ln(3/2) 0 x3 | 3 1000":       all(0), // more than they can lose
		"1000 0 x1000000 | 1000000 1": all(1),
		"1e288 0 | 1 ln(3/2)":         all(1),
	} {
		for theorem, want := range wants {
			_, sum, err := Lemma11With(t.Context(), parsed(problem), theorem)
			if got := sum.Float().Hi; err != nil || math.Abs(got-want) > 1e-9*want+1e-300 {
				t.Errorf("%s: %s gives %g, want %g, %v", problem, theorem, got, want, err)
			}
		}
	}
	if _, _, err := Lemma11With(t.Context(), parsed("1 0"), "moments"); err == nil {
		t.Error("no such theorem is accepted")
	}
	if _, _, err := Lemma11With(t.Context(), Pipeline{}, RDP); err == nil {
		t.Error("no pipeline is accepted")
	}
}

// No theorem allows less than optimal composition needs; what it allows is enough by its δ, and a millionth less is
// not.
func TestLaw_EpsWith(t *testing.T) {
	t.Parallel()
	random, allowed := rand.New(rand.NewPCG(3, 4)), map[Theorem]int{}
	for range testkit.AtLeast(8, 60) {
		ms := someMechanisms(random, 3)
		delta := rational.MustParse([]string{"0", "1e-12", "1e-6", "0.02", "0.5"}[random.IntN(5)])
		best, bestErr := OptComp(t.Context(), ms, delta, Options{RelWidth: 1e-9})
		for _, theorem := range Theorems {
			eps, ok, err := EpsWith(t.Context(), ms, delta, theorem)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				continue
			}
			allowed[theorem]++
			if bestErr != nil || eps.Float().Hi < best.Eps.Float().Lo {
				t.Errorf("%v, δ = %v: %s allows ε = %s, optimal %v, %v", ms, delta, theorem, eps.Text(), best, bestErr)
			}
			at := func(factor string) bool { // whether this is enough
				x := new(big.Rat).Mul(above(eps).Rat(), rational.MustParse(factor))
				return staysWithin(theorem.delta()(ms, loss.Nats(x)), delta)
			}
			if !at("1") || eps.Sign() > 0 && at("0.999999") {
				t.Errorf("%v, δ = %v: ε = %s is not the least for %s", ms, delta, eps.Text(), theorem)
			}
		}
	}
	for _, theorem := range Theorems {
		if allowed[theorem] < testkit.AtLeast(2, 20) {
			t.Errorf("%s allowed an ε %d times, must be more often", theorem, allowed[theorem])
		}
	}
}

// The advanced composition of the book has an ε for large ε_k, too: √(2k ln(1/δ))·ε + kε(e^ε − 1), up to where that
// is out of range.
func TestEpsWith_ByHand(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		mechanisms, delta string
		theorem           Theorem
		want              float64 // 0 if there is none
	}{
		{"0.1 0 x100", "1e-6", Basic, 10},
		{"0.1 0 x100", "1e-6", AdvancedBook, 6.3082310}, // √(200 ln 10⁶)/10 + 10(e^0.1 − 1)
		{"0.1 0 x100", "1e-6", Advanced, 5.7561055},     // the same root, and 10·tanh(0.05)
		{"20 0 x3", "1e-9", AdvancedBook, 2.910991e10},
		{"1000 0", "1e-6", AdvancedBook, 0},
		{"1e9 0", "1e-6", AdvancedBook, 0},
		{"0.1 0.01 x3", "0", RDP, 0},
		{"0.1 0.01 x3", "0.02", Advanced, 0},
		{"0.1 0.01 x3", "0.02", Basic, 0},
	} {
		eps, ok, err := EpsWith(t.Context(), parsed(row.mechanisms).Mechanisms, rational.MustParse(row.delta),
			row.theorem)
		if err != nil || ok != (row.want > 0) {
			t.Errorf("%+v: %v, %v", row, ok, err)
		}
		if ok {
			checkNear(t, string(row.theorem), eps.Float().Hi, row.want, 1e-5)
		}
	}
}

func TestEpsWith_Refuses(t *testing.T) {
	t.Parallel()
	ms, half := parsed("0.1 0.01 x3").Mechanisms, big.NewRat(1, 2)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, err := range map[string]error{
		"delta is missing":           errOf2(EpsWith(t.Context(), ms, nil, RDP)),
		"delta is -0.5":              errOf2(EpsWith(t.Context(), ms, big.NewRat(-1, 2), RDP)),
		"delta is 1.5":               errOf2(EpsWith(t.Context(), ms, big.NewRat(3, 2), RDP)),
		`theorem is "moments", must`: errOf2(EpsWith(t.Context(), ms, half, "moments")),
		"mechanisms: there are none": errOf2(EpsWith(t.Context(), nil, half, RDP)),
		"context canceled":           errOf2(EpsWith(ended, ms, half, RDP)),
	} {
		testkit.ExpectError(t, err, want)
	}
}
