package impl

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// parsed returns the pipeline that a text says: mechanisms, a bar, and stops with their charges, which are 0 if none is
// given. A mechanism is "ε δ", "gaussian σ q", "laplace b q" or "discrete_gaussian σ q", where q is 1 if it is missing,
// "law p,q p,q …" or "losses ℓ,p ℓ,p …", and behind it how often, "x100"; of an ε, ln(3) is one that is given as e^ε. A
// stop is after so many mechanisms, "50 2.5", or "every 10 2.5". Without a bar there is one stop, at the end.
func parsed(text string) (p Pipeline) {
	mechanisms, stops, isStopped := strings.Cut(text, "|")
	for one := range strings.SplitSeq(mechanisms, ", ") {
		p.Mechanisms = append(p.Mechanisms, parsedMechanism(strings.Fields(one)))
	}
	if !isStopped {
		return OneStop(p.Mechanisms)
	}
	for one := range strings.SplitSeq(stops, ",") {
		p.addStops(append(strings.Fields(one), "0"))
	}
	return p
}

func parsedMechanism(words []string) Mechanism {
	m := Mechanism{Count: 1}
	if times, ok := strings.CutPrefix(words[len(words)-1], "x"); ok {
		m.Count, words = number(times), words[:len(words)-1]
	}
	switch words[0] {
	case "law":
		m.Law = lawOf(strings.Join(words[1:], " "))
	case "losses":
		m.Losses = must(certify.NewLosses(lawOf(strings.Join(words[1:], " "))))
	case "gaussian", "laplace", "discrete_gaussian":
		scale, sampling := rational.MustParse(words[1]), rational.MustParse(append(words, "1")[2])
		m.Additive = &certify.Additive{Noise: certify.Noise(words[0]), Scale: scale, Sampling: sampling}
	default:
		m.Eps, m.Delta = epsOf(words[0]), rational.MustParse(append(words, "0")[1])
	}
	return m
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func epsOf(text string) loss.Epsilon {
	if inner, isLog := strings.CutPrefix(text, "ln("); isLog {
		return testkit.ExpOf(strings.TrimSuffix(inner, ")"))
	}
	return testkit.NatsOf(text)
}

func (p *Pipeline) addStops(words []string) {
	if words[0] != "every" {
		p.Stops = append(p.Stops, Stop{After: number(words[0]), Eps: epsOf(words[1])})
		return
	}
	gap, end := number(words[1]), OneStop(p.Mechanisms).Stops[0].After
	for k := gap; k <= end; k += gap {
		p.Stops = append(p.Stops, Stop{After: k, Eps: epsOf(words[2])})
	}
}

// lawOf returns the law that is written as "P,Q P,Q …".
func lawOf(text string) (l Law) {
	for output := range strings.FieldsSeq(text) {
		p, q, _ := strings.Cut(output, ",")
		l = append(l, [2]*big.Rat{rational.MustParse(p), rational.MustParse(q)})
	}
	return l
}

// everyStop returns k mechanisms (eps, 0) with a stop after every gap of them, charged E_i = 0.5 + 4·eps·√k_i, rounded
// to 6 decimals.
func everyStop(k, gap int, eps string) Pipeline {
	p := parsed(fmt.Sprintf("%s 0 x%d | every %d", eps, k, gap))
	for i, s := range p.Stops {
		e := 0.5 + 4*loss.Float64(epsOf(eps))*math.Sqrt(float64(s.After))
		p.Stops[i].Eps = loss.Nats(big.NewRat(int64(math.Round(1e6*e)), 1e6))
	}
	return p
}

// distinct returns k mechanisms with different ε of seven decimals and a stop after every gap of them.
func distinct(k, gap int) (p Pipeline) {
	random := rand.New(rand.NewPCG(1, 0))
	for range k {
		eps := loss.Nats(big.NewRat(200000+random.Int64N(800000), 1e7))
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: eps, Delta: new(big.Rat), Count: 1})
	}
	for i := gap; i <= k; i += gap {
		p.Stops = append(p.Stops, Stop{After: i, Eps: loss.Nats(big.NewRat(int64(500+8*i), 1000))})
	}
	return p
}

// solve is [OptDel] where it must not fail.
func solve(t testing.TB, p Pipeline, o Options) *Result {
	t.Helper()
	r, err := OptDel(t.Context(), p, o)
	if err != nil || r.Shortfall != "" {
		t.Fatal(err, r)
	}
	return r
}

// exactly returns the parameter ε = e.
func exactly(e float64) loss.Epsilon { return loss.Nats(new(big.Rat).SetFloat64(e)) }

// checkNear fails unless got is want, but for a part of it.
func checkNear(t *testing.T, name string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= relative) {
		t.Errorf("%s: %.17g, must be %.17g but for a part of %g", name, got, want, relative)
	}
}
