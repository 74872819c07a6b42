package exhaustive

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The first 71 digits of e^x, cut off and not rounded, from a decimal computation
// with 120 digits (Python's decimal module). The truth is less than unit above.
var expDigits = []struct {
	x, digits, unit string
}{
	{"1", "2.7182818284590452353602874713526624977572470936999595749669676277240766e0", "1e-70"},
	{"-1", "3.6787944117144232159552377016146086744581113103176783450783680169746149e-1", "1e-71"},
	{"0.1", "1.1051709180756476248117078264902466682245471947375187187928632894409679e0", "1e-70"},
	{"0.5", "1.6487212707001281468486507878141635716537761007101480115750793116406610e0", "1e-70"},
	{"-0.000001", "9.9999900000049999983333337499999166666805555535714288194444168871279761e-1", "1e-71"},
	{"800", "2.7263745721125665673647795463672697579665922657898279507106664711810632e347", "1e277"},
	{"-800", "3.6678745841776872134554956542607982154696342266126407050691513109035424e-348", "1e-418"},
	{"1000000", "3.0332153968020875450864021414181143270839737948134774096061949997862264e434294", "1e434224"},
}

// The width is at most the 4 units in the last place that expRat promises.
func TestExpDigits(t *testing.T) {
	t.Parallel()
	for _, test := range expDigits {
		lo := rat(test.digits)
		hi := new(big.Rat).Add(lo, rat(test.unit))
		for _, prec := range []uint{24, 53, 200, 1000, 4096} {
			v := enclosing{prec}.expRat(rat(test.x))
			low, _ := v.Lo.Rat(nil)
			high, _ := v.Hi.Rat(nil)
			width, limit := new(big.Float).Sub(v.Hi, v.Lo), new(big.Float).SetMantExp(v.Lo, 2-int(prec))
			if low.Cmp(hi) > 0 || high.Cmp(lo) < 0 || width.Cmp(limit) > 0 {
				t.Errorf("e^%s with %d bits: %v", test.x, prec, v)
			}
		}
	}
}

// Where the first term is enough, the bound of the rest alone covers e^r > 1; e^0 is 1.
func TestTaylorRest(t *testing.T) {
	t.Parallel()
	n := enclosing{24}
	r := rat("1e-20")
	if v := n.taylor(n.rat(r)); !v.contains(new(big.Rat).Add(one, r)) {
		t.Errorf("e^r is %v for r = %v", v, r)
	}
	if v := n.expRat(new(big.Rat)); !v.contains(one) || widthOf(v) != 0 {
		t.Errorf("e^0 is %v", v)
	}
}

// contains reports whether Lo ≤ x ≤ Hi.
func (v Interval) contains(x *big.Rat) bool {
	lo, _ := v.Lo.Rat(nil)
	hi, _ := v.Hi.Rat(nil)
	return lo.Cmp(x) <= 0 && x.Cmp(hi) <= 0
}

// Every operation on intervals contains the exact result, also when it cannot
// be represented.
func TestIntervalOperations(t *testing.T) {
	t.Parallel()
	n, q := enclosing{24}, rational{}
	g := rand.New(rand.NewPCG(8, 0))
	for range 500 {
		x := big.NewRat(g.Int64N(1<<40), 1+g.Int64N(1<<30))
		y := big.NewRat(1<<40+g.Int64N(1<<50), 1+g.Int64N(1<<40))
		v, w := n.rat(x), n.rat(y)
		results := []struct {
			name string
			got  Interval
			want *big.Rat
		}{
			{"rat", v, x}, {"add", n.add(v, w), q.add(x, y)}, {"sub", n.sub(v, w), q.sub(x, y)},
			{"mul", n.mul(v, w), q.mul(x, y)}, {"quo", n.quo(v, w), q.quo(x, y)}, {"max", n.max(v, w), q.max(x, y)},
		}
		for _, r := range results {
			if !r.got.contains(r.want) {
				t.Errorf("%s of %v and %v: %v does not contain %v", r.name, x, y, r.got, r.want)
			}
		}
	}
}
