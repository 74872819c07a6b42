package noise

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// amountsOf reads "amount probability" pairs.
func amountsOf(numbers ...string) (adds [][2]*big.Rat) {
	for i := 0; i < len(numbers); i += 2 {
		x, _ := new(big.Rat).SetString(numbers[i])
		p, _ := new(big.Rat).SetString(numbers[i+1])
		adds = append(adds, [2]*big.Rat{x, p})
	}
	return adds
}

// random are mechanisms to which it is random what is contributed, for a record removed.
func random() []*Additive {
	half := big.NewRat(1, 2)
	return []*Additive{
		{Noise: Gaussian, Scale: num.One, Sampling: num.One, Adds: amountsOf("0", "0.2", "1", "0.6", "2", "0.2")},
		{Noise: Gaussian, Scale: big.NewRat(3, 10), Sampling: num.One, Adds: amountsOf("1", "0.5", "3/2", "0.5")},
		{Noise: Gaussian, Scale: big.NewRat(7, 1), Sampling: half, Adds: amountsOf("0.001", "0.999999", "5", "1e-6")},
		{Noise: Gaussian, Scale: num.One, Sampling: half, Adds: amountsOf("1", "1/3", "2", "1/3", "10", "1/3")},
		{Noise: Gaussian, Scale: big.NewRat(1, 2), Sampling: big.NewRat(1, 300), Group: 3},
		{Noise: Gaussian, Scale: big.NewRat(4, 1), Sampling: half, Group: 20},
		{Noise: Gaussian, Scale: num.One, Sampling: half, Group: 2, Adds: amountsOf("1", "1/3", "2.5", "2/3")},
		{Noise: Gaussian, Scale: num.One, Sampling: num.One, Group: 2},
		{Noise: GDP, Scale: num.One, Sampling: num.One, Group: 2},
		{Noise: Laplace, Scale: num.One, Sampling: num.One, Group: 3},
	}
}

// chance is the law of what is contributed in float64: of a group that of all choices of its members.
func (a *Additive) chance() (chances [][2]float64) {
	one := map[float64]float64{0: 1 - toFloat64(a.Sampling)}
	if a.Adds == nil {
		one[1] = toFloat64(a.Sampling)
	}
	for _, x := range a.Adds {
		one[toFloat64(x[0])] += toFloat64(a.Sampling) * toFloat64(x[1])
	}
	all := map[float64]float64{0: 1}
	for range max(1, a.Group) {
		next := map[float64]float64{}
		for x, p := range all {
			for y, q := range one {
				next[x+y] += p * q
			}
		}
		all = next
	}
	for x, p := range all {
		chances = append(chances, [2]float64{x, p})
	}
	return chances
}

// stick returns the hockey-stick divergence of order α by Simpson's rule over outputs.
func (a *Additive) stick(alpha float64) (sum float64) {
	s, far, chance := toFloat64(a.Scale), 0.0, a.chance()
	density := func(y float64) float64 {
		if a.Noise == Laplace {
			return math.Exp(-math.Abs(y)/s) / (2 * s)
		}
		return math.Exp(-y*y/(2*s*s)) / (s * math.Sqrt(2*math.Pi))
	}
	for _, x := range chance {
		far = max(far, x[0])
	}
	f := func(y float64) float64 {
		p, without := 0.0, density(y)
		for _, x := range chance {
			p += x[1] * density(y-x[0])
		}
		if a.Added {
			p, without = without, p
		}
		return max(0, p-alpha*without)
	}
	from, to, n := -12*s, far+12*s, 0
	if a.Noise == Laplace {
		from, to = -40*s, far+40*s
	}
	n = int((to - from) / s * 100)
	h := (to - from) / float64(n)
	for k := range n {
		x := from + h*float64(k)
		sum += (f(x) + 4*f(x+h/2) + f(x+h)) * h / 6
	}
	return sum
}

// Cells of what is contributed at random are on the right side of the divergence, by quadrature, at every order.
func TestCells_Random(t *testing.T) {
	t.Parallel()
	for _, x := range random() {
		if rule := x.Fault(); rule != "" {
			t.Fatal(rule)
		}
		for _, isAdded := range []bool{false, true} {
			a := *x
			a.Added = isAdded
			unit := 0.02 * min(1, 1/toFloat64(a.Scale)) * max(toFloat64(a.Sampling), 0.1)
			r := ruler{num.Exactly(unit / 3), num.Exactly(unit), MostLoss, false}
			above, err := a.law().above(t.Context(), r, 1e-12)
			if err != nil {
				t.Fatal(err)
			}
			below, err := a.law().below(t.Context(), r, 1e-12)
			if err != nil {
				t.Fatal(err)
			}
			for _, alpha := range []float64{0, 0.5, 0.99, 1, 1.001, 1.2, 3, 20} {
				lower, upper := below.divergence(r, alpha), above.divergence(r, alpha)
				const tiny = 1e-5 // of quadrature, where a density has a kink
				if d := a.stick(alpha); lower > d+tiny || upper < d-tiny || upper-lower > 0.5*unit+1e-9 {
					t.Errorf("%+v, α = %v: between %v and %v, must contain %v", a, alpha, lower, upper, d)
				}
			}
		}
	}
}

// A place is where the noise loses so much.
func TestNormals_Place(t *testing.T) {
	t.Parallel()
	for _, a := range random()[:7] {
		n := a.law().outputs.(*normals)
		for _, eta := range []float64{-400, -30, -1, -1e-9, 0, 1e-9, 0.5, 10, 300} {
			y := n.place(eta)
			below, above := n.edge(n.beside(y, 4, false)).below, n.edge(n.beside(y, 4, true)).above
			if r := math.Exp(eta); below.Hi > r || above.Lo < r {
				t.Errorf("%+v: at %v the ratio is between %v and %v, must be e^%v", *a, y, below, above, eta)
			}
		}
	}
}

// Mechanisms that are the same have one key, and others another one.
func TestAdditive_Key(t *testing.T) {
	t.Parallel()
	half, quarter := big.NewRat(1, 2), big.NewRat(1, 4)
	for _, same := range [][2]*Additive{
		{{Noise: Gaussian, Scale: num.One, Sampling: quarter},
			{Noise: Gaussian, Scale: num.One, Sampling: num.One, Adds: amountsOf("0", "0.75", "1", "0.25")}},
		{{Noise: Gaussian, Scale: num.One, Sampling: quarter},
			{Noise: Gaussian, Scale: big.NewRat(3, 1), Sampling: half, Adds: amountsOf("0", "1/2", "3", "1/2")}},
		{{Noise: Gaussian, Scale: half, Sampling: num.One}, {Noise: GDP, Scale: num.One, Sampling: num.One, Group: 2}},
		{{Noise: Laplace, Scale: half, Sampling: num.One},
			{Noise: Laplace, Scale: num.One, Sampling: num.One, Group: 2}},
		{{Noise: Gaussian, Scale: half, Sampling: half}, {Noise: Gaussian, Scale: half, Sampling: half, Group: 1}},
	} {
		if x, y := same[0].Key(), same[1].Key(); x != y {
			t.Errorf("%+v has the key %s and %+v %s, must be the same", *same[0], x, *same[1], y)
		}
	}
	keys := map[string]*Additive{}
	for _, a := range append(random()[:8], &Additive{Noise: Gaussian, Scale: num.One, Sampling: half, Group: 2},
		&Additive{Noise: Gaussian, Scale: num.One, Sampling: half, Group: 3},
		&Additive{Noise: Gaussian, Scale: num.One, Sampling: half, Adds: amountsOf("1", "0.4", "2.5", "0.6")}) {
		if other := keys[a.Key()]; other != nil {
			t.Errorf("%+v and %+v have one key, must have two", *a, *other)
		}
		keys[a.Key()] = a
	}
}

// What breaks a rule is refused, and says which.
func TestAdditive_Fault(t *testing.T) {
	t.Parallel()
	half := big.NewRat(1, 2)
	gaussian := func(numbers ...string) *Additive {
		return &Additive{Noise: Gaussian, Scale: num.One, Sampling: num.One, Adds: amountsOf(numbers...)}
	}
	many := gaussian()
	for range mostAmounts + 1 {
		many.Adds = append(many.Adds, amountsOf("1", "1/129")...)
	}
	laplace := func(sampling *big.Rat, group int, numbers ...string) *Additive {
		return &Additive{Noise: Laplace, Scale: num.One, Sampling: sampling, Group: group, Adds: amountsOf(numbers...)}
	}
	for rule, a := range map[string]*Additive{
		"adds: the probabilities must add up to exactly 1":                gaussian("1", "0.3", "2", "0.699999999999"),
		"adds: amount 2 must be above the one before it":                  gaussian("1", "0.3", "1", "0.7"),
		"adds: amount 1 must be a number of at least 0":                   gaussian("-1", "0.3", "1", "0.7"),
		"adds: the probability of amount 1 must be above 0 and at most 1": gaussian("1", "0", "2", "1"),
		"adds: the probability of amount 2 must be above 0 and at most 1": gaussian("1", "0.5", "2", "1.5"),
		"adds: every amount is 0, must have one above 0":                  gaussian("0", "1"),
		"adds has 129 amounts, must have from 1 to 128":                   many,
		"adds is given, must be with gaussian noise":                      laplace(num.One, 1, "1", "1"),
		"laplace noise with sampling is not known for groups":             laplace(half, 2),
		"there are -1 members in a group, must be from 1 to 1000":         laplace(half, -1),
		"something must be added with a probability of at least 1e-9": gaussian("0", "0.9999999999",
			"1", "1e-10"),
		"max_batch and records must be given together: the most records of a batch, and how many there are": {
			Noise: Gaussian, Scale: num.One, Sampling: num.One, MaxBatch: 2, Adds: amountsOf("1", "1")},
		"discrete Gaussian noise is not known for groups": {Noise: DiscreteGaussian, Scale: num.One,
			Sampling: num.One, Group: 2},
		"a group of 128 contributes one of more than 128 amounts, which are too many": {Noise: Gaussian,
			Scale: num.One, Sampling: half, Group: 128},
		"the scale of laplace noise is missing, must be a multiple of what a record contributes": {Noise: Laplace,
			Sampling: num.One},
		"the sampling of gaussian noise is missing, must be 1 if every record is in the sample": {Noise: Gaussian,
			Scale: num.One},
		"the scale of the noise must be between 0.002 of the most and 1e9 of the least that is contributed": gaussian(
			"1", "0.5", "501", "0.5"),
	} {
		if got := a.Fault(); got != rule {
			t.Errorf("%+v: %q, must be %q", *a, got, rule)
		}
	}
	const noRate = "the rate of what is sampled is missing, must be the probability of a record to be in the sample"
	if got := new(Sampled).Fault(); got != noRate {
		t.Error(got)
	}
}
