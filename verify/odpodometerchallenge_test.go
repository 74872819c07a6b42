package verify

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// shareRule is an odometer that is often exceeded: it reads a share of Σ ε, and nothing once Σ δ is above 1/5.
type shareRule struct{ share float64 }

type shareMemory struct{ eps, delta float64 }

func (r shareRule) Start() any { return shareMemory{} }
func (r shareRule) Spend(memory any, m impl.Mechanism) any {
	s := memory.(shareMemory)
	return shareMemory{s.eps + loss.Float64(m.Eps), s.delta + floatOf(m.Delta)}
}
func (r shareRule) Reading(memory any) interval.Float {
	s := memory.(shareMemory)
	if s.delta > 0.2 {
		return interval.Point(math.Inf(1))
	}
	return interval.Point(r.share * s.eps)
}

// worstPlay is the probability that the worst adversary attains from a situation, one after the other.
func worstPlay(r shareRule, menu []impl.Guarantee, rounds int, memory any, l float64) (best float64) {
	if l > r.Reading(memory).Hi {
		return 1
	}
	if rounds == 0 {
		return 0
	}
	for _, g := range menu {
		next := r.Spend(memory, impl.Mechanism{Eps: g.Worst(), Delta: g.Delta})
		for _, up := range g.Parts {
			for _, down := range g.Parts {
				e, f, d := loss.Float64(up.Eps), loss.Float64(down.Eps), floatOf(g.Delta)
				p := math.Expm1(f) / (math.Exp(f) - math.Exp(-e))
				best = max(best, d*worstPlay(r, menu, rounds-1, next, math.Inf(1))+
					(1-d)*(p*worstPlay(r, menu, rounds-1, next, l+e)+(1-p)*worstPlay(r, menu, rounds-1, next, l-f)))
			}
		}
	}
	return best
}

// drawMenu is a menu with one or two parts each, of multiples of 1/8.
func drawMenu(t *rapid.T, mostParts int) (menu []impl.Guarantee) {
	for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
		g := impl.Guarantee{Delta: big.NewRat(int64(rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "delta")), 8)}
		for k := range rapid.IntRange(1, mostParts).Draw(t, fmt.Sprint("parts", i)) {
			g.Parts = append(g.Parts, impl.Part{Name: fmt.Sprint(k), Eps: loss.Nats(big.NewRat(rapid.Int64Range(1, 6).Draw(t, "eps"), 8))})
		}
		menu = append(menu, g)
	}
	return menu
}

// TestPair_ChallengeODPOdometer: the interval holds what all adversaries attain at most who are tried one after the other, and with
// one part each it is that of the other search.
func TestPair_ChallengeODPOdometer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mostParts := rapid.IntRange(1, 2).Draw(t, "most parts")
		menu, rounds := drawMenu(t, mostParts), rapid.IntRange(0, 3).Draw(t, "rounds")
		r := shareRule{rapid.SampledFrom([]float64{0.26, 0.51, 0.73, 0.99}).Draw(t, "share")}
		got, err := impl.ChallengeODPOdometer(t.Context(), menu, rounds, r, impl.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, want := got.Worst.Float(), worstPlay(r, menu, rounds, r.Start(), 0)
		if x.Lo > want+1e-12 || x.Hi < want-1e-12 || x.Hi-x.Lo > 1e-13 {
			t.Errorf("the worst is in [%g, %g], one after the other %g", x.Lo, x.Hi, want)
		}
		if mostParts > 1 {
			return
		}
		var plain []impl.Mechanism
		for _, g := range menu {
			plain = append(plain, impl.Mechanism{Eps: g.Parts[0].Eps, Delta: g.Delta, Count: 1})
		}
		other, err := impl.ChallengeOdometer(t.Context(), plain, rounds, r, impl.ChallengeOptions{})
		if y := other.Worst.Float(); err != nil || x.Lo > y.Hi || x.Hi < y.Lo {
			t.Errorf("the worst is in [%g, %g], by the other search in [%g, %g]: %v", x.Lo, x.Hi, y.Lo, y.Hi, err)
		}
	})
}

// TestChallengeODPOdometer_PartsAreWorse: what goes up less does so more often, which refutes a claim that holds against
// randomized response; the rules of Theorem 3 hold against it.
func TestChallengeODPOdometer_PartsAreWorse(t *testing.T) {
	t.Parallel()
	menu := []impl.Guarantee{{Parts: []impl.Part{{Name: "few", Eps: loss.Nats(rat("0.5"))}, {Name: "many", Eps: loss.Nats(rat("1"))}}, Delta: rat("0")}}
	got, err := impl.ChallengeODPOdometer(t.Context(), menu, 1, shareRule{0.4}, impl.ChallengeOptions{Claim: rat("0.74")})
	if err != nil || !got.Refuted { // (e − 1)/(e − e^(−1/2)) = 0.814 against e/(1 + e) = 0.731
		t.Errorf("%+v, %v", got, err)
	}
	menu[0].Delta = rat("0.1") // which is all that Σ ε is exceeded with, whatever rounding makes of it
	for claim, holds := range map[string]bool{"0.1": true, "0.0999999999999999999": false} {
		got, err := impl.ChallengeODPOdometer(t.Context(), menu, 1, shareRule{1}, impl.ChallengeOptions{Claim: rat(claim)})
		if err != nil || got.Holds != holds || got.Refuted {
			t.Errorf("at most %s: %+v, %v", claim, got, err)
		}
	}
	menu[0].Delta = rat("0")
	for _, curve := range []impl.Curve{impl.FilterCurve{Target: 1}, impl.MixtureCurve{Gamma: 0.1}, impl.StitchedCurve{V0: 0.01}} {
		r, err := impl.NewCurveRule(curve, rat("0.2"), rat("0"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := impl.ChallengeODPOdometer(t.Context(), menu, 30, r, impl.ChallengeOptions{Claim: rat("0.2")})
		if err != nil || !got.Holds {
			t.Errorf("%T: %+v, %v", curve, got, err)
		}
	}
}
