package ledger

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// accountant returns one with the budget ε = eps, δ = delta.
func accountant(t testing.TB, eps loss.Epsilon, delta string) Accountant {
	t.Helper()
	a, err := NewAccountant(eps, rational.MustParse(delta))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// guarantee has the parts a, b, c, … with the given ε.
func guarantee(delta string, eps ...loss.Epsilon) Guarantee {
	g := Guarantee{Delta: rational.MustParse(delta)}
	for i, e := range eps {
		g.Parts = append(g.Parts, Part{string(rune('a' + i)), e})
	}
	return g
}

// ratOf returns a sum that is a ratio.
func ratOf(t testing.TB, s loss.Sum) string {
	t.Helper()
	r, ok := s.Rat()
	if !ok {
		t.Fatalf("%v is not a ratio", s)
	}
	return r.RatString()
}

// TestControl_ChargeByTheObservedPartAlone: what an accountant would let in that looked
// at the observed part only must be refused.
func TestControl_ChargeByTheObservedPartAlone(t *testing.T) {
	t.Parallel()
	a := accountant(t, testkit.NatsOf("1"), "0")
	b, err := a.Spend(guarantee("0", testkit.NatsOf("0"), testkit.NatsOf("1.001")), "a")
	refused, ok := errors.AsType[*NotAdmittedError](err)
	if !ok {
		t.Fatalf("got %v, want a refusal", err)
	}
	if b.Spent().Events != 0 {
		t.Error("what was refused is counted")
	}
	want := "requested ε = 1.001 and δ = 0, about ε = 0.001 more than fits: with it ε = 1.001 and δ = 0 of the budget " +
		"ε = 1 and δ = 0 would be spent, now spent: ε = 0 and δ = 0; with δ = 0, at most ε = 1 fits"
	if refused.Error() != want {
		t.Errorf("got  %s\nwant %s", refused, want)
	}
}

func TestAccountantTies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		budget          loss.Epsilon
		spent           []loss.Epsilon
		request         loss.Epsilon
		delta, request2 string
		admitted        bool
	}{
		{"decimals", testkit.NatsOf("0.3"), []loss.Epsilon{testkit.NatsOf("0.1")}, testkit.NatsOf("0.2"), "1e-6",
			"1e-6", true},
		{"one unit of ε more", testkit.NatsOf("0.3"), []loss.Epsilon{testkit.NatsOf("0.1")},
			testkit.NatsOf("0.2000000000000000000000000000000000000001"), "1e-6", "1e-6", false},
		{"one unit of δ more", testkit.NatsOf("0.3"), nil, testkit.NatsOf("0.2"), "1e-6",
			"1.0000000000000000000000000000000000001e-6", false},
		{"e^ε", testkit.ExpOf("27/8"), []loss.Epsilon{testkit.ExpOf("3/2"), testkit.ExpOf("1.5")},
			testkit.ExpOf("3/2"), "0", "0", true},
		{"one unit of e^ε more", testkit.ExpOf("27/8"), []loss.Epsilon{testkit.ExpOf("3/2"), testkit.ExpOf("1.5")},
			testkit.ExpOf("1.50000000000000000000000000000000000001"), "0", "0", false},
		{"both", testkit.NatsOf("1"), []loss.Epsilon{testkit.ExpOf("2")},
			testkit.NatsOf("0.30685281944005469"), "0", "0", true},
		{"both, more", testkit.NatsOf("1"), []loss.Epsilon{testkit.ExpOf("2")}, testkit.NatsOf("0.3068528194400547"),
			"0", "0", false},
		{"the largest numbers", testkit.NatsOf("1e289"), nil, testkit.NatsOf("1e289"), "1", "1", true},
		{"no budget", testkit.NatsOf("0"), nil, testkit.NatsOf("0"), "0", "0", true},
		{"no budget, some ε", testkit.NatsOf("0"), nil, testkit.NatsOf("1e-1000"), "0", "0", false},
		{"no budget, some δ", testkit.NatsOf("0"), nil, testkit.NatsOf("0"), "0", "1e-1000", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := accountant(t, tt.budget, tt.delta)
			for _, e := range tt.spent {
				var err error
				if a, err = a.Spend(guarantee("0", e), "a"); err != nil {
					t.Fatal(err)
				}
			}
			g := guarantee(tt.request2, tt.request)
			_, isRefused := errors.AsType[*NotAdmittedError](a.Admits(g))
			if isRefused == tt.admitted {
				t.Errorf("admitted is %v, want %v", !isRefused, tt.admitted)
			}
			if _, err := a.Spend(g, "a"); (err == nil) != tt.admitted {
				t.Errorf("Spend says %v, admitted should be %v", err, tt.admitted)
			}
		})
	}
}

func TestAccountantErrors(t *testing.T) {
	t.Parallel()
	long := rational.MustParse("1e-2000")
	tests := []struct {
		g        Guarantee
		observed string
		want     string
	}{
		{Guarantee{Delta: rational.One}, "a", "parts has no entry, must have at least one"},
		{guarantee("0", testkit.NatsOf("-0.5")), "a", `part "a": eps is -0.5, must be at least 0`},
		{guarantee("0", testkit.NatsOf("1"), testkit.ExpOf("0.5")), "a",
			`part "b": exp_eps is 0.5, must be at least 1`},
		{guarantee("0", testkit.NatsOf("1e290")), "a", `part "a": eps is 1e+290, must be at most 1e289`},
		{guarantee("0", testkit.NatsOf("1e1000")), "a", `part "a": eps is about 1e+1000, must be at most 1e289`},
		{guarantee("0", loss.Epsilon{}), "a", `part "a": eps is missing, must be a number`},
		{guarantee("0", loss.Nats(long)), "a",
			`part "a": eps is about 1e-2000 and takes 6645 bits as a ratio, must take at most 4096`},
		{guarantee("0", loss.Exp(new(big.Rat).Inv(long))), "a",
			`part "a": exp_eps is about 1e+2000 and takes 6645 bits as a ratio, must take at most 4096`},
		{Guarantee{Parts: guarantee("0", testkit.NatsOf("1")).Parts, Delta: long}, "a",
			`delta is about 1e-2000 and takes 6645 bits as a ratio, must take at most 4096`},
		{Guarantee{Parts: guarantee("0", testkit.NatsOf("1")).Parts, Delta: nil}, "a",
			"delta is missing, must be between 0 and 1"},
		{guarantee("-1/8", testkit.NatsOf("1")), "a", "delta is -0.125, must be between 0 and 1"},
		{guarantee("1.5", testkit.NatsOf("1")), "a", "delta is 1.5, must be between 0 and 1"},
		{guarantee("0", testkit.NatsOf("1"), testkit.NatsOf("2")), "c", `observed is "c", must be one of "a", "b"`},
		{Guarantee{Parts: []Part{{"x", testkit.NatsOf("1")}, {"x", testkit.NatsOf("2")}}, Delta: rational.One}, "x",
			`parts has "x" twice, must have every part once`},
		{Guarantee{
			Parts: append(guarantee("0", make9()...).Parts, Part{"a", testkit.NatsOf("1")}),
			Delta: rational.One,
		}, "a", `parts has "a" twice, must have every part once`},
		{Guarantee{Parts: []Part{{"x", testkit.NatsOf("1")}, {"", testkit.NatsOf("2")}}, Delta: rational.One}, "",
			`parts has an empty name, must name each of several parts`},
		{guarantee("0", append(make9(), make9()...)...), "z",
			`observed is "z", must be one of "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", 8 more`},
	}
	a := accountant(t, testkit.NatsOf("1e289"), "1")
	for _, tt := range tests {
		b, err := a.Spend(tt.g, tt.observed)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Spend: got  %v\nwant %s", err, tt.want)
		}
		s, err := a.Spent().Add(tt.g, tt.observed)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Add: got  %v\nwant %s", err, tt.want)
		}
		if _, isRefused := errors.AsType[*NotAdmittedError](err); isRefused || b.Spent().Events != 0 || s.Events != 0 {
			t.Errorf("%s: counted or refused", tt.want)
		}
		if !strings.HasPrefix(tt.want, "observed") {
			if err := a.Admits(tt.g); err == nil || err.Error() != tt.want {
				t.Errorf("Admits: got  %v\nwant %s", err, tt.want)
			}
		}
	}
	if _, err := NewAccountant(testkit.NatsOf("-1"), rational.One); err == nil ||
		err.Error() != "eps is -1, must be at least 0" {
		t.Errorf("negative budget: %v", err)
	}
	if _, err := NewAccountant(testkit.NatsOf("1"), rational.MustParse("2")); err == nil ||
		err.Error() != "delta is 2, must be between 0 and 1" {
		t.Errorf("budget δ = 2: %v", err)
	}
}

func make9() (eps []loss.Epsilon) {
	for range 9 {
		eps = append(eps, testkit.NatsOf("1"))
	}
	return eps
}

// What a mechanism guarantees as a whole is not charged, but compared with.
func TestAccountantDP(t *testing.T) {
	t.Parallel()
	g := guarantee("1/1000", testkit.NatsOf("0.5"), testkit.NatsOf("2"))
	g.DP = &DPGuarantee{testkit.NatsOf("1.5"), rational.MustParse("1/500")}
	a := accountant(t, testkit.NatsOf("4"), "1")
	for range 2 {
		var err error
		if a, err = a.Spend(g, "a"); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Spending{}.Add(g, "a")
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string][3]string{
		"ODP, twice":         {a.Spent().ODP.Eps.String(), a.Spent().ODP.Delta.String(), "1 1/500"},
		"without ODP, twice": {a.Spent().WithoutODP.Eps.String(), a.Spent().WithoutODP.Delta.String(), "3 1/250"},
		"without ODP":        {s.WithoutODP.Eps.String(), s.WithoutODP.Delta.String(), "3/2 1/500"},
	} {
		if got[0]+" "+got[1] != got[2] {
			t.Errorf("%s: %s and %s, want %s", what, got[0], got[1], got[2])
		}
	}
	for _, test := range []struct{ eps, delta, plain, probabilistic string }{ // beside (2, 1/1000)
		{"1.5", "1/500", "3/2 1/500", "3/2 1/500"},
		{"3", "1/2000", "3 1/2000", "3 1/2000"},
		{"2", "1/500", "2 1/1000", "2 1/500"}, // worse as DP, but it may be more than that
		{"3", "1/1000", "2 1/1000", "3 1/1000"},
	} {
		g.DP = &DPGuarantee{testkit.NatsOf(test.eps), rational.MustParse(test.delta)}
		s, err := Spending{}.Add(g, "a")
		eps, delta := g.AsDP()
		probabilistic, leak := g.AsPDP()
		if got := fmt.Sprint(eps, " ", delta.RatString()); err != nil || got != test.plain ||
			s.WithoutODP.Eps.Cmp(loss.Of(eps)) != 0 || s.WithoutODP.Delta.Cmp(loss.OfRat(delta)) != 0 {
			t.Errorf("%s counts, %v, %v, want %s", got, s.WithoutODP, err, test.plain)
		}
		if got := fmt.Sprint(probabilistic, " ", leak.RatString()); got != test.probabilistic {
			t.Errorf("an odometer counts %s, want %s", got, test.probabilistic)
		}
	}
	pure := guarantee("0", testkit.NatsOf("0.5"), testkit.NatsOf("2"))
	for dp, want := range map[string]string{"3": "2", "1": "1"} {
		pure.DP = &DPGuarantee{testkit.NatsOf(dp), rational.MustParse("1/1000")}
		if eps, _ := pure.AsPDP(); eps.String() != want {
			t.Errorf("dp %s, δ = 0: an odometer counts %v, want %s", dp, eps, want)
		}
	}
	for want, dp := range map[string]DPGuarantee{
		"dp delta is 2, must be between 0 and 1":       {testkit.NatsOf("1"), rational.MustParse("2")},
		"dp eps is missing, must be a number":          {loss.Epsilon{}, rational.One},
		"dp delta is missing, must be between 0 and 1": {testkit.NatsOf("1"), nil},
		"dp exp_eps is 0.5, must be at least 1":        {testkit.ExpOf("1/2"), rational.One},
	} {
		g.DP = &dp
		if err := g.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
