package stopping

import (
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// response returns n randomized responses.
func response(eps loss.Epsilon, delta *big.Rat, n int) certify.Mechanism {
	return certify.Mechanism{Eps: eps, Delta: delta, Count: n}
}

// pipe returns n randomized responses (eps, delta) with evenly spaced stops of these charges.
func pipe(n int, eps, delta string, charges ...string) Problem {
	m := response(loss.Nats(rational.MustParse(eps)), rational.MustParse(delta), n)
	p := certify.Problem{Mechanisms: []certify.Mechanism{m}}
	for i, e := range charges {
		after := (i + 1) * n / len(charges)
		p.Stops = append(p.Stops, certify.Stop{After: after, Eps: loss.Nats(rational.MustParse(e))})
	}
	return New(p)
}

// everyStop returns k randomized responses (eps, 0) with a stop after every gap of them, charged 0.
func everyStop(k, gap int, eps string) Problem {
	return pipe(k, eps, "0", slices.Repeat([]string{"0"}, k/gap)...)
}

// designed returns a schedule, of equal weights and a slack of 1e-6 if nothing else is said.
func designed(t *testing.T, p Problem, delta string, o ScheduleOptions) *Schedule {
	if o.Weights == nil {
		o.Weights = Uniform.proportions(len(p.Stops))
	}
	o.Slack, o.Progress = 1e-6, func(float64) {}
	k, err := NewScheduler(t.Context(), p, rational.MustParse(delta), o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := k.Schedule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.Compare(t.Context(), s)
	return s
}

func floatsOf(xs []*big.Rat) (fs []float64) {
	for _, x := range xs {
		fs = append(fs, rational.Float64(x))
	}
	return fs
}

// The largest loss is never rounded down, and hardly up.
func TestLosses(t *testing.T) {
	t.Parallel()
	p := New(certify.Problem{
		Mechanisms: []certify.Mechanism{
			response(loss.Exp(rational.MustParse("3/2")), new(big.Rat), 3),
			response(loss.Nats(rational.MustParse("1/3")), new(big.Rat), 2),
		},
		Stops: []certify.Stop{{After: 3, Eps: loss.Nats(new(big.Rat))}, {After: 5, Eps: loss.Nats(new(big.Rat))}},
	})
	log := interval.Precision(512).Log(rational.MustParse("3/2"))
	lo, hi := log.Rats()
	for i, rest := range []string{"0", "2/3"} {
		loss := p.Losses()[i]
		least := new(big.Rat).Add(new(big.Rat).Mul(hi, rational.MustParse("3")), rational.MustParse(rest))
		most := new(big.Rat).Add(new(big.Rat).Mul(lo, rational.MustParse("3.000000000000000000000000000001")),
			rational.MustParse(rest))
		if loss.Cmp(least) < 0 || loss.Cmp(most) > 0 {
			t.Errorf("stop %d: %s", i+1, loss.FloatString(50))
		}
	}
}
