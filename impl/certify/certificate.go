package certify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Certificate is a problem with what is known about it, and how it can be checked.
type Certificate struct {
	Problem Problem
	Bounds
}

// Claim is what a certificate file says of one problem: bounds, and how to find them again.
type Claim struct {
	Problem    Problem
	Hints      Hints // with windows and thresholds
	OptDel     Range
	Lemma11    *Range  // nil if nothing is said about it
	SingleStop []Range // one a stop; nil if nothing is said about them
	Limits
}

// Limits are what a claim says of OptDel besides.
type Limits struct {
	AtMost   *big.Rat // what its upper end does not exceed; nil if nothing is said
	MoreThan *big.Rat // what its lower end exceeds; nil if nothing is said
}

// Range is an interval as it is written: Lower ≤ number ≤ Upper.
type Range struct{ Lower, Upper *big.Rat }

// Claim checks the problem again, from the hints alone, and states what that proves; a [*Failure]
// says that it does not prove the limits.
func (c *Certificate) Claim(ctx context.Context, limits Limits) (*Claim, error) {
	h := Hints{Bits: c.Hints.Bits, Upper: c.Hints.Upper, Lower: c.Hints.Lower, Cut: c.Hints.Cut}
	if h.Lower != nil && h.Lower.Windows == nil { // every loss is a node of Upper
		h.Lower = nil
	}
	for i := range c.Problem.Stops {
		loss := math.Inf(1)
		if i < len(c.Rule) {
			loss = c.Rule[i].LossAtLeast
		}
		h.Thresholds = append(h.Thresholds, loss)
	}
	x := &Claim{Problem: c.Problem, Hints: h, Limits: limits}
	b, err := x.check(ctx)
	if err != nil {
		return nil, err
	}
	x.OptDel, x.Lemma11 = newRange(b.OptDel), new(newRange(b.Lemma11))
	for _, s := range b.SingleStop {
		x.SingleStop = append(x.SingleStop, newRange(s))
	}
	v := new(verifier)
	v.limits(limits, exactly(b.OptDel))
	return x, v.error()
}

// check computes the bounds. Without another lattice for lower ends they are sought on that for
// upper ends, with its windows.
func (c *Claim) check(ctx context.Context) (*Bounds, error) {
	h := c.Hints
	if h.Bits == 0 && h.Lower == nil {
		h.Lower = &h.Upper
	}
	return Check(ctx, c.Problem, h)
}

// Failure is the first inequality of a claim that does not hold.
type Failure struct {
	Number    string   // such as "optdel upper"
	Stated    *big.Rat // what the claim says
	Certified *big.Rat // what is proved
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%s is %s, certified is %s", f.Number, text(f.Stated), f.certified())
}

// certified shows what is certified with as many digits as tell it from what is stated.
func (f *Failure) certified() (shown string) {
	x := new(big.Float).SetPrec(1024).SetRat(f.Certified)
	for digits := 6; digits < 300; digits++ {
		shown = x.Text('g', digits)
		if r, _ := new(big.Rat).SetString(shown); r.Cmp(f.Stated) != 0 && r.Cmp(f.Stated) == f.Certified.Cmp(f.Stated) {
			break
		}
	}
	return shown
}

// Verify runs [Check] again, from the claim alone, and returns nil if all that is claimed is
// certified, a [*Failure] if something is not, and another error if that could not be found out.
func (c *Claim) Verify(ctx context.Context) error {
	b, err := c.check(ctx)
	if err != nil {
		return err
	}
	v := new(verifier)
	optDel := exactly(b.OptDel)
	v.within("optdel", c.OptDel, optDel)
	if c.Lemma11 != nil {
		v.within("lemma11", *c.Lemma11, exactly(b.Lemma11))
	}
	for i, x := range c.SingleStop {
		v.within(fmt.Sprintf("single_stop %d", i+1), x, exactly(b.SingleStop[i]))
	}
	v.limits(c.Limits, optDel)
	return v.error()
}

// VerifyExact is Verify for the numbers themselves, as [Exact] finds them, instead of bounds; it
// returns OptDel. Nothing is found out about single stops.
func (c *Claim) VerifyExact(ctx context.Context) (*big.Rat, error) {
	optDel, lemma11, err := Exact(ctx, c.Problem)
	if err != nil {
		return nil, err
	}
	v := new(verifier)
	v.within("optdel", c.OptDel, Range{optDel, optDel})
	if c.Lemma11 != nil {
		v.within("lemma11", *c.Lemma11, Range{lemma11, lemma11})
	}
	v.limits(c.Limits, Range{optDel, optDel})
	return optDel, v.error()
}

// verifier notes the first inequality that fails.
type verifier struct{ failure *Failure }

func (v *verifier) require(holds bool, number string, stated, certified *big.Rat) {
	if !holds && v.failure == nil {
		v.failure = &Failure{number, stated, certified}
	}
}

// within requires that what is stated contains what is certified.
func (v *verifier) within(number string, stated, certified Range) {
	v.require(stated.Lower.Cmp(certified.Lower) <= 0, number+" lower", stated.Lower, certified.Lower)
	v.require(stated.Upper.Cmp(certified.Upper) >= 0, number+" upper", stated.Upper, certified.Upper)
}

func (v *verifier) limits(l Limits, optDel Range) {
	if l.AtMost != nil {
		v.require(optDel.Upper.Cmp(l.AtMost) <= 0, "at_most", l.AtMost, optDel.Upper)
	}
	if l.MoreThan != nil {
		v.require(optDel.Lower.Cmp(l.MoreThan) > 0, "more_than", l.MoreThan, optDel.Lower)
	}
}

func (v *verifier) error() error {
	if v.failure == nil {
		return nil
	}
	return v.failure
}

func exactly(x Interval) Range {
	lower, _ := x.Lower.Rat(nil)
	upper, _ := x.Upper.Rat(nil)
	return Range{lower, upper}
}

// newRange returns x, rounded outward to short decimals.
func newRange(x Interval) Range {
	return Range{outwardDecimal(x.Lower, false), outwardDecimal(x.Upper, true)}
}

// outwardDecimal returns the shortest decimal that reads back as x ≥ 0 and is not on the wrong
// side of it.
func outwardDecimal(x *big.Float, isUp bool) *big.Rat {
	exact, _ := x.Rat(nil)
	mantissa, _, _ := strings.Cut(x.Text('e', -1), "e")
	for digits := max(1, len(mantissa)-1); ; digits++ {
		nearest := x.Text('e', digits-1)
		r, _ := new(big.Rat).SetString(nearest)
		if side := r.Cmp(exact); side != 0 && (side < 0) == isUp {
			_, exponent, _ := strings.Cut(nearest, "e")
			unit, _ := new(big.Rat).SetString("1e" + exponent)
			unit.Quo(unit, new(big.Rat).SetInt(pow10(digits-1)))
			if !isUp {
				unit.Neg(unit)
			}
			r.Add(r, unit)
		}
		if back := new(big.Float).SetPrec(x.Prec()).SetRat(r); back.Cmp(x) == 0 {
			return r
		}
	}
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// text returns r as a decimal if it is one, otherwise as a ratio.
func text(r *big.Rat) string {
	places, isDecimal := r.FloatPrec()
	if !isDecimal {
		return r.RatString()
	}
	digits := new(big.Int).Quo(new(big.Int).Mul(r.Num(), pow10(places)), r.Denom()).String()
	if places > len(digits)+4 {
		return digits + "e-" + strconv.Itoa(places)
	}
	return r.FloatString(places)
}

// The form of a file: see docs/certificate.md.
type (
	fileJSON struct {
		SchemaVersion int         `json:"schema_version"`
		Claims        []claimJSON `json:"claims"`
	}
	claimJSON struct {
		Problem    problemJSON `json:"problem"`
		Proof      proofJSON   `json:"proof"`
		OptDel     rangeJSON   `json:"optdel"`
		Lemma11    *rangeJSON  `json:"lemma11,omitempty"`
		SingleStop []rangeJSON `json:"single_stop,omitempty"`
		AtMost     string      `json:"at_most,omitempty"`
		MoreThan   string      `json:"more_than,omitempty"`
	}
	problemJSON struct {
		Mechanisms []mechanismJSON `json:"mechanisms"`
		Stops      []stopJSON      `json:"stops"`
	}
	numberJSON struct {
		Eps    string `json:"eps,omitempty"`
		ExpEps string `json:"exp_eps,omitempty"`
	}
	mechanismJSON struct {
		numberJSON
		Delta string `json:"delta"`
		Count int    `json:"count"`
	}
	stopJSON struct {
		After int `json:"after"`
		numberJSON
	}
	proofJSON struct {
		Method     string       `json:"method"`
		Bits       uint         `json:"bits,omitempty"`
		Cut        *float64     `json:"cut,omitempty"`
		Upper      *latticeJSON `json:"upper,omitempty"`
		Lower      *latticeJSON `json:"lower,omitempty"`
		Thresholds []*float64   `json:"thresholds"`
	}
	latticeJSON struct {
		Unit    numberJSON `json:"unit"`
		Windows [][2]int   `json:"windows"`
	}
	rangeJSON struct {
		Lower string `json:"lower"`
		Upper string `json:"upper"`
	}
)

// The methods of a proof.
const (
	methodLattice = "lattice" // every loss is a node
	methodGrid    = "grid"    // losses between nodes
	methodStates  = "states"  // every loss is a state
)

// Write writes claims as a certificate file.
func Write(w io.Writer, claims ...*Claim) error {
	f := fileJSON{SchemaVersion: schemaVersion}
	for _, c := range claims {
		f.Claims = append(f.Claims, c.json())
	}
	return json.NewEncoder(w).Encode(f)
}

// schemaVersion changes when a program that reads such a file has to.
const schemaVersion = 1

func (c *Claim) json() claimJSON {
	out := claimJSON{Proof: c.Hints.json(), OptDel: c.OptDel.json()}
	for _, m := range c.Problem.Mechanisms {
		out.Problem.Mechanisms = append(out.Problem.Mechanisms, mechanismJSON{m.Eps.json(), text(m.Delta), m.Count})
	}
	for _, s := range c.Problem.Stops {
		out.Problem.Stops = append(out.Problem.Stops, stopJSON{s.After, s.Eps.json()})
	}
	if c.Lemma11 != nil {
		out.Lemma11 = new(c.Lemma11.json())
	}
	for _, x := range c.SingleStop {
		out.SingleStop = append(out.SingleStop, x.json())
	}
	if c.AtMost != nil {
		out.AtMost = text(c.AtMost)
	}
	if c.MoreThan != nil {
		out.MoreThan = text(c.MoreThan)
	}
	return out
}

func (x Number) json() numberJSON {
	if x.Log {
		return numberJSON{ExpEps: text(x.Value)}
	}
	return numberJSON{Eps: text(x.Value)}
}

func (r Range) json() rangeJSON { return rangeJSON{text(r.Lower), text(r.Upper)} }

func (l *Lattice) json() *latticeJSON {
	if l == nil {
		return nil
	}
	out := &latticeJSON{Unit: l.Unit.json()}
	for _, w := range l.Windows {
		out.Windows = append(out.Windows, [2]int{w.Lo, w.Hi})
	}
	return out
}

func (h *Hints) json() proofJSON {
	out := proofJSON{Method: methodStates, Bits: h.Bits}
	if h.Bits == 0 {
		out = proofJSON{Method: methodLattice, Cut: &h.Cut, Upper: h.Upper.json(), Lower: h.Lower.json()}
		if h.Lower != nil {
			out.Method = methodGrid
		}
	}
	for _, loss := range h.Thresholds {
		if math.IsInf(loss, 1) {
			out.Thresholds = append(out.Thresholds, nil)
		} else {
			out.Thresholds = append(out.Thresholds, &loss)
		}
	}
	return out
}

// Limits on a file, so that a short one cannot ask for much memory.
const (
	maxFile   = 1 << 26 // bytes
	maxDepth  = 8
	maxDigits = 100_000   // of a number, and the largest of its exponent
	maxSize   = 1<<31 - 1 // bits of all numbers
)

// Read reads a certificate file. An error says where in the file the fault is.
func Read(r io.Reader) ([]*Claim, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("the file is too long, must have at most %d bytes", maxFile)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	root, err := tree(d, 0)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is something behind the end")
		}
	}
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the file ends too early")
	case err != nil:
		return nil, fmt.Errorf("byte %d: %w", d.InputOffset(), err)
	}
	p := new(parser)
	claims := p.file(root)
	if p.err != nil {
		return nil, p.err
	}
	return claims, nil
}

// tree returns the next value; no key of an object is there twice.
func tree(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil || t != json.Delim('{') && t != json.Delim('[') {
		return t, err
	}
	if depth == maxDepth {
		return nil, fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	object, list := map[string]any{}, []any{}
	for d.More() {
		key := any(nil)
		if t == json.Delim('{') {
			if key, err = d.Token(); err != nil {
				return nil, err
			}
		}
		value, err := tree(d, depth+1)
		if err != nil {
			return nil, err
		}
		if name, ok := key.(string); !ok {
			list = append(list, value)
		} else if _, isTwice := object[name]; isTwice {
			return nil, fmt.Errorf("%.40q is given twice", name)
		} else {
			object[name] = value
		}
	}
	_, err = d.Token()
	if t == json.Delim('{') {
		return object, err
	}
	return list, err
}

// parser turns values into what they stand for, and notes the first fault. After that it goes
// on with whatever there is.
type parser struct {
	err  error
	size int // bits of all numbers so far
}

func (p *parser) fault(at, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s %s", at, fmt.Sprintf(format, args...))
	}
}

// object returns a value with the keys; optional ones start with a question mark.
func (p *parser) object(at string, value any, keys ...string) map[string]any {
	object, ok := value.(map[string]any)
	if !ok {
		p.fault(at, "must be an object")
		return nil
	}
	known := 0
	for _, key := range keys {
		name, isOptional := strings.CutPrefix(key, "?")
		_, ok := object[name]
		switch {
		case ok:
			known++
		case !isOptional:
			p.fault(at, "has no %s", name)
		}
	}
	if known < len(object) {
		for name := range object {
			if !strings.Contains(" "+strings.ReplaceAll(strings.Join(keys, " "), "?", "")+" ", " "+name+" ") {
				p.fault(at, "has the unknown key %.40q", name)
			}
		}
	}
	return object
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
	case len(s) > maxDigits, !isDigits(first), !isDigits(second), isRatio && (hasExponent || strings.Trim(second, "0") == ""):
		return nil, false
	case hasExponent && (err != nil || e < -maxDigits || e > maxDigits):
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (p *parser) whole(at string, value any) int {
	x, _ := value.(json.Number)
	n, err := strconv.Atoi(x.String())
	if err != nil || n < -maxNode || n > maxNode {
		p.fault(at, "must be a whole number between -%d and %d", maxNode, maxNode)
	}
	return n
}

func (p *parser) float(at string, value any) float64 {
	x, _ := value.(json.Number)
	f, err := x.Float64()
	if err != nil {
		p.fault(at, "must be a number within the range of float64")
	}
	return f
}

func (p *parser) file(value any) []*Claim {
	m := p.object("the file", value, "schema_version", "claims")
	if version := m["schema_version"]; version != json.Number(strconv.Itoa(schemaVersion)) {
		p.fault("schema_version", "is %v, must be %d", version, schemaVersion)
	}
	claims := each(p, "claims", m["claims"], p.claim)
	if len(claims) == 0 {
		p.fault("claims", "are none, must be at least one")
	}
	return claims
}

func (p *parser) claim(at string, value any) *Claim {
	m := p.object(at, value, "problem", "proof", "optdel", "?lemma11", "?single_stop", "?at_most", "?more_than")
	c := &Claim{Problem: p.problem(at+".problem", m["problem"]), OptDel: p.within(at+".optdel", m["optdel"])}
	c.Hints = p.hints(at+".proof", m["proof"], len(c.Problem.Stops))
	if x, ok := m["lemma11"]; ok {
		c.Lemma11 = new(p.within(at+".lemma11", x))
	}
	if xs, ok := m["single_stop"]; ok {
		c.SingleStop = each(p, at+".single_stop", xs, p.within)
		p.oneEach(at+".single_stop", len(c.SingleStop), len(c.Problem.Stops))
	}
	if x, ok := m["at_most"]; ok {
		c.AtMost = p.ratio(at+".at_most", x)
	}
	if x, ok := m["more_than"]; ok {
		c.MoreThan = p.ratio(at+".more_than", x)
	}
	return c
}

func (p *parser) oneEach(at string, n, stops int) {
	if n != stops {
		p.fault(at, "has %d entries, must have %d, one a stop", n, stops)
	}
}

func (p *parser) problem(at string, value any) Problem {
	m := p.object(at, value, "mechanisms", "stops")
	x := Problem{
		Mechanisms: each(p, at+".mechanisms", m["mechanisms"], p.mechanism),
		Stops:      each(p, at+".stops", m["stops"], p.stop),
	}
	if p.err == nil {
		if err := x.Validate(); err != nil {
			p.fault(at+":", "%v", err)
		}
	}
	return x
}

func (p *parser) mechanism(at string, value any) Mechanism {
	m := p.object(at, value, "?eps", "?exp_eps", "delta", "count")
	return Mechanism{p.number(at, m), p.ratio(at+".delta", m["delta"]), p.whole(at+".count", m["count"])}
}

func (p *parser) stop(at string, value any) Stop {
	m := p.object(at, value, "after", "?eps", "?exp_eps")
	return Stop{p.whole(at+".after", m["after"]), p.number(at, m)}
}

// number returns what eps or exp_eps says.
func (p *parser) number(at string, m map[string]any) Number {
	eps, isEps := m["eps"]
	exp, isExp := m["exp_eps"]
	if isEps == isExp {
		p.fault(at, "must have either eps or exp_eps")
	}
	if isExp {
		return Number{p.ratio(at+".exp_eps", exp), true}
	}
	return Number{p.ratio(at+".eps", eps), false}
}

func (p *parser) within(at string, value any) Range {
	m := p.object(at, value, "lower", "upper")
	return Range{p.ratio(at+".lower", m["lower"]), p.ratio(at+".upper", m["upper"])}
}

// proofKeys are the keys that a proof must have, and no others.
var proofKeys = map[any][]string{
	methodLattice: {"method", "cut", "upper", "thresholds"},
	methodGrid:    {"method", "cut", "upper", "lower", "thresholds"},
	methodStates:  {"method", "bits", "thresholds"},
}

func (p *parser) hints(at string, value any, stops int) (h Hints) {
	m, _ := value.(map[string]any)
	method, _ := m["method"].(string)
	keys, ok := proofKeys[method]
	if !ok {
		p.fault(at+".method", "must be lattice, grid or states")
		return h
	}
	p.object(at, value, keys...)
	h.Thresholds = each(p, at+".thresholds", m["thresholds"], p.threshold)
	p.oneEach(at+".thresholds", len(h.Thresholds), stops)
	if method == methodStates {
		if h.Bits = uint(p.whole(at+".bits", m["bits"])); h.Bits < 53 || h.Bits > maxBits {
			p.fault(at+".bits", "must be from 53 to %d", maxBits)
		}
		return h
	}
	h.Cut = p.float(at+".cut", m["cut"])
	h.Upper = p.lattice(at+".upper", m["upper"])
	if method == methodGrid {
		h.Lower = new(p.lattice(at+".lower", m["lower"]))
	}
	return h
}

func (p *parser) threshold(at string, value any) float64 {
	if value == nil {
		return math.Inf(1)
	}
	return p.float(at, value)
}

func (p *parser) lattice(at string, value any) Lattice {
	m := p.object(at, value, "unit", "windows")
	unit := p.object(at+".unit", m["unit"], "?eps", "?exp_eps")
	l := Lattice{Unit: p.number(at+".unit", unit), Windows: each(p, at+".windows", m["windows"], p.window)}
	if len(l.Windows) == 0 {
		p.fault(at+".windows", "are none, must be one behind every run")
	}
	return l
}

func (p *parser) window(at string, value any) Window {
	ends := each(p, at, value, p.whole)
	if len(ends) != 2 {
		p.fault(at, "must be a list of two whole numbers")
		return Window{}
	}
	return Window{ends[0], ends[1]}
}
