package input

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// columnKey is the key of noise by a matrix without sampling: what a record that takes part once adds in that iteration
// and in those that follow, as multiples of what it contributes.
const columnKey = "column"

const columnForm = "a list of numbers, such as [1, 0.5, 0.375]"

// onceOnly says what a column is for, and what to do if a record takes part more often.
const onceOnly = "a record takes part in one iteration, whichever, without sampling; of several iterations, add up " +
	"their columns, each as many entries later, without signs, and give the sum"

// columnField returns the field of a list of numbers.
func columnField(key string, at position, list *ast.SequenceNode) (Field, error) {
	f := Field{Key: key, at: at, outputs: []output{}}
	for i, value := range list.Values {
		text, ok := scalarOf(value)
		if !ok {
			return f, &entryError{placeOf(value), fmt.Sprintf("%s: entry %d is %s, must be a number: it is %s", key, i+1,
				kindOf(value), columnForm)}
		}
		f.outputs = append(f.outputs, output{at: placeOf(value), of: [2]string{text}})
	}
	return f, nil
}

// withoutColumn takes the column out of the fields of noise, as its entries.
func (f Field) withoutColumn() (rest []Field, column []output, err error) {
	i := slices.IndexFunc(f.inner, func(g Field) bool { return g.Key == columnKey })
	if i < 0 || f.Key != string(certify.Gaussian) { // of which more is said
		return f.inner, nil, nil
	}
	given := f.inner[i]
	for _, g := range f.inner {
		if g.Key != columnKey && g.Key != "noise" && g.Key != asNoise.key {
			return nil, nil, g.fault(fmt.Errorf("is given beside %s, must be left out: %s", columnKey, onceOnly))
		}
	}
	rest, column = slices.Delete(slices.Clone(f.inner), i, i+1), given.outputs
	if column == nil && given.at == (position{}) {
		for text := range strings.SplitSeq(given.Value, "+") {
			column = append(column, output{of: [2]string{strings.TrimSpace(text)}})
		}
	}
	if len(column) == 0 || len(column) > maxEntries {
		return nil, nil, given.fault(fmt.Errorf("must be %s, with at most %d entries", columnForm, maxEntries))
	}
	return rest, column, nil
}

// spread returns the steps of noise by a matrix: in each of them a record adds an entry of the column, for certain.
// They are as many as count says, if it is given (docs/dominating-pairs.md, Lemma 10).
func (d *mechanisms) spread(m impl.Mechanism, column []output, isCounted bool) (steps []impl.Mechanism, err error) {
	if isCounted && m.Count > len(column) {
		return nil, &entryError{text: fmt.Sprintf("count is %d, must be at most %d, the entries of column; iterations "+
			"in which nothing of a record is left are {eps: 0, count: %d} after it", m.Count, len(column),
			m.Count-len(column))}
	}
	if isCounted && m.Count < 1 {
		return []impl.Mechanism{m}, nil // which is refused
	}
	if isCounted {
		column = column[:m.Count]
	}
	hides := false
	for i, o := range column {
		c, err := ParseNumber(o.of[0])
		if err != nil {
			return nil, &entryError{o.at, fmt.Sprintf("%s: entry %d %v", columnKey, i+1, err)}
		}
		step := impl.Mechanism{Eps: loss.Nats(new(big.Rat)), Delta: new(big.Rat), Count: 1}
		if c.Sign() != 0 {
			own := *m.Additive
			own.Adds = [][2]*big.Rat{{c.Abs(c), big.NewRat(1, 1)}}
			step, hides = impl.Mechanism{Additive: &own, Count: 1}, true
		}
		if a := step.Additive; a != nil && a.Fault() != "" {
			return nil, &entryError{o.at, fmt.Sprintf("%s: entry %d is %s: %s; a larger entry is safe",
				columnKey, i+1, report.Quote(o.of[0]), a.Fault())}
		}
		if last := len(steps) - 1; last >= 0 && steps[last].Key() == step.Key() {
			steps[last].Count++
			continue
		}
		steps = append(steps, step)
	}
	if !hides {
		return nil, &entryError{text: fmt.Sprintf("every entry of %s is 0, must have one that is not", columnKey)}
	}
	d.hasColumn = true
	return steps, nil
}
