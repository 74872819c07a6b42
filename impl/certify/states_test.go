package certify

import (
	"math/big"
	"runtime"
	"testing"
)

// unrelated returns a mechanism with a law of n outputs whose losses have nothing in common.
func unrelated(n, count int) Mechanism {
	m := Mechanism{Count: count}
	sum := int64(0)
	for i := range n {
		sum += int64(1000003 + 7*i*i)
	}
	for i := range n {
		m.Law = append(m.Law, [2]*big.Rat{big.NewRat(int64(1000003+7*i*i), sum), big.NewRat(1, int64(n))})
	}
	return m
}

// What would take too much memory is refused before it is taken: a loss is as long as the list of all logarithms.
func TestStatesMemory(t *testing.T) {
	p := Problem{Mechanisms: []Mechanism{unrelated(700, 2)}, Stops: []Stop{{2, Number{Value: big.NewRat(1, 1000)}}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Check(t.Context(), p, Hints{Bits: 64})
	runtime.ReadMemStats(&after)
	if err == nil || after.TotalAlloc-before.TotalAlloc > 300<<20 {
		t.Errorf("%v after %d MB", err, (after.TotalAlloc-before.TotalAlloc)>>20)
	}
	p.Mechanisms[0] = unrelated(100, 2)
	if b, err := Check(t.Context(), p, Hints{Bits: 64}); err != nil || b.OptDel.Lower.Sign() <= 0 {
		t.Error(b, err)
	}
}

// All numbers are products of powers of the coprime ones.
func TestFactor(t *testing.T) {
	t.Parallel()
	var xs []Number
	for i := range int64(60) {
		xs = append(xs, Number{big.NewRat(720+i*i*i, 1+i), true})
	}
	huge := new(big.Int).Exp(big.NewInt(6), big.NewInt(100), nil)
	xs = append(xs, Number{new(big.Rat).SetInt(huge), true},
		Number{new(big.Rat).SetFrac(new(big.Int).Mul(huge, huge), big.NewInt(49)), true})
	f, err := newFrame(t.Context(), xs)
	if err != nil {
		t.Fatal(err)
	}
	f.factor()
	for i, b := range f.coprime {
		for _, c := range f.coprime[:i] {
			if new(big.Int).GCD(nil, nil, b, c).Cmp(big.NewInt(1)) != 0 {
				t.Errorf("%v and %v are not coprime", b, c)
			}
		}
	}
	for j, x := range f.logs {
		product := big.NewRat(1, 1)
		for _, p := range f.exponents[j] {
			c := new(big.Rat).SetInt(f.coprime[p.base])
			if p.exponent < 0 {
				c.Inv(c)
			}
			for range max(p.exponent, -p.exponent) {
				product.Mul(product, c)
			}
		}
		if product.Cmp(x) != 0 {
			t.Errorf("%v is taken for %v", x, product)
		}
	}
}
