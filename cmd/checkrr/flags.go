package main

import (
	"fmt"
	"strings"

	"checkrr/impl"
)

// problemOfFlags reads the values of --mech and --stop, in order of appearance.
func problemOfFlags(mechs, stops []string, wanted demand) (*problem, error) {
	p := &problem{broken: brokenFlag}
	for i, text := range mechs {
		fields, err := splitFields(text)
		if err != nil {
			return nil, fmt.Errorf("--mech %d: %w", i+1, err)
		}
		m, err := mechanismOf(fields)
		if err != nil {
			return nil, fmt.Errorf("--mech %d: %w", i+1, err)
		}
		p.Mechanisms = append(p.Mechanisms, m)
	}
	for i, text := range stops {
		fields, err := splitFields(text)
		if err != nil {
			return nil, fmt.Errorf("--stop %d: %w", i+1, err)
		}
		if err := p.addStop(fields, wanted); err != nil {
			return nil, fmt.Errorf("--stop %d: %w", i+1, err)
		}
	}
	if wanted == noStops {
		p.addEnd()
	}
	return p, p.validate()
}

// brokenFlag names the flag that breaks a rule.
func brokenFlag(e *impl.InputError) error {
	flag := map[string]string{"mechanisms": "--mech", "stops": "--stop"}[e.List]
	if e.Index < 0 {
		return fmt.Errorf("%s: %s", flag, ruleOf(e))
	}
	return fmt.Errorf("%s %d: %s", flag, e.Index+1, ruleOf(e))
}

// splitFields reads "key=value,key=value".
func splitFields(text string) ([]field, error) {
	var fields []field
	for part := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(part, "=")
		if !found {
			return nil, fmt.Errorf("%s is not of the form key=value", quote(part))
		}
		fields = append(fields, field{key: strings.TrimSpace(key), value: strings.TrimSpace(value)})
	}
	return fields, nil
}
