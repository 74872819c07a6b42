package input

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
)

// position is a place in a file, both numbers from 1.
type position struct{ line, column int32 }

// FileError is a fault at a place of a file.
type FileError struct {
	name string
	at   position
	text string
}

// Error says name:line:column: what is wrong.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", report.Name(e.name), e.at.line, e.at.column, report.OneLine(e.text))
}

// Place returns the file, the line, and what is wrong there.
func (e *FileError) Place() (file string, line int, rule string) {
	return e.name, int(e.at.line), e.text
}

// ReadProblem reads the problem file name, or standard input if that is "-", or of FILE#CLAIM the pipeline that stands
// in a claim.
//
// Files that it names must be in its folder, unless they are allowed to be outside.
func ReadProblem(name string, in *Inputs, wanted Demand, allowOutside bool) (*Problem, error) {
	return readRoot(name, in, problemForm(), pipelineOf, func(s source, folder string, read reading) (*Problem, error) {
		return decodeProblem(s, named{inputs: in, folder: folder, allowOutside: allowOutside}, wanted, read)
	})
}

// Limits on a problem, lower in some tests.
var (
	maxFileSize = 16 << 20       // bytes
	maxEntries  = 100_000        // mechanisms or stops
	maxBits     = int64(1 << 31) // of all numbers together
)

// problemForm is {mechanisms: [{eps: 1}], stops: [{after: 1, eps: 1}]}.
func problemForm() form {
	return form{
		name:     "a problem file",
		keys:     "mechanisms and stops",
		size:     maxFileSize,
		depth:    12,
		row:      16,
		entries:  6 * maxEntries, // an entry has a dash or a bracket, or both, in two lists
		manyKeys: fmt.Sprintf("too many keys, an entry has at most %d", len(mechanismKeys)-1),
		long:     fmt.Sprintf("the file is too long, must have at most %d mechanisms and as many stops", maxEntries),
		nested:   "a list directly inside a list does not belong here",
	}
}

// decodeProblem reads a problem, whose root read gives to a function, and validates it. Every fault of the text is
// reported with its place.
func decodeProblem(s source, others named, wanted Demand, read reading) (p *Problem, err error) {
	d := &decoder{source: s, mechanisms: newMechanisms(others), wanted: wanted}
	if err := read(func(root ast.Node) { p = d.problem(root) }); err != nil {
		return nil, err
	}
	return p, p.check()
}

// decoder reads one problem file.
type decoder struct {
	source
	mechanisms
	wanted Demand
	lists  [2]position    // where the values of mechanisms and stops start
	marks  [2][]entryMark // where their entries stand
	bits   int64          // size of all numbers so far

	blocks  []Block   // as they are written
	read    [][]round // per entry of mechanisms, what it stands for
	entries []int     // per stop, its entry
}

// entryMark remembers where the parts of an entry stand, to report a broken
// rule there: the entry itself, eps or exp_eps, delta, count or after, and to.
type entryMark [5]position

// The lists of a problem file, as indices of decoder.lists and decoder.marks.
const (
	mechanismList = iota
	stopList
)

var listNames = []string{"mechanisms", "stops"}

// entryForm is an example of an entry of a list.
func (d *decoder) entryForm(which int) string {
	switch {
	case which == mechanismList:
		return "{eps: 0.1, count: 10}"
	case d.wanted == WeightedStops: // which have no charge
		return "{every: 10}"
	}
	return "{after: 10, eps: 1}"
}

// problemKeys are those and what else a file may say.
var problemKeys = append(listNames[:2:2], "neighbours")

// problem reads {mechanisms: [...], stops: [...]}.
func (d *decoder) problem(root ast.Node) *Problem {
	lists := d.listsOf(root)
	p := &Problem{Neighbours: d.neighbours, Fault: d.ruleFault}
	known := map[*certify.Losses]bool{}
	d.list(mechanismList, lists[mechanismList], func(fields []Field) error {
		m, rounds, err := d.mechanism(fields)
		if err != nil {
			return err
		}
		d.read = append(d.read, rounds)
		for _, x := range m.Parts() {
			if x.Losses == nil || known[x.Losses] {
				continue
			}
			known[x.Losses] = true
			for _, y := range x.Losses.List() {
				if err := d.grow(y[0], y[1]); err != nil {
					return err
				}
			}
		}
		return d.growBy(m)
	})
	d.unroll(p)
	d.mechanisms.told(p)
	if lists[stopList] != nil {
		d.stops(p, lists[stopList])
	}
	if lists[stopList] == nil || d.wanted == NoStops && len(p.Stops) > 0 { // those that are there are only read
		p.stopAtEnd()
	}
	return p
}

// stops reads where the pipeline may stop.
func (d *decoder) stops(p *Problem, list ast.Node) {
	entry := -1
	d.list(stopList, list, func(fields []Field) error {
		before := len(p.Stops)
		if err := p.addStop(fields, d.wanted); err != nil {
			return err
		}
		last := len(p.Stops) - 1
		entry++
		d.entries = append(d.entries, slices.Repeat([]int{entry}, last+1-before)...)
		if len(d.entries) > maxEntries {
			return &entryError{text: fmt.Sprintf("there are more than %d stops up to here", maxEntries)}
		}
		return d.grow(p.Weights[last], p.Stops[last].Eps.Rat())
	})
}

// listsOf returns the values of the keys in listNames.
func (d *decoder) listsOf(root ast.Node) (lists [2]ast.Node) {
	values := d.keys(root, problemKeys)
	d.neighbours = AddOrRemove
	if value := values[len(listNames)]; value != nil {
		d.neighbours = d.neighboursOf(value)
	}
	for i, value := range values[:len(listNames)] {
		if value == nil && i == stopList && d.wanted != ChargedStops {
			continue
		}
		if value == nil {
			d.fail(root, "%s is missing, must be a list such as [%s]", listNames[i], d.entryForm(i))
		}
		lists[i], d.lists[i] = value, placeOf(value)
	}
	return lists
}

// list reads the entries of a list, each a mapping of scalars, and gives them
// to read.
func (d *decoder) list(which int, value ast.Node, read func([]Field) error) {
	name := listNames[which]
	list, ok := value.(*ast.SequenceNode)
	if !ok {
		d.fail(value, "%s is %s, must be a list such as [%s]", name, kindOf(value), d.entryForm(which))
	}
	if len(list.Values) > maxEntries {
		d.fail(list.Values[maxEntries], "%s has %d entries, must have at most %d", name, len(list.Values), maxEntries)
	}
	entries := list.Values
	if which == mechanismList {
		entries, d.blocks = d.entriesOf(list.Values)
	}
	d.marks[which] = make([]entryMark, len(entries))
	var fields []Field
	for i, entry := range entries {
		mark := &d.marks[which][i]
		mark[0] = placeOf(entry)
		pairs, ok := pairsOf(entry)
		if !ok {
			d.failAt(mark[0], "%s %d: is %s, must be of a form such as %s", singular(name), i+1, kindOf(entry),
				d.entryForm(which))
		}
		var err error
		if fields, err = fieldsOf(pairs, fields[:0], entryKeys); err == nil {
			mark.fill(fields)
			err = read(fields)
		}
		if err != nil {
			d.failEntry(which, i, err)
		}
	}
}

// failEntry ends the reading with an error of entry i of a list, and its place.
func (d *decoder) failEntry(which, i int, err error) {
	at := d.marks[which][i][0]
	if _, isElsewhere := errors.AsType[*FileError](err); isElsewhere {
		panic(failure{err})
	}
	if fault, ok := errors.AsType[*entryError](err); ok && fault.at != (position{}) {
		at = fault.at
	}
	d.failAt(at, "%s %d: %s", singular(listNames[which]), i+1, err)
}

// entryKeys are those of mechanisms and of stops.
var entryKeys = slices.Concat(mechanismKeys, stopKeys)

// notNumbers are what the values of keys must be that are no plain numbers.
var notNumbers = map[string]string{"law": "a list of [P, Q]", "label": "a text", "losses": "the name of a file",
	adds:       "a list of [amount, probability]",
	columnKey:  columnForm,
	sampled:    sampledForm,
	"sampling": asProbability, "sample_rate": asProbability}

// fieldsOf appends the fields of an entry, which must all be scalars where the key is known.
func fieldsOf(pairs []*ast.MappingValueNode, fields []Field, known []string) ([]Field, error) {
	for _, pair := range pairs {
		key, at := keyOf(pair), placeOf(pair.Key)
		if list, isList := pair.Value.(*ast.SequenceNode); isList && pairForms[key] != nil {
			outputs, err := pairForms[key].of(list)
			if err != nil {
				return nil, err
			}
			fields = append(fields, Field{Key: key, at: at, outputs: outputs})
			continue
		}
		if list, isList := pair.Value.(*ast.SequenceNode); isList && key == columnKey {
			f, err := columnField(key, at, list)
			if err != nil {
				return nil, err
			}
			fields = append(fields, f)
			continue
		}
		if noise, isMapping := pair.Value.(*ast.MappingNode); isMapping && noiseKeys[key] != nil {
			inner, err := fieldsOf(noise.Values, []Field{}, noiseKeys[key])
			if err != nil {
				return nil, err
			}
			fields = append(fields, Field{Key: key, at: placeOf(pair.Value), inner: inner})
			continue
		}
		if batch, isMapping := pairsOf(pair.Value); isMapping && key == "sampling" && slices.Contains(known, key) {
			inner, err := fieldsOf(batch, []Field{}, []string{"batch", recordsKey})
			if err != nil {
				return nil, err
			}
			fields = append(fields, Field{Key: key, at: at, inner: inner})
			continue
		}
		if _, isMapping := pairsOf(pair.Value); isMapping && key == sampled && slices.Contains(known, key) {
			f, err := sampledField(pair.Value)
			if err != nil {
				return nil, err
			}
			fields = append(fields, f)
			continue
		}
		text, ok := scalarOf(pair.Value)
		if !ok && (slices.Contains(known, key) || slices.Contains(trainingKeys, key)) {
			wanted := cmp.Or(notNumbers[key], "a number")
			if noiseKeys[key] != nil {
				wanted = fmt.Sprintf("of the form {%s: …, sampling: …}", noiseKeys[key][0])
			}
			return nil, &entryError{at, fmt.Sprintf("%s is %s, must be %s", report.Quote(key), kindOf(pair.Value),
				wanted)}
		}
		_, isMapping := pairsOf(pair.Value)
		fields = append(fields, Field{Key: key, Value: text, at: placeOf(pair.Value), isMapping: isMapping})
	}
	return fields, nil
}

// pairsForm is the form of a list of two numbers each.
type pairsForm struct{ key, entry, number, form string }

// pairForms are the keys of such lists.
var pairForms = map[string]*pairsForm{
	"law": {"law", "output", "a probability", "two probabilities, [P, Q]"},
	adds:  {adds, "amount", "a number", "two numbers, [amount, probability]"},
}

// of returns the entries of such a list.
func (p *pairsForm) of(list *ast.SequenceNode) ([]output, error) {
	outputs := make([]output, 0, len(list.Values))
	for i, entry := range list.Values {
		o := output{at: placeOf(entry)}
		both, ok := entry.(*ast.SequenceNode)
		if !ok || len(both.Values) != 2 {
			found := kindOf(entry)
			if ok {
				found = fmt.Sprintf("a list of %d", len(both.Values))
			}
			return nil, &entryError{o.at, fmt.Sprintf("%s: %s %d is %s, must be a list of %s", p.key, p.entry, i+1,
				found, p.form)}
		}
		for b, value := range both.Values {
			text, ok := scalarOf(value)
			if !ok {
				return nil, &entryError{placeOf(value), fmt.Sprintf("%s: %s %d: %s is %s, must be a number", p.key,
					p.entry, i+1, p.number, kindOf(value))}
			}
			o.of[b] = text
		}
		outputs = append(outputs, o)
	}
	return outputs, nil
}

// fill notes the places of the fields.
func (m *entryMark) fill(fields []Field) {
	for _, f := range fields {
		if i := markIndex[f.Key]; i > 0 {
			m[i] = f.at
		}
	}
}

// markIndex is where an entryMark keeps the place of a field.
var markIndex = map[string]int{"eps": 1, "exp_eps": 1, "law": 1, "losses": 1, "gaussian": 1, "laplace": 1,
	"discrete_gaussian": 1, "gdp": 1, sampled: 1, boundedRange: 1, "delta": 2, "count": 3, "after": 3, "every": 3, "to": 4}

// ruleFault places a rule that an entry breaks.
func (d *decoder) ruleFault(e *impl.InputError) error {
	which := slices.Index(listNames, e.List)
	if e.Index < 0 {
		return d.fault(d.lists[which], "%s: %s", e.List, ruleOf(e))
	}
	entry := e.Index
	if which == stopList && d.wanted != NoStops {
		entry = d.entries[e.Index]
	}
	mark := d.marks[which][entry]
	at := mark[markIndex[e.Field]]
	if at == (position{}) {
		at = mark[0]
	}
	return d.fault(at, "%s %d: %s", singular(e.List), e.Index+1, ruleOf(e))
}

// grow counts the size of the numbers of the problem.
func (d *decoder) grow(numbers ...*big.Rat) error {
	for _, r := range numbers {
		if r == nil {
			continue
		}
		d.bits += int64(r.Num().BitLen() + r.Denom().BitLen())
	}
	if d.bits > maxBits {
		return &entryError{text: fmt.Sprintf("the numbers up to here take more than %d MiB", maxBits>>23)}
	}
	return nil
}

func singular(list string) string { return strings.TrimSuffix(list, "s") }
