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

// kinds are those of mechanisms with a pair of their own: random ones, with their points in both orders.
var kinds = map[string]func(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature){
	"users": ofUsers(func(a *certify.Additive) bool { return a.Adds != nil }),
	"groups": ofUsers(func(a *certify.Additive) bool {
		return a.Adds == nil && a.Group > 1 && a.Noise != certify.GDP
	}),
	"gdp": ofUsers(func(a *certify.Additive) bool { return a.Noise == certify.GDP }),
	"cut": ofBatches(func(a *certify.Additive) bool {
		return a.MaxBatch > 0 && a.Sampling.Cmp(rat.One) < 0
	}),
	"fixed":               ofBatches(func(a *certify.Additive) bool { return a.Sampling.Cmp(rat.One) == 0 }),
	"replaced in samples": ofBatches(func(a *certify.Additive) bool { return a.MaxBatch == 0 }),
	"columns": func(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature) {
		m := columnStep(big.NewRat(3+r.Int64N(20), 4), 10+r.Int64N(90))
		points := noiseQuadrature(m.Additive, n)
		return m, [2]quadrature{points, points}
	},
	"bands":   roundMechanism,
	"losses":  lossMechanism,
	"sampled": sampledMechanism,
}

// ofUsers returns mechanisms of [drawUsers] with a property.
func ofUsers(is func(a *certify.Additive) bool) func(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature) {
	return func(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature) {
		for {
			a := certify.Additive{Noise: certify.Gaussian, Sampling: rat.List("1", "0.5", "0.1", "0.02")[r.IntN(4)]}
			a.Scale = thousandths(drawUsers(r, &a) * (0.7 + 4*r.Float64()))
			if is(&a) {
				return ofNoise(a, n)
			}
		}
	}
}

// ofBatches returns mechanisms of [batchMechanism] with a property, of which half replace a record.
func ofBatches(is func(a *certify.Additive) bool) func(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature) {
	return func(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature) {
		for {
			if m, both := batchMechanism(r, n, r.IntN(2) == 0); is(m.Additive) {
				return m, both
			}
		}
	}
}

// roundMechanism returns the first step of a round of noise in bands, or one of the others, in which nothing is lost.
func roundMechanism(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature) {
	if r.IntN(2) == 0 {
		nothing := quadrature{[]float64{0}, []float64{1}, 0}
		return impl.Mechanism{Eps: loss.Nats(new(big.Rat)), Delta: new(big.Rat)}, [2]quadrature{nothing, nothing}
	}
	bands := 2 + r.Int64N(7)
	return ofNoise(certify.Additive{Noise: certify.Gaussian, Scale: thousandths(0.7 + 4*r.Float64()),
		Sampling: big.NewRat(bands, []int64{9, 100, 1000}[r.IntN(3)])}, n)
}

// sampledMechanism returns Gaussian noise, and something (ε, δ)-DP, of one sample, and its points.
func sampledMechanism(r *rand.Rand, n int) (m impl.Mechanism, both [2]quadrature) {
	a := certify.Additive{Noise: certify.Gaussian, Scale: thousandths(0.7 + 4*r.Float64()), Sampling: rat.One}
	eps, delta := thousandths(0.01+r.Float64()), big.NewRat(r.Int64N(3), 1000)
	rate := rat.List("0.5", "0.1", "0.01")[r.IntN(3)]
	s, err := certify.NewSampled(rate, []impl.Mechanism{{Additive: &a, Count: 1},
		{Eps: loss.Nats(eps), Delta: delta, Count: 1}})
	if err != nil {
		panic(err)
	}
	e, d, q := rat.Float64(eps), rat.Float64(delta), rat.Float64(rate)
	for i := range both {
		add := func(with, without float64) { both[i].add(i == 1, mixture(q, with, without), without) }
		if add(0, d); i == 0 {
			both[i].infinity = q * d
		}
		noise := noiseQuadrature(&a, n)
		for k, p := range noise.masses {
			other, likely := p*math.Exp(-noise.losses[k]), (1-d)/(1+math.Exp(-e))
			add(p*likely, other*(1-d-likely))
			add(p*(1-d-likely), other*likely)
		}
	}
	return impl.Mechanism{Sampled: s}, both
}

// nearby moves charges to where losses are, if these are small: otherwise δ might be less than what the reference sees.
func nearby(p impl.Pipeline, steps []quadrature, charges map[int]float64) {
	square := 0.0
	for _, s := range steps {
		for i, l := range s.losses {
			square += s.masses[i] * l * l
		}
	}
	part := thousandths(max(0.001, min(1, math.Sqrt(square))))
	for i, s := range p.Stops {
		e := new(big.Rat).Mul(s.Eps.Rat(), part)
		p.Stops[i].Eps, charges[s.After] = loss.Nats(e), rat.Float64(e)
	}
}

// TestOptDel_Kinds compares intervals with the recursion over losses, as [TestOptDel_Quadrature] does: of each kind two
// pipelines with stops and few points, or 300. Below 1e-10 intervals may be wide, as docs/guide/dpsgd.md says.
func TestOptDel_Kinds(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(len(name)), uint64(name[0])))
			n := amount(600, 1600)
			for i := range amount(2, 300) {
				p, steps, charges := noisyPipeline(r, 4, func() (impl.Mechanism, [2]quadrature) { return kind(r, n) })
				if !isLeftOut(i) {
					nearby(p, steps[0], charges)
					compareWithQuadrature(t, i, p, steps, charges, 1e-4*math.Pow(4800/float64(n), 2), 1e-10)
				}
			}
		})
	}
}
