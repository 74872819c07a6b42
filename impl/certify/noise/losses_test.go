package noise

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"checkrr/impl/certify/internal/num"
)

func newLosses(t *testing.T, pairs ...string) *Losses {
	t.Helper()
	l, err := NewLosses(lossList(t, pairs...))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// lossList reads "loss,mass".
func lossList(t *testing.T, pairs ...string) (list [][2]*big.Rat) {
	t.Helper()
	for _, pair := range pairs {
		loss, mass, _ := strings.Cut(pair, ",")
		x, ok := new(big.Rat).SetString(loss)
		y, ok2 := new(big.Rat).SetString(mass)
		if !ok || !ok2 {
			t.Fatalf("%q is no loss and mass", pair)
		}
		list = append(list, [2]*big.Rat{x, y})
	}
	return list
}

// randomLosses returns losses whose Q-masses are less than 1 together, and sometimes nearly 1.
func randomLosses(r *rand.Rand) *Losses {
	var list [][2]*big.Rat
	left, q := 1-1e-12, 1.0
	loss := -3.0 + r.Float64()
	for range 1 + r.IntN(40) {
		loss += 0.3 * r.ExpFloat64()
		p := min(left, q*math.Exp(loss)) * r.Float64()
		if left, q = left-p, q-p*math.Exp(-loss); p > 0 {
			list = append(list, [2]*big.Rat{new(big.Rat).SetFloat64(loss), new(big.Rat).SetFloat64(p)})
		}
	}
	l, err := NewLosses(list)
	if err != nil {
		panic(err)
	}
	if r.IntN(2) == 0 {
		return l.Reversed()
	}
	return l
}

// divergence returns that of order alpha, from the numbers that were given.
func (l *Losses) divergence(alpha float64) (sum float64) {
	p, q := 1.0, 1.0 // that are left
	for _, x := range l.list {
		loss, mass := toFloat64(x[0]), toFloat64(x[1])
		p, q = p-mass, q-mass*math.Exp(-loss)
		if l.isReversed {
			sum += max(0, mass*math.Exp(-loss)-alpha*mass)
		} else {
			sum += max(0, mass-alpha*mass*math.Exp(-loss))
		}
	}
	if l.isReversed {
		return sum + max(0, q)
	}
	return sum + max(0, p)
}

// The divergence of the cells above is not less, and that of the cells below is not more, at any order; both are near
// for small units.
func TestLosses_Cells(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 6))
	for range atLeast(60, 300) {
		l := randomLosses(r)
		unit := []float64{1e-4, 1e-3, 0.02, 0.5}[r.IntN(4)]
		ruler := ruler{num.Exactly(unit * r.Float64()), num.Exactly(unit), MostLoss, false}
		above, err := l.above(t.Context(), ruler, 1e-14)
		if err != nil {
			t.Fatal(err)
		}
		below, err := l.below(t.Context(), ruler, 1e-14)
		if err != nil {
			t.Fatal(err)
		}
		for _, alpha := range []float64{0, 0.1, 0.5, 0.99, 1, 1.001, 1.2, 3, 20} {
			lower, upper := below.divergence(ruler, alpha), above.divergence(ruler, alpha)
			d := l.divergence(alpha)
			if tiny := 1e-13 * (1 + alpha); lower > d+tiny || upper < d-tiny || upper-lower > alpha*unit+1e-12 {
				t.Errorf("%v, unit %v, α = %v: between %v and %v, must contain %v",
					l.list, unit, alpha, lower, upper, d)
			}
		}
	}
}

// Losses that are nodes stay there.
func TestLosses_Nodes(t *testing.T) {
	t.Parallel()
	l := newLosses(t, "-0.5,0.125", "0,0.5", "0.25,0.25")
	c, err := l.above(t.Context(), from0(0.25), 1e-20)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]float64{-2: 0.125, 0: 0.5, 1: 0.25}
	for i, m := range c.Mass[0] {
		if math.Abs(m-want[c.Low+i]) > 1e-15 {
			t.Errorf("node %d has %v, must have %v", c.Low+i, m, want[c.Low+i])
		}
	}
	if math.Abs(c.Infinity-0.125) > 1e-15 {
		t.Errorf("infinity is %v, must be 0.125", c.Infinity)
	}
}

// Several mechanisms together have the products of their masses, those with an infinite loss too.
func TestLosses_Times(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 7))
	for range 60 {
		l, unit, count := randomLosses(r), 0.01, 2+r.IntN(4)
		for _, isUp := range []bool{true, false} {
			c, err := cellsOf(t.Context(), l, from0(unit), isUp, 1e-15)
			if err != nil {
				t.Fatal(err)
			}
			want, all := slices.Clone(c.Mass[0]), c.Infinity+num.Dot(c.Mass[0], nil)
			for range count - 1 {
				want = product(want, c.Mass[0])
			}
			nodes := Nodes{new(big.Rat), num.Exactly(unit), isUp, 1e-14, MostLoss}
			d, err := Law(t.Context(), l, count, nodes, 2)
			if err != nil {
				t.Fatal(err)
			}
			infinity := math.Pow(all, float64(count)) - num.Dot(want, nil)
			if math.Abs(d.Infinity-infinity) > 1e-11 || math.Abs(num.Dot(d.Mass[0], nil)-num.Dot(want, nil)) > 1e-9 {
				t.Errorf("%v: %d have %v and %v at infinity, must have %v and %v",
					l.list, count, num.Dot(d.Mass[0], nil), d.Infinity, num.Dot(want, nil), infinity)
			}
			const tiny = 1e-13
			if isUp && d.Infinity < infinity-tiny || !isUp && d.Infinity > infinity+tiny {
				t.Errorf("%v: %d have %v at infinity, must be a bound of %v", l.list, count, d.Infinity, infinity)
			}
		}
	}
}

// What losses there may be.
func TestNewLosses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pairs []string
		want  string
	}{
		{[]string{"0,1"}, ""},
		{[]string{"-0.1,0.5", "0.1,0.45"}, ""},
		{[]string{"-0.1,1e-3000"}, ""},
		{nil, "there are 0 losses"},
		{[]string{"0,0"}, "is not above 0"},
		{[]string{"0,-1"}, "is not above 0"},
		{[]string{"0,0.5", "0,0.5"}, "loss 2 is not above the one before it"},
		{[]string{"1,0.5", "0,0.5"}, "loss 2 is not above the one before it"},
		{[]string{"601,0.5"}, "must be between -600 and 600"},
		{[]string{"0,0.5", "1,0.5000000000000000000000000000001"}, "sum to more than 1"},
		{[]string{"-1,0.5"}, "sum to about 1.35914091"},
		{[]string{"0,0.9999999", "-2,0.0000001"}, "is not above"},
	} {
		_, err := NewLosses(lossList(t, tt.pairs...))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%v: %v", tt.pairs, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%v: error %v, must say %q", tt.pairs, err, tt.want)
		}
	}
}

// A little more than 1 under Q makes all losses a little larger, and all Q-masses smaller; more is refused.
func TestLosses_Excess(t *testing.T) {
	t.Parallel()
	l := newLosses(t, "-0.0000000005,1")
	if a := l.atoms[0]; !(a.Loss.Lo <= 0 && a.Loss.Hi >= 0) || a.Q.Lo > 1 || a.Q.Hi < 1 || a.Loss.Hi > 1e-14 {
		t.Errorf("loss and Q-mass are %v and %v, must be 0 and 1", a.Loss, a.Q)
	}
	if x := l.Reversed().infinity; x.Hi > 0 {
		t.Errorf("the other order has %v at infinity, must have 0", x)
	}
	_, err := NewLosses(lossList(t, "-0.0000000011,1"))
	if _, ok := errors.AsType[*ExcessError](err); !ok {
		t.Errorf("error %v, must say that the Q-masses are too much", err)
	}
}
