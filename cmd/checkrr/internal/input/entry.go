package input

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// Problem is a pipeline together with what messages and tables need to speak of it in its author's words.
type Problem struct {
	impl.Pipeline
	Charges    []string                       // E(P_i) of every stop as typed
	Weights    []*big.Rat                     // of every stop, 1 if there is none
	Labels     []string                       // of every stop, empty if there is none
	Neighbours Neighbours                     // that noise is for
	LossFiles  map[*certify.Losses]string     // where losses are from
	LostFiles  []string                       // where nothing is but an infinite one
	Blocks     []Block                        // that the mechanisms were written as; nil if in none
	Records    int                            // the most that noise is said to hide one of; 0 if that is not said
	HasColumn  bool                           // whether noise is by a matrix, of which a column is given
	Bands      int                            // of noise by banded matrices, the most; 0 if there is none
	Fault      func(e *impl.InputError) error // says where a broken rule stands

	HasUnusedCharges bool // whether stops have charges that are not asked for

	end    int          // where every put a stop at the end; 0 if it did not
	lastTo int          // the to of the last entry of stops; 0 if there is none
	epochs map[int]bool // how many steps those of mechanisms have, or noEpoch or partOfEpoch
	epoch  int          // how many steps it has, if stops are written in epochs
}

// Label is what a stop is called, or nothing.
func (p *Problem) Label(i int) string {
	if i < len(p.Labels) {
		return p.Labels[i]
	}
	return ""
}

// StopName is the place of a stop, with its label if it has one.
func (p *Problem) StopName(i int) string {
	if label := p.Label(i); label != "" {
		return fmt.Sprintf("%d, %s", p.Stops[i].After, label)
	}
	return fmt.Sprint(p.Stops[i].After)
}

// StopPlace is [Problem.StopName] in a sentence.
func (p *Problem) StopPlace(i int) string {
	if label := p.Label(i); label != "" {
		return fmt.Sprintf("at %s (after %s)", label, report.Plural(p.Stops[i].After, "mechanism"))
	}
	return fmt.Sprintf("after %d", p.Stops[i].After)
}

// Demand is what a command wants to know about the stops of a pipeline.
type Demand int

// The demands.
const (
	ChargedStops  Demand = iota // where they are, and what is charged there, and what weight they have
	WeightedStops               // likewise, but charges are not used; if there is none, it stops at its end
	NoStops                     // they are not used: the pipeline stops at its end only
)

// check checks the rules about values and order, which are impl's.
func (p *Problem) check() error {
	err := p.Pipeline.Validate()
	var broken *impl.InputError
	if errors.As(err, &broken) {
		e := *p.inWordsOfTo(broken)
		if e.List == "stops" {
			e.Rule = p.alsoInEpochs(e.Rule)
		}
		return p.Fault(&e)
	}
	return err
}

// ruleOf returns the field at fault and the rule.
func ruleOf(e *impl.InputError) string { return strings.TrimSpace(e.Field + " " + e.Rule) }

// Field is one "key: value" of an entry.
type Field struct {
	Key, Value string
	at         position // of the value; zero for a flag

	outputs []output // the value of law; nil for others
	inner   []Field  // the value of gaussian or laplace, or of sampled but for its mechanisms; nil for others
	entries []entry  // the mechanisms of sampled
	typed   string   // the key that was typed, where that is another name of Key

	isMapping bool // the value, of whatever key
}

// entry is an entry of a list.
type entry struct {
	at     position
	fields []Field
}

// output is an entry of a law: the probabilities of an output on two neighbouring databases.
type output struct {
	at position
	of [2]string
}

// entryError is an entry that is not a mechanism or a stop.
type entryError struct {
	at   position // of the field; zero if the entry as a whole is at fault
	text string
}

func (e *entryError) Error() string { return e.text }

var (
	mechanismKeys = []string{"eps", "exp_eps", "delta", "count", "law", "losses", "gaussian", "laplace",
		"discrete_gaussian", "gdp", sampled, boundedRange, group}
	noiseKeys = map[string][]string{"gaussian": {"noise", "sampling", adds, maxBatch, columnKey},
		"laplace": {"scale", "sampling"}, "discrete_gaussian": {"noise", "sampling"}}
	kinds    = slices.Sorted(maps.Keys(noiseKeys))
	stopKeys = []string{"after", "every", "from", "to", "eps", "exp_eps", "weight", "label"}
)

// plainKinds are the keys of mechanisms that are neither noise nor given by ε.
var plainKinds = []string{"law", "losses", "gdp", boundedRange, sampled}

// boundedRange is the key of how far apart the losses of all outputs are at most.
const boundedRange = "bounded_range"

// mechanisms reads the mechanisms of a problem.
type mechanisms struct {
	neighbours Neighbours
	files      lossFiles
	paths      map[*certify.Losses]string // where losses are from
	lost       []string                   // where nothing is but an infinite one
	records    int                        // the most that noise is said to hide one of
	epochs     map[int]bool               // how many steps those of mechanisms have, or noEpoch or partOfEpoch
	bands      int                        // of noise by banded matrices, the most; 0 if there is none
	hasColumn  bool                       // whether noise is by a matrix, of which a column is given
}

// newMechanisms returns a reader of mechanisms that may name files.
func newMechanisms(files named) mechanisms {
	return mechanisms{files: lossFiles{files, map[string]*certify.Losses{}}, paths: map[*certify.Losses]string{},
		epochs: map[int]bool{}}
}

// told tells p what is known of all mechanisms that were read.
func (d *mechanisms) told(p *Problem) {
	p.LossFiles, p.LostFiles, p.Records, p.epochs = d.paths, d.lost, d.records, d.epochs
	p.Bands, p.HasColumn = d.bands, d.hasColumn
}

// mechanism reads {eps or exp_eps, delta, count}, or {law, losses, gdp, bounded_range or sampled, count}, or {gaussian
// or laplace, count}, and what rounds it stands for. What is no noise may be given for groups.
func (d *mechanisms) mechanism(fields []Field) (m impl.Mechanism, rounds []round, err error) {
	m = impl.Mechanism{Count: 1}
	var t training
	var column []output
	kind := ""
	for _, f := range fields {
		if slices.Contains(plainKinds, f.Key) || noiseKeys[f.Key] != nil {
			kind = f.Key
		}
	}
	if kind == "" || kind == boundedRange {
		m.Delta = new(big.Rat)
	}
	for _, f := range fields {
		if f.isMapping && !slices.Contains(mechanismKeys, f.Key) && hinted(f.Key, mechanismKeys, false) == "" {
			return m, nil, &entryError{f.at,
				fmt.Sprintf("unknown noise %s, must be gaussian, laplace or discrete_gaussian, or given by its "+
					"losses, as in examples/losses.yaml", report.Quote(f.Key))}
		}
	}
	if err := CheckKeys(fields, mechanismKeys, kind == ""); errors.Is(err, errNoEps) {
		return m, nil, &entryError{text: errNoEps.text + ", or one of " +
			strings.Join(slices.Concat(plainKinds, kinds), ", ")}
	} else if err != nil {
		return m, nil, err
	}
	for _, f := range fields {
		if kind != "" && f.Key != kind && f.Key != "count" && f.Key != group {
			return m, nil, &entryError{f.at, fmt.Sprintf("both %s and %s are given, must be %s and count, or the others",
				kind, f.Key, kind)}
		}
		switch f.Key {
		case "law":
			m.Law, err = f.law()
		case "gaussian", "laplace", "discrete_gaussian":
			if f.inner, column, err = f.withoutColumn(); err == nil {
				f.inner, t, err = f.asTrained()
			}
			if err == nil {
				m.Additive, err = f.additive(d.neighbours)
			}
			if t.steps > 0 && err == nil {
				m.Count, err = t.steps, t.checkAlone(fields)
			}
		case "gdp":
			m.Additive, err = f.gdp()
		case sampled:
			m.Sampled, err = d.sampled(f)
		case "losses":
			if m.Losses, err = d.losses(f); m.Losses == nil { // P and Q have no output in common
				m.Eps, m.Delta = loss.Nats(new(big.Rat)), big.NewRat(1, 1)
			}
		case boundedRange:
			m.IsRange = true
			m.Eps, err = f.Epsilon()
		case "eps", "exp_eps":
			m.Eps, err = f.Epsilon()
		case "delta":
			m.Delta, err = f.Number()
		case "count":
			m.Count, err = f.count()
		}
		if err != nil {
			return m, nil, err
		}
	}
	d.epochs[t.epochOf(m.Count)], d.records = true, max(d.records, t.records)
	bands := max(1, t.bands)
	if err := d.checkBands(bands, m.Count); err != nil {
		return m, nil, err
	}
	if m, err = d.forGroup(m, fields); err != nil {
		return m, nil, err
	}
	if column == nil {
		return m, roundsOf(m, bands), nil
	}
	isCounted := slices.ContainsFunc(fields, func(f Field) bool { return f.Key == "count" })
	steps, err := d.spread(m, column, isCounted)
	return m, []round{{times: 1, mechanisms: steps}}, err
}

// additive reads {noise or scale, sampling}.
func (f Field) additive(neighbours Neighbours) (a *certify.Additive, err error) {
	known := noiseKeys[f.Key]
	if f.inner == nil {
		return nil, f.fault(fmt.Errorf("is %s, must be %s", report.Quote(f.Value), example(f.at == position{},
			fmt.Sprintf("{%s: …, sampling: …}", known[0]), fmt.Sprintf("%s,%s=…,sampling=…,count=…", f.Key, known[0]))))
	}
	if i := slices.IndexFunc(f.inner, func(g Field) bool { return g.Key == "count" }); i >= 0 {
		return nil, &entryError{f.inner[i].at,
			fmt.Sprintf("count is given inside of %s, must stand beside it: {%[1]s: {%s: …}, count: %s}", f.Key,
				known[0], report.Quote(f.inner[i].Value))}
	}
	if err := CheckKeys(f.inner, append(slices.Clone(known), recordsKey), false); err != nil {
		return nil, err
	}
	a = &certify.Additive{Noise: certify.Noise(f.Key), Sampling: big.NewRat(1, 1)}
	most, records := 0, 0
	for _, g := range f.inner {
		if n := map[string]*int{maxBatch: &most, recordsKey: &records}[g.Key]; n != nil {
			if *n, err = g.count(); err != nil {
				return nil, err
			}
			continue
		}
		if g.Key == adds {
			if a.Adds, err = g.amounts(); err != nil {
				return nil, err
			}
			continue
		}
		x, err := g.Number()
		if err != nil && g.Key == "sampling" {
			return nil, &entryError{g.at, err.Error() + "; it is " + asProbability}
		}
		if err != nil {
			return nil, err
		}
		if g.Key == "sampling" {
			a.Sampling = x
		} else {
			a.Scale = x
		}
		if a.Scale != nil && a.Fault() != "" {
			return nil, &entryError{g.at, fmt.Sprintf("%s: %s is %s: %s", f.Key, g.name(), report.Quote(g.Value),
				a.Fault())}
		}
	}
	if a.Scale == nil {
		return nil, &entryError{f.at, fmt.Sprintf("%s: %s is missing", f.Key, known[0])}
	}
	a.MaxBatch, a.Records = most, records
	if rule := a.Fault(); rule != "" { // of what is added, or left, as the others were looked at
		i := slices.IndexFunc(f.inner, func(g Field) bool { return g.Key == maxBatch || g.Key == adds && most == 0 })
		return nil, &entryError{f.inner[i].at, f.Key + ": " + rule}
	}
	if neighbours == Replace {
		return a, replaced(a, f)
	}
	return a, nil
}

// CheckKeys checks that every key is known, none is there twice, and exactly
// one of eps and exp_eps is there, or none where it is not needed.
func CheckKeys(fields []Field, known []string, needsEps bool) error {
	eps := 0
	for i, f := range fields {
		if !slices.Contains(known, f.Key) {
			return unknownField(f, known)
		}
		if slices.ContainsFunc(fields[:i], func(g Field) bool { return g.Key == f.Key }) {
			return &entryError{f.at, f.name() + " is given twice"}
		}
		if f.Key == "eps" || f.Key == "exp_eps" {
			if eps++; eps > 1 {
				return &entryError{f.at, "both eps and exp_eps are given, must be only one of them"}
			}
		}
	}
	if eps == 0 && needsEps {
		return errNoEps
	}
	return nil
}

var errNoEps = &entryError{text: "eps is missing, must have eps or exp_eps"}

func unknownKey(key string, known []string) string {
	if text := hinted(key, known, false); text != "" {
		return text
	}
	text := fmt.Sprintf("unknown key %s, must be one of %s", report.Quote(key), strings.Join(known, ", "))
	near := report.Nearest(key, known)
	if near != "" {
		text += "; did you mean " + near + "?"
	}
	if _, err := ParseNumber(key); err == nil {
		text += "; a decimal has a point, no comma"
	}
	return text
}

// Number returns the value, as a number.
func (f Field) Number() (*big.Rat, error) {
	r, err := ParseNumber(f.Value)
	return r, f.fault(err)
}

func (f Field) count() (int, error) {
	n, err := ParseCount(f.Value)
	return n, f.fault(err)
}

// Epsilon returns the value as ε, or as e^ε if that is the key.
func (f Field) Epsilon() (loss.Epsilon, error) {
	r, err := f.Number()
	return epsilonOf(f.Key, r), err
}

// epsilonOf returns a number as ε, or as e^ε if that is its key.
func epsilonOf(key string, r *big.Rat) loss.Epsilon {
	if key == "exp_eps" {
		return loss.Exp(r)
	}
	return loss.Nats(r)
}

// Charge is the parameter as typed, in nats.
func (f Field) Charge() string {
	switch {
	case f.Key == "eps":
		return f.Value
	case strings.Contains(f.Value, "/"):
		return "ln(" + f.Value + ")"
	}
	return "ln " + f.Value
}

func (f Field) fault(err error) error {
	if err == nil {
		return nil
	}
	return &entryError{f.at, f.name() + " " + err.Error()}
}

// name is the key as it was typed.
func (f Field) name() string { return cmp.Or(f.typed, f.Key) }
