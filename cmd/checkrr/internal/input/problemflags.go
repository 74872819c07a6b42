package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// ProblemOfFlags reads the values of --mech and --stop, in order of appearance.
func ProblemOfFlags(mechs, stops []string, in *Inputs, wanted Demand) (*Problem, error) {
	p := &Problem{Neighbours: AddOrRemove, Fault: flagFault}
	d := newMechanisms(named{inputs: in, isTyped: true})
	for i, text := range mechs {
		var rounds []round
		fields, err := mechanismFields(text)
		if err == nil {
			_, rounds, err = d.mechanism(fields)
		}
		if err != nil {
			return nil, fmt.Errorf("--mech %d: %w", i+1, err)
		}
		for _, r := range rounds {
			p.Mechanisms = append(p.Mechanisms, slices.Repeat(r.mechanisms, r.times)...)
		}
	}
	d.told(p)
	for i, text := range stops {
		fields, err := SplitFields(text)
		if err == nil {
			err = p.addStop(fields, wanted)
		}
		if err != nil {
			return nil, fmt.Errorf("--stop %d: %w", i+1, err)
		}
	}
	if wanted == NoStops || wanted == WeightedStops && len(stops) == 0 {
		p.stopAtEnd()
	}
	return p, p.check()
}

// flagFault names the flag that breaks a rule.
func flagFault(e *impl.InputError) error {
	flag := map[string]string{"mechanisms": "--mech", "stops": "--stop"}[e.List]
	if e.Index < 0 {
		return fmt.Errorf("%s: %s", flag, ruleOf(e))
	}
	return fmt.Errorf("%s %d: %s", flag, e.Index+1, ruleOf(e))
}

// mechanismFields reads "key=value,key=value", or with noise "gaussian,noise=value,sampling=value,count=value".
func mechanismFields(text string) ([]Field, error) {
	kind, rest, _ := strings.Cut(text, ",")
	kind = strings.TrimSpace(kind)
	known := noiseKeys[kind]
	if text := hintedWord(text, kind); text != "" {
		return nil, errors.New(text)
	}
	if known == nil && kind != "" && !strings.Contains(kind, "=") {
		meant := ""
		if near := report.Nearest(kind, kinds); near != "" {
			meant = "; did you mean " + near + "?"
		}
		return nil, fmt.Errorf("%s is neither of the form key=value nor one of %s%s", report.Quote(kind),
			strings.Join(kinds, ", "), meant)
	}
	if known == nil {
		return SplitFields(text)
	}
	noise, others := Field{Key: kind, isMapping: true, inner: []Field{}}, []Field{}
	if rest != "" {
		fields, err := SplitFields(rest)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			if slices.Contains(mechanismKeys, f.Key) {
				others = append(others, f)
			} else {
				noise.inner = append(noise.inner, f)
			}
		}
	}
	return append(others, noise), nil
}

// hintedWord says what to type instead of a key without a value, as in "gaussian,noise=1,shuffle"; empty if there is
// none.
func hintedWord(text, kind string) string {
	known := mechanismKeys
	if noiseKeys[kind] != nil {
		known = keysOf(kind)
	}
	for part := range strings.SplitSeq(text, ",") {
		if hint := hinted(strings.TrimSpace(part), known, true); hint != "" {
			return hint
		}
	}
	return ""
}

// SplitFields reads "key=value,key=value".
func SplitFields(text string) ([]Field, error) {
	var fields []Field
	for part := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(part, "=")
		if !found {
			hint := ""
			if isDigits(part) && len(fields) > 0 {
				hint = "; numbers have no comma, and decimals a point"
			}
			return nil, fmt.Errorf("%s is not of the form key=value%s", report.Quote(part), hint)
		}
		fields = append(fields, Field{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)})
	}
	return fields, nil
}
