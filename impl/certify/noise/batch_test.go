package noise

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// exactBatches returns what batches encloses, by adding up binomial probabilities as ratios.
func (a *Additive) exactBatches() (kept, cut, rate *big.Rat) {
	kept, cut, rate = new(big.Rat), new(big.Rat), new(big.Rat)
	n, left := a.Records-1, new(big.Rat).Sub(num.One, a.Sampling)
	for k := range n + 1 {
		p := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		for i := range n {
			p.Mul(p, [2]*big.Rat{left, a.Sampling}[min(1, max(0, k-i))])
		}
		if k < a.MaxBatch {
			kept.Add(kept, p)
			continue
		}
		cut.Add(cut, p)
		rate.Add(rate, new(big.Rat).Mul(p, big.NewRat(int64(a.MaxBatch), int64(k+1))))
	}
	return kept, cut, rate.Quo(rate.Mul(rate, a.Sampling), cut)
}

func TestBatches(t *testing.T) {
	t.Parallel()
	for _, q := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 1000), big.NewRat(999, 1000), big.NewRat(1, 3)} {
		for records := 2; records < 40; records += 1 + records/3 {
			for most := 1; most < records; most += 1 + most/2 {
				a := &Additive{Sampling: q, MaxBatch: most, Records: records}
				kept, cut, rate := a.batches()
				x, y, z := a.exactBatches()
				for i, s := range []num.Span{kept, cut, rate} {
					want := []*big.Rat{x, y, z}[i]
					lower, upper := new(big.Rat).SetFloat64(s.Lo), new(big.Rat).SetFloat64(s.Hi)
					if lower.Cmp(want) > 0 || upper.Cmp(want) < 0 || s.Hi-s.Lo > 1e-12*s.Hi {
						t.Errorf("q = %v, %d of %d, number %d: %v, must contain %v", q, most, records, i, s, want)
					}
				}
			}
		}
	}
	const most = 300_000
	a := &Additive{Sampling: big.NewRat(1, 1000), MaxBatch: most, Records: 1_000_000_000}
	if kept, cut, rate := a.batches(); cut.Lo < 1-1e-9 || kept.Hi > 1e-250 || rate.Lo < 0.9999*most/1e9 ||
		rate.Hi > 1.0001*most/1e9 {
		t.Errorf("next to all are cut: %v, %v, %v", kept, cut, rate)
	}
	a.MaxBatch = 2_000_000
	if kept, cut, rate := a.batches(); kept.Lo < 1-1e-9 || cut.Hi > 1e-250 || rate.Lo < 0.00099 || rate.Hi > 0.001 {
		t.Errorf("next to none is cut: %v, %v, %v", kept, cut, rate)
	}
}

// above returns the probability of a standard normal variable to be above x.
func above(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// shifted is H_α of N(d, 1) and N(0, 1), and mixed that of a part q of the first, and the rest of the second, and this.
func shifted(d, alpha float64) float64 {
	if alpha <= 0 {
		return 1 - alpha
	}
	z := d/2 + math.Log(alpha)/d
	return above(z-d) - alpha*above(z)
}

func mixed(d, q, alpha float64) float64 {
	if alpha <= 1-q {
		return 1 - alpha
	}
	return q * shifted(d, 1+(alpha-1)/q)
}

// swapped is H_α of a record that is replaced, α ≥ 1: outputs above some place count, and no others.
func swapped(d, q, alpha float64, isReplaced bool) float64 {
	if isReplaced {
		return q * shifted(2*d, 1+(alpha-1)/q)
	}
	low, high := -60.0, 60+d
	for range 200 {
		z := (low + high) / 2
		if q*math.Exp(d*z-d*d/2)+1-q > alpha*(q*math.Exp(-d*z-d*d/2)+1-q) {
			high = z
		} else {
			low = z
		}
	}
	return q*above(low-d) + (1-q)*(1-alpha)*above(low) - alpha*q*above(low+d)
}

// batchStick is H_α in closed form.
func (a *Additive) batchStick(alpha float64) float64 {
	if alpha < 1 && (a.Replaced || a.Added) || alpha >= 1 && a.Added {
		back := *a
		if back.Added = false; alpha == 0 {
			return 1
		}
		return 1 - alpha + alpha*back.batchStick(1/alpha)
	}
	kept, cut, rate := 1.0, 0.0, 0.0
	d, q := 1/toFloat64(a.Scale), toFloat64(a.Sampling)
	if a.isCut() {
		x, y, z := a.exactBatches()
		kept, cut, rate = toFloat64(x), toFloat64(y), toFloat64(z)
	}
	if a.Replaced {
		return kept*swapped(d, q, alpha, false) + cut*swapped(d, rate, alpha, true)
	}
	return kept*mixed(d, q, alpha) + cut*mixed(2*d, rate, alpha)
}

// Cells of batches that are cut, or of a fixed size, and of records that are replaced, are on the right side of the
// divergence in closed form, at every order.
func TestCells_Batches(t *testing.T) {
	t.Parallel()
	for n, scale := range []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 2), big.NewRat(7, 1)} {
		for i, sampling := range []*big.Rat{num.One, big.NewRat(1, 2), big.NewRat(1, 100)} {
			for kind := range 5 {
				if (n+i+kind)%3 > 0 && !*full {
					continue
				}
				a := &Additive{Noise: Gaussian, Scale: scale, Sampling: sampling, MaxBatch: 2 + i, Records: 9 - i}
				switch kind {
				case 1:
					a.Added = true
				case 2:
					a.Replaced = true
				case 3:
					a.MaxBatch, a.Records, a.Replaced = 0, 0, true
				case 4:
					a.MaxBatch, a.Replaced = 6, true
				}
				if rule := a.Fault(); rule != "" {
					if kind == 3 && i == 0 {
						continue // which is not random
					}
					t.Fatal(rule)
				}
				unit := 0.02 * max(toFloat64(sampling), 0.1)
				r := ruler{num.Exactly(unit / 3), num.Exactly(unit), MostLoss, false}
				if kind%2 == 0 {
					r = from0(unit)
				}
				d := a.dense()
				above, err := d.above(t.Context(), r, 1e-12)
				if err != nil {
					t.Fatal(err)
				}
				below, err := d.below(t.Context(), r, 1e-12)
				if err != nil {
					t.Fatal(err)
				}
				for _, alpha := range []float64{0, 0.5, 0.97, 0.99, 1, 1.001, 1.2, 3, 20, 1e6} {
					lower, upper := below.divergence(r, alpha), above.divergence(r, alpha)
					tiny := 1e-11 + 1e-15*alpha // of sums in float64
					if d := a.batchStick(alpha); lower > d+tiny || upper < d-tiny || upper-lower > 0.5*unit+1e-9 {
						t.Errorf("%+v, α = %v: between %v and %v, must contain %v", *a, alpha, lower, upper, d)
					}
				}
			}
		}
	}
}

// A place is where so much is lost, and one beside it hardly further than it must be.
// TestCells_RarelyCut: what has at most half of what may be left out has no cells, and is infinite where values may
// rise.
func TestCells_RarelyCut(t *testing.T) {
	t.Parallel()
	a := &Additive{Noise: Gaussian, Scale: num.One, Sampling: big.NewRat(1, 1000)}
	b := *a
	b.MaxBatch, b.Records = 5, 200
	_, rare, _ := b.batches() // about 2e-6
	r := ruler{num.Exactly(0), num.Exactly(0.01), MostLoss, false}
	for _, cut := range []float64{1e-5, 1e-7} {
		want, err := a.dense().above(t.Context(), r, cut)
		c, err2 := b.dense().above(t.Context(), r, cut)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		infinite := c.Infinity >= want.Infinity+rare.Lo/2
		if isRare := len(c.Mass[0]) == len(want.Mass[0]); isRare != (rare.Hi < cut/2) || isRare != infinite {
			t.Errorf("cut %g: %d cells, must be %d if %g is rare, and %g infinite", cut, len(c.Mass[0]), len(want.Mass[0]),
				rare.Hi, c.Infinity)
		}
	}
}

func TestSwap_Place(t *testing.T) {
	t.Parallel()
	for _, d := range []float64{1e-6, 0.1, 1, 7, 250} {
		for _, q := range []float64{1e-9, 0.1, 0.999} {
			for _, isReplaced := range []bool{false, true} {
				s := newSwap(num.Exactly(d), num.Exactly(q), num.Exactly(1).Minus(num.Exactly(q)), isReplaced)
				for _, eta := range []float64{-30, -1, -1e-5, 0, 1e-5, 0.5, 10} {
					y := s.place(eta)
					found := s.edge(y).below.Log()
					if tolerance := 1e-9*math.Abs(eta) + 1e-12*(1+d*d); math.Abs(found.Lo-eta) > tolerance {
						t.Errorf("d = %v, q = %v, %t: at %v is lost %v, must be %v", d, q, isReplaced, y, found, eta)
					}
					if low, high := s.beside(y, 3, false), s.beside(y, 3, true); !(low < y && y < high) {
						t.Errorf("d = %v, q = %v, %t: beside %v are %v and %v", d, q, isReplaced, y, low, high)
					}
				}
			}
		}
	}
}
