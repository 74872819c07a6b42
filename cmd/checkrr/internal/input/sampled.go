package input

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
)

// sampled is the key of mechanisms that all see the same sample.
const sampled = "sampled"

// sampledForm is its form.
const sampledForm = "of the form {rate: 0.01, mechanisms: [{gaussian: {noise: 1}}, {eps: 0.1}]}"

// sampledKeys are those of its value; what libraries call rate is sample_rate.
var sampledKeys = []string{"rate", "mechanisms"}

// sampledField returns the field of such mechanisms.
func sampledField(value ast.Node) (f Field, err error) {
	f = Field{Key: sampled, at: placeOf(value), inner: []Field{}, isMapping: true}
	pairs, _ := pairsOf(value)
	for _, pair := range pairs {
		list, isList := pair.Value.(*ast.SequenceNode)
		if keyOf(pair) != "mechanisms" || !isList {
			one, err := fieldsOf([]*ast.MappingValueNode{pair}, nil, append(sampledKeys, "sample_rate"))
			if err != nil {
				return f, err
			}
			f.inner = append(f.inner, one...)
			continue
		}
		if f.entries != nil {
			return f, &entryError{placeOf(pair.Key), "sampled: mechanisms is given twice"}
		}
		for i, node := range list.Values {
			inside, isMapping := pairsOf(node)
			if !isMapping {
				return f, &entryError{placeOf(node), fmt.Sprintf("sampled: mechanism %d: is %s, must be of a form such "+
					"as {gaussian: {noise: 1}}", i+1, kindOf(node))}
			}
			e := entry{at: placeOf(node)}
			if e.fields, err = fieldsOf(inside, nil, mechanismKeys); err != nil {
				return f, e.of(i, err)
			}
			f.entries = append(f.entries, e)
		}
	}
	return f, nil
}

// of returns an error of entry i with its place.
func (e entry) of(i int, err error) error {
	if _, isElsewhere := errors.AsType[*FileError](err); isElsewhere {
		return err
	}
	at := e.at
	if fault, ok := errors.AsType[*entryError](err); ok && fault.at != (position{}) {
		at = fault.at
	}
	return &entryError{at, fmt.Sprintf("sampled: mechanism %d: %s", i+1, err)}
}

// sampled reads {rate, mechanisms}.
func (d *mechanisms) sampled(f Field) (*certify.Sampled, error) {
	if f.inner == nil {
		return nil, f.fault(fmt.Errorf("is %s, must be %s, in a problem file", report.Quote(f.Value), sampledForm))
	}
	if d.neighbours != AddOrRemove {
		return nil, &entryError{f.at, fmt.Sprintf("sampled is given, must be for neighbours that differ by one record "+
			"that is added or removed: what one sample loses is not known with neighbours: %s", d.neighbours)}
	}
	rate := Field{}
	for _, g := range f.inner {
		if g.Key == "sample_rate" {
			g.Key, g.typed = "rate", g.Key
		}
		switch {
		case g.Key == "mechanisms":
			return nil, &entryError{g.at, "sampled: mechanisms must be a list such as [{gaussian: {noise: 1}}, {eps: 0.1}]"}
		case g.Key != "rate":
			return nil, &entryError{g.at, "sampled: " + unknownKey(g.Key, sampledKeys)}
		case rate.Key != "":
			return nil, &entryError{g.at, "sampled: " + g.name() + " is given twice"}
		}
		rate = g
	}
	switch {
	case rate.Key == "":
		return nil, &entryError{f.at, "sampled: rate is missing, must be " + asProbability}
	case len(f.entries) == 0:
		return nil, &entryError{f.at, "sampled: mechanisms are missing, must be a list such as " +
			"[{gaussian: {noise: 1}}, {eps: 0.1}]"}
	}
	s, err := rate.Number()
	if err != nil {
		return nil, &entryError{rate.at, "sampled: " + err.Error() + "; it is " + asProbability}
	}
	var inner []impl.Mechanism
	for i, e := range f.entries {
		m, err := d.inSample(e)
		if err != nil {
			return nil, e.of(i, err)
		}
		inner = append(inner, m)
	}
	x, err := certify.NewSampled(s, inner)
	if fault, ok := errors.AsType[*certify.InnerError](err); ok {
		e := f.entries[fault.Index]
		return nil, e.of(fault.Index, errors.New(fault.Rule))
	}
	if err != nil {
		return nil, &entryError{rate.at, fmt.Sprintf("sampled: %s is %s: %v", rate.name(), report.Quote(rate.Value), err)}
	}
	return x, nil
}

// inSample reads one of the mechanisms that see a sample. How probable it is to be in there is said once, for all.
func (d *mechanisms) inSample(e entry) (impl.Mechanism, error) {
	for _, f := range e.fields {
		if f.Key == boundedRange {
			return impl.Mechanism{}, &entryError{f.at, "bounded_range is given within sampled, must be outside, or given as " +
				"eps: what a sample loses of a bounded range is not known"}
		}
		if f.Key == sampled {
			return impl.Mechanism{}, &entryError{f.at, "sampled is given within sampled, must be one sample: one of " +
				"a sample is one of the product of the rates"}
		}
		for _, g := range f.inner {
			if g.Key == columnKey {
				return impl.Mechanism{}, g.fault(errors.New("is given, must be outside of sampled: " + onceOnly))
			}
			isOne := g.Key == "sampling" && g.Value == "1"
			isOfSamples := g.Key == "sampling" || g.Key == maxBatch || slices.Contains(trainingKeys, g.Key)
			if !isOne && g.Key != "noise_multiplier" && isOfSamples {
				return impl.Mechanism{}, &entryError{g.at, fmt.Sprintf("%s: %s is given, must be left out within "+
					"sampled: rate is the probability to be in the sample", f.Key, g.Key)}
			}
		}
	}
	m, _, err := d.mechanism(e.fields)
	if err != nil {
		return m, err
	}
	broken := &impl.InputError{}
	if errors.As(impl.OneStop([]impl.Mechanism{m}).Validate(), &broken) {
		fault := &entryError{text: ruleOf(broken)}
		if i := slices.IndexFunc(e.fields, func(f Field) bool { return f.Key == broken.Field }); i >= 0 {
			fault.at = e.fields[i].at
		}
		return m, fault
	}
	return m, nil
}
