package verify

import (
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
func lossesOf(t *testing.T, s quadrature) *certify.Losses {
	t.Helper()
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
	l, err := certify.NewLosses(list)
	if err != nil {
		t.Fatal(err)
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
	l, err := certify.NewLosses(list)
	if err != nil {
		panic(err)
	}
	return l
}

// lossQuadrature returns the points of losses, for neighbours in both orders.
func lossQuadrature(l *certify.Losses) (both [2]quadrature) {
	both[0].infinity, both[1].infinity = 1, 1
	for _, x := range l.List() {
		p := rat.Float64(x[1])
		q := p * math.Exp(-rat.Float64(x[0]))
		both[0].add(false, 1, p, q)
		both[1].add(false, 1, q, p)
		both[0].infinity -= p
		both[1].infinity -= q
	}
	return both
}

// TestOptDel_Losses gives Gaussian steps as losses, by quadrature: what is found is about what is found for the
// noise, for neighbours in either order, and the same for both ways to turn the pair around. The quadrature is off by
// less than 1e-4 of these δ: with as many points again, values move by a tenth of that.
func TestOptDel_Losses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		noise, sampling, charge string
		count                   int
	}{
		{"1.5", "1", "4", 4},
		{"0.9", "0.1", "1.5", 30},
		{"2", "0.3", "1", 20},
	} {
		a := certify.Additive{Noise: certify.Gaussian, Scale: rat.Of(tt.noise), Sampling: rat.Of(tt.sampling)}
		b := a
		b.Added = true
		stops := []impl.Stop{{After: tt.count / 2, Eps: loss.Nats(rat.Of("0.7"))}, {After: tt.count,
			Eps: loss.Nats(rat.Of(tt.charge))}}
		solve := func(m impl.Mechanism) *impl.Result {
			m.Count = tt.count
			r, err := impl.OptDel(t.Context(), impl.Pipeline{Mechanisms: []impl.Mechanism{m}, Stops: stops}, impl.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		want := solve(impl.Mechanism{Additive: &a})
		for _, m := range []impl.Mechanism{
			{Losses: lossesOf(t, noiseQuadrature(&a))},
			{Losses: lossesOf(t, noiseQuadrature(&b))},
		} {
			x, y := solve(m).OptDel.Float(), want.OptDel.Float()
			if slack := 1e-4 * y.Hi; x.Lo > y.Hi+slack || x.Hi < y.Lo-slack || x.Hi-x.Lo > 2e-4*x.Hi {
				t.Errorf("%v: between %v and %v, for the noise between %v and %v", tt, x.Lo, x.Hi, y.Lo, y.Hi)
			}
		}
	}
}

// randomLarge returns two to four losses of up to 600, and their P-masses, of which something is left for an infinite
// one, or not. Those below 0 have as much under Q as fits.
func randomLarge(r *rand.Rand) (list [][2]*big.Rat, atoms []atom, infinity float64) {
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
		atoms = append(atoms, atom{float64(x), mass})
	}
	slices.SortFunc(list, func(x, y [2]*big.Rat) int { return x[0].Cmp(y[0]) })
	return list, atoms, p
}

type atom struct{ loss, mass float64 }

// bySequences returns the value of a run with a loss after k of n equal steps, by all sequences.
func bySequences(atoms []atom, infinity float64, charges map[int]float64, k, n int, loss float64) (v float64) {
	if k < n {
		v = infinity
		for _, a := range atoms {
			v += a.mass * bySequences(atoms, infinity, charges, k+1, n, loss+a.loss)
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
	for i := range amount(20, 600) {
		list, atoms, infinity := randomLarge(r)
		if len(list) == 0 {
			continue
		}
		l, err := certify.NewLosses(list)
		if err != nil {
			t.Fatal(err)
		}
		n := 1 + r.IntN(5)
		charges := map[int]float64{n: math.Ldexp(float64(r.IntN(100)), -r.IntN(6))}
		charges[1+r.IntN(n)] = math.Ldexp(float64(r.IntN(100)), -r.IntN(6))
		p := impl.Pipeline{Mechanisms: []impl.Mechanism{{Losses: l, Count: n}}}
		for k := 1; k <= n; k++ {
			if c, ok := charges[k]; ok {
				p.Stops = append(p.Stops, impl.Stop{After: k, Eps: loss.Nats(new(big.Rat).SetFloat64(c))})
			}
		}
		reversed := make([]atom, len(atoms))
		lost := 1.0
		for j, a := range atoms {
			reversed[j] = atom{-a.loss, a.mass * math.Exp(-a.loss)}
			lost -= reversed[j].mass
		}
		want := max(bySequences(atoms, infinity, charges, 0, n, 0), bySequences(reversed, lost, charges, 0, n, 0))
		got, err := impl.OptDel(t.Context(), p, impl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const off = 1e-15 // of the enumeration
		if x := got.OptDel.Float(); x.Lo > want+off || x.Hi < want-off || x.Hi-x.Lo > 1.01e-4*x.Hi && x.Hi > 1e-32 {
			t.Errorf("problem %d: %v, n %d, charges %v: between %v and %v, must contain %v: %v", i, atoms, n, charges, x.Lo,
				x.Hi, want, got.Shortfall)
		}
	}
}
