package certify

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var isFull = flag.Bool("full", false, "run tests that take minutes")

// ranged is a pipeline of steps with ranges, and what is charged behind each; NaN where nobody stops. Some of the steps
// may be (ε, 0)-DP instead.
type ranged struct {
	eps, charge []float64
	isDP        []bool // of the first steps
}

func (r ranged) isRange(k int) bool { return k >= len(r.isDP) || !r.isDP[k] }

func (r ranged) problem() (p Problem) {
	exact := func(x float64) Number { return Number{Value: new(big.Rat).SetFloat64(x)} }
	for k, eps := range r.eps {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: exact(eps), Delta: new(big.Rat), IsRange: r.isRange(k),
			Count: 1})
		if !math.IsNaN(r.charge[k]) {
			p.Stops = append(p.Stops, Stop{k + 1, exact(r.charge[k])})
		}
	}
	return p
}

// pays returns what ending behind step k is worth at a loss; nothing where nobody stops.
func (r ranged) pays(k int, loss float64) float64 {
	if k < 0 || math.IsNaN(r.charge[k]) {
		return 0
	}
	return max(0, -math.Expm1(r.charge[k]-loss))
}

// split returns the P0-mass of the loss t of a step of range eps, where the other one is t − eps.
func split(eps, t float64) float64 { return math.Expm1(t-eps) / math.Expm1(-eps) }

// value returns what steps from k on are worth at a loss, by the definition: the best of t on a grid, and between its
// neighbours by golden section.
func (r ranged) value(k int, loss float64) float64 {
	ends := r.pays(k-1, loss)
	if k == len(r.eps) {
		return ends
	}
	eps, last := r.eps[k], k == len(r.eps)-1
	of := func(t float64) float64 {
		p := split(eps, t)
		return p*r.value(k+1, loss+t) + (1-p)*r.value(k+1, loss+t-eps)
	}
	if !r.isRange(k) {
		p := 1 / (1 + math.Exp(-eps))
		return max(ends, p*r.value(k+1, loss+eps)+(1-p)*r.value(k+1, loss-eps))
	}
	if last { // f = p(t) − e^(charge − loss)·q(t), unless t − ε pays, too
		t := min(max(0, (r.charge[k]-loss+eps)/2), eps)
		return max(ends, of(t), of(0))
	}
	const parts = 48
	best := 0
	for i := 1; i <= parts; i++ {
		if of(eps*float64(i)/parts) > of(eps*float64(best)/parts) {
			best = i
		}
	}
	lo, hi := eps*float64(max(0, best-1))/parts, eps*float64(min(parts, best+1))/parts
	const golden = 0.6180339887498949
	for range 16 {
		if x, y := hi-golden*(hi-lo), lo+golden*(hi-lo); of(x) > of(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return max(ends, of((lo+hi)/2), of(eps*float64(best)/parts))
}

// solved checks p on a grid.
func (r ranged) solved(t *testing.T, unit float64) *Bounds {
	t.Helper()
	u := Number{Value: new(big.Rat).SetFloat64(unit)}
	b, err := Check(t.Context(), r.problem(), Hints{Upper: Lattice{Unit: u}, Lower: &Lattice{Unit: u}, Floor: 1e-20})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ends returns those of x.
func ends(x Interval) (lower, upper float64) {
	lower, _ = x.Lower.Float64()
	upper, _ = x.Upper.Float64()
	return lower, upper
}

// randomRanged returns some steps and stops.
func randomRanged(rng *rand.Rand, steps int) (r ranged) {
	sum := 0.0
	for k := range steps {
		eps := 0.05 * math.Exp(3*rng.Float64())
		sum += eps
		charge := math.NaN()
		if k == steps-1 || rng.IntN(2) == 0 {
			charge = 0.8 * sum * rng.Float64()
		}
		r.eps, r.charge = append(r.eps, eps), append(r.charge, charge)
		r.isDP = append(r.isDP, k < steps-1 && rng.IntN(4) == 0)
	}
	return r
}

// One step is the closed form (1 − e^((E − ε)/2))²/(1 − e^−ε).
func TestRange_OneStep(t *testing.T) {
	for _, x := range [][2]float64{{1, 0.25}, {0.1, 0}, {0.1, 0.09}, {5, 1}, {30, 2}, {0.3, 0.3}, {2, 3}} {
		e := max(0, -math.Expm1((x[1]-x[0])/2))
		want := e * e / -math.Expm1(-x[0])
		lower, upper := ends(ranged{[]float64{x[0]}, []float64{x[1]}, nil}.solved(t, x[0]/256).OptDel)
		if !(lower <= want*(1+1e-12) && want <= upper*(1+1e-12) && upper-lower <= 3e-3*want) {
			t.Errorf("range %g, charge %g: between %g and %g, is %g", x[0], x[1], lower, upper, want)
		}
	}
}

// Both ends enclose what the definition says, found by another method, for ranges that are no multiples of the unit.
func TestRange_Definition(t *testing.T) {
	rng, tries := rand.New(rand.NewPCG(53, 1)), 20
	if *isFull {
		tries = 300
	}
	for range tries {
		r := randomRanged(rng, 1+rng.IntN(3))
		b := r.solved(t, r.eps[0]/(16+64*rng.Float64()))
		lower, upper := ends(b.OptDel)
		want := r.value(0, 0)
		const short = 1e-4 // of the search for the best t
		if !(want <= upper*(1+1e-12) && lower <= want*(1+short)) {
			t.Errorf("%+v: between %g and %g, is %g", r, lower, upper, want)
		}
		i := 0
		for k, charge := range r.charge {
			if math.IsNaN(charge) {
				continue
			}
			alone := ranged{r.eps[:k+1], make([]float64, k+1), r.isDP[:k+1]}
			for j := range alone.charge {
				alone.charge[j] = math.NaN()
			}
			alone.charge[k] = charge
			lower, upper := ends(b.SingleStop[i])
			if want := alone.value(0, 0); !(want <= upper*(1+1e-12) && lower <= want*(1+short)) {
				t.Errorf("%+v: stop %d alone: between %g and %g, is %g", r, i+1, lower, upper, want)
			}
			i++
		}
	}
}

// A grid that is fine enough is narrow.
func TestRange_Narrow(t *testing.T) {
	r := ranged{[]float64{0.5, 0.3, 0.5}, []float64{0.4, math.NaN(), 0.6}, nil}
	wide := 2.0
	for _, unit := range []float64{0.1, 0.025, 0.006, 0.0015} {
		lower, upper := ends(r.solved(t, unit).OptDel)
		if width := (upper - lower) / upper; width > wide/4 {
			t.Errorf("unit %g: width %g, was %g on a grid four times as coarse", unit, width, wide)
		} else {
			wide = width
		}
	}
}

// Fixed thresholds are one of the adversary's strategies (Dong, Durfee and Rogers 2020): of n steps that lose t or t −
// ε each, the binomial sum is a lower bound; and randomized response of ε is no better than any range.
func TestRange_Between(t *testing.T) {
	for _, n := range []int{1, 4, 20} {
		const eps, charge = 0.25, 0.5
		r := ranged{}
		for range n {
			r.eps, r.charge = append(r.eps, eps), append(r.charge, math.NaN())
		}
		r.charge[n-1] = charge
		b := r.solved(t, eps/64)
		lower, upper := ends(b.OptDel)
		fixed := 0.0
		for j := range 101 {
			threshold, sum, choose := eps*float64(j)/100, 0.0, 1.0
			for i := range n + 1 { // i of them lose t − ε
				p := split(eps, threshold)
				loss := float64(n)*threshold - float64(i)*eps
				sum += choose * math.Pow(p, float64(n-i)) * math.Pow(1-p, float64(i)) * max(0, -math.Expm1(charge-loss))
				choose *= float64(n-i) / float64(i+1)
			}
			fixed = max(fixed, sum)
		}
		p := r.problem()
		for i := range p.Mechanisms {
			p.Mechanisms[i].IsRange = false
		}
		dp, err := Check(t.Context(), p, Hints{Bits: 100})
		if err != nil {
			t.Fatal(err)
		}
		_, most := ends(dp.OptDel)
		if fixed > upper || fixed > lower*1.001 || n > 1 && n < 20 && fixed > lower || upper > most {
			t.Errorf("%d steps: between %g and %g, must be between that of fixed thresholds, %g, and that of DP, %g", n,
				lower, upper, fixed, most)
		}
	}
}

// The order of steps with ranges and of others matters, and they are not put together.
func TestRange_Order(t *testing.T) {
	first := ranged{[]float64{0.5, 1}, []float64{math.NaN(), 0.25}, nil}.problem()
	last := ranged{[]float64{1, 0.5}, []float64{math.NaN(), 0.25}, nil}.problem()
	first.Mechanisms[0].IsRange, last.Mechanisms[1].IsRange = false, false
	u := Number{Value: big.NewRat(1, 256)}
	var lowers, uppers []float64
	for _, p := range []Problem{first, last} {
		b, err := Check(t.Context(), p, Hints{Upper: Lattice{Unit: u}, Lower: &Lattice{Unit: u}})
		if err != nil {
			t.Fatal(err)
		}
		lower, upper := ends(b.OptDel)
		lowers, uppers = append(lowers, lower), append(uppers, upper)
	}
	if lowers[0] <= uppers[1] { // what randomized response says helps to choose
		t.Errorf("at least %g if the range is last, and at most %g if it is first", lowers[0], uppers[1])
	}
	p := Problem{Mechanisms: append(first.Mechanisms, first.Mechanisms...), Stops: []Stop{{4, u}}}
	if q := p.Grouped(); len(q.Mechanisms) != 4 {
		t.Errorf("%d entries, must be 4", len(q.Mechanisms))
	}
	p.Mechanisms[2] = p.Mechanisms[1]
	if q := p.Grouped(); len(q.Mechanisms) != 2 || q.Mechanisms[1].Count != 3 {
		t.Errorf("%+v: must be 1 and 3", q.Mechanisms)
	}
}

func TestRange_Faults(t *testing.T) {
	good := Mechanism{Eps: Number{Value: num1}, Delta: new(big.Rat), IsRange: true, Count: 1}
	for name, change := range map[string]func(m *Mechanism){
		"no range":  func(m *Mechanism) { m.Eps.Value = new(big.Rat) },
		"too long":  func(m *Mechanism) { m.Eps.Value = big.NewRat(MostRange+1, 1) },
		"log of 1":  func(m *Mechanism) { m.Eps.Log = true },
		"delta":     func(m *Mechanism) { m.Delta = num1 },
		"no delta":  func(m *Mechanism) { m.Delta = nil },
		"and a law": func(m *Mechanism) { m.Law = Law{{num1, num1}} },
	} {
		m := good
		if change(&m); m.fault(0) == "" {
			t.Errorf("%s: there is no fault", name)
		}
	}
	if rule := good.fault(0); rule != "" {
		t.Error(rule)
	}
	if _, err := NewSampled(num1, []Mechanism{good}); err == nil {
		t.Error("it may be sampled")
	}
	p := Problem{Mechanisms: []Mechanism{good}, Stops: []Stop{{1, Number{Value: num1}}}}
	if _, err := Check(t.Context(), p, Hints{Bits: 64}); err == nil {
		t.Error("every loss may be a state")
	}
}

var num1 = big.NewRat(1, 1)

// On coarse nodes a value is no less than the largest one of the chords, for any t.
func TestRange_Chords(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 2))
	for range 300 {
		most, unit := 2+rng.IntN(6), 0.05+0.4*rng.Float64()
		exact := new(big.Rat).SetFloat64(unit)
		eps := float64(most) * unit
		p := ranged{[]float64{1}, []float64{0.1}, nil}.problem()
		p.Mechanisms[0].Eps.Value = new(big.Rat).Mul(exact, big.NewRat(int64(most), 1))
		l, err := newLattice(t.Context(), p, []*law{{}}, Hints{}, Lattice{Unit: Number{Value: exact}}, pessimistic)
		if err != nil {
			t.Fatal(err)
		}
		low, src := l.plds[0].low, []float64{}
		place, weight := -eps+2*eps*rng.Float64(), rng.Float64()
		u := func(loss float64) float64 { // of two stops
			return weight*max(0, -math.Expm1(place-loss)) + max(0, -math.Expm1(place/2-loss))
		}
		for m := low; m <= 0; m++ {
			src = append(src, u(float64(m)*unit+eps))
		}
		dst := []float64{0}
		if _, err := l.plds[0].turn.backward(t.Context(), dst, src); err != nil {
			t.Fatal(err)
		}
		chord := func(loss float64) float64 {
			m := math.Floor((loss - eps) / unit)
			part := math.Expm1(m*unit+eps-loss) / math.Expm1(-unit)
			at := int(m) - low
			return part*src[min(at+1, len(src)-1)] + (1-part)*src[at]
		}
		for i := range 400 {
			x := eps * float64(i) / 400
			mass := split(eps, x)
			if f := mass*chord(x) + (1-mass)*chord(x-eps); f > dst[0]*(1+1e-12) {
				t.Fatalf("%d units of %g, places %g and %g: %g at t = %g, at most %g was found", most, unit, place, place/2,
					f, x, dst[0])
			}
		}
	}
}
