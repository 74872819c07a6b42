package command

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/cmd/checkrr/internal/state"
	"checkrr/impl/ledger"
)

// odometerOptions are the flags of the command.
type odometerOptions struct {
	delta, leak run.Number
	rule        string
	curveFlags
	state  stateFlags
	json   bool
	plot   run.Plot
	output string
}

func (a app) odometerCommand() *cobra.Command {
	var o odometerOptions
	cmd := &cobra.Command{
		Use:  "odometer LEDGER | -",
		Args: oneLedger,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRule(cmd.Flags(), o.rule, odometerRules); err != nil {
				return err
			}
			return a.odometer(o, args[0])
		},
		ValidArgsFunction: ledgerFiles,
	}
	f := cmd.Flags()
	o.delta.AddTo(f, "delta", "", "the probability with which the loss may exceed the bound",
		run.Delta("more than 0"))
	o.leak.AddTo(f, "leak", "",
		"the part of delta that is for the δ of the mechanisms (default half of it)", run.Delta(run.From0))
	addChoiceTo(cmd, &o.rule, "rule", "best", "the `rule`: filter, mixture, stitched, rogers or best", odometerRules)
	o.curveFlags.addTo(f)
	o.state.addTo(f)
	f.StringVarP(&o.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	o.plot.AddTo(cmd, "draw ε over V")
	return cmd
}

// running is the ledger by an odometer.
type running struct {
	walk
	o                  odometerOptions
	delta, bound, leak *big.Rat
	odometer           *ledger.Odometer
	earlier            int          // how many events there were before this ledger
	points             *pointWriter // of all events; nil without --json
	sample             sample       // of them, for the table and the plot
}

func (a app) odometer(o odometerOptions, name string) error {
	targets := append(o.state.targets(), run.To("--plot", o.plot.File), run.To("--output", o.output))
	if err := errors.Join(o.plot.Check(), run.CheckLedgerFiles(a.Inputs, name, targets...)); err != nil {
		return err
	}
	r, err := newRunning(o, name)
	if err != nil {
		return err
	}
	state, err := o.state.resumeFrom(r)
	if err != nil {
		return err
	}
	defer state.release()
	l, in, err := r.begin(name, a.Inputs, o.state.isDry)
	if in != nil {
		defer in.Close()
	}
	if err != nil {
		return err
	}
	show, err := r.openPoints(a)
	if err != nil {
		return err
	}
	r.through(l, func(e *input.Event) error { return r.spend(l, e) })
	r.unsaved = state.write(r, r.end, r.line, a.Stderr)
	shown := show()
	if shown == nil && o.plot.File != "" {
		shown = r.draw(o.plot, a.Stderr)
	}
	return errors.Join(state.conclude(r.unsaved, shown), r.end)
}

// openPoints opens the output and returns what completes it: with --json the points go there one by one, so that
// memory does not grow with them.
func (r *running) openPoints(a app) (complete func() error, err error) {
	if !r.o.json {
		return func() error { return a.Write(r.o.output, false, nil, r.writeTable) }, nil
	}
	out := io.WriteCloser(report.Unclosed{Writer: a.Stdout})
	if r.o.output != "" {
		if out, err = report.Create(r.o.output); err != nil {
			return nil, err
		}
	}
	r.points = newPointWriter(out, report.Output("rule", r.o.rule, "delta", r.o.delta.Text, "parameters",
		r.parameters()))
	return func() error {
		err := errors.Join(r.points.finish(errors.Join(r.end, r.unsaved), r.reading()), out.Close())
		return report.Wrote(a.Stderr, err, r.o.output)
	}, nil
}

func newRunning(o odometerOptions, name string) (_ *running, err error) {
	r := &running{o: o, delta: o.delta.Value}
	if r.delta == nil {
		return nil, errors.New("--delta is missing, for example\n  checkrr odometer " + report.Name(name) +
			" --delta 1e-5")
	}
	if r.leak, err = leakOf(o.leak, r.delta, "--delta"); err != nil {
		return nil, err
	}
	r.bound = new(big.Rat).Sub(r.delta, r.leak)
	if r.odometer, err = ledger.NewOdometer(o.curve(o.rule), r.bound, r.leak); err != nil {
		return nil, fmt.Errorf("--rule %s: %w", o.rule, unprefixed(err))
	}
	return r, nil
}

// spend counts an event.
func (r *running) spend(l *input.Ledger, e *input.Event) error {
	if _, err := e.Guarantee.At(e.Observed); err != nil {
		return ledgerFault(l, err)
	}
	eps, delta := e.Guarantee.AsPDP()
	if err := r.odometer.SpendOn(e.Partition, eps, delta); err != nil {
		return ledgerFault(l, err)
	}
	r.show()
	return nil
}

// show notes where the odometer is.
func (r *running) show() {
	if r.points == nil {
		r.sample.add(r.odometer.Read)
		return
	}
	now := r.odometer.Read()
	r.points.add(now)
	if r.o.plot.File != "" {
		r.sample.add(func() ledger.Reading { return now })
	}
}

// parameters returns those of the rule, and the shares of δ, as numbers near them.
func (r *running) parameters() map[string]report.Number {
	all := map[string]report.Number{"delta_bound": report.Near.Rat(r.bound), "delta_leak": report.Near.Rat(r.leak)}
	for name, x := range r.o.of(r.o.rule) {
		all[name] = report.Near.Rat(new(big.Rat).SetFloat64(x))
	}
	return all
}

// odometerState is what an odometer remembers from ledger to ledger.
type odometerState struct {
	state.Head
	odometerSums
}

// odometerSums are those of a state, of which the head has the rule.
type odometerSums struct {
	Events     int              `json:"events"`
	Neighbours input.Neighbours `json:"neighbours,omitzero"`
	ledger.OdometerSums
	Parts map[string]ledger.OdometerSums `json:"partitions,omitempty"`
}

func (r *running) head() state.Head {
	parameters := map[string]string{"rule": r.o.rule, "delta": r.delta.RatString(), "leak": r.leak.RatString()}
	for name, value := range r.o.of(r.o.rule) {
		parameters[name] = strconv.FormatFloat(value, 'g', -1, 64)
	}
	return r.headOf("odometer", parameters)
}

func (r *running) state() any {
	s := r.odometer.State()
	return odometerState{r.head(), odometerSums{s.Events, r.neighbours.Unusual(), s.OdometerSums, s.Parts}}
}

// resume makes a new odometer go on from a state.
func (r *running) resume(decode func(into any) error) error {
	var s odometerState
	if err := decode(&s); err != nil {
		return err
	}
	if err := s.CheckEvents(s.Events); err != nil {
		return err
	}
	r.before, r.earlier, r.chain, r.neighbours = s.Lines, s.Events, s.Chain, s.Neighbours.Usual(s.Events)
	rule := r.odometer.State().Rule // as the head has been compared with
	return r.odometer.Resume(ledger.OdometerState{Rule: rule, Events: s.Events, OdometerSums: s.OdometerSums,
		Parts: s.Parts})
}
