package mechanisms

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/verify/audit"
)

func TestMake_BadInput(t *testing.T) {
	for _, test := range []struct {
		name string
		p    Params
		want string
	}{
		{"laplace", Params{C: 3},
			"laplace: c is given, must not be: the parameters are eps, delta, noise"},
		{"laplace", Params{Claim: "odp"}, `claim is "odp", must be dp`},
		{"svt", Params{Claim: "rdp"}, `claim is "rdp", must be dp or odp`},
		{"svt", Params{C: -1}, "c is -1, must be at least 1 and at most 20"},
		{"svt", Params{Queries: 41}, "queries is 41, must be at least 1 and at most 40"},
		{"svt", Params{Eps: new(big.Rat)}, "eps is 0, must be at least 0.001 and at most 100"},
		{"svt", Params{Noise: big.NewRat(-1, 3)}, "noise is -1/3, must be at least 0.001"},
		{"svt", Params{Delta: big.NewRat(2, 1)}, "delta is 2, must be at least 0 and at most 0.5"},
		{"histogram-inverted", Params{Eps: one}, "eps is 1, must be less than 1"},
		{"leak", Params{Delta: big.NewRat(1, 5000)}, "delta is 0.0002, must be less than 0.0002"},
		{"response-pipeline", Params{Queries: 6}, "queries is 6, must be at most 5"},
		{"noisy-max-value", Params{Queries: 2}, "queries is 2, must be at least 3: of fewer counts the claim is true"},
		{"svt-chen", Params{Queries: 3}, "queries is 3, must be at least 4: fewer do not show it"},
		{"exponential-unhalved", Params{Queries: 1}, "queries is 1, must be at least 2: one candidate is private"},
		{"one-sided-max-unhalved", Params{Queries: 1}, "queries is 1, must be at least 2: one candidate is private"},
		{"gaussian", Params{Delta: new(big.Rat)},
			"delta is 0, must be more than 0: Gaussian noise has losses of any size"},
		{"discrete-gaussian", Params{Delta: leastTestDelta}, "delta is 1e-300, must be at least 1e-40"},
		{"discrete-gaussian", Params{Eps: leastNumber, Noise: greatestNumber},
			"eps is 0.001, which takes a variance of more than 10000000 with delta 0.001 and noise 100"},
		{"gaussian-classical", Params{Eps: whole(4)},
			"eps is 4, must be one for which delta 0.00001 is too little: the claim is true"},
		{"private-iqr", Params{Delta: new(big.Rat)}, "delta is 0, must be more than 0"},
		{"private-iqr", Params{Delta: mul(leastTestDelta, big.NewRat(9, 10))},
			"delta is 9e-301, must be at least 1e-300"},
		{"private-iqr", Params{Delta: mul(leastTestDelta, leastTestDelta)}, "delta is 1e-600, must be at least 1e-300"},
		{"private-iqr", Params{Delta: leastTestDelta, Eps: leastNumber},
			"delta is 1e-300, which takes more than 2^20 records with eps 0.001"},
	} {
		m, err := Find(test.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Make(test.p); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, must contain %q", test.name, err, test.want)
		}
	}
}

// Every entry says what it is; right ones come first, names are different, and there is a
// sampler for each input of each pair.
func TestAll(t *testing.T) {
	names, wrong := map[string]bool{}, false
	for _, m := range All() {
		if names[m.Name] || m.Title == "" || len(m.Claims) == 0 || m.Right() && (wrong || m.Source == "") {
			t.Errorf("%+v", m)
		}
		names[m.Name], wrong = true, wrong || !m.Right()
		for _, claim := range m.Claims {
			c, err := m.Make(Params{Claim: claim})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Claim.Validate(); err != nil || c.Claim.IsDP() != (claim == "dp") {
				t.Errorf("%s, %s: %+v, %v", m.Name, claim, c.Claim, err)
			}
			for _, p := range c.Pairs {
				if p.Inputs[0] == p.Inputs[1] || p.Samplers[0] == nil || p.Samplers[1] == nil {
					t.Errorf("%s: %+v", m.Name, p)
				}
			}
		}
	}
}

// All corners of the ranges work, or are refused with the name of a parameter: laws are
// computed and can be checked, none is about an empty run, and outputs are drawn.
func TestMake_Corners(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		for i, p := range corners(m) {
			c, err := m.Make(p)
			if err != nil {
				if name, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), m.Name+": "),
					" "); !slices.Contains(m.Takes(), name) {
					t.Errorf("%s %v: %v, must begin with the name of a parameter", m.Name, p.settings(), err)
				}
				continue
			}
			if c.Laws != nil && p.Queries < 20 && p.C != 6 && (*full || i%8 == 0) { // which take long
				laws, err := c.Laws(t.Context())
				if err != nil {
					t.Errorf("%s %v: %v", m.Name, c.Settings, err)
					continue
				}
				e, err := audit.Examine(laws, c.Claim)
				if err != nil || m.Right() && e.Refuted && (p.Noise == nil || p.Noise.Cmp(one) >= 0) {
					t.Errorf("%s %v: %v, refuted %v", m.Name, c.Settings, err, e != nil && e.Refuted)
				}
				for _, l := range laws {
					if l.Inputs[0] == "[]" || l.Inputs[1] == "[]" {
						t.Errorf("%s %v: a law is about an empty run", m.Name, c.Settings)
					}
				}
			}
			for _, sampler := range c.Pairs[len(c.Pairs)-1].Samplers {
				s := new(audit.Sample)
				if err := sampler.Sample(t.Context(), 3, [32]byte{}, s); err != nil || s.Count() != 3 {
					t.Errorf("%s %v: %v, %d outputs", m.Name, c.Settings, err, s.Count())
				}
			}
		}
	}
}

// corners returns combinations of the smallest and the largest values of all parameters that
// a mechanism takes. There are fewer queries than 40, which take long in so many combinations.
func corners(m Mechanism) []Params {
	all := []Params{{}}
	vary := func(name string, values ...func(p *Params)) {
		if !slices.Contains(m.Takes(), name) {
			return
		}
		var more []Params
		for _, p := range all {
			for _, set := range values {
				next := p
				set(&next)
				more = append(more, next)
			}
		}
		all = more
	}
	number := func(field func(p *Params) **big.Rat, values ...*big.Rat) (set []func(p *Params)) {
		for _, x := range values {
			set = append(set, func(p *Params) { *field(p) = x })
		}
		return set
	}
	vary("eps", number(func(p *Params) **big.Rat { return &p.Eps }, leastNumber, greatestNumber)...)
	vary("noise",
		number(func(p *Params) **big.Rat { return &p.Noise }, leastNumber, big.NewRat(1, 10), greatestNumber)...)
	vary("delta",
		number(func(p *Params) **big.Rat { return &p.Delta }, new(big.Rat), big.NewRat(1, 2), leastTestDelta)...)
	vary("c", func(p *Params) { p.C = 1 }, func(p *Params) { p.C = 20 })
	vary("queries", func(p *Params) { p.Queries = 1 }, func(p *Params) { p.Queries = 4 })
	for i, many := range []Params{{Queries: 20}, {C: 6}} { // with all else as it is
		if slices.Contains(m.Takes(), []string{"queries", "c"}[i]) {
			all = append(all, many)
		}
	}
	return all
}

func TestOutcomes(t *testing.T) {
	for _, test := range []struct{ queries, cutoff, limit, want int }{
		{1, 0, 9, 2}, {3, 0, 9, 8}, {3, 1, 9, 4}, {4, 2, 99, 11}, {10, 0, 99, 0},
	} {
		got := outcomes(test.queries, test.cutoff, test.limit)
		if len(got) != test.want {
			t.Errorf("%+v: %d", test, len(got))
		}
	}
	if p := noOutputs.and(false).and(true); p.shape(above).String() != `["⊥","⊤"]` || p.above() != 1 ||
		p.length() != 2 {
		t.Errorf("%s, %d ⊤ of %d", p.shape(above), p.above(), p.length())
	}
}

// Tables draw in proportion.
func TestTable(t *testing.T) {
	for _, n := range []int{1, 2, 5, 17, 100} {
		table := newTable(slices.Repeat([]float64{1 / float64(n)}, n))
		for i := range n { // the middle of what output i has
			u := uint64((float64(i) + 0.5) / float64(n) * 0x1p64)
			if got := table.draw(u); got != i {
				t.Errorf("%d outputs: %d, must be %d", n, got, i)
			}
		}
	}
	if table := newTable([]float64{0.5, 0, 0.5}); table.draw(1<<63-1) != 0 ||
		table.draw(1<<63) != 2 {
		t.Errorf("%+v", table)
	}
	if table := newTable([]float64{0, 0.5, 0.5, 0}); table.draw(0) != 1 || table.draw(1<<64-1) != 2 {
		t.Errorf("%+v", table)
	}
}

func TestRound(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 0.25: 0.25, grid * 0.75: grid, -grid * 0.75: -grid, grid * 0.5: 0,
		1 + grid*1.6: 1 + 2*grid, -1e6 - grid/3: -1e6, 0x1p40 + 1: 0x1p40 + 1} {
		if got := round(x); got != want {
			t.Errorf("%g: %g, must be %g", x, got, want)
		}
	}
}
