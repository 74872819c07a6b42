package impl

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

func TestScratch(t *testing.T) {
	for _, l := range []string{"0.01", "0.1", "0.2", "1", "10"} {
		lam := parseRat(l)
		a, err := ErrorSensitivity(70, lam)
		b, _ := TightErrorSensitivity(70, lam)
		c, _ := LogisticErrorSensitivity(70, lam)
		fmt.Println(l, a.span(), b.span(), c.span(), err, largestMinimizer(lam))
	}
	train := []Record{{[]float64{1}, 1}, {[]float64{1}, 0.5}}
	test := []Record{{[]float64{1}, 1}, {[]float64{0.5}, -1}}
	m, err := MinimizerOnLine(train, parseRat("0.5"))
	fmt.Println(m.span(), err, m.span().hi-m.span().lo)
	p, d, err := Minimizer(train, 0.5)
	fmt.Println(p, d, err)
	x := ReleaseTest{train, test, parseRat("1"), parseRat("0.5"), parseRat("0.5"), parseRat("0.8"), interval(1, 1), 0}
	for _, x.Width = range []float64{1e-2, 1e-3, 1e-4} {
		r, err := RefusalProbability(x)
		fmt.Println(r.span(), err, r.RelWidth())
	}
	x.Width = 0
	sum := 0.0
	for c := -20.0; c < 20; c += 0.125 {
		r, _ := NoisyErrorDensity(x, c)
		sum += r.span().lo * 0.125
	}
	fmt.Println(sum)
	_ = math.Pi
	_ = big.NewRat
	fmt.Println(testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			RefusalProbability(x)
		}
	}), testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			MinimizerOnLine(train, x.Lambda)
		}
	}))
}
