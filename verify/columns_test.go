package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// columnStep returns a step of noise by a matrix, with an entry in hundredths.
func columnStep(noise *big.Rat, hundredths int64) impl.Mechanism {
	if hundredths == 0 {
		return impl.Mechanism{Eps: loss.Nats(new(big.Rat)), Delta: new(big.Rat), Count: 1}
	}
	a := &certify.Additive{Noise: certify.Gaussian, Scale: noise, Sampling: rat.One,
		Adds: [][2]*big.Rat{{big.NewRat(hundredths, 100), rat.One}}}
	return impl.Mechanism{Additive: a, Count: 1}
}

// TestOptDel_ColumnNorm: with one stop a column costs what one Gaussian step costs that adds its Euclidean norm, with
// the closed form in float64; of 12 random columns of up to 400 entries, or 300, seed 26.
func TestOptDel_ColumnNorm(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(26, 2202))
	for range amount(12, 300) {
		noise, square := big.NewRat(1+r.Int64N(40), 4), 0.0
		var ms []impl.Mechanism
		for k := range 1 + r.Int64N(400) {
			entry := r.Int64N(100/(1+k/4) + 2)
			ms = append(ms, columnStep(noise, entry))
			square += float64(entry*entry) / 1e4
		}
		if square == 0 {
			continue
		}
		mu := math.Sqrt(square) / rat.Float64(noise)
		e := big.NewRat(int64(1000*max(0, mu*mu/2+mu*(-1+5*r.Float64()))), 1000)
		eps := rat.Float64(e)
		below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		want := below(mu/2-eps/mu) - math.Exp(eps)*below(-mu/2-eps/mu)
		result, err := impl.OptDel(t.Context(), impl.Pipeline{Mechanisms: ms,
			Stops: []impl.Stop{{After: len(ms), Eps: loss.Nats(e)}}}, impl.Options{RelWidth: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		const rounding = 1e-14 // of the terms of want
		if x := result.OptDel.Float(); x.Lo > want+rounding || x.Hi < want-rounding || x.Hi > x.Lo*1.001+1e-12 {
			t.Errorf("noise %v, %d entries, μ = %g, ε = %g: between %v and %v, must contain %v", noise, len(ms), mu, eps,
				x.Lo, x.Hi, want)
		}
	}
}
