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
		loss, _ := x[0].Float64()
		p, _ := x[1].Float64()
		q := p * math.Exp(-loss)
		for i, y := range [2][2]float64{{loss, p}, {-loss, q}} {
			both[i].losses, both[i].masses = append(both[i].losses, y[0]), append(both[i].masses, y[1])
			both[i].infinity -= y[1]
		}
	}
	return both
}

// TestOptDel_Losses gives Gaussian steps as losses, by quadrature: what is found is about what is found for the noise, for neighbours in either order, and the same for both ways to turn
// the pair around. The quadrature is off by less than 1e-4 of these δ: with as many points again, values move by a tenth of that.
func TestOptDel_Losses(t *testing.T) {
	rat := func(x string) *big.Rat { r, _ := new(big.Rat).SetString(x); return r }
	for _, tt := range []struct {
		noise, sampling, charge string
		count                   int
	}{
		{"1.5", "1", "4", 4},
		{"0.9", "0.1", "1.5", 30},
		{"2", "0.3", "1", 20},
	} {
		a := certify.Additive{Noise: certify.Gaussian, Scale: rat(tt.noise), Sampling: rat(tt.sampling)}
		b := a
		b.Added = true
		stops := []impl.Stop{{After: tt.count / 2, Eps: loss.Nats(rat("0.7"))}, {After: tt.count, Eps: loss.Nats(rat(tt.charge))}}
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
			got := solve(m)
			lower, _ := got.OptDel.Lower.Float64()
			upper, _ := got.OptDel.Upper.Float64()
			least, _ := want.OptDel.Lower.Float64()
			most, _ := want.OptDel.Upper.Float64()
			if slack := 1e-4 * most; lower > most+slack || upper < least-slack || upper-lower > 2e-4*upper {
				t.Errorf("%v: between %v and %v, for the noise between %v and %v", tt, lower, upper, least, most)
			}
		}
	}
}
