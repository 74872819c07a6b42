package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// fakeResult is a result of the right shape for p: made-up numbers that differ
// from stop to stop, with two stops in every seven at which stopping never pays.
func fakeResult(p impl.Pipeline) *impl.Result {
	r := &impl.Result{
		OptDel:  interval.Interval{Lower: big.NewFloat(1.25e-6), Upper: big.NewFloat(1.2500000001e-6)},
		Lemma11: interval.Interval{Lower: big.NewFloat(2.5e-5), Upper: big.NewFloat(2.5e-5)},
		Method:  impl.Lattice,
	}
	for i, s := range p.Stops {
		x := float64(i+1) * 1e-7
		r.SingleStop = append(r.SingleStop, interval.Interval{Lower: big.NewFloat(x), Upper: big.NewFloat(x)})
		t := impl.Threshold{LossAtLeast: loss.Float64(s.Eps) * 1.2, Probability: 1 / float64(i+8)}
		if i%7 == 3 || i%7 == 4 {
			t = impl.Threshold{LossAtLeast: math.Inf(1)}
		}
		r.Rule = append(r.Rule, t)
	}
	return r
}

// The exact values that go with fakeResult.
var (
	fakeExact, _   = input.ParseNumber("1.25000000005e-6")
	fakeLemma11, _ = big.NewFloat(2.5e-5).Rat(nil)
)

// fakeApp is an app with a solver that answers at once, and its outputs.
func fakeApp(stdin string) (a app, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	a = app{
		inputs: &input.Inputs{Stdin: strings.NewReader(stdin)},
		stdout: stdout,
		stderr: stderr,
		optDel: func(_ context.Context, p impl.Pipeline, _ impl.Options) (*impl.Result, error) {
			return fakeResult(p), nil
		},
		exactly: func(context.Context, impl.Pipeline) (optDel, lemma11 *big.Rat, err error) {
			return fakeExact, fakeLemma11, nil
		},
		enumerate: func(_ context.Context, p impl.Pipeline, _ impl.Options, exact bool) (found, error) {
			s := found{Result: fakeResult(p)}
			s.Method = enumeration
			if exact {
				s.exact, s.lemma11Exact = fakeExact, fakeLemma11
			}
			return s, nil
		},
	}
	return a, stdout, stderr
}

// manyStops is a problem with n stops, ten mechanisms apart.
func manyStops(t *testing.T, n int, eps string) *input.Problem {
	t.Helper()
	var stops []string
	for i := range n {
		stops = append(stops, fmt.Sprintf("after=%d,eps=%s", 10*(i+1), charge(eps, i)))
	}
	p, err := input.ProblemOfFlags([]string{fmt.Sprintf("eps=0.05,count=%d", 10*n)}, stops, nil, input.ChargedStops)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// charge is eps, or rises like a square root if that is empty.
func charge(eps string, i int) string {
	if eps != "" {
		return eps
	}
	return fmt.Sprintf("%.3f", 0.7*math.Sqrt(float64(i+1)))
}
