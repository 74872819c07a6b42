package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// accountOptions are the flags of the command.
type accountOptions struct {
	budget       string // empty: there is none
	rule         string
	leak, lambda run.Number
	compare      bool
	state        stateFlags
	reopens      bool
	json         bool
	output       string
}

func (a app) accountCommand() *cobra.Command {
	var o accountOptions
	cmd := &cobra.Command{
		Use:  "account LEDGER | -",
		Args: oneLedger,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRule(cmd.Flags(), o.rule, filterRules); err != nil {
				return err
			}
			return a.account(o, args[0])
		},
		ValidArgsFunction: ledgerFiles,
	}
	f := cmd.Flags()
	f.StringVar(&o.budget, "budget", "", "what may be spent, such as `eps=3,delta=1e-5` (delta defaults to 0)")
	addChoiceTo(cmd, &o.rule, "rule", "sum", "the `RULE` that admits mechanisms: "+strings.Join(filterRules, ", "),
		filterRules)
	o.leak.AddTo(f, "leak", "",
		"the part of delta that is for the δ of the mechanisms (default half of it); not for sum",
		run.Delta(run.From0))
	o.lambda.AddTo(f, "lambda", "",
		"what odp-advanced is tuned by: larger for smaller ε (default by the budget)",
		nil)
	f.BoolVar(&o.compare, "compare", false, "also print what each of the rules admits, and what is left by it")
	o.state.addTo(f)
	f.BoolVar(&o.reopens, "reopen", false, "go on from a state whose account ended when an event was refused")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVarP(&o.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	return cmd
}

var oneLedger = oneFile(`no ledger: name a file, or - for standard input, for example
  checkrr account examples/ledger.jsonl --budget eps=3,delta=1e-5`)

func (a app) account(o accountOptions, name string) error {
	r, err := newReplay(o)
	if err != nil {
		return err
	}
	targets := append(o.state.targets(), run.To("--output", o.output))
	if err := run.CheckLedgerFiles(a.Inputs, name, targets...); err != nil {
		return err
	}
	state, err := o.state.resumeFrom(r)
	if err != nil {
		return err
	}
	defer state.release()
	if err := r.reopen(o); err != nil {
		return err
	}
	l, in, err := r.begin(name, a.Inputs, o.state.isDry)
	if in != nil {
		defer in.Close()
	}
	if err != nil {
		return err
	}
	before := r.events()
	r.replayAll(l, sizeOf(in), a.Stderr)
	r.compareRest(l)
	if r.events() == before && r.end == nil {
		fmt.Fprintf(a.Stderr, "checkrr: warning: %s has no event\n", report.Quote(input.ShownName(name)))
	}
	r.unsaved = state.write(r, r.end, r.line, a.Stderr)
	shown := a.Write(o.output, o.json, r.toJSON, r.writeTable)
	return errors.Join(state.conclude(r.unsaved, shown), r.end)
}

// sizeOf returns the size of a file, or 0 if it has none.
func sizeOf(in io.Reader) int64 {
	f, ok := in.(*os.File)
	if !ok {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// replay is the account of a ledger.
type replay struct {
	walk
	rule       string
	run        *ledger.FilterRun // by the rule; nil without a budget
	leak       *big.Rat          // of rules other than the sum
	spent      ledger.Partitioned[ledger.Spending]
	mechanisms ledger.Tally
	isDry      bool       // whether it only asks
	last       string     // the partition of the last event
	open       loss.Sum   // by how much its worst part is above the one observed
	compared   []*ruleRun // with --compare
	ended      *place     // of a state: the event whose refusal ended the account
	refused    *refusal   // the event that did not fit, if that is why
	// the first event that would not have fitted without ODP, by its line from the first ledger on
	withoutODP *refusal
}

// place is where an event stands, and of which mechanism it is.
type place struct {
	Line      int64  `json:"line"`
	Mechanism string `json:"mechanism"`
}

// refusal is an event that does not fit.
type refusal struct {
	place
	isNotCounted                  bool   // as it ended the account
	partition                     string // on which the most is lacking
	requested, remaining, exceeds ledger.Amount
}

// asPlace returns the place of a refusal, if there is one.
func (f *refusal) asPlace() *place {
	if f == nil {
		return nil
	}
	return &f.place
}

func (f *refusal) toJSON() report.Object {
	if f == nil {
		return nil
	}
	return report.Object{"line", f.Line, "mechanism", f.Mechanism, "partition?", f.partition,
		"requested", report.Up.Amount(f.requested), "remaining", report.Down.Amount(f.remaining),
		"exceeds", report.Up.Amount(f.exceeds)} // by how much what it requests is more
}

// newReplay returns an account with the budget that o gives.
func newReplay(o accountOptions) (*replay, error) {
	r := &replay{rule: cmp.Or(o.rule, "sum"), spent: ledger.NewPartitioned(ledger.Spending{}), isDry: o.state.isDry}
	switch {
	case o.compare && o.budget == "":
		return nil, errors.New("--compare is given, needs --budget")
	case o.compare && o.state.name != "":
		return nil, errors.New("--compare and --state are both given, must be one of them: the state is that of one " +
			"rule")
	case o.budget == "" && r.rule != "sum":
		return nil, fmt.Errorf("--budget is missing, the rule %s needs one, such as eps=3,delta=1e-5", r.rule)
	case o.budget == "":
		return r, nil
	}
	eps, delta, err := budgetOf(o.budget)
	if err == nil {
		_, err = ledger.NewSumFilter(eps, delta)
	}
	if err != nil {
		return nil, fmt.Errorf("--budget: %w", unprefixed(err))
	}
	if o.compare {
		if r.compared, err = compareRules(o, eps, delta); err != nil {
			return nil, err
		}
	}
	r.run, r.leak, err = newFilterRun(o, r.rule, eps, delta)
	return r, err
}

// budgetOf reads the value of --budget.
func budgetOf(text string) (eps loss.Epsilon, delta *big.Rat, err error) {
	delta = new(big.Rat)
	fields, err := input.SplitFields(text)
	if err != nil {
		return eps, delta, err
	}
	if err := input.CheckKeys(fields, []string{"eps", "exp_eps", "delta"}, true); err != nil {
		return eps, delta, err
	}
	for _, f := range fields {
		if f.Key == "delta" {
			delta, err = f.Number()
		} else {
			eps, err = f.Epsilon()
		}
		if err != nil {
			return eps, delta, err
		}
	}
	return eps, delta, nil
}

// replayAll counts the events of the ledger, up to the first that cannot be.
func (r *replay) replayAll(l *input.Ledger, size int64, stderr io.Writer) {
	progress, clear := report.ProgressOn(stderr)
	defer clear()
	r.through(l, func(e *input.Event) error {
		if _, err := r.compare(l, e); err != nil {
			return err
		}
		if size > 0 {
			progress(float64(l.Read) / float64(size))
		}
		return r.spend(l, e)
	})
}

// spend counts an event.
func (r *replay) spend(l *input.Ledger, e *input.Event) error {
	if r.run != nil {
		if err := r.run.SpendOn(e.Partition, e.Guarantee, e.Observed); err != nil {
			return r.fault(l, e, err)
		}
	}
	isWithin, err := r.addTo(&r.spent, e)
	if err != nil {
		return r.fault(l, e, err)
	}
	eps, _ := e.Guarantee.At(e.Observed)
	r.last, r.open = e.Partition, loss.Of(e.Worst()).Minus(loss.Of(eps))
	report.Must(r.mechanisms.Add(e.Mechanism, e.Guarantee, e.Observed)) // it was admitted
	if r.withoutODP == nil && !isWithin {
		r.withoutODP = &refusal{place: place{r.before + int64(l.Line), e.Mechanism}}
	}
	return nil
}

// addTo adds an event to what was spent, and reports whether that is within the budget, if there is one, without ODP,
// too.
func (r *replay) addTo(spent *ledger.Partitioned[ledger.Spending], e *input.Event) (isWithin bool, err error) {
	isWithin = true
	err = spent.Step(e.Partition, func(s ledger.Spending) (ledger.Spending, error) {
		after, err := s.Add(e.Guarantee, e.Observed)
		if err == nil && r.run != nil {
			isWithin = isWithin && after.WithoutODP.Within(r.budget())
		}
		return after, err
	})
	return isWithin, err
}

func (r *replay) budget() ledger.Amount { return r.run.Filter().Budget() }

// fault places the reason why an event is not counted.
func (r *replay) fault(l *input.Ledger, e *input.Event, err error) error {
	if refused, ok := errors.AsType[*ledger.NotAdmittedError](err); ok {
		return r.refuse(l, e, refused)
	}
	return ledgerFault(l, err)
}

// ledgerFault places the rule that the current event breaks.
func ledgerFault(l *input.Ledger, err error) error {
	if broken, ok := errors.AsType[*ledger.GuaranteeError](err); ok {
		return ruleFault(l, broken)
	}
	if many, ok := errors.AsType[*ledger.PartitionError](err); ok {
		return l.Fault(l.Event.At[input.KeyPartition], "%v", many)
	}
	return err
}

// refuse notes that an event does not fit. Nor does it without ODP, unless what it guarantees as a whole does.
func (r *replay) refuse(l *input.Ledger, e *input.Event, cause *ledger.NotAdmittedError) error {
	r.refused = &refusal{place{int64(l.Line), e.Mechanism}, true, cause.Partition, cause.Requested,
		remainingOf(r.rule, cause), excessOf(r.rule, cause)}
	plain := r.spent.Clone()
	if isWithin, err := r.addTo(&plain, e); r.withoutODP == nil && (err != nil || !isWithin) {
		r.withoutODP = &refusal{place: place{r.before + int64(l.Line), e.Mechanism}, isNotCounted: true}
	}
	return &refusedEvent{l.Fault(e.Start, "%s", r.refused.text(r.rule, e, cause))}
}

// refusedEvent is a fault that exits with exitRefuted.
type refusedEvent struct{ error }

func (e *refusedEvent) Unwrap() []error { return []error{e.error, run.ErrRefuted} }

// ruleFault places a rule that the guarantee of the current event breaks.
func ruleFault(l *input.Ledger, e *ledger.GuaranteeError) error {
	keys := map[string]int{"delta": input.KeyDelta, "observed": input.KeyObserved, "parts": input.KeyParts}
	if key, isOfEvent := keys[e.Field]; isOfEvent {
		return l.Fault(l.Event.At[key], "%s %s", e.Field, e.Rule)
	}
	if e.Field == "dp" {
		return l.Fault(l.Event.At[input.KeyDP], "dp: %s", e.Rule)
	}
	for i, p := range l.Event.Parts {
		if p.Name == e.Part {
			name := "parts." + p.Name
			if p.Eps.Log {
				name += ".exp_eps"
			}
			return l.Fault(l.Event.PartsAt[i], "%s %s", report.Quote(name), e.Rule)
		}
	}
	return l.Fault(l.Event.Start, "%v", e)
}
