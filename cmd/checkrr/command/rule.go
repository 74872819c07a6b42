package command

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// odpAdvanced is the rule that charges for the part observed.
const odpAdvanced = "odp-advanced"

// The rules of filters, of odometers, and those that can be challenged.
var (
	filterRules    = []string{"sum", "adaptive", "zcdp", odpAdvanced}
	odometerRules  = []string{"filter", "mixture", "stitched", "rogers", "best"}
	challengeRules = slices.Concat(filterRules, odometerRules)
)

// ruleFlags are the flags that not all rules use, each with those that do.
var ruleFlags = map[string][]string{
	"leak":       slices.Concat([]string{"adaptive", "zcdp", odpAdvanced}, odometerRules),
	"lambda":     {odpAdvanced},
	"target-eps": {"filter", "best"},
	"gamma":      {"mixture", "best"},
	"v0":         {"stitched", "best"},
	"size":       {"rogers"},
}

// checkRule refuses flags that a rule, one of those of a command, does not use.
func checkRule(f *pflag.FlagSet, rule string, rules []string) error {
	if all, _ := f.GetBool("compare"); all { // each flag is used by one of them
		return nil
	}
	for _, flag := range slices.Sorted(maps.Keys(ruleFlags)) {
		if f.Changed(flag) && !slices.Contains(ruleFlags[flag], rule) {
			return unused("--"+flag, flag, rule, rules)
		}
	}
	return nil
}

// unused says that something is given that a rule does not use, as it does not use a flag, and which rules of the
// command do.
func unused(given, flag, rule string, rules []string) error {
	users := slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return !slices.Contains(ruleFlags[flag], r) })
	return fmt.Errorf("%s is given, but not used by the rule %s, only by %s", given, rule, strings.Join(users, ", "))
}

// newFilter returns the filter of a rule.
func newFilter(rule string, eps loss.Epsilon, delta, leak, lambda *big.Rat) (ledger.BudgetFilter, error) {
	switch rule {
	case "sum":
		return ledger.NewSumFilter(eps, delta)
	case "adaptive":
		return ledger.NewAdaptiveFilter(eps, delta, leak)
	case "zcdp":
		return ledger.NewZCDPFilter(eps, delta, leak)
	}
	return ledger.NewODPFilter(eps, delta, leak, lambda)
}

// leakOf returns --leak, the share for the mechanisms of a δ that is called so; without it, that is half.
func leakOf(leak run.Number, delta *big.Rat, called string) (*big.Rat, error) {
	switch {
	case leak.Value == nil:
		return new(big.Rat).Quo(delta, big.NewRat(2, 1)), nil
	case leak.Value.Cmp(delta) >= 0:
		return nil, fmt.Errorf("--leak is %s, must be less than %s, %s", leak.Text, called, report.Typed(delta))
	}
	return leak.Value, nil
}

// curveFlags are the flags that tune the rules of odometers.
type curveFlags struct{ target, gamma, v0, size float64 }

// addTo adds the flags to those of a command.
func (c *curveFlags) addTo(f *pflag.FlagSet) {
	real(&c.target).addTo(f, "target-eps", 1, "filter is the tightest at ε = `E`")
	real(&c.gamma).addTo(f, "gamma", 0.1, "mixture is the tightest at `V`")
	real(&c.v0).addTo(f, "v0", 0.01, "stitched begins at `V`")
	real(&c.size).addTo(f, "size", 0, "rogers is for `N` records")
}

// curve returns the rule of an odometer.
func (c curveFlags) curve(rule string) ledger.Curve {
	filter, mixture, stitched := ledger.FilterCurve{Target: c.target}, ledger.MixtureCurve{Gamma: c.gamma},
		ledger.StitchedCurve{V0: c.v0}
	switch rule {
	case "filter":
		return filter
	case "mixture":
		return mixture
	case "stitched":
		return stitched
	case "rogers":
		return ledger.RogersCurve{Size: c.size}
	}
	return ledger.BestCurve{filter, mixture, stitched}
}

// of returns the parameters that a rule has, by their names in JSON.
func (c curveFlags) of(rule string) map[string]float64 {
	all := map[string]float64{"target-eps": c.target, "gamma": c.gamma, "v0": c.v0, "size": c.size}
	used := map[string]float64{}
	for flag, value := range all {
		if slices.Contains(ruleFlags[flag], rule) {
			used[strings.ReplaceAll(flag, "-", "_")] = value
		}
	}
	return used
}
