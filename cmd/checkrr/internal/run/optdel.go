package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/interval"
)

// enumeration is the method that goes through every sequence of outputs.
const enumeration impl.Method = "exhaustive"

// Methods are the names of methods; the first is the default.
var Methods = []string{string(impl.Auto), string(enumeration), string(impl.Lattice), string(impl.Bracket)}

// OptDelOptions are the flags of the command.
type OptDelOptions struct {
	SolverFlags
	Method   string
	RelWidth Width
	Exact    bool
	Theorem  string
	Explain  bool
}

// found is what a solver finds.
type found struct {
	*impl.Result
	exact        *big.Rat // OptDel itself; nil unless asked for, or needed for the verdict
	singlesExact []*big.Rat
	lemma11Exact *big.Rat
}

// solution is what was found, and what else was asked for.
type solution struct {
	found
	*solved
	asked     OptDelOptions
	with      *lemma11With // nil unless asked for
	requested float64      // width
	first     found        // before a closer look for the verdict; with the exact values, if these are known at once
}

// OptDel finds the δ of a pipeline that may stop early.
func (a App) OptDel(ctx context.Context, o OptDelOptions, args []string) error {
	if o.Certificate != "" && impl.Method(o.Method) == enumeration {
		return errors.New("--certificate is for the other methods: exhaustive proves by trying everything")
	}
	if o.Explain && o.JSON || (o.Explain || o.At != "") && o.Ledger.isWanted() {
		return errors.New("--explain is for the table, must be without --json; --explain and --at, without --ledger")
	}
	if err := cmp.Or(o.Gate.check(true), o.SolverFlags.check(a.Inputs, args)); err != nil {
		return err
	}
	s := &solution{solved: &solved{app: a, o: o.SolverFlags}, asked: o}
	return s.solve(ctx, args, input.ChargedStops, s)
}

func (s *solution) find(ctx context.Context) (err error) {
	if s.asked.Exact && impl.Method(s.asked.Method) == enumeration { // the others find a ratio where it is one anyway
		if err := s.problem.ValidateExact(); err != nil {
			return err
		}
	}
	if s.with, err = withTheorem(ctx, s.problem, s.asked.Theorem); err != nil {
		return err
	}
	if s.found, err = s.dispatch(ctx, s.asked.RelWidth); err != nil {
		return err
	}
	if !s.isConsistent() {
		return errors.New("internal error: the exact value is not in the interval, please report this problem")
	}
	s.requested = cmp.Or(s.RelWidth, s.asked.RelWidth.value)
	if s.first = s.found; s.exact == nil && s.o.most.Value != nil {
		s.first.exact, s.first.singlesExact, s.first.lemma11Exact = impl.ExactIfQuick(ctx, s.problem.Pipeline)
	}
	s.judge(ctx)
	return nil
}

// print writes the result, or the line of a ledger if that is asked for: not if OptDel is not at most what it has to
// be.
func (s *solution) print(ctx context.Context) error {
	err := s.write(ctx)
	if err == nil && s.o.Plot.File != "" {
		err = s.draw()
	}
	return err
}

func (s *solution) write(ctx context.Context) error {
	if !s.o.Ledger.isWanted() {
		table := s.writeTable
		if s.asked.Explain {
			table = s.writeExplained
		}
		return s.app.Write(s.o.Output, s.o.JSON, s.toJSON, table)
	}
	_, delta := report.Agreement(s.OptDel)
	note := "delta of checkrr optdel"
	switch s.verdict {
	case Holds:
		delta, note = report.Typed(s.o.most.Value), "delta of --at-most, no less than that of checkrr optdel"
	case Refuted, Inconclusive:
		return nil
	}
	plain := s.betterDP(ctx, delta)
	return s.app.Write(s.o.Output, false, nil, func(w io.Writer) {
		s.writeLedgerLine(w, s.problem.Stops, delta, plain, note)
	})
}

// betterDP returns the ε of plain DP at δ if it is found, and less than the largest charge, which says as much
// otherwise.
func (s *solution) betterDP(ctx context.Context, delta string) *big.Rat {
	d, _ := new(big.Rat).SetString(delta)
	_, largest := largestCharge(s.problem.Stops)
	r, err := impl.OptComp(ctx, s.problem.Mechanisms, d, impl.Options{})
	if err != nil || r.Eps.Upper.Cmp(largest.Upper) >= 0 {
		return nil
	}
	_, upper := r.Eps.Rats()
	return upper
}

// claims are those of the certificate.
func (s *solution) claims(ctx context.Context) ([]*certificate.Claim, error) {
	return s.judgedClaims(ctx, s.Result, s.exact)
}

func (s *solution) conclude() error {
	shortfall := s.Shortfall
	if shortfall != "" {
		shortfall = "the intervals hold, but are wider than asked for: " + shortfall
	}
	return s.solved.conclude("OptDel", shortfall)
}

// judge sets the verdict. While the interval does not tell, a narrower one is sought, and then a ratio.
func (s *solution) judge(ctx context.Context) {
	onGrid := s.Method == impl.Bracket
	again := func(width float64) (interval.Interval, error) {
		finer, err := s.dispatch(ctx, Width{value: width, isGiven: true})
		if err == nil {
			s.take(finer.Result)
		}
		return s.OptDel, err
	}
	if s.first.exact != nil && s.o.judge(s.OptDel.Rats()) == Inconclusive {
		s.exact, s.singlesExact, s.lemma11Exact = s.first.exact, s.first.singlesExact, s.first.lemma11Exact
	}
	s.verdict = s.o.decide(s.exact, s.OptDel, s.requested, onGrid, again, func() *big.Rat {
		// of what is too large, or has no ratio, nothing more is known
		s.exact, s.singlesExact, s.lemma11Exact, _ = impl.Exact(ctx, s.problem.Pipeline)
		return s.exact
	})
	s.settle(s.problem.Pipeline, s.o.most.Value)
}

// take takes over a result that is narrower.
func (s *solution) take(finer *impl.Result) {
	if f := (found{Result: finer}); f.relWidth().Cmp(s.relWidth()) >= 0 {
		return
	}
	if s.Result = finer; s.relWidth().Cmp(big.NewFloat(s.requested)) <= 0 { // it fell short of width only
		s.Shortfall = ""
	}
}

// dispatch runs the solver that is asked for.
func (s *solution) dispatch(ctx context.Context, width Width) (f found, err error) {
	p, o := s.problem.Pipeline, s.asked
	options := impl.Options{Method: impl.Method(o.Method), RelWidth: width.value, Progress: s.progress}
	if options.Method == enumeration {
		if f, err = enumerate(ctx, p, options, o.Exact); err == nil {
			f.RelWidth = options.RelWidth
		}
		return f, err
	}
	if !width.isGiven {
		options.RelWidth = 0
	}
	if o.Exact {
		if f.exact, f.singlesExact, f.lemma11Exact, err = impl.Exact(ctx, p); err != nil {
			return f, fmt.Errorf("--exact: %w", err)
		}
	}
	f.Result, err = impl.OptDel(ctx, p, options)
	return f, err
}

// isConsistent reports whether the exact values, if there are any, lie in the
// intervals.
func (f found) isConsistent() bool {
	for i, single := range f.SingleStop {
		if f.singlesExact != nil && !isIn(f.singlesExact[i], single) {
			return false
		}
	}
	return isIn(f.exact, f.OptDel) && isIn(f.lemma11Exact, f.Lemma11)
}

func isIn(r *big.Rat, i interval.Interval) bool {
	if r == nil {
		return true
	}
	lower, upper := i.Rats()
	return lower.Cmp(r) <= 0 && r.Cmp(upper) <= 0
}

// RelWidth returns the relative width of OptDel, rounded up, or that of Lemma 11 if this is larger beside what it may
// be. It may be below every float64.
func (f found) relWidth() *big.Float {
	x, y := widthOf(f.OptDel), widthOf(f.Lemma11)
	y.Quo(y, big.NewFloat(max(1, f.Lemma11Slack)))
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func widthOf(x interval.Interval) *big.Float {
	w := new(big.Float).SetPrec(64).SetMode(big.AwayFromZero)
	if x.Upper.Sign() == 0 {
		return w
	}
	w.Sub(x.Upper, x.Lower)
	return w.Quo(w, x.Upper)
}
