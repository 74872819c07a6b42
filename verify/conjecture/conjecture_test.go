package conjecture

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

func parsed(t *testing.T, text string) *Inequality {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

// TestParse: sides are what arithmetic by hand makes of them, for optdel = 1/2, n = 3 and E_1 = 0.
func TestParse(t *testing.T) {
	t.Parallel()
	half, zero := precision.Rat(big.NewRat(1, 2)), precision.Int(0)
	of := map[string]Value{"optdel": valueOf(half), "n": valueOf(precision.Int(3)), "E_1": valueOf(zero)}
	for _, c := range []struct {
		text, left, right string // empty: not defined
	}{
		{"optdel <= 1", "1/2", "1"},
		{"1 + 2 * n - 4 / 2 < optdel", "5", "1/2"},
		{"2 - 3 - optdel <= 12 / 2 / 3", "-3/2", "2"},
		{"-(n - 1) ^ 2 >= optdel", "1/2", "-4"},
		{"min(n, 2, optdel) > max(1e-1, 0.25)", "1/4", "1/2"},
		{"exp(E_1) <= sqrt(n + 1)", "1", "2"},
		{"optdel <= ln(1)", "1/2", "0"},
		{"OptDel × N − 1 ≥ −e_1 ÷ 2", "0", "1/2"},
		{"OPTDEL ≤ 1", "1/2", "1"},
		{"OptDel ≤ 3·n ⋅ 2", "1/2", "18"},
		{"optdel <= 1 / E_1", "1/2", ""},
		{"ln(E_1 - 1) <= sqrt(-n)", "", ""},
		{"exp(1e9 * n) <= (0 - n) ^ 2", "", "9"},
		{"(E_1 - n) ^ 3 <= (-n) ^ 0", "-27", "1"},
		{"0 * n * exp(500000) ^ 1000 <= n * exp(0 - 500000) ^ 1000", "", ""},
		{"exp(exp(exp(exp(n)))) <= exp(exp(n + 20))", "", ""},
	} {
		q := parsed(t, c.text)
		for i, side := range []expression{q.left, q.right} {
			x, isDefined := side(t.Context(), of)
			want, has := new(big.Rat).SetString([]string{c.left, c.right}[i])
			if isDefined != has || has && !(x.Contains(want) && x.RelWidth() < 1e-40) {
				t.Errorf("%s: side %d is %v (defined: %t), want %v", c.text, i+1, x, isDefined, want)
			}
		}
	}
}

// TestSides_Forms: beside what is compared, a pipeline is as near to refuting a claim in whatever form that is written.
func TestSides_Forms(t *testing.T) {
	t.Parallel()
	one := impl.Pipeline{Mechanisms: []impl.Mechanism{{Eps: loss.Nats(big.NewRat(1, 2)), Delta: new(big.Rat), Count: 3}},
		Stops: []impl.Stop{{After: 1, Eps: loss.Nats(big.NewRat(1, 4))}, {After: 3, Eps: loss.Nats(big.NewRat(1, 3))}}}
	for _, forms := range [][]string{
		{"optdel <= 2 * max_single", "2 * max_single - optdel >= 0", "0 <= 2 * max_single - optdel",
			"-optdel >= -(2 * max_single)", "3 * (optdel - 2 * max_single) <= 0", "(optdel - 2 * max_single) / n <= 0"},
		{"lemma11 <= 190", "190 - lemma11 >= 0", "lemma11 - 190 <= 0", "(lemma11 - 190) * (E_1 + 1) <= 0",
			"(lemma11 - 190) / -2 >= 0"},
		{"k <= n * optdel", "n * optdel - k >= 0", "(n * optdel - k) * 2 >= 0"},
	} {
		want := math.NaN()
		for i, text := range forms {
			s, isDefined, err := parsed(t, text).Of(t.Context(), one, finalWidth)
			apart := precision.Up().Sub(s.Left.Lower, s.Right.Upper)
			part, _ := apart.Quo(apart, s.scale).Float64()
			if i == 0 {
				want = part
			}
			if err != nil || !isDefined || math.Abs(part-want) > 1e-6 || s.excess() <= -1 || s.excess() > 0 != (part > 0) {
				t.Errorf("%s: %v, it is %g apart, must be %g, as %s is", text, err, part, want, forms[0])
			}
		}
	}
}

// Claims that fail only where all charges are 0.
func TestRefute_NoCharges(t *testing.T) {
	t.Parallel()
	for i, text := range []string{"E_n > 0", "E_1 + E_n > 0", "E_n / eps_sum > 0", "n * E_n - E_1 > 0"} {
		s := Search{Domain: DefaultDomain(), Pipelines: 200}
		s.Charges = AllCharges[i%len(AllCharges)]
		if f, err := s.Refute(t.Context(), parsed(t, text)); err != nil || !f.Refuted {
			t.Errorf("%s: %v; not refuted in %d pipelines, %v and %v", text, err, f.Tried, f.Left, f.Right)
		}
	}
}

func TestParse_Errors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       `it ends, must be a number, a name or (`,
		"optdel":                                 `it ends, must be <=, <, >= or >`,
		"optdel <= ":                             `it ends, must be a number`,
		"optdel <= 2 2":                          `at character 13 there is "2", must be the end`,
		"0 <= optdel <= 1":                       `at character 13 there is "<", must be the end: a <= b <= c are two`,
		"0 ≤ optdel ≤ 1":                         `at character 12 there is "≤", must be the end: a <= b <= c are two`,
		"optdel = 2":                             `at character 8 there is "="`,
		"optdel <= delta":                        `"delta" is no name, must be one of E_1`,
		"optdel <= 2 * max delta":                `max is a function, as in max(compose, max_single)`,
		"optdel <= sqrt 2":                       `sqrt is a function, as in sqrt(max_single)`,
		"optdel <= log(2)":                       `"log" is no function, must be exp, ln, sqrt, min or max`,
		"optdel <= (2":                           `must be an operator or )`,
		"optdel <= exp(2, 3)":                    `at character 16 there is ",", must be an operator or )`,
		"optdel <= max(2; 3)":                    `an operator, a comma or )`,
		"optdel <= 2 ^ n":                        `must be a whole number up to 1000`,
		"optdel <= n ^ 1001":                     `must be a whole number up to 1000`,
		"optdel <= 1e400":                        `must be a decimal that a float64 can hold`,
		"optdel <= 1e-999999999":                 `must be a decimal that a float64 can hold`,
		"optdel <= 'x'":                          `there is "'"`,
		"optdel <= " + strings.Repeat("9", 5000): `there is "` + strings.Repeat("9", 40) + `…", must be a decimal`,
		"optdel <= " + strings.Repeat("x", 5000): `"` + strings.Repeat("x", 40) + `…" is no name`,
		"optdel <= " + strings.Repeat("x", 5000) + "(1)": `"` + strings.Repeat("x", 40) + `…" is no function`,
		"1 <= 2": `nothing in it depends on a pipeline`,
		"n <= " + strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101): `it is nested more than 100 deep`,
		"n <= " + strings.Repeat("-", 1000) + "1":                           `nested more than 100 deep`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// claims are about pipelines of the default domain, unless charges are equal. Those that are false fail by little, or
// for few pipelines; those that are true are attained.
var claims = []struct {
	text    string
	charges Charges
	isTrue  bool
}{
	{"max_single <= optdel", Any, true},
	{"optdel <= lemma11", Any, true},
	{"lemma11 <= n * max_single", Any, true},
	{"compose <= optdel", Any, true},
	{"optdel <= compose", Equal, true},
	{"optdel <= max(0, 1 - exp(E_1 - eps_sum))", Nondecreasing, true},
	{"optdel <= 2 * max_single", Nondecreasing, false},
	{"optdel <= 8 * max_single", Nondecreasing, false},
	{"optdel <= 0.999 * lemma11", Equal, false},
	{"optdel <= 1.001 * max_single", Nondecreasing, false},
	{"compose >= 0.999 * optdel", Nondecreasing, false},
	{"lemma11 <= 0.98 * n * optdel", Nondecreasing, false},
	{"optdel <= max(0, 0.73 * (1 - exp(E_1 - eps_sum)))", Nondecreasing, false},
	{"optdel <= compose", Any, false},
}

// TestRefute: what is false is refuted, and what is true is not. The pipelines that refute are in the domain, and
// refute with certified numbers.
func TestRefute(t *testing.T) {
	t.Parallel()
	for _, c := range claims {
		t.Run(fmt.Sprintf("%s, %s", c.text, c.charges), func(t *testing.T) {
			t.Parallel()
			q := parsed(t, c.text)
			s := Search{Domain: DefaultDomain(), Seed: 1, Pipelines: 5000}
			s.Charges = c.charges
			if c.isTrue {
				s.Pipelines = 60
			}
			f, err := s.Refute(t.Context(), q)
			switch {
			case err != nil:
				t.Fatal(err)
			case f.Refuted == c.isTrue:
				t.Fatalf("refuted %t: %v is claimed to be at most %v", f.Refuted, f.Left, f.Right)
			case !s.contains(f.Pipeline):
				t.Errorf("a pipeline outside of the domain: %v", f.Pipeline)
			case f.Refuted:
				sides, _, err := q.Of(t.Context(), f.Pipeline, 1e-6)
				if err != nil || !q.Refutes(sides) {
					t.Errorf("what was found does not refute: %v, %v", sides, err)
				}
			}
		})
	}
}

// TestRefute_Minimal: of what refutes, no stop and no mechanism can be left out.
func TestRefute_Minimal(t *testing.T) {
	t.Parallel()
	q := parsed(t, "optdel <= 3 * max_single")
	s := Search{Domain: DefaultDomain(), Seed: 1, Pipelines: 5000}
	s.Mechanisms[1], s.Eps = 50, [2]*big.Rat{big.NewRat(1, 10), big.NewRat(1, 10)}
	f, err := s.Refute(t.Context(), q)
	if err != nil || !f.Refuted || len(f.Single) != len(f.Pipeline.Stops) || len(f.Pipeline.Mechanisms) != 1 {
		t.Fatalf("%v: %v", err, f.Pipeline)
	}
	refutes := func(p impl.Pipeline) bool {
		if p.Validate() != nil {
			return false
		}
		sides, _, err := q.Of(t.Context(), p, 1e-9)
		return err == nil && q.Refutes(sides)
	}
	stops := f.Pipeline.Stops
	for i := range stops {
		less := impl.Pipeline{Mechanisms: f.Pipeline.Mechanisms, Stops: slices.Delete(slices.Clone(stops), i, i+1)}
		if i < len(stops)-1 && refutes(less) {
			t.Errorf("without stop %d of %v it refutes, too", i+1, stops)
		}
		short := impl.Pipeline{Mechanisms: slices.Clone(f.Pipeline.Mechanisms), Stops: slices.Clone(stops)}
		short.Mechanisms[0].Count--
		for j := i; j < len(stops); j++ {
			short.Stops[j].After--
		}
		if refutes(short) {
			t.Errorf("with a mechanism less before stop %d of %v it refutes, too", i+1, stops)
		}
	}
}

// TestRefute_Zero: what 0 < 0 refutes is refuted by other numbers, if there are any.
func TestRefute_Zero(t *testing.T) {
	t.Parallel()
	for text, isZero := range map[string]bool{
		"optdel < 2 * max_single": false, "optdel < compose": false, "optdel < optdel + optdel": true,
	} {
		s := Search{Domain: DefaultDomain(), Seed: 1, Pipelines: 500}
		f, err := s.Refute(t.Context(), parsed(t, text))
		if err != nil || !f.Refuted || f.areZero() != isZero {
			t.Errorf("%s: %v, refuted: %t, by %v and %v", text, err, f.Refuted, f.Left, f.Right)
		}
	}
}

// TestRefute_Exhaustive: among short pipelines, what refutes a claim refutes it by going through all outputs, too.
func TestRefute_Exhaustive(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"optdel <= 1.3 * max_single", "lemma11 <= 1.5 * optdel", "optdel <= 0.9 * lemma11 * (1 - E_1 / 100)",
	} {
		q := parsed(t, text)
		s := Search{Domain: DefaultDomain(), Seed: 2, Pipelines: 2000}
		s.Mechanisms[1] = 8
		f, err := s.Refute(t.Context(), q)
		if err != nil || !f.Refuted {
			t.Fatalf("%s: %v, refuted: %t", text, err, f.Refuted)
		}
		v, err := exhaustive.Enclose(t.Context(), oneByOne(f.Pipeline), uint(precision), nil)
		if err != nil {
			t.Fatal(err)
		}
		of := f.Values
		for name, x := range map[string]exhaustive.Interval{"optdel": v.OptDel, "lemma11": v.Lemma11} {
			if of[name].Lower != nil {
				of[name] = valueOf(interval.New(x.Lo, x.Hi))
			}
		}
		if q.names["max_single"] {
			most := precision.Int(0)
			for _, x := range v.Single {
				most = interval.Max(most, interval.New(x.Lo, x.Hi))
			}
			of["max_single"] = valueOf(most)
		}
		left, _ := q.left(t.Context(), of)
		right, _ := q.right(t.Context(), of)
		if !q.Refutes(Sides{Left: left, Right: right}) {
			t.Errorf("%s: by going through all outputs %v is at most %v", text, left, right)
		}
	}
}

func oneByOne(p impl.Pipeline) (q exhaustive.Pipeline) {
	for _, m := range p.Mechanisms {
		for range m.Count {
			eps := exhaustive.Epsilon{Rat: m.Eps.Value}
			q.Mechanisms = append(q.Mechanisms, exhaustive.Mechanism{Eps: eps, Delta: m.Delta})
		}
	}
	for _, s := range p.Stops {
		q.Stops = append(q.Stops, exhaustive.Stop{After: s.After, Eps: exhaustive.Epsilon{Rat: s.Eps.Value}})
	}
	return q
}

// TestRefute_Edges: what fails at an end of a range only is refuted or, where equal sides cannot be told apart, open.
func TestRefute_Edges(t *testing.T) {
	t.Parallel()
	within := func(least, most string) (ends [2]*big.Rat) {
		for i, text := range []string{least, most} {
			ends[i], _ = new(big.Rat).SetString(text)
		}
		return ends
	}
	for _, c := range []struct {
		text       string
		eps, delta [2]*big.Rat
		isOpen     bool
	}{
		{"eps_sum <= 9999", within("0.01", "100"), within("0", "0"), false},
		{"optdel <= 1e-200", within("1e-170", "1e-165"), within("0", "0"), false},
		{"lemma11 < n * max_single", within("40", "100"), within("0", "0"), false},
		{"delta_sum > 0", within("0.01", "1"), within("0", "0.001"), false},
		{"eps_max > 0.015625", within("0.015625", "1"), within("0", "0"), false},
		{"eps_max > 0.01", within("0.01", "1"), within("0", "0"), false},
		{"(2 * eps_max - 0.01) ^ 2 / 3 > 0.0001 / 3", within("0.01", "1"), within("0", "0"), false},
		{"max(0.01, eps_sum / k) < max(0.01, eps_max)", within("0.01", "1"), within("0", "0"), false},
		{"sqrt(eps_max) > 0.1", within("0.01", "1"), within("0", "0"), true},
	} {
		q := parsed(t, c.text)
		s := Search{Domain: DefaultDomain(), Seed: 1, Pipelines: 500}
		s.Eps, s.Delta = c.eps, c.delta
		f, err := s.Refute(t.Context(), q)
		if err != nil || f.Refuted == c.isOpen || q.IsOpen(f.Sides) != c.isOpen {
			t.Errorf("%s: refuted %t, open %t, %v", c.text, f.Refuted, q.IsOpen(f.Sides), err)
		}
	}
}

// TestRefute_OneStop: where there is one stop, all δ are the same, and none is less.
func TestRefute_OneStop(t *testing.T) {
	t.Parallel()
	for text, isRefuted := range map[string]bool{
		"optdel < lemma11": true, "3 * max_single - compose < optdel + lemma11": true, "optdel < n * lemma11": true,
		"optdel < 2 * lemma11": false, "optdel < lemma11 + 1e-300": false, "optdel < sqrt(lemma11 * lemma11)": false,
	} {
		s := Search{Domain: DefaultDomain(), Seed: 1, Pipelines: 30}
		s.Stops, s.Eps, s.Mechanisms = [2]int{1, 1}, [2]*big.Rat{big.NewRat(50, 1), big.NewRat(60, 1)}, [2]int{1, 3}
		f, err := s.Refute(t.Context(), parsed(t, text))
		if err != nil || (f.Refuted && !f.areZero()) != isRefuted || isRefuted && !f.AreEqual() {
			t.Errorf("%s: %v, refuted: %t, by %v and %v", text, err, f.Refuted, f.Left, f.Right)
		}
	}
}

// TestDesign: every design is a valid pipeline of its domain, also at the edges of it.
func TestDesign(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	whole := func(most int) [2]int {
		least := 1 + r.IntN(most)
		return [2]int{least, least + r.IntN(most)}
	}
	ends := func(most int64) [2]*big.Rat {
		least := r.Int64N(most)
		return [2]*big.Rat{big.NewRat(1+least, 1000), big.NewRat(1+least+r.Int64N(most), 1000)}
	}
	for range 2000 {
		d := Domain{
			Mechanisms: whole(40),
			Stops:      whole(40),
			Eps:        ends(3000),
			Delta:      ends(400),
			Charges:    AllCharges[r.IntN(3)],
		}
		if d.check() != nil {
			continue
		}
		x := d.random(r)
		for range 5 {
			if p := x.pipeline(d); p.Validate() != nil || !d.contains(p) && d.Stops[0] <= d.Mechanisms[0] {
				t.Fatalf("%+v of %+v: %+v, %v", x, d, p, p.Validate())
			}
			x = x.near(r, 1)
		}
	}
}

// TestRefute_Again: a seed finds the same again, and what ends early says why.
func TestRefute_Again(t *testing.T) {
	t.Parallel()
	q := parsed(t, "optdel <= 3 * max_single")
	s := Search{Domain: DefaultDomain(), Seed: 5, Pipelines: 1000}
	first, err := s.Refute(t.Context(), q)
	if err != nil || !first.Refuted {
		t.Fatalf("refuted: %t, %v", first.Refuted, err)
	}
	if again, _ := s.Refute(t.Context(), q); !reflect.DeepEqual(first.Pipeline, again.Pipeline) {
		t.Errorf("%v, and then %v", first.Pipeline, again.Pipeline)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, q := range []*Inequality{q, parsed(t, "n <= k")} {
		if _, err := s.Refute(ctx, q); err == nil {
			t.Errorf("%s: a search that was ended found something", q.Text)
		}
	}
	for _, wrong := range []func(d *Domain){
		func(d *Domain) { d.Mechanisms = [2]int{0, 3} }, func(d *Domain) { d.Mechanisms = [2]int{1, 1_000_000} },
		func(d *Domain) { d.Stops = [2]int{501, 502} }, func(d *Domain) { d.Eps[0] = new(big.Rat) },
		func(d *Domain) { d.Eps[1] = big.NewRat(101, 1) }, func(d *Domain) { d.Delta[1] = big.NewRat(1, 1) },
		func(d *Domain) { d.Charges = "falling" },
	} {
		bad := Search{Domain: DefaultDomain(), Pipelines: 1}
		if wrong(&bad.Domain); bad.check() == nil {
			t.Errorf("%+v is taken", bad.Domain)
		}
	}
}

// endsAfter is a context that ends when it was asked so often.
type endsAfter struct {
	context.Context
	left *int
}

func (c endsAfter) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestRefute_Cut: whenever the search ends, a pipeline that is said to refute an inequality does.
func TestRefute_Cut(t *testing.T) {
	t.Parallel()
	q, s, found := parsed(t, "optdel <= 1.2 * max_single"), Search{Domain: DefaultDomain(), Seed: 1, Pipelines: 500}, 0
	s.Mechanisms, s.Stops = [2]int{1, 20}, [2]int{1, 5}
	for asked := 1; ; asked += 1 + asked/4 {
		left := asked
		f, failed := s.Refute(endsAfter{t.Context(), &left}, q)
		if f.Refuted {
			sides, isDefined, err := q.Of(t.Context(), f.Pipeline, finalWidth)
			if err != nil || !isDefined || !q.Refutes(sides) {
				t.Errorf("ended when it had asked %d times: %v, %v and %v", asked, err, sides.Left, sides.Right)
			}
		}
		if failed == nil {
			break
		}
		if f.Refuted {
			found++
		}
	}
	if found == 0 {
		t.Error("no search ended when there was a pipeline that is not yet small")
	}
}

// TestForm_Long: a ratio that is short is known exactly, and one that sums or powers make long is not; nothing is
// defined once the time is up.
func TestForm_Long(t *testing.T) {
	t.Parallel()
	of := map[string]Value{"n": valueOf(precision.Int(3))}
	v := of["n"]
	v.exact = form{"": big.NewRat(3, 1)}
	of["n"] = v
	sum := func(terms int) (text string) {
		for i := range terms {
			text += fmt.Sprintf("1 / (n + %d.1e-300) + ", i)
		}
		return text + "0"
	}
	for side, isKnown := range map[string]bool{
		sum(3): true, sum(300): false, "(" + sum(3) + ") ^ 2 * n": true, "(" + sum(3) + ") ^ 30": false,
		"n ^ 1000": true, "n ^ 1000 * n": true, "(n ^ 1000) ^ 30": false,
		"1" + strings.Repeat(" * (n + 1e-300)", 300): false,
	} {
		q := parsed(t, side+" < n")
		if x, isDefined := q.left(t.Context(), of); !isDefined || (x.Exact() != nil) != isKnown {
			t.Errorf("%.40s…: defined %t, known exactly %t, must be %t", side, isDefined, x.Exact() != nil, isKnown)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, isDefined := parsed(t, sum(3)+" < n").left(ended, of); isDefined {
		t.Error("a sum is computed after the time")
	}
}
