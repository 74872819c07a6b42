package exhaustive

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// rat reads a rational number.
func rat(text string) *big.Rat {
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("internal error: not a rational number: " + text)
	}
	return x
}

// nats and exps read an ε given as ε and as e^ε.
func nats(text string) Epsilon { return Epsilon{Rat: rat(text)} }
func exps(text string) Epsilon { return Epsilon{Rat: rat(text), Exp: true} }

// exact builds a pipeline from pairs "e^ε δ", separated by commas, and stops.
func exact(mechanisms string, stops ...Stop) Pipeline { return pipeline(exps, mechanisms, stops) }

// decimal builds a pipeline from pairs "ε δ", separated by commas, and stops.
func decimal(mechanisms string, stops ...Stop) Pipeline { return pipeline(nats, mechanisms, stops) }

func pipeline(read func(string) Epsilon, mechanisms string, stops []Stop) Pipeline {
	p := Pipeline{Stops: stops}
	for _, pair := range strings.Split(mechanisms, ",") {
		fields := strings.Fields(pair)
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: read(fields[0]), Delta: rat(fields[1])})
	}
	return p
}

// stop is a stop that is charged the e^ℰ given.
func stop(after int, expE string) Stop { return Stop{after, exps(expE)} }

// generator draws problems. Its sequence of problems is always the same.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 0))} }

// pipeline draws a problem with 1 to longest mechanisms. Every ε is given as
// e^ε. Ordinary parameters mix with the edges ε = 0, δ = 0, δ = 1, ℰ = 0, with
// charges that equal an ε, and with charges that no loss reaches.
func (g generator) pipeline(longest int) Pipeline {
	var p Pipeline
	for range 1 + g.IntN(longest) {
		expEps := pick(g, "1", "3", "11/10", "7/5", "2", "1000")
		delta := pick(g, "0", "0", "1/3", "1/1000000", "1/20", "1")
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: exps(expEps), Delta: rat(delta)})
	}
	for k := range p.Mechanisms {
		if last := k == len(p.Mechanisms)-1; last || g.IntN(2) == 0 {
			p.Stops = append(p.Stops, stop(k+1, pick(g, "1", "6/5", "2", "3", "9/2", "100000")))
		}
	}
	return p
}

func pick(g generator, from ...string) string { return from[g.IntN(len(from))] }

// The generator must reach what it promises.
func TestGenerator(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	var longest, manyStops, certain int
	for range 1000 {
		p := g.pipeline(5)
		if err := p.validate(); err != nil {
			t.Fatal(err)
		}
		if len(p.Mechanisms) == 5 {
			longest++
		}
		if len(p.Stops) > 2 {
			manyStops++
		}
		if slices.ContainsFunc(p.Mechanisms, func(m Mechanism) bool { return m.Delta.Cmp(one) == 0 }) {
			certain++
		}
	}
	if longest < 100 || manyStops < 100 || certain < 100 {
		t.Errorf("of 1000 problems %d are longest, %d have more than 2 stops, %d have a δ of 1", longest, manyStops, certain)
	}
}

func TestDomain(t *testing.T) {
	t.Parallel()
	end := stop(1, "2")
	missing := Epsilon{}
	long := Pipeline{slices.Repeat([]Mechanism{{Eps: exps("2"), Delta: rat("0")}}, 14), []Stop{stop(14, "2")}}
	tests := []struct {
		name string
		p    Pipeline
		want string // part of the error
	}{
		{"no mechanism", Pipeline{Stops: []Stop{end}}, "mechanisms: there are none"},
		{"too long", long, "mechanisms: there are 14, must be at most 13"},
		{"no stop", exact("2 0"), "stops: there are none"},
		{"negative epsilon", decimal("-1/2 0", end), "mechanism 1: eps is -1/2, must be between 0 and 1000000"},
		{"huge epsilon", decimal("1 0, 1000001 0", stop(2, "2")), "mechanism 2: eps is 1000001"},
		{"e^eps below 1", exact("1/2 0", end), "mechanism 1: e^eps is 1/2, must be at least 1"},
		{"missing epsilon", Pipeline{[]Mechanism{{Eps: missing, Delta: rat("0")}}, []Stop{end}}, "mechanism 1: eps is missing"},
		{"negative delta", exact("2 -1/9", end), "mechanism 1: delta is -1/9, must be between 0 and 1"},
		{"delta above 1", exact("2 10/9", end), "mechanism 1: delta is 10/9"},
		{"missing delta", Pipeline{[]Mechanism{{Eps: exps("2"), Delta: nil}}, []Stop{end}}, "mechanism 1: delta is missing"},
		{"stop at 0", exact("2 0", stop(0, "1"), end), "stop 1: after is 0, must be more than 0"},
		{"stops equal", exact("2 0", end, end), "stop 2: after is 1, must be more than 1"},
		{"stop too late", exact("2 0", stop(2, "1")), "stop 1: after is 2, the last must be 1"},
		{"no stop at the end", exact("2 0, 2 0", end), "stop 1: after is 1, the last must be 2"},
		{"charge", exact("2 0", stop(1, "1/2")), "stop 1: e^eps is 1/2, must be at least 1"},
	}
	for _, test := range tests {
		for name, err := range everyError(test.p) {
			checkError(t, test.name, err, name+": ", test.want)
		}
	}
}

// everyError returns the error of every function that takes a pipeline.
func everyError(p Pipeline) map[string]error {
	ctx := context.Background()
	errs := map[string]error{}
	_, errs["Exact"] = Exact(ctx, p, nil)
	_, errs["Enclose"] = Enclose(ctx, p, 53, nil)
	_, errs["Criteria"] = Criteria(ctx, p)
	_, errs["EvaluateRule"] = EvaluateRule(ctx, p, make([]float64, len(p.Stops)))
	return errs
}

// checkError reports an error that is missing or lacks one of the parts.
func checkError(t *testing.T, name string, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %q", name, parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error is %q, want %q in it", name, err, part)
		}
	}
}

// What only some of the arithmetics can do.
func TestDomainOfArithmetics(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	small := decimal("1/10 0", Stop{1, nats("1/10")})
	_, err := Exact(ctx, small, nil)
	checkError(t, "mechanism", err, "Exact: mechanism 1: eps is 1/10, exact numbers need e^eps")
	_, err = Exact(ctx, exact("2 0", Stop{1, nats("1/10")}), nil)
	checkError(t, "stop", err, "Exact: stop 1: eps is 1/10, exact numbers need e^eps")
	_, err = Criteria(ctx, small)
	checkError(t, "Criteria", err, "Criteria: mechanism 1: eps is 1/10, exact numbers need e^eps")
	for _, prec := range []uint{0, 23, 4097} {
		_, err = Enclose(ctx, small, prec, nil)
		checkError(t, "precision", err, "Enclose: prec is ", ", must be between 24 and 4096")
	}
}
