package command

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
)

// runCharges are what a selection is charged if all of its runs are published, by how many there were.
type runCharges struct {
	runs []int
	eps  []*big.Rat          // rounded up
	more []interval.Interval // the probability that there are more runs, if none of them reaches the threshold
}

// mostChargedRuns is up to how many runs charges are found, rarelyMore how rarely there may be more than the last.
const (
	mostChargedRuns = 10_000
	rarelyMore      = 0.001
)

// findCharges finds the charges of every plan, if they are asked for.
func (s *selectionPlans) findCharges(ctx context.Context) error {
	if s.allRuns == nil {
		return nil
	}
	for i, p := range s.plans {
		c, err := chargesOf(ctx, p, s.methods[i].needsThreshold, s.allRuns)
		if err != nil {
			return fmt.Errorf("%s: --all-runs: %w", s.methods[i].name, unprefixed(err))
		}
		s.charges = append(s.charges, c)
	}
	return nil
}

// chargesOf designs them as a schedule of stops. If the data have no say in when to stop, the probability δ of a
// failure is the mean of those of all numbers of runs, and each may be charged as if it were the only one.
func chargesOf(ctx context.Context, p selection.Plan, mayDepend bool, delta *big.Rat) (c runCharges, err error) {
	gamma, _ := p.Gamma.Float64()
	last := min(1+int(math.Log(rarelyMore)/math.Log1p(-min(gamma, 0.999))), mostChargedRuns)
	if p.Limit != selection.Unlimited {
		last = min(last, p.Limit)
	}
	run := impl.Mechanism{Eps: loss.Nats(new(big.Rat).SetFloat64(p.Eps)), Delta: p.Delta, Count: last}
	pipeline := impl.Pipeline{Mechanisms: []impl.Mechanism{run}}
	for _, j := range someRuns(last) {
		c.runs = append(c.runs, j)
		pipeline.Stops = append(pipeline.Stops, impl.Stop{After: j})
		c.more = append(c.more, morePr(p, j))
	}
	schedule, err := impl.DesignSchedule(ctx, pipeline, delta, impl.ScheduleOptions{})
	if err != nil {
		return c, err
	}
	c.eps = schedule.SingleStop
	if mayDepend {
		c.eps = schedule.Charges()
	}
	return c, nil
}

// someRuns are 1, 2, 5, 10, … and the last.
func someRuns(last int) (runs []int) {
	for power := 1; power <= last; power *= 10 {
		for _, digit := range []int{1, 2, 5} {
			if j := digit * power; j < last {
				runs = append(runs, j)
			}
		}
	}
	return append(runs, last)
}

// morePr returns the probability (1 − γ)^j of more than j runs, or 0 at the limit.
func morePr(p selection.Plan, j int) interval.Interval {
	if j == p.Limit {
		return interval.Of(0, 0)
	}
	n := interval.Precision(128)
	return n.Power(n.Rat(new(big.Rat).Sub(big.NewRat(1, 1), p.Gamma)), j)
}

func (s *selectionPlans) writeCharges(w io.Writer) {
	for i, c := range s.charges {
		when, more := "their number does not depend on the data", "more with probability"
		if s.methods[i].needsThreshold {
			when, more = "the data may say when to stop", more+" at most"
		}
		fmt.Fprintf(w, "\nIf all runs of %s are published, delta %s: %s\n\n", s.methods[i].name,
			report.Typed(s.allRuns), when)
		t := report.NewTable("runs, up to", "eps charged", more).Right(1, 2, 3)
		for k, j := range c.runs {
			t.Row(j, report.Up.RoundTo(c.eps[k], 5), report.RoundTo(c.more[k].Upper, 3, true))
		}
		t.Write(w)
	}
}

// toJSON is all_runs of a plan: what is charged for all runs, if there were at most so many.
func (c runCharges) toJSON(delta *big.Rat) report.Object {
	var charges []report.Object
	for k, j := range c.runs {
		charges = append(charges, report.Object{"runs", j, "eps", report.Up.Rat(c.eps[k]), "more",
			report.ToJSON(c.more[k])})
	}
	return report.Object{"delta", report.Typed(delta), "charges", charges}
}
