package run

import (
	"cmp"
	"fmt"
	"math/big"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/interval"
)

// Gate is what an answer must not exceed. Without a typed number it is always open.
type Gate struct {
	most Number
}

// Verdict is what a gate, a certificate or a challenge has come to; empty if nothing was asked.
type Verdict string

const (
	Holds        Verdict = "holds"
	Refuted      Verdict = "refuted"
	Inconclusive Verdict = "inconclusive"
	notProved    Verdict = "not proved"
)

// AddTo adds the flag for what is computed.
func (g *Gate) AddTo(f *pflag.FlagSet, answer string) {
	g.most.AddTo(f, "at-most", "",
		"exit with 0 if "+answer+" is at most `X`, with 1 if it is more, and otherwise with 3", input.From0)
}

// check refuses a number for what is a δ.
func (g *Gate) check(isDelta bool) error {
	if rule := Delta(From0)(cmp.Or(g.most.Value, new(big.Rat))); isDelta && rule != "" {
		return fmt.Errorf("--at-most is %s, must be %s; it is for δ here, not for a charge", report.Quote(g.most.Text),
			rule)
	}
	return nil
}

// judge says on which side of the gate a number is that lies between two others.
func (g Gate) judge(lower, upper *big.Rat) Verdict {
	switch {
	case g.most.Value == nil:
		return ""
	case upper.Cmp(g.most.Value) <= 0:
		return Holds
	case lower.Cmp(g.most.Value) > 0:
		return Refuted
	}
	return Inconclusive
}

// narrower is how often an interval on both sides of a gate is asked for again.
const narrower = 4

// decide judges an answer that is known exactly, or its interval of some width; as long as that does not tell, it lets
// again find a narrower one, until there is an error. Where none tells, ratio, which may be nil,
// returns the answer exactly, or nil. This closer look is for the verdict: what depends on the limit is no figure that
// is compared from one day to the next.
func (g Gate) decide(exact *big.Rat, x interval.Interval, width float64, onGrid bool,
	again func(width float64) (interval.Interval, error), ratio func() *big.Rat) Verdict {
	if exact != nil {
		return g.judge(exact, exact)
	}
	factor := 1e-4
	if onGrid { // where every digit costs much
		factor = 1.0 / 8
	}
	for range narrower {
		if g.judge(x.Rats()) != Inconclusive {
			break
		}
		width = max(width*factor, 1e-300)
		y, err := again(width)
		if err != nil {
			break
		}
		x = y
	}
	verdict := g.judge(x.Rats())
	if verdict == Inconclusive && ratio != nil {
		if exact = ratio(); exact != nil {
			return g.judge(exact, exact)
		}
	}
	return verdict
}

// settle sets the verdict on whether OptDel is at most delta where its interval does not tell, if it is only what no
// charge can buy.
func (s *solved) settle(p impl.Pipeline, delta *big.Rat) {
	if s.verdict != Inconclusive {
		return
	}
	if isAtMost, isKnown := p.LeaksAtMost(delta); isKnown {
		s.verdict, s.isLeak = map[bool]Verdict{true: Holds, false: Refuted}[isAtMost], true
	}
}

// conclude is the error that goes with a verdict on what is called answer.
func (g Gate) conclude(v Verdict, answer string) error {
	switch v {
	case Refuted:
		return fmt.Errorf("%w: %s is more than %s", ErrRefuted, answer, g.most.Text)
	case Inconclusive:
		return fmt.Errorf("%w: whether %s is at most %s is not known", ErrInconclusive, answer, g.most.Text)
	}
	return nil
}

// line says the verdict in a table.
func (g Gate) line(v Verdict, answer string) string {
	switch v {
	case Holds:
		return fmt.Sprintf("Verdict   holds: %s is at most %s\n", answer, g.most.Text)
	case Refuted:
		return fmt.Sprintf("Verdict   refuted: %s is more than %s\n", answer, g.most.Text)
	case Inconclusive:
		return fmt.Sprintf("Verdict   inconclusive: the interval of %s does not tell whether it is at most %s\n", answer,
			g.most.Text)
	}
	return ""
}

// limits are what a certificate has to say for a verdict about OptDel.
func (g Gate) limits(v Verdict) (l certificate.Limits) {
	switch v {
	case Holds:
		l.AtMost = g.most.Value
	case Refuted:
		l.MoreThan = g.most.Value
	}
	return l
}

// gateJSON is the gate and the verdict in JSON.
func (s *solved) gateJSON() report.Object {
	return report.Object{"at_most?", s.o.most.Text, "verdict?", s.verdict}
}
