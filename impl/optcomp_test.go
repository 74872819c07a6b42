package impl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
)

// composed returns what [OptComp] finds, after checking what must hold whatever the numbers are: OptDel of all
// mechanisms, with their δ, is not certainly more than delta at the upper end, and not certainly less at the lower one.
func composed(t *testing.T, ms []Mechanism, delta string, width float64) *Composition {
	t.Helper()
	c, err := OptComp(t.Context(), ms, rational.MustParse(delta), Options{RelWidth: width})
	if err != nil {
		t.Fatal(err)
	}
	if width == 0 {
		width = DefaultRelWidth
		if OneStop(ms).IsContinuous() {
			width = WidthOfNoise
		}
	}
	if w := c.Eps.RelWidth(); c.Shortfall != "" || !(w >= 0 && w <= width) {
		t.Errorf("relative width %g of [%g, %g], asked for %g: %s", w, c.Eps.Lower, c.Eps.Upper, width, c.Shortfall)
	}
	if c.Method == ClosedForm {
		return c
	}
	lower, upper := c.Eps.Rats()
	at := func(e *big.Rat) interval.Interval {
		return solve(t, OneStop(ms).charged([]*big.Rat{e}), Options{RelWidth: max(width, 1e-9) / 10}).OptDel
	}
	if least, _ := at(upper).Rats(); least.Cmp(rational.MustParse(delta)) > 0 {
		t.Errorf("δ at the upper end %g is at least %g, more than %s", c.Eps.Upper, rational.Float64(least), delta)
	}
	if _, most := at(lower).Rats(); lower.Sign() > 0 && most.Cmp(rational.MustParse(delta)) <= 0 {
		t.Errorf("δ at the lower end %g is at most %g, not more than %s", c.Eps.Lower, rational.Float64(most), delta)
	}
	return c
}

// rising is ε_j = 0.02 + 0.003·j, δ_j = 1e-9, for j = 0 … 59.
func rising() string {
	var steps []string
	for j := range 60 {
		steps = append(steps, fmt.Sprintf("%d/1000 1e-9", 20+3*j))
	}
	return strings.Join(steps, ", ")
}

func TestOptComp_Edges(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(42, []struct {
		mechanisms, delta string
		width             float64
		exact             string // rational; or empty, and then between least and most
		least, most       float64
	}{
		// the sums of Kairouz, Oh and Viswanath (2015), Theorem 3.3, and, for different ε, of Murtagh and Vadhan
		// (2016), Theorem 1.5, with 60 digits, for short ε
		{"0.1 0 x100", "0.125688390240636425136502842344", 1e-13, "", 1 - 1e-13, 1 + 1e-13},
		{"0.05 1e-8 x1000", "0.00308935841423988052362738366768", 1e-20, "", 5 - 1e-14, 5 + 1e-14},
		{rising(), "0.000479587708951753244713223660678", 0, "", 3 - 1e-8, 3 + 1e-8},
		{"0.01 0 x10000", "0.0209158107072483573243919072499", 1e-3, "", 1.99, 2.01},
		{"0.1 0 x100", "4.2313166444475277338555815111e-26", 0, "", 9.5 - 1e-8, 9.5 + 1e-8},

		{"0.1 0 x100", "0", 0, "10", 0, 0},
		{"0.1 0 x3, 1/3 0 x2", "0", 0, "29/30", 0, 0},
		{"ln(3) 0 x3", "0", 0, "", 3.295836866004328, 3.295836866004330},
		{"ln(3) 0 x3, 1 0", "0", 0, "", 4.295836866004328, 4.295836866004330},
		{"0.1 1e-6", "1e-6", 0, "0.1", 0, 0},
		{"0.1 1/2 x2", "3/4", 0, "0.2", 0, 0},
		{"0.1 1e-6", "1.0000000000000000000000001e-6", 0, "", 0.0999999999, 0.10000000000000001},
		{"0 0 x5", "0", 0, "0", 0, 0},
		{"ln(1) 1/10 x2", "0.19", 0, "0", 0, 0},
		{"0 0 x5, 0.3 0", "0", 0, "0.3", 0, 0},
		{"0.1 1 x5", "1", 0, "0", 0, 0},
		{"0.1 0", "0.05", 0, "0", 0, 0},  // more than ε = 0 needs
		{"ln(3) 0", "1/2", 0, "0", 0, 0}, // exactly that, and 1e-42 less
		{"ln(3) 1/10", "11/20", 0, "0", 0, 0},
		{"ln(12) 0", "11/13", 1e-15, "0", 0, 0},
		{"ln(3) 0", "0.499999999999999999999999999999999999999999", 0, "", 3.99999999e-42, 4.00000001e-42},
		{"law 1/2,1/4 1/2,1/2 0,1/4", "1/4", 0, "0", 0, 0},
		{"law 1/2,1/4 1/2,3/4 0,0 x3", "11/32", 0, "0", 0, 0},
		{"law 1/2,1/4 1/2,3/4 0,0", "0.249999999999999999999999999999999999999999", 0, "",
			3.99999999e-42, 4.00000001e-42},
		{"law 1/2,1/2 1/2,1/2", "1e-6", 0, "0", 0, 0},
		{"0.1 0", "0.04995", 0, "", 1.763056234e-5, 1.763056236e-5}, // near ε = 0
		{"0.1 0 x100", "1e-250", 0, "", 9.99999999, 10},
		{"0.1 0 x100", "1e-3000", 0, "", 9.99999999, 10},
		{"0.1 0 x1000", "1e-250", 1e-6, "", 90, 97}, // far below the largest loss
		{"800 0 x3", "0.5", 0, "", 2399.306850, 2399.306856},
		{"1e280 0 x3", "0.5", 0, "", 2.99999999e280, 3.00000001e280},
		{"ln(1e400) 0 x3", "0.5", 0, "", 2762.408960, 2762.408969},
		{"0.1 0 x40, ln(1.2) 1e-9 x40", "1e-6", 0, "", 6, 11}, // no lattice
		{"0.001 1e-12 x1000000", "1e-6", 0, "", 7.3367881, 7.3367882},
		// the largest losses, of the worse order of neighbours
		{"laplace 2 x10", "0", 0, "5", 0, 0},
		{"laplace 13/4 x10, 1/10 0 x2", "0", 0, "213/65", 0, 0},
		{"laplace 2 0.1 x10", "0", 0, "", 0.62854723, 0.62854724},
		{"law 1/2,1/4 1/2,3/4 x3", "0", 0, "", 2.079441541, 2.079441542},
		{"law 1/2,1/4 1/2,3/4 x3, 1/10 0 x2, laplace 2", "0", 0, "", 2.779441541, 2.779441542},
		{"law 1/3,1/3 2/3,2/3 x4", "0", 0, "0", 0, 0},
		// where few losses are far from each other δ is anything but straight in ε: by sums over the integers
		{"discrete_gaussian 0.52 0.251", "1e-3", 0, "", 4.1468, 4.1472},
		// no ε is needed where δ is no less than how often noise is sampled in all
		{"gaussian 0.1 1e-4 x3, gaussian 0.2 1e-3 x2", "0.0023", 0, "0", 0, 0},
		// those that take a second
		{"1e-9 0, 0.001 0, 30 0", "0.999999", 0, "", 16.18448934, 16.18448936},
		{"discrete_gaussian 0.52 1", "5.913e-8", 0, "", 9.2450, 9.2459},
		{"gaussian 0.1 1e-4 x3, gaussian 0.2 1e-3 x2", "0.0019", 1e-2, "", 0.01, 100},
	}) {
		t.Run(row.mechanisms+" at "+row.delta, func(t *testing.T) {
			c := composed(t, parsed(row.mechanisms).Mechanisms, row.delta, row.width)
			if row.exact != "" {
				want := rational.MustParse(row.exact)
				if c.Exact == nil || c.Exact.Cmp(want) != 0 || !c.Eps.Contains(want) || c.Eps.RelWidth() > 1e-15 {
					t.Errorf("exactly %v, want %s; ε is in %v", c.Exact, row.exact, c.Eps)
				}
			} else if x := c.Eps.Float(); c.Exact != nil || x.Lo < row.least || x.Hi > row.most {
				t.Errorf("ε is in %v, want between %g and %g", x, row.least, row.most)
			}
		})
	}
	composed(t, distinct(15, 15).Mechanisms, "1e-6", 1e-3) // on a grid
}

func TestOptComp_Refuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		mechanisms, delta string
		want              string
	}{
		{"-1 0", "1", "mechanism 1: eps is -1, must be at least 0"},
		{"1 0 x-1", "1", "mechanism 1: count is -1, must be at least 1"},
		{"1 0", "-1/2", "delta is -0.5, must be between 0 and 1"},
		{"1 0", "3/2", "delta is 1.5, must be between 0 and 1"},
		{"1 1e-6", "0.99999999999999999999e-6", "delta is 0.00000099999999999999999999, must be at least " +
			"1e-06, which the δ of the mechanisms amount to whatever is charged"},
		{"0.05 1e-8 x100000", "1e-4", "delta is 0.0001, must be at least about 0.0009995001716, " +
			"which the δ of the mechanisms amount to whatever is charged"},
		{"1 1", "0.5", "delta is 0.5, and none is enough: the δ of the mechanisms amount to 1, whatever is charged"},
		// some losses are above every number
		{"gaussian 1 0.01 x2", "0", "delta is 0, must be at least 1e-250: with gaussian noise, as in mechanism 1"},
		{"discrete_gaussian 1 x2", "0", "delta is 0, must be at least 1e-250: with discrete_gaussian noise"},
		{"law 1/2,1 1/2,0 x2", "0", "delta is 0, must be at least 0.75, which"},
		{"law 1,1/2 0,1/2 x2", "0", "delta is 0, must be at least 0.75, which"},
	} {
		c, err := OptComp(t.Context(), parsed(row.mechanisms).Mechanisms, rational.MustParse(row.delta), Options{})
		if testkit.ExpectError(t, err, row.want); c != nil {
			t.Errorf("%s: %v", row.want, c)
		}
		_, isOfDelta := errors.AsType[*DeltaError](err)
		if isOfDelta != strings.HasPrefix(row.want, "delta") && !strings.Contains(row.want, "between") {
			t.Errorf("%v is a DeltaError: %v", err, isOfDelta)
		}
	}
	_, err := OptComp(t.Context(), nil, rational.One, Options{})
	testkit.ExpectError(t, err, "mechanisms: there are none, must be at least one")
	_, err = OptComp(t.Context(), parsed("1 0").Mechanisms, nil, Options{})
	testkit.ExpectError(t, err, "delta is missing, must be between 0 and 1")
	_, err = OptComp(t.Context(), parsed("1 0").Mechanisms, rational.One, Options{RelWidth: 1})
	testkit.ExpectError(t, err, "relative width is 1, must be more than 0 and less than 1")
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
func TestOptComp_Deadline(t *testing.T) {
	t.Parallel()
	ms, delta := distinct(300, 300).Mechanisms, rational.MustParse("1e-6")
	ctx := &ending{t.Context(), make(chan struct{})}
	c, err := OptComp(ctx, ms, delta, Options{Progress: func(done float64) {
		if done > 0.5 && ctx.Err() == nil {
			close(ctx.done)
		}
	}})
	if err != nil || !strings.HasSuffix(c.Shortfall, "time ran out") {
		t.Fatal(err, c)
	}
	if x := c.Eps.Float(); x.Lo > 5.3321179924 || x.Hi < 5.3321179967 {
		t.Errorf("ε is in %v", x)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OptComp(done, ms, delta, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("before there is any result: %v", err)
	}
}

// Profile draws what [OptDel] certifies, for the worse order of neighbours, and ends where nothing falls.
func TestProfile(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		mechanisms string
		near       float64
		from, end  float64 // of the last point, if there is no limit
	}{
		{"0.05 1e-8 x1000", 1e-8, 50, 50},
		{"0 0.1", 1e-12, 0, 0},
		{"gaussian 1 0.1 x4", 0.01, 8, 24},
		{"gaussian 20 1 x100, 1/10 1e-6 x3", 0.01, 2, 8},
		{"law 0.4,0.6 0.58,0.29 0.02,0 0,0.11 x5", 0.01, 3.4, 3.5},
		{"losses -3/5,3/10 1/2,3/5 x5", 0.01, 2.9, 3.1},
		{"discrete_gaussian 2", 0.01, 4, 16},
	} {
		ms := parsed(row.mechanisms).Mechanisms
		eps, delta, err := Profile(t.Context(), ms, 3, 1e-250, 7)
		if err != nil {
			t.Fatal(err)
		}
		for j, e := range eps {
			p := OneStop(ms)
			p.Stops[0].Eps = exactly(e)
			want := solve(t, p, Options{RelWidth: row.near / 10}).OptDel.Float().Hi
			if math.Abs(delta[j]-want) > row.near*want {
				t.Errorf("%s: δ(%g) is %g, want %g", row.mechanisms, e, delta[j], want)
			}
		}
		eps, delta, err = Profile(t.Context(), ms, math.MaxFloat64, 1e-250, 101)
		if last := len(eps) - 1; err != nil || eps[last] < row.from || eps[last] > row.end {
			t.Errorf("%s: %v, the last of %d points is %g, %g", row.mechanisms, err, len(eps), eps[last], delta[last])
		}
	}
	for _, most := range []float64{0, math.NaN()} {
		if _, _, err := Profile(t.Context(), parsed("1 0").Mechanisms, most, 1, 2); err == nil {
			t.Errorf("a profile up to %g must be refused", most)
		}
	}
}
