package main

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
	"checkrr/cmd/checkrr/internal/state"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// accountOptions are the flags of the command.
type accountOptions struct {
	budget    string
	hasBudget bool
	rule      string
	leak      string
	lambda    string
	compare   bool
	state     stateFlags
	reopens   bool
	json      bool
	output    string
}

const accountLong = `Replay a ledger of mechanisms against a privacy budget, by the composition theorem
of output differential privacy (ODP): a mechanism is admitted if its worst part
fits into what remains, and is charged for the part in which its output was.

The ledger comes from LEDGER (- is standard input), one JSON object a line:

  {"mechanism": "svt", "parts": {"few": 0.3, "many": 1}, "delta": 1e-7, "observed": "few"}
  {"mechanism": "mean", "parts": {"all": "1/3"}, "delta": 0, "observed": "all"}
  {"mechanism": "vote", "parts": {"all": {"exp_eps": "3/2"}}, "delta": 0, "observed": "all", "partition": "2026-11",
   "time": "2026-11-02T10:00:00Z", "note": "partition, time and note may be left out"}

(the third one is wrapped here). parts gives ε for every part of the outputs: a number,
{"eps": number}, which means the same, or {"exp_eps": number} for e^ε. One part alone is
(ε, δ)-differential privacy. Numbers are decimals or, as strings, ratios, and are taken
exactly as typed. Blank lines are skipped. The last line need not end in a newline: it
counts if the event on it is whole.

The first event that does not fit into --budget is refused, and the account ends there:
exit code 1. At a faulty line it ends too: exit code 2. What came before is printed
in either case. Without --budget, everything is added up. A ledger without an event is
no error, but causes a warning. One that cannot be read at all gives no result: exit code 2.

With a budget the result says what still fits by the rule: the largest ε, if delta is 0, of a mechanism or of its
worst part, rounded down; "fits": {"eps": …} in JSON. For odp-advanced it has one part: the worst of several costs more.

Sums are exact; printed numbers that had to be rounded are marked by ≤ or ≥.

The result also says what accounting without ODP would have spent: by what every mechanism guarantees
as a whole. That is its worst part and delta, unless the event has a better one, such as
"dp": {"eps": 1.16, "delta": 2e-7}. A pipeline that may stop early has: checkrr compose finds the
eps of all of it, for any delta. A "dp" that has neither a smaller eps nor a smaller delta does not count; one that has
only one of them does. For checkrr odometer a "dp" with a delta must be more than what compose finds: see there.

In the output of --json, eps and delta are doubles, what was spent or requested rounded up,
the budget, what remains and what fits down. Where that makes them another number, eps_exact
or delta_exact, keys that are not there otherwise, give the number itself: "0.3", "1/3", or
"1/3 + ln(27/8)". They are null if that would take more than 4096 characters, or if the sum
itself grew so long that it had to be rounded up.

--rule adaptive and --rule zcdp fit more small mechanisms into a budget than their sum: ε counts by its
square. The ε and the δ of an event are those that it guarantees as a whole, whatever was observed.
The delta of the budget is split: half of it (or --leak) is for the deltas of the mechanisms, the
rest for the bound, and counts as spent from the start. What fits by these rules can be less or more than what remains,
as their charges do not add up. For few mechanisms with
a large ε the sum is better. checkrr challenge tries both rules, and their worst adversaries, on a menu.

--rule odp-advanced is for ODP what these are for DP: an event is admitted if its worst part fits, and charged
nearly by the square of the ε of the part in which its output was. It admits whatever the sum admits (with the part of
delta that is for the mechanisms), and what adaptive does where all parts cost the same. Its λ, --lambda, is found from
the budget if it is not given; it is in the result. docs/odp-filter.md has the proof. "dp" of an event is not used.

--compare shows what each of the rules admits of the ledger, with this budget, --leak and --lambda, up to the first event that it
refuses, what is spent by it, and what still fits; "compare" in JSON. The ledger is read on for that after the rule of the account
has refused an event, and the exit code is still that of this rule. To choose the rule after seeing that is not valid: it is to
be chosen before the first mechanism.

--state FILE lets an account go on from ledger to ledger. The first run begins FILE with --new-state, which fails if FILE is
there; all others fail if it is not. The account begins with what is in FILE, and in the end FILE is written anew. However a ledger
is cut into such parts, the last answer is that of all of it: byte for byte, but
that lines are counted in the part that is read. Only where the account would have ended without ODP, they are counted from
the first part on. If an event is refused or a line is faulty, FILE holds the events before that line, and standard error says
so: mend the ledger and go on from that line, for example with tail -n +57, else events count twice. After a refusal the
account stays ended, exit code 1, until it is told to go on by --reopen: give it all events that were run since then.
One run at a time goes on from FILE, which must have one name only: links to it lead to the same file, a hard link is refused.

--dry-run asks before a mechanism is run, and charges nothing: exit code 0 if it fits, 1 if not, and FILE stays as it is.
"observed" may be missing then: the worst part counts.

FILE is one JSON object: schema_version, command, checksum, chain, parameters (rule, eps, delta, leak, lambda: as numbers, whether
they were typed or not), lines, spent, the sums of the rule, and mechanisms. Sums are exact, such as "0.3 + 1/3 + ln(27/8)", and
"rounded up" follows where they had to be. A state with other parameters, or one that was changed by anything but checkrr, is
refused, and left as it is: exit code 2. The checksum, SHA-256 of FILE with an empty one, is no secret: somebody may forge it. The
chain is the SHA-256 of the chain before, a line feed and the line of the last event, so whoever keeps the ledgers can replay all of
them into a new state and compare. An older copy of FILE that is put back cannot be noticed: keep FILE where nobody can do that.

An event may name the "partition" of the data that its mechanism read, such as "partition": "2026-11". Partitions are
disjoint: whether a record is in one depends on this record alone. What is spent is then the largest of all partitions, each with
the events that name none, by every rule. That holds for neighbours that differ by one record added or removed; a record that is
replaced may move from one partition to another, and then it does not.

Exit codes: 0 every event fits, 1 an event was refused, 2 usage or input error.`

const accountExample = `  checkrr account examples/ledger.jsonl --budget eps=3,delta=1e-5
  checkrr account examples/ledger.jsonl --budget eps=12,delta=1e-5 --rule adaptive --leak 4e-6
  checkrr account examples/ledger.jsonl --budget eps=3,delta=1e-5 --rule odp-advanced
  checkrr account examples/ledger.jsonl --budget eps=3,delta=1e-5 --compare
  checkrr account --json - < ledger.jsonl
  tail -n 100 ledger.jsonl | checkrr account - --budget exp_eps=3/2
  checkrr account today.jsonl --budget eps=3,delta=1e-5 --state spent.json --new-state
  checkrr account query.jsonl --budget eps=3,delta=1e-5 --state spent.json --dry-run`

func (a app) accountCommand() *cobra.Command {
	var o accountOptions
	var budgets []string
	cmd := &cobra.Command{
		Use:     "account LEDGER | -",
		Short:   "Replay a ledger of mechanisms against a privacy budget",
		Long:    accountLong,
		Example: accountExample,
		Args:    oneLedger,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(budgets) > 1 {
				return fmt.Errorf("--budget is given %d times, must be given only once", len(budgets))
			}
			o.hasBudget = len(budgets) == 1 // an empty one is a mistake
			o.budget = strings.Join(budgets, "")
			if err := checkRule(cmd.Flags(), o.rule, filterRules); err != nil {
				return err
			}
			return a.account(o, args[0])
		},
		ValidArgsFunction: cobra.FixedCompletions([]string{"jsonl", "ndjson", "json"},
			cobra.ShellCompDirectiveFilterFileExt),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&budgets, "budget", nil, "what may be spent, such as `eps=3,delta=1e-5` (delta defaults to 0)")
	f.StringVar(&o.rule, "rule", "sum", "the `RULE` that admits mechanisms: "+strings.Join(filterRules, ", "))
	f.StringVar(&o.leak, "leak", "", "how much of delta is for the deltas of the mechanisms, a `number` (default half of it); not for sum")
	f.StringVar(&o.lambda, "lambda", "", "how small the ε are for which odp-advanced is made, a `number`: the larger, the smaller (default by the budget)")
	f.BoolVar(&o.compare, "compare", false, "also print what each of the rules admits, and what is left by it")
	o.state.addTo(f)
	f.BoolVar(&o.reopens, "reopen", false, "go on from a state whose account ended when an event was refused")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVarP(&o.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	report.Must(cmd.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(filterRules, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func oneLedger(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New(`no ledger: name a file, or - for standard input, for example
  checkrr account examples/ledger.jsonl --budget eps=3,delta=1e-5`)
	}
	return atMostOneFile(cmd, args)
}

func (a app) account(o accountOptions, name string) error {
	r, err := newReplay(o)
	if err != nil {
		return err
	}
	if err := checkLedgerFiles(a.inputs, name, append(o.state.targets(), target{"--output", o.output})...); err != nil {
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
	in, name, err := input.OpenInput(name, a.inputs)
	if err != nil {
		return err
	}
	defer in.Close()
	if isFolder(name) {
		return fmt.Errorf("%s is a folder, must be a file", report.Quote(name))
	}
	l := input.NewLedger(name, in)
	l.MayLackObserved = o.state.isDry
	if err := l.Check(); err != nil {
		return err
	}
	before := r.events()
	r.replayAll(l, sizeOf(in), a.stderr)
	r.compareRest(l)
	if r.events() == before && r.end == nil {
		fmt.Fprintf(a.stderr, "checkrr: warning: %s has no event\n", report.Quote(name))
	}
	r.unsaved = state.write(r, r.end, r.line, a.stderr)
	shown := a.write(o.output, o.json, func() any { return r.toJSON() }, r.writeTable)
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
	rule       string
	run        *impl.FilterRun // by the rule; nil without a budget
	leak       *big.Rat        // of rules other than the sum
	before     int64           // how many lines were read before this ledger
	spent      impl.Partitioned[impl.Spending]
	mechanisms tally
	chain      state.Chain // of the events
	isDry      bool        // whether it only asks
	compared   []*ruleRun  // with --compare
	line       int32       // the last that was read, of this ledger
	end        error       // why the replay ended before the ledger did
	unsaved    error       // why the state is not written
	ended      *placeJSON  // of a state: the event whose refusal ended the account
	refused    *refusal    // the event that did not fit, if that is why
	withoutODP *refusal    // the first event that would not have fitted without ODP, by its line from the first ledger on
}

// refusal is an event that does not fit.
type refusal struct {
	line                          int64
	mechanism                     string
	isNotCounted                  bool   // as it ended the account
	partition                     string // on which the most is lacking
	requested, remaining, exceeds impl.Amount
}

// newReplay returns an account with the budget that o gives.
func newReplay(o accountOptions) (*replay, error) {
	r := &replay{rule: cmp.Or(o.rule, "sum"), spent: impl.NewPartitioned(impl.Spending{}), isDry: o.state.isDry}
	switch {
	case o.compare && !o.hasBudget:
		return nil, errors.New("--compare is given, needs --budget")
	case o.compare && o.state.name != "":
		return nil, errors.New("--compare and --state are both given, must be one of them: the state is that of one rule")
	case !o.hasBudget && r.rule != "sum":
		return nil, fmt.Errorf("--budget is missing, the rule %s needs one, such as eps=3,delta=1e-5", r.rule)
	case !o.hasBudget:
		return r, nil
	}
	eps, delta, err := budgetOf(o.budget)
	if err == nil {
		_, err = impl.NewSumFilter(eps, delta)
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
	for {
		e, err := l.Next()
		r.line = l.Line
		if err == nil {
			_, err = r.compare(l, e)
		}
		if err == nil {
			err = r.spend(l, e)
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			r.end = err
			return
		}
		if progress != nil && size > 0 {
			progress(float64(l.Read) / float64(size))
		}
	}
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
	r.mechanisms.add(e)
	r.chain = r.chain.After(l.Text())
	if r.withoutODP == nil && !isWithin {
		r.withoutODP = &refusal{line: r.before + int64(l.Line), mechanism: e.Mechanism}
	}
	return nil
}

// addTo adds an event to what was spent, and reports whether that is within the budget, if there is one, without ODP, too.
func (r *replay) addTo(spent *impl.Partitioned[impl.Spending], e *input.Event) (isWithin bool, err error) {
	isWithin = true
	err = spent.Step(e.Partition, func(s impl.Spending) (impl.Spending, error) {
		after, err := s.Add(e.Guarantee, e.Observed)
		if err == nil && r.run != nil {
			isWithin = isWithin && after.WithoutODP.Within(r.budget())
		}
		return after, err
	})
	return isWithin, err
}

func (r *replay) budget() impl.Amount { return r.run.Filter().Budget() }

// fault places the reason why an event is not counted.
func (r *replay) fault(l *input.Ledger, e *input.Event, err error) error {
	if refused, ok := errors.AsType[*impl.NotAdmittedError](err); ok {
		return r.refuse(l, e, refused)
	}
	return ledgerFault(l, err)
}

// ledgerFault places the rule that the current event breaks.
func ledgerFault(l *input.Ledger, err error) error {
	if broken, ok := errors.AsType[*impl.GuaranteeError](err); ok {
		return brokenRule(l, broken)
	}
	if many, ok := errors.AsType[*impl.PartitionError](err); ok {
		return l.Fault(l.Event.At[input.KeyPartition], "%v", many)
	}
	return err
}

// refuse notes that an event does not fit. Nor does it without ODP, unless what it guarantees as a whole does.
func (r *replay) refuse(l *input.Ledger, e *input.Event, cause *impl.NotAdmittedError) error {
	r.refused = &refusal{int64(l.Line), e.Mechanism, true, cause.Partition, cause.Requested, remainingOf(r.rule, cause), excessOf(r.rule, cause)}
	plain := r.spent.Clone()
	if isWithin, err := r.addTo(&plain, e); r.withoutODP == nil && (err != nil || !isWithin) {
		r.withoutODP = &refusal{line: r.before + int64(l.Line), mechanism: e.Mechanism, isNotCounted: true}
	}
	return &refusedEvent{l.Fault(e.Start, "%s", r.refused.text(r.rule, e, cause))}
}

// refusedEvent is a fault that exits with exitRefuted.
type refusedEvent struct{ error }

func (e *refusedEvent) Unwrap() []error { return []error{e.error, errRefuted} }

// brokenRule places a rule that the guarantee of the current event breaks.
func brokenRule(l *input.Ledger, e *impl.GuaranteeError) error {
	at := &l.Event.At
	switch e.Field {
	case "delta":
		return l.Fault(at[input.KeyDelta], "delta %s", e.Rule)
	case "observed":
		return l.Fault(at[input.KeyObserved], "observed %s", e.Rule)
	case "parts":
		return l.Fault(at[input.KeyParts], "parts %s", e.Rule)
	case "dp":
		return l.Fault(at[input.KeyDP], "dp: %s", e.Rule)
	}
	for i, p := range l.Event.Parts {
		if p.Name == e.Part {
			name := "parts." + p.Name
			if p.Eps.IsExp() {
				name += ".exp_eps"
			}
			return l.Fault(l.Event.PartsAt[i], "%s %s", report.Quote(name), e.Rule)
		}
	}
	return l.Fault(l.Event.Start, "%v", e)
}
