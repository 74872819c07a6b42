package impl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// some returns n mechanisms (eps, delta), with ln(…) for an ε given as e^ε.
func some(eps, delta string, n int) []Mechanism {
	if inner, log := strings.CutPrefix(eps, "ln("); log {
		return []Mechanism{{Eps: testkit.ExpOf(strings.TrimSuffix(inner, ")")), Delta: rational.MustParse(delta), Count: n}}
	}
	return []Mechanism{{Eps: testkit.NatsOf(eps), Delta: rational.MustParse(delta), Count: n}}
}

// law returns n mechanisms with three outputs, of which the first numbers of p and q are how many times one over the
// last they are.
func law(p, q [4]int64, n int) []Mechanism {
	var all Law
	for i := range 3 {
		all = append(all, [2]*big.Rat{big.NewRat(p[i], p[3]), big.NewRat(q[i], q[3])})
	}
	return []Mechanism{{Law: all, Count: n}}
}

func both(x, y []Mechanism) []Mechanism { return append(x[:len(x):len(x)], y...) }

// compose returns what [OptComp] finds, after checking what must hold whatever the numbers are:
// OptDel of all mechanisms, with their δ, is not certainly more than delta at the upper end, and
// not certainly less at the lower one.
func compose(t *testing.T, ms []Mechanism, delta string, width float64) *Composition {
	t.Helper()
	c, err := OptComp(t.Context(), ms, rational.MustParse(delta), Options{RelWidth: width})
	if err != nil {
		t.Fatal(err)
	}
	if width == 0 {
		width = DefaultRelWidth
	}
	if w := c.Eps.RelWidth(); c.Shortfall != "" || !(w >= 0 && w <= width) {
		t.Errorf("relative width %g of [%g, %g], asked for %g: %s", w, c.Eps.Lower, c.Eps.Upper, width, c.Shortfall)
	}
	if c.Method == ClosedForm {
		return c
	}
	at := func(e *big.Float) interval.Interval {
		p := OneStop(ms)
		r, _ := e.Rat(nil)
		result, err := OptDel(t.Context(), p.charged([]*big.Rat{r}), Options{RelWidth: max(width, 1e-9) / 10})
		if err != nil {
			t.Fatal(err)
		}
		return result.OptDel
	}
	if x := at(c.Eps.Upper); !isAtMost(x.Lower, rational.MustParse(delta)) {
		t.Errorf("δ at the upper end %g is %g, more than %s", c.Eps.Upper, x.Lower, delta)
	}
	if x := at(c.Eps.Lower); c.Eps.Lower.Sign() > 0 && isAtMost(x.Upper, rational.MustParse(delta)) {
		t.Errorf("δ at the lower end %g is %g, not more than %s", c.Eps.Lower, x.Upper, delta)
	}
	return c
}

// published are δ at which ε is a short number: the sums of Kairouz, Oh and Viswanath (2015),
// Theorem 3.3, and, for different ε, of Murtagh and Vadhan (2016), Theorem 1.5, with 60 digits.
var published = []struct {
	mechanisms []Mechanism
	delta      string
	eps        float64
}{
	{some("0.1", "0", 100), "0.125688390240636425136502842344", 1},
	{some("0.1", "0", 100), "0.0201401784281915318428452236507", 2},
	{some("0.1", "0", 100), "0.00136139869483163759359282904263", 3},
	{some("0.05", "1e-8", 1000), "0.170228245531966095748502482648", 2},
	{some("0.05", "1e-8", 1000), "0.00308935841423988052362738366768", 5},
	{rising(), "0.0405542295187701327465415420506", 1.5},
	{rising(), "0.000479587708951753244713223660678", 3},
	{some("0.01", "0", 10000), "0.0209158107072483573243919072499", 2},
	{some("0.1", "0", 100), "6.2016390981837201602054941037e-10", 6},
	{some("0.1", "0", 100), "1.7744698234629174232946643605e-17", 8},
	{some("0.1", "0", 100), "4.2313166444475277338555815111e-26", 9.5},
}

// rising is ε_j = 0.02 + 0.003·j, δ_j = 1e-9, for j = 0 … 59.
func rising() []Mechanism {
	var ms []Mechanism
	for j := range int64(60) {
		ms = append(ms, Mechanism{Eps: loss.Nats(big.NewRat(20+3*j, 1000)), Delta: rational.MustParse("1e-9"), Count: 1})
	}
	return ms
}

// The δ are rounded: they belong to an ε that may be off by 1e-24.
func TestPaper_OptComp(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(6, published) {
		for _, width := range []float64{1e-3, 0, 1e-13, 1e-20} {
			if width < 1e-12 && len(row.mechanisms) > 1 {
				continue // seconds
			}
			t.Run(fmt.Sprintf("%g at %g", row.eps, width), func(t *testing.T) {
				c := compose(t, row.mechanisms, row.delta, width)
				slack := big.NewFloat(1e-24 * row.eps)
				lower := new(big.Float).Sub(c.Eps.Lower, slack)
				upper := new(big.Float).Add(c.Eps.Upper, slack)
				if eps := big.NewFloat(row.eps); lower.Cmp(eps) > 0 || upper.Cmp(eps) < 0 {
					t.Errorf("ε is in [%g, %g], want %g", c.Eps.Lower, c.Eps.Upper, row.eps)
				}
			})
		}
	}
}

// A control: with a δ that is wrong in the sixth digit, the true ε is no longer inside.
func TestControl_OptCompWrongDelta(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(4, published) {
		wrong := new(big.Rat).Mul(rational.MustParse(row.delta), rational.MustParse("1.000001"))
		c, err := OptComp(t.Context(), row.mechanisms, wrong, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Eps.Upper.Cmp(big.NewFloat(row.eps)) >= 0 {
			t.Errorf("a δ too large by 1e-6 of %s still has ε = %g in [%g, %g]", row.delta, row.eps, c.Eps.Lower, c.Eps.Upper)
		}
	}
}

func TestOptCompEdges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		mechanisms []Mechanism
		delta      string
		width      float64
		eps        string // rational; or empty, and then between least and most
		least      float64
		most       float64
	}{
		{"δ = 0", some("0.1", "0", 100), "0", 0, "10", 0, 0},
		{"δ = 0, several", both(some("0.1", "0", 3), some("1/3", "0", 2)), "0", 0, "29/30", 0, 0},
		{"δ = 0, e^ε", some("ln(3)", "0", 3), "0", 0, "", 3.295836866004328, 3.295836866004330},
		{"δ = 0, both kinds", both(some("ln(3)", "0", 3), some("1", "0", 1)), "0", 0, "", 4.295836866004328, 4.295836866004330},
		{"δ of one mechanism", some("0.1", "1e-6", 1), "1e-6", 0, "0.1", 0, 0},
		{"δ of two mechanisms", some("0.1", "1/2", 2), "3/4", 0, "0.2", 0, 0},
		{"just above the δ of one mechanism", some("0.1", "1e-6", 1), "1.0000000000000000000000001e-6", 0, "", 0.0999999999, 0.10000000000000001},
		{"all ε 0", some("0", "0", 5), "0", 0, "0", 0, 0},
		{"all ε 0, given as 1", some("ln(1)", "1/10", 2), "0.19", 0, "0", 0, 0},
		{"some ε 0", both(some("0", "0", 5), some("0.3", "0", 1)), "0", 0, "0.3", 0, 0},
		{"δ = 1", some("0.1", "1", 5), "1", 0, "0", 0, 0},
		{"more than ε = 0 needs", some("0.1", "0", 1), "0.05", 0, "0", 0, 0},
		{"exactly what ε = 0 needs", some("ln(3)", "0", 1), "1/2", 0, "0", 0, 0},
		{"exactly what ε = 0 needs, with δ", some("ln(3)", "1/10", 1), "11/20", 0, "0", 0, 0},
		{"exactly what ε = 0 needs, approached", some("ln(12)", "0", 1), "11/13", 1e-15, "0", 0, 0},
		{"1e-42 less than ε = 0 needs", some("ln(3)", "0", 1), "0.499999999999999999999999999999999999999999", 0, "", 3.99999999e-42, 4.00000001e-42},
		{"a law, exactly what ε = 0 needs", law([4]int64{2, 2, 0, 4}, [4]int64{1, 2, 1, 4}, 1), "1/4", 0, "0", 0, 0},
		{"laws, exactly what ε = 0 needs", law([4]int64{2, 2, 0, 4}, [4]int64{1, 3, 0, 4}, 3), "11/32", 0, "0", 0, 0},
		{"a law, 1e-42 less than ε = 0 needs", law([4]int64{2, 2, 0, 4}, [4]int64{1, 3, 0, 4}, 1), "0.249999999999999999999999999999999999999999", 0, "", 3.99999999e-42, 4.00000001e-42},
		{"near ε = 0", some("0.1", "0", 1), "0.04995", 0, "", 1.763056234e-5, 1.763056236e-5},
		{"tiny δ", some("0.1", "0", 100), "1e-250", 0, "", 9.99999999, 10},
		{"tinier δ", some("0.1", "0", 100), "1e-3000", 0, "", 9.99999999, 10},
		{"tiny δ, far below the largest loss", some("0.1", "0", 1000), "1e-250", 1e-6, "", 90, 97},
		{"ε 800", some("800", "0", 3), "0.5", 0, "", 2399.306850, 2399.306856},
		{"ε 1e280", some("1e280", "0", 3), "0.5", 0, "", 2.99999999e280, 3.00000001e280},
		{"e^ε beyond float64", some("ln(1e400)", "0", 3), "0.5", 0, "", 2762.408960, 2762.408969},
		{"many sizes", both(both(some("1e-9", "0", 1), some("0.001", "0", 1)), some("30", "0", 1)), "0.999999", 0, "", 16.18448934, 16.18448936},
		{"no lattice", both(some("0.1", "0", 40), some("ln(1.2)", "1e-9", 40)), "1e-6", 0, "", 6, 11},
		{"a grid", distinct(30, 30, 1).Mechanisms, "1e-6", 1e-3, "", 1.3, 1.6},
		{"a million", some("0.001", "1e-12", 1000000), "1e-6", 0, "", 7.3367881, 7.3367882},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := compose(t, test.mechanisms, test.delta, test.width)
			if (test.eps != "") != (c.Exact != nil) || c.Exact != nil && c.Exact.Cmp(rational.MustParse(test.eps)) != 0 {
				t.Errorf("exactly %v, want %s", c.Exact, test.eps)
			}
			least, most := test.least, test.most
			if test.eps != "" {
				x, _ := rational.MustParse(test.eps).Float64()
				least, most = x*(1-1e-15), x*(1+1e-15)
			}
			if !(c.Eps.Lower.Cmp(big.NewFloat(least)) >= 0 && c.Eps.Upper.Cmp(big.NewFloat(most)) <= 0) {
				t.Errorf("ε is in [%.17g, %.17g], want between %g and %g", c.Eps.Lower, c.Eps.Upper, least, most)
			}
		})
	}
}

func TestOptCompRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		mechanisms []Mechanism
		delta      *big.Rat
		width      float64
		want       string
	}{
		{"no mechanism", nil, rational.One, 0, "mechanisms: there are none, must be at least one"},
		{"ε", some("-1", "0", 1), rational.One, 0, "mechanism 1: eps is -1, must be at least 0"},
		{"count", some("1", "0", -1), rational.One, 0, "mechanism 1: count is -1, must be at least 1"},
		{"no δ", some("1", "0", 1), nil, 0, "delta is missing, must be between 0 and 1"},
		{"δ below 0", some("1", "0", 1), big.NewRat(-1, 2), 0, "delta is -0.5, must be between 0 and 1"},
		{"δ above 1", some("1", "0", 1), big.NewRat(3, 2), 0, "delta is 1.5, must be between 0 and 1"},
		{"δ below that of one", some("1", "1e-6", 1), rational.MustParse("0.99999999999999999999e-6"), 0, "delta is 0.00000099999999999999999999, must be at least about 1e-06, which the δ of the mechanisms amount to whatever ε is"},
		{"δ below those of many", some("0.05", "1e-8", 100000), rational.MustParse("1e-4"), 0, "delta is 0.0001, must be at least about 0.0009995001716, which the δ of the mechanisms amount to whatever ε is"},
		{"δ of a mechanism is 1", some("1", "1", 1), rational.MustParse("0.5"), 0, "delta is 0.5, must be at least about 1, which the δ of the mechanisms amount to whatever ε is"},
		{"width", some("1", "0", 1), rational.One, 1, "relative width is 1, must be more than 0 and less than 1"},
	}
	for _, test := range tests {
		c, err := OptComp(t.Context(), test.mechanisms, test.delta, Options{RelWidth: test.width})
		if err == nil || err.Error() != test.want || c != nil {
			t.Errorf("%s: %v, %v, want %s", test.name, c, err, test.want)
		}
	}
	_, err := OptComp(t.Context(), some("1", "0.1", 1), rational.MustParse("0.01"), Options{})
	if _, ok := errors.AsType[*DeltaError](err); !ok {
		t.Errorf("%v is not a DeltaError", err)
	}
}

// ending is a context whose time is up when done is closed.
type ending struct {
	context.Context
	done chan struct{}
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// What has been found when time runs out holds, and says so.
func TestOptCompDeadline(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	ms := distinct(300, 300, 1).Mechanisms
	ctx := &ending{t.Context(), make(chan struct{})}
	c, err := OptComp(ctx, ms, rational.MustParse("1e-6"), Options{Progress: func(done float64) {
		if done > 0.5 && ctx.Err() == nil {
			close(ctx.done)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(c.Shortfall, "time ran out") {
		t.Errorf("shortfall is %q", c.Shortfall)
	}
	if c.Eps.Lower.Cmp(big.NewFloat(5.3321179924)) > 0 || c.Eps.Upper.Cmp(big.NewFloat(5.3321179967)) < 0 {
		t.Errorf("ε is in [%g, %g]", c.Eps.Lower, c.Eps.Upper)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OptComp(done, ms, rational.MustParse("1e-6"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("before there is any result: %v", err)
	}
}

// Profile draws what [OptDel] certifies, and [OptComp] inverts it.
func TestProfile(t *testing.T) {
	t.Parallel()
	ms := some("0.05", "1e-8", 1000)
	eps, delta, err := Profile(t.Context(), ms, 8, 1e-12, 9)
	if err != nil {
		t.Fatal(err)
	}
	for j, e := range eps {
		if e != float64(j) {
			t.Errorf("point %d is %g", j, e)
		}
		r, err := OptDel(t.Context(), OneStop(ms).charged([]*big.Rat{new(big.Rat).SetFloat64(e)}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := r.OptDel.Upper.Float64(); !(math.Abs(delta[j]-want) <= 1e-8*want) {
			t.Errorf("δ(%g) is %g, want %g", e, delta[j], want)
		}
	}
	if eps, _, _ := Profile(t.Context(), some("0.1", "0", 10), 1e9, 1e-12, 2); eps[1] != 1 {
		t.Errorf("the profile ends at %g, want 1, the sum of all ε", eps[1])
	}
	if _, delta, _ := Profile(t.Context(), some("0", "0.1", 1), 1, 1e-12, 2); delta[0] != 0.1 {
		t.Errorf("for ε = 0, δ is %g, want 0.1", delta[0])
	}
	for _, most := range []float64{0, math.NaN()} {
		if _, _, err := Profile(t.Context(), ms, most, 1, 2); err == nil {
			t.Errorf("a profile up to %g must be refused", most)
		}
	}
}

// TestProfile_Laws: with laws, noise or losses Profile is near what [OptDel] certifies, for the worse order of
// neighbours, and ends where nothing falls.
func TestProfile_Laws(t *testing.T) {
	t.Parallel()
	losses, err := certify.NewLosses([][2]*big.Rat{{big.NewRat(-3, 5), big.NewRat(3, 10)}, {big.NewRat(1, 2), big.NewRat(3, 5)}})
	if err != nil {
		t.Fatal(err)
	}
	law := Law{{big.NewRat(2, 5), big.NewRat(3, 5)}, {big.NewRat(29, 50), big.NewRat(29, 100)}, {big.NewRat(1, 50), new(big.Rat)}, {new(big.Rat), big.NewRat(11, 100)}}
	for name, tt := range map[string]struct {
		ms        []Mechanism
		from, end float64 // of the last point, if there is no limit
	}{
		"sampled":  {[]Mechanism{noisy(certify.Gaussian, "1", "0.01", 2000)}, 8, 24},
		"and eps":  {[]Mechanism{noisy(certify.Gaussian, "20", "1", 100), {Eps: loss.Nats(big.NewRat(1, 10)), Delta: big.NewRat(1, 1_000_000), Count: 3}}, 2, 8},
		"law":      {[]Mechanism{{Law: law, Count: 5}}, 3.4, 3.5},
		"losses":   {[]Mechanism{{Losses: losses, Count: 5}}, 2.9, 3.1},
		"discrete": {[]Mechanism{noisy(certify.DiscreteGaussian, "2", "1", 1)}, 4, 16},
	} {
		eps, delta, err := Profile(t.Context(), tt.ms, 3, 1e-250, 7)
		if err != nil {
			t.Fatal(err)
		}
		for j, e := range eps {
			r, err := OptDel(t.Context(), OneStop(tt.ms).charged([]*big.Rat{new(big.Rat).SetFloat64(e)}), Options{RelWidth: 1e-3})
			if err != nil {
				t.Fatal(err)
			}
			const near = 0.01
			if want, _ := r.OptDel.Upper.Float64(); !(math.Abs(delta[j]-want) <= near*want) {
				t.Errorf("%s: δ(%g) is %g, want %g", name, e, delta[j], want)
			}
		}
		eps, delta, err = Profile(t.Context(), tt.ms, math.MaxFloat64, 1e-250, 101)
		if last := len(eps) - 1; err != nil || eps[last] < tt.from || eps[last] > tt.end || delta[last] < 1e-30 {
			t.Errorf("%s: %v, the last of %d points is %g, %g", name, err, len(eps), eps[last], delta[last])
		}
	}
}

// isAtMost reports whether x ≤ r.
func isAtMost(x *big.Float, r *big.Rat) bool {
	exact, _ := x.Rat(nil)
	return exact.Cmp(r) <= 0
}
