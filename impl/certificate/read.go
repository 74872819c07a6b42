package certificate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"checkrr/impl/certify"
)

// Limits on a file, so that a short one cannot ask for much memory.
const (
	maxDigits = 100_000 // of a number, and the largest of its exponent
	maxSize   = 1 << 30 // bits of all numbers
)

// Read reads a certificate file. An error says where in the file the fault is.
func Read(r io.Reader) ([]*Claim, error) {
	if r == nil {
		return nil, errors.New("r is nil, must be given")
	}
	in := &bounded{r: r}
	t := &tree{json: json.NewDecoder(in), names: map[string]string{}}
	t.json.UseNumber()
	root, err := t.value(0)
	if err == nil {
		if _, more := t.json.Token(); more != io.EOF {
			err = errors.New("there is something behind the end")
		}
	}
	switch {
	case in.err != nil:
		return nil, in.err
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the file ends too early")
	case err != nil:
		return nil, fmt.Errorf("the file is no JSON: byte %d: %w", t.json.InputOffset(), err)
	}
	p := &parser{known: map[string]*certify.Losses{}}
	claims := p.file(root)
	if p.err != nil {
		return nil, p.err
	}
	return claims, nil
}

// parser turns values into what they stand for, and notes the first fault. After that it goes
// on with whatever there is.
type parser struct {
	err  error
	size int // bits of all numbers so far

	known map[string]*certify.Losses // that were read, by their keys: the law of many is found once for all of them
}

func (p *parser) fault(at, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s %s", at, fmt.Sprintf(format, args...))
	}
}

// object returns a value with the keys; optional ones start with a question mark.
func (p *parser) object(at string, value any, keys ...string) object {
	o, ok := value.(object)
	if !ok {
		p.fault(at, "must be an object")
		return nil
	}
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		name, isOptional := strings.CutPrefix(key, "?")
		names = append(names, name)
		if _, ok := o.find(name); !ok && !isOptional {
			p.fault(at, "has no %s", name)
		}
	}
	for _, m := range o {
		if !slices.Contains(names, m.name) {
			p.fault(at, "has the unknown key %.40q", m.name)
		}
	}
	return o
}

func (p *parser) list(at string, value any) []any {
	list, ok := value.([]any)
	if !ok {
		p.fault(at, "must be a list")
	}
	return list
}

// each returns read of all elements of a list.
func each[T any](p *parser, at string, value any, read func(at string, value any) T) (xs []T) {
	for i, x := range p.list(at, value) {
		if xs = append(xs, read(fmt.Sprintf("%s[%d]", at, i), x)); p.err != nil {
			return nil
		}
	}
	return xs
}

// ratio returns a number that is written as a decimal or a ratio, in quotes.
func (p *parser) ratio(at string, value any) *big.Rat {
	s, ok := value.(string)
	r, isNumber := parse(s)
	if !ok || !isNumber {
		p.fault(at, "must be a number in quotes, such as \"0.05\", \"1e-9\" or \"3/2\"")
		return new(big.Rat)
	}
	if p.size += r.Num().BitLen() + r.Denom().BitLen(); p.size > maxSize {
		p.fault(at, "is too much: all numbers together must have at most %d bits", maxSize)
	}
	return r
}

// signed is ratio for a number that may be below 0.
func (p *parser) signed(at string, value any) *big.Rat {
	if s, ok := value.(string); ok && strings.HasPrefix(s, "-") {
		r := p.ratio(at, s[1:])
		return r.Neg(r)
	}
	return p.ratio(at, value)
}

// parse returns the number that s denotes, at least 0.
func parse(s string) (*big.Rat, bool) {
	mantissa, exponent, hasExponent := strings.Cut(s, "e")
	first, second, isRatio := strings.Cut(mantissa, "/")
	if !isRatio {
		whole, fraction, hasPoint := strings.Cut(mantissa, ".")
		first, second = whole, "1"+fraction
		if hasPoint && fraction == "" {
			return nil, false
		}
	}
	e, err := strconv.Atoi(exponent)
	switch {
	case len(s) > maxDigits, !isDigits(first), !isDigits(second), isRatio &&
		(hasExponent || strings.Trim(second, "0") == ""):
		return nil, false
	case hasExponent && (err != nil || e < -maxDigits || e > maxDigits):
		return nil, false
	}
	if isRatio { // of which SetString would take a leading 0 for that of an octal number
		num, _ := new(big.Int).SetString(first, 10)
		denom, _ := new(big.Int).SetString(second, 10)
		return new(big.Rat).SetFrac(num, denom), true
	}
	return new(big.Rat).SetString(s)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (p *parser) whole(at string, value any) int {
	n, isWhole := value.(int)
	if !isWhole || n < -certify.MaxNode || n > certify.MaxNode {
		p.fault(at, "must be a whole number between -%d and %d", certify.MaxNode, certify.MaxNode)
	}
	return n
}

func (p *parser) float(at string, value any) float64 {
	switch x := value.(type) {
	case int:
		return float64(x)
	case float64:
		return x
	}
	p.fault(at, "must be a number within the range of float64")
	return 0
}

func (p *parser) file(value any) []*Claim {
	m := p.object("the file", value, "schema_version", "claims")
	if version := m.get("schema_version"); version != schemaVersion {
		p.fault("schema_version", "must be the number %d", schemaVersion)
	}
	claims := each(p, "claims", m.get("claims"), p.claim)
	if len(claims) == 0 {
		p.fault("claims", "are none, must be at least one")
	}
	return claims
}

func (p *parser) claim(at string, value any) *Claim {
	m := p.object(at, value, "problem", "proof", "optdel", "?lemma11", "?single_stop", "?at_most", "?more_than")
	c := &Claim{Problem: p.problem(at+".problem", m.get("problem")), OptDel: p.within(at+".optdel", m.get("optdel"))}
	c.Hints = p.hints(at+".proof", m.get("proof"), len(c.Problem.Stops))
	if x, ok := m.find("lemma11"); ok {
		c.Lemma11 = new(p.within(at+".lemma11", x))
	}
	if xs, ok := m.find("single_stop"); ok {
		c.SingleStop = each(p, at+".single_stop", xs, p.within)
		p.oneEach(at+".single_stop", len(c.SingleStop), len(c.Problem.Stops))
	}
	if x, ok := m.find("at_most"); ok {
		c.AtMost = p.ratio(at+".at_most", x)
	}
	if x, ok := m.find("more_than"); ok {
		c.MoreThan = p.ratio(at+".more_than", x)
	}
	return c
}

func (p *parser) oneEach(at string, n, stops int) {
	if n != stops {
		p.fault(at, "has %d entries, must have %d, one a stop", n, stops)
	}
}

func (p *parser) problem(at string, value any) certify.Problem {
	m := p.object(at, value, "mechanisms", "stops")
	x := certify.Problem{
		Mechanisms: each(p, at+".mechanisms", m.get("mechanisms"), p.mechanism),
		Stops:      each(p, at+".stops", m.get("stops"), p.stop),
	}
	if p.err == nil {
		if err := x.Validate(); err != nil {
			p.fault(at+":", "%v", err)
		}
	}
	return x
}

func (p *parser) mechanism(at string, value any) certify.Mechanism {
	if m, _ := value.(object); m.get("law") != nil {
		m = p.object(at, value, "law", "count")
		law := each(p, at+".law", m.get("law"), p.output)
		return certify.Mechanism{Law: law, Count: p.whole(at+".count", m.get("count"))}
	}
	if m, _ := value.(object); m.get("noise") != nil {
		m = p.object(at, value, "noise", "count")
		noise := p.noise(at+".noise", m.get("noise"))
		return certify.Mechanism{Additive: noise, Count: p.whole(at+".count", m.get("count"))}
	}
	if m, _ := value.(object); m.get("losses") != nil {
		m = p.object(at, value, "losses", "reversed", "count")
		return certify.Mechanism{Losses: p.losses(at, m), Count: p.whole(at+".count", m.get("count"))}
	}
	if m, _ := value.(object); m.get("sampled") != nil {
		m = p.object(at, value, "sampled", "count")
		s := p.sampled(at+".sampled", m.get("sampled"))
		return certify.Mechanism{Sampled: s, Count: p.whole(at+".count", m.get("count"))}
	}
	if m, _ := value.(object); m.get("bounded_range") != nil {
		m = p.object(at, value, "bounded_range", "count")
		eps := p.number(at+".bounded_range", p.object(at+".bounded_range", m.get("bounded_range"), "?eps", "?exp_eps"))
		return certify.Mechanism{Eps: eps, Delta: new(big.Rat), IsRange: true, Count: p.whole(at+".count", m.get("count"))}
	}
	m := p.object(at, value, "?eps", "?exp_eps", "delta", "count")
	eps, delta := p.number(at, m), p.ratio(at+".delta", m.get("delta"))
	return certify.Mechanism{Eps: eps, Delta: delta, Count: p.whole(at+".count", m.get("count"))}
}

func (p *parser) noise(at string, value any) *certify.Additive {
	m := p.object(at, value, "law", "scale", "?square", "sampling", "?adds", "?group", "?max_batch", "?records",
		"?replaced", "added")
	law, _ := m.get("law").(string)
	added := p.isTrue(at+".added", m.get("added"))
	scale, sampling := p.ratio(at+".scale", m.get("scale")), p.ratio(at+".sampling", m.get("sampling"))
	a := &certify.Additive{Noise: certify.Noise(law), Scale: scale, Sampling: sampling, Added: added}
	if x, isGiven := m.find("adds"); isGiven {
		if a.Adds = each(p, at+".adds", x, p.output); len(a.Adds) == 0 {
			p.fault(at+".adds", "must have at least one entry")
		}
	}
	if x, isGiven := m.find("square"); isGiven {
		a.Square = p.ratio(at+".square", x)
	}
	for key, number := range map[string]*int{"group": &a.Group, "max_batch": &a.MaxBatch, "records": &a.Records} {
		if x, isGiven := m.find(key); isGiven {
			*number = p.whole(at+"."+key, x)
		}
	}
	if x, isGiven := m.find("replaced"); isGiven {
		a.Replaced = p.isTrue(at+".replaced", x)
	}
	return a
}

func (p *parser) isTrue(at string, value any) bool {
	is, isBool := value.(bool)
	if !isBool {
		p.fault(at, "must be true or false")
	}
	return is
}

// sampled returns what several mechanisms do that see one sample.
func (p *parser) sampled(at string, value any) *certify.Sampled {
	m := p.object(at, value, "rate", "mechanisms", "added")
	added := p.isTrue(at+".added", m.get("added"))
	rate, inner := p.ratio(at+".rate", m.get("rate")), each(p, at+".mechanisms", m.get("mechanisms"), p.inSample)
	if p.err != nil {
		return nil
	}
	s, err := certify.NewSampled(rate, inner)
	switch {
	case err != nil:
		p.fault(at+":", "%v", err)
	case added:
		s = s.Reversed()
	}
	return s
}

// inSample returns one of the mechanisms that see a sample.
func (p *parser) inSample(at string, value any) certify.Mechanism {
	if m, _ := value.(object); m.get("sampled") != nil {
		p.fault(at, "must not be sampled, as it is within a sample")
		return certify.Mechanism{}
	}
	return p.mechanism(at, value)
}

// losses returns the law of a loss.
func (p *parser) losses(at string, m object) *certify.Losses {
	reversed, isBool := m.get("reversed").(bool)
	if !isBool {
		p.fault(at+".reversed", "must be true or false")
	}
	list := each(p, at+".losses", m.get("losses"), p.atom)
	if p.err != nil {
		return nil
	}
	l, err := certify.NewLosses(list)
	switch {
	case err != nil:
		p.fault(at+".losses:", "%v", err)
	case reversed:
		l = l.Reversed()
	}
	if p.err != nil {
		return l
	}
	key := certify.Mechanism{Losses: l}.Key()
	if p.known[key] == nil {
		p.known[key] = l
	}
	return p.known[key]
}

// output returns the two probabilities of an output, or an amount and its probability.
func (p *parser) output(at string, value any) [2]*big.Rat { return p.pair(at, value, p.ratio) }

// atom returns a loss and its mass.
func (p *parser) atom(at string, value any) [2]*big.Rat { return p.pair(at, value, p.signed) }

func (p *parser) pair(at string, value any, read func(at string, value any) *big.Rat) [2]*big.Rat {
	both := each(p, at, value, read)
	if len(both) != 2 {
		p.fault(at, "must be a list of two numbers")
		return [2]*big.Rat{new(big.Rat), new(big.Rat)}
	}
	return [2]*big.Rat(both)
}

func (p *parser) stop(at string, value any) certify.Stop {
	m := p.object(at, value, "after", "?eps", "?exp_eps")
	return certify.Stop{After: p.whole(at+".after", m.get("after")), Eps: p.number(at, m)}
}

// number returns what eps or exp_eps says.
func (p *parser) number(at string, m object) certify.Number {
	eps, isEps := m.find("eps")
	exp, isExp := m.find("exp_eps")
	if isEps == isExp {
		p.fault(at, "must have either eps or exp_eps")
	}
	if isExp {
		return certify.Number{Value: p.ratio(at+".exp_eps", exp), Log: true}
	}
	return certify.Number{Value: p.ratio(at+".eps", eps)}
}

func (p *parser) within(at string, value any) Range {
	m := p.object(at, value, "lower", "upper")
	r := Range{p.ratio(at+".lower", m.get("lower")), p.ratio(at+".upper", m.get("upper"))}
	if r.Lower.Cmp(r.Upper) > 0 {
		p.fault(at, "has a lower end above its upper end")
	}
	return r
}
