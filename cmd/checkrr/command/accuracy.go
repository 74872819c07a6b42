package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// accuracyOptions are the flags of the command: the parameters of a mechanism.
type accuracyOptions struct {
	queries, candidates, optimal, cutoff int
	eps, delta, beta, sensitivity        run.Number
	json                                 bool
	isTyped                              func(flag string) bool
}

func (n accuracyOptions) epsilon() loss.Epsilon { return loss.Nats(n.eps.Value) }

func (n accuracyOptions) setting() impl.SparseSetting {
	return impl.SparseSetting{Queries: n.queries, Above: n.cutoff, Beta: n.beta.Value, Eps: n.eps.Value,
		Delta: n.delta.Value}
}

// accurate is a mechanism of which a theorem bounds the error.
type accurate struct {
	name, source string
	reading      string   // of the theorem, if it fails as printed
	what         string   // the error
	flags        []string // those that it uses, besides eps and beta
	theorem      func(n accuracyOptions) (interval.Interval, error)
	exact        func(n accuracyOptions) (interval.Interval, error)
}

// sparse checks the setting before a function of it is called.
func sparse(f func(n accuracyOptions) interval.Interval) func(accuracyOptions) (interval.Interval, error) {
	return func(n accuracyOptions) (interval.Interval, error) {
		if err := n.setting().Validate(); err != nil {
			return interval.Interval{}, err
		}
		return f(n), nil
	}
}

// halting is how the theorems on sparse vectors are read.
const halting = "the run may end with the last answer above; as printed, the theorem fails there"

var accurates = []accurate{
	{
		"laplace", "AFD-T3.8", "", "some answer is off by more than that", []string{"queries", "sensitivity"},
		func(n accuracyOptions) (interval.Interval, error) {
			return impl.LaplaceError(n.queries, n.beta.Value, n.sensitivity.Value, n.epsilon())
		},
		func(n accuracyOptions) (interval.Interval, error) {
			return impl.ExactLaplaceError(n.queries, n.beta.Value, n.sensitivity.Value, n.epsilon())
		},
	},
	{
		"noisy-max", "AFD-T3.8", "", "the count named is farther below the largest than that", []string{"candidates"},
		func(n accuracyOptions) (interval.Interval, error) {
			return impl.NoisyMaxShortfall(n.candidates, n.beta.Value, n.epsilon())
		},
		func(n accuracyOptions) (interval.Interval, error) {
			return impl.ExactNoisyMaxShortfall(n.candidates, n.beta.Value, n.epsilon())
		},
	},
	{
		"exponential", "AFD-T3.11", "", "the utility is farther below the largest than that",
		[]string{"candidates", "optimal", "sensitivity"},
		func(n accuracyOptions) (interval.Interval, error) {
			return impl.ExponentialShortfall(n.candidates, n.optimal, n.beta.Value, n.sensitivity.Value, n.epsilon())
		},
		func(n accuracyOptions) (interval.Interval, error) {
			return impl.ExactExponentialShortfall(n.candidates, n.optimal, n.beta.Value, n.sensitivity.Value,
				n.epsilon())
		},
	},
	{
		"above-threshold", "AFD-T3.24", "", "some answer is on the wrong side by more than that", []string{"queries"},
		sparse(func(n accuracyOptions) interval.Interval {
			return impl.AboveThresholdAccuracy(n.queries, n.beta.Value, n.eps.Value)
		}),
		sparse(func(n accuracyOptions) interval.Interval { return impl.ExactAboveThresholdAccuracy(n.setting()) }),
	},
	{
		"sparse", "AFD-T3.26", halting, "some answer is on the wrong side by more than that",
		[]string{"queries", "cutoff", "delta"},
		sparse(func(n accuracyOptions) interval.Interval {
			return impl.SparseAccuracy(n.queries, n.cutoff, n.beta.Value, n.eps.Value, n.delta.Value)
		}),
		sparse(func(n accuracyOptions) interval.Interval { return impl.ExactSparseAccuracy(n.setting()) }),
	},
	{
		"numeric-sparse", "AFD-T3.28", halting +
			"; a number for an answer on the wrong side counts, however accurate it is",
		"some answer is on the wrong side, or a number off, by more than that", []string{"queries", "cutoff", "delta"},
		sparse(func(n accuracyOptions) interval.Interval {
			return impl.NumericSparseAccuracy(n.queries, n.cutoff, n.beta.Value, n.eps.Value, n.delta.Value)
		}),
		sparse(func(n accuracyOptions) interval.Interval { return impl.ExactNumericSparseAccuracy(n.setting()) }),
	},
}

func accurateNames() []string {
	return report.Names(accurates, func(m accurate) string { return m.name })
}

func (a app) accuracyCommand() *cobra.Command {
	var o accuracyOptions
	cmd := &cobra.Command{
		Use:       "accuracy MECHANISM --eps E",
		ValidArgs: accurateNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.isTyped = cmd.Flags().Changed
			return a.accuracy(args, o)
		},
	}
	f := cmd.Flags()
	o.eps.AddTo(f, "eps", "", "the ε of the mechanism", nil)
	o.beta.AddTo(f, "beta", "0.05", "the largest probability of a larger error", nil)
	whole(&o.queries).addTo(f, "queries", 1, "how many answers")
	whole(&o.candidates).addTo(f, "candidates", 2, "how many outputs there are to choose from")
	whole(&o.optimal).addTo(f, "optimal", 1, "how many of them are the best")
	o.sensitivity.AddTo(f, "sensitivity", "1",
		"by how much one record can change all answers together, or the utility", nil)
	whole(&o.cutoff).addTo(f, "cutoff", 1, "after how many answers above the threshold it ends")
	o.delta.AddTo(f, "delta", "0", "the δ of the mechanism (default \"0\")", nil)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// measuredError is what a theorem allows and what is.
type measuredError struct {
	mechanism      accurate
	numbers        accuracyOptions
	theorem, exact interval.Interval
	verdict        run.Verdict
}

func (a app) accuracy(args []string, o accuracyOptions) error {
	m, err := accurateOf(args)
	if err != nil {
		return err
	}
	r := measuredError{mechanism: m, numbers: o}
	if err := o.check(m); err != nil {
		return err
	}
	if r.theorem, err = m.theorem(r.numbers); err == nil {
		r.exact, err = m.exact(r.numbers)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, unprefixed(err))
	}
	switch {
	case r.exact.Lower.Cmp(r.theorem.Upper) > 0:
		r.verdict, err = run.Refuted,
			fmt.Errorf("%w: at the error that %s allows, the probability is more than beta; checkrr explain %[2]s "+
				"says why",
				run.ErrRefuted, m.source)
	case r.exact.Upper.Cmp(r.theorem.Upper) > 0:
		r.verdict, err = run.Inconclusive, fmt.Errorf("%w: the interval does not tell whether %s holds for these "+
			"numbers",
			run.ErrInconclusive, m.source)
	default:
		r.verdict = run.Holds
	}
	return errors.Join(a.Write("", o.json, r.toJSON, r.writeTable), err)
}

// accurateOf returns the mechanism that is named.
func accurateOf(args []string) (accurate, error) {
	if len(args) != 1 {
		return accurate{}, fmt.Errorf("accuracy takes one mechanism, %s, for example\n%s",
			strings.Join(accurateNames(), ", "), exampleOf("accuracy"))
	}
	i := slices.IndexFunc(accurates, func(m accurate) bool { return m.name == args[0] })
	if i < 0 {
		err := fmt.Errorf("mechanism %s is unknown, must be one of %s", report.Quote(args[0]),
			strings.Join(accurateNames(), ", "))
		return accurate{}, didYouMean(err, args[0], accurateNames())
	}
	return accurates[i], nil
}

// check refuses flags that the mechanism does not use, and values that no mechanism has.
func (n accuracyOptions) check(m accurate) error {
	for _, flag := range []string{"queries", "candidates", "optimal", "sensitivity", "cutoff", "delta"} {
		if n.isTyped(flag) && !slices.Contains(m.flags, flag) {
			return fmt.Errorf("--%s is given, but %s has none: it takes --eps, --beta, --%s", flag, m.name,
				strings.Join(m.flags, ", --"))
		}
	}
	if n.eps.Value == nil {
		return errors.New("--eps is missing, for example\n  checkrr accuracy " + m.name + " --eps 1")
	}
	one, typed := big.NewRat(1, 1), func(x run.Number) string { return report.Typed(x.Value) }
	for _, rule := range []struct {
		flag, value, must string
		holds             bool
	}{
		{"eps", typed(n.eps), "greater than 0", n.eps.Value.Sign() > 0},
		{"beta", typed(n.beta), "greater than 0 and at most 1", n.beta.Value.Sign() > 0 && n.beta.Value.Cmp(one) <= 0},
		{"queries", fmt.Sprint(n.queries), "at least 1", n.queries >= 1},
		{"candidates", fmt.Sprint(n.candidates), "at least 1", n.candidates >= 1},
		{"optimal", fmt.Sprint(n.optimal), fmt.Sprintf("at least 1 and at most --candidates, %d", n.candidates),
			1 <= n.optimal && n.optimal <= n.candidates},
		{"sensitivity", typed(n.sensitivity), "greater than 0", n.sensitivity.Value.Sign() > 0},
		{"cutoff", fmt.Sprint(n.cutoff), "at least 1", n.cutoff >= 1},
		{"delta", typed(n.delta), "at least 0 and less than 1",
			n.delta.Value.Sign() >= 0 && n.delta.Value.Cmp(one) < 0},
	} {
		if !rule.holds {
			return fmt.Errorf("--%s is %s, must be %s", rule.flag, report.Quote(rule.value), rule.must)
		}
	}
	return nil
}

func (r measuredError) writeTable(w io.Writer) {
	lower, upper := report.RoundTo(r.exact.Lower, 7, false), report.RoundTo(r.exact.Upper, 7, true)
	answer := fmt.Sprintf("between %s and %s", lower, upper)
	switch {
	case r.exact.IsZero():
		answer = "0"
	case r.exact.RelWidth() < 1e-9 && r.verdict == run.Refuted:
		answer = fmt.Sprintf("%s, rounded down", lower)
	case r.exact.RelWidth() < 1e-9:
		answer = fmt.Sprintf("%s, rounded up", upper)
	}
	fmt.Fprintf(w, "Verdict  %s\n", r.verdict)
	fmt.Fprintf(w, "Allowed  %s, by %s\n", report.RoundTo(r.theorem.Upper, 7, true), r.mechanism.source)
	fmt.Fprintf(w, "Exact    %s\n", answer)
	fmt.Fprintf(w, "         with a probability of at most %s, %s\n", report.Typed(r.numbers.beta.Value),
		r.mechanism.what)
	if r.mechanism.reading != "" {
		fmt.Fprintf(w, "Reading  %s (checkrr explain %s)\n", r.mechanism.reading, r.mechanism.source)
	}
	fmt.Fprintf(w, "Setting  %s\n", r.setting())
}

// setting shows the parameters that count.
func (r measuredError) setting() string {
	text := r.mechanism.name + ", eps " + report.Typed(r.numbers.eps.Value)
	used := r.parameters()
	for _, flag := range r.mechanism.flags {
		text += fmt.Sprintf(", %s %v", flag, used[flag])
	}
	return text
}

// parameters are those that the mechanism uses, as typed.
func (r measuredError) parameters() map[string]any {
	n := r.numbers
	all := map[string]any{
		"queries": n.queries, "candidates": n.candidates, "optimal": n.optimal, "cutoff": n.cutoff,
		"sensitivity": report.Typed(n.sensitivity.Value), "delta": report.Typed(n.delta.Value),
	}
	maps.DeleteFunc(all, func(flag string, _ any) bool { return !slices.Contains(r.mechanism.flags, flag) })
	return all
}

// toJSON is the output of --json.
func (r measuredError) toJSON() report.Object {
	return report.Output(
		"mechanism", r.mechanism.name,
		"verdict", r.verdict,
		"eps", report.Typed(r.numbers.eps.Value),
		"beta", report.Typed(r.numbers.beta.Value),
		"parameters", r.parameters(),
		"source", r.mechanism.source,
		"reading?", r.mechanism.reading,
		"allowed", report.ToJSON(r.theorem),
		"exact", report.ToJSON(r.exact),
	)
}
