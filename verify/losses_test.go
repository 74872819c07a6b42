package verify

import (
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// lossesOf returns points as another accountant may give them: losses and P-masses in float64, and no more.
func lossesOf(s quadrature) *certify.Losses {
	byLoss, sum := map[float64]float64{}, 0.0
	for i, l := range s.losses {
		byLoss[l] += s.masses[i]
		sum += s.masses[i]
	}
	var list [][2]*big.Rat
	for l, mass := range byLoss {
		if mass /= sum * (1 + 1e-12); mass > 1e-25 {
			list = append(list, [2]*big.Rat{new(big.Rat).SetFloat64(l), new(big.Rat).SetFloat64(mass)})
		}
	}
	slices.SortFunc(list, func(x, y [2]*big.Rat) int { return x[0].Cmp(y[0]) })
	return mustLosses(list)
}

func mustLosses(list [][2]*big.Rat) *certify.Losses {
	l, err := certify.NewLosses(list)
	if err != nil {
		panic(err)
	}
	return l
}

// randomLosses returns a few losses, some of the masses infinite.
func randomLosses(r *rand.Rand) *certify.Losses {
	var list [][2]*big.Rat
	loss := int64(-400)
	for range 5 {
		loss += 1 + r.Int64N(250)
		list = append(list, [2]*big.Rat{big.NewRat(loss, 1000), big.NewRat(1+r.Int64N(100), 1000)})
	}
	list[4][1] = big.NewRat(1+r.Int64N(500), 1000)
	return mustLosses(list)
}

// lossMechanism returns a few losses, or as many as of noise, and their points.
func lossMechanism(r *rand.Rand, n int) (impl.Mechanism, [2]quadrature) {
	l := randomLosses(r)
	if r.IntN(2) == 0 {
		a := certify.Additive{Noise: certify.Gaussian, Scale: thousandths(0.7 + 2*r.Float64()), Sampling: rat.Of("0.3")}
		l = lossesOf(noiseQuadrature(&a, n))
	}
	return impl.Mechanism{Losses: l}, lossQuadrature(l)
}

// lossQuadrature returns the points of losses, for neighbours in both orders.
func lossQuadrature(l *certify.Losses) (both [2]quadrature) {
	both[0].infinity, both[1].infinity = 1, 1
	for _, x := range l.List() {
		l, p := rat.Float64(x[0]), rat.Float64(x[1])
		both[0].point(l, p)
		both[1].point(-l, p*math.Exp(-l))
		both[0].infinity -= p
		both[1].infinity -= p * math.Exp(-l)
	}
	return both
}

// randomLarge returns up to four losses of up to 600, or none; some of their masses leave something for an infinite
// one. Those below 0 have as much under Q as fits.
func randomLarge(r *rand.Rand) *certify.Losses {
	var list [][2]*big.Rat
	seen := map[int64]bool{}
	p, q := 1.0, 1-1e-9
	for range 2 + r.IntN(3) {
		x := int64(math.Exp(r.Float64() * math.Log(certify.MaxLoss)))
		if r.IntN(3) == 0 {
			x = -x
		}
		if r.IntN(3) == 0 {
			x = 0
		}
		share := math.Pow(10, -12*r.Float64()*r.Float64())
		mass := share * min(p, q*math.Exp(float64(x))) * (1 - 1e-9)
		if seen[x] || mass < 1e-280 {
			continue
		}
		seen[x] = true
		p, q = p-mass, q-mass*math.Exp(-float64(x))
		list = append(list, [2]*big.Rat{big.NewRat(x, 1), new(big.Rat).SetFloat64(mass)})
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(x, y [2]*big.Rat) int { return x[0].Cmp(y[0]) })
	return mustLosses(list)
}

// bySequences returns the value of a run with a loss after k of n equal steps, by all sequences.
func bySequences(s quadrature, charges map[int]float64, k, n int, loss float64) (v float64) {
	if k < n {
		v = s.infinity
		for i, l := range s.losses {
			v += s.masses[i] * bySequences(s, charges, k+1, n, loss+l)
		}
	}
	if charge, ok := charges[k]; ok {
		v = max(v, -math.Expm1(min(0, charge-loss)))
	}
	return v
}

// Losses may be as large as is allowed, on either side of 0: what the largest of them is does not move the others.
func TestOptDel_LargeLosses(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(600, 1))
	for i := range amount(8, 600) {
		l := randomLarge(r)
		if l == nil {
			continue
		}
		n := 1 + r.IntN(5)
		charges := map[int]float64{n: math.Ldexp(float64(r.IntN(100)), -r.IntN(6))}
		charges[1+r.IntN(n)] = math.Ldexp(float64(r.IntN(100)), -r.IntN(6))
		p := impl.Pipeline{Mechanisms: []impl.Mechanism{{Losses: l, Count: n}}}
		for _, k := range slices.Sorted(maps.Keys(charges)) {
			p.Stops = append(p.Stops, impl.Stop{After: k, Eps: loss.Nats(new(big.Rat).SetFloat64(charges[k]))})
		}
		both := lossQuadrature(l)
		want := max(bySequences(both[0], charges, 0, n, 0), bySequences(both[1], charges, 0, n, 0))
		got, err := impl.OptDel(t.Context(), p, impl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const off = 1e-15 // of the enumeration
		if x := got.OptDel.Float(); x.Lo > want+off || x.Hi < want-off || x.Hi-x.Lo > 1.01e-4*x.Hi && x.Hi > 1e-32 {
			t.Errorf("problem %d: %v, n %d, charges %v: between %v and %v, must contain %v: %v",
				i, both[0], n, charges, x.Lo, x.Hi, want, got.Shortfall)
		}
	}
}
