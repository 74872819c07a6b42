package conjecture

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/scanner"

	"checkrr/impl/interval"
)

// precision is that of all arithmetic: far more than intervals of OptDel have.
const precision = interval.Wide

// Inequality is a claim about every pipeline: one expression is at most another one, or less.
type Inequality struct {
	Text            string
	Smaller, Larger string // its sides: Smaller is claimed to be at most Larger

	left, right expression
	isStrict    bool
	names       map[string]bool // that occur
}

// expression is computed from what its names stand for. It is not defined for everything, or when ctx has ended.
type expression func(ctx context.Context, of map[string]Value) (x Value, isDefined bool)

// Names are what may occur in an inequality, and what each is for a pipeline.
var Names = map[string]string{
	"optdel":     "the smallest δ of the pipeline",
	"lemma11":    "the sum of the δ of its single stops",
	"max_single": "the largest δ of a single stop",
	"compose":    "the δ if it always runs to its end, for the last charge",
	"n":          "how many stops there are",
	"k":          "how many mechanisms there are",
	"E_1":        "the first charge",
	"E_n":        "the last charge",
	"eps_sum":    "the sum of the ε of all mechanisms",
	"eps_max":    "the largest ε of a mechanism",
	"delta_sum":  "the sum of the δ of all mechanisms",
}

// Parse reads an inequality of numbers and [Names] with + - * / ^ ( ) and the functions exp, ln, sqrt, min and max,
// such as "optdel <= 2 * max_single". Names are the same in any case, and ≤ ≥ × · ÷ − are what they look like.
func Parse(text string) (q *Inequality, err error) {
	defer func() {
		if fault, isFault := recover().(syntaxError); isFault {
			q, err = nil, fault
		}
	}()
	p := &parser{names: map[string]bool{}}
	p.Init(strings.NewReader(text))
	p.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanInts
	p.Error = func(*scanner.Scanner, string) {} // what it does not know becomes a token that nothing expects
	p.advance()
	left := p.sum()
	relation := p.relation()
	right := p.sum()
	if strings.ContainsRune("<>≤≥", p.next) {
		p.fail("the end: a <= b <= c are two inequalities")
	}
	if p.next != scanner.EOF {
		p.fail("the end, or an operator")
	}
	if len(p.names) == 0 {
		return nil, syntaxError("nothing in it depends on a pipeline")
	}
	first, second, _ := strings.Cut(text, relation)
	q = &Inequality{text, strings.TrimSpace(first), strings.TrimSpace(second), left, right, len(relation) == 1, p.names}
	if relation[0] == '>' || relation == "≥" {
		q.Smaller, q.Larger, q.left, q.right = q.Larger, q.Smaller, right, left
	}
	return q, nil
}

type syntaxError string

func (e syntaxError) Error() string { return string(e) }

// parser reads expressions, one token ahead.
type parser struct {
	scanner.Scanner
	next  rune
	text  string
	names map[string]bool
	depth int
}

func (p *parser) advance() { p.next, p.text = p.Scan(), p.TokenText() }

func (p *parser) fail(expected string) {
	found := fmt.Sprintf("at character %d there is %s", p.Position.Column, quoted(p.text))
	if p.next == scanner.EOF {
		found = "it ends"
	}
	panic(syntaxError(fmt.Sprintf("%s, must be %s", found, expected)))
}

// quoted shows a part of the text, shortened.
func quoted(text string) string {
	const longest = 40
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return strconv.Quote(text)
}

// take reports whether the next token is this character, and goes past it.
func (p *parser) take(char rune) bool {
	if p.next != char {
		return false
	}
	p.advance()
	return true
}

func (p *parser) relation() string {
	relation, end := p.text, p.Position.Offset+1
	if p.take('≤') || p.take('≥') {
		return relation
	}
	if !p.take('<') && !p.take('>') {
		p.fail("<=, <, >= or >")
	}
	if p.next == '=' && p.Position.Offset == end {
		p.advance()
		relation += "="
	}
	return relation
}

// sum reads terms that are added or subtracted.
func (p *parser) sum() expression {
	x := p.product()
	for {
		switch {
		case p.take('+'):
			x = both(x, p.product(), Value.plus)
		case p.take('-'), p.take('−'):
			x = both(x, p.product(), Value.less)
		default:
			return x
		}
	}
}

func (p *parser) product() expression {
	x := p.factor()
	for {
		switch {
		case p.take('*'), p.take('×'), p.take('·'), p.take('⋅'):
			x = both(x, p.factor(), Value.times)
		case p.take('/'), p.take('÷'):
			x = quotient(x, p.factor())
		default:
			return x
		}
	}
}

// maxDepth is how deep brackets and signs may be nested.
const maxDepth = 100

// factor reads -x, or x^k.
func (p *parser) factor() expression {
	if p.depth++; p.depth > maxDepth {
		panic(syntaxError(fmt.Sprintf("it is nested more than %d deep", maxDepth)))
	}
	defer func() { p.depth-- }()
	if p.take('-') || p.take('−') {
		return both(constant(new(big.Rat)), p.factor(), Value.less)
	}
	x := p.operand()
	if !p.take('^') {
		return x
	}
	k, err := strconv.Atoi(p.text)
	if p.next != scanner.Int || err != nil || k > 1000 {
		p.fail("a whole number up to 1000")
	}
	p.advance()
	return power(x, k)
}

func (p *parser) operand() expression {
	text := p.text
	switch p.next {
	case scanner.Int, scanner.Float:
		r, ok := new(big.Rat), decimal.MatchString(text)
		if size, err := strconv.ParseFloat(text, 64); !ok || err != nil || size == 0 && strings.Trim(text, "0.") != "" {
			p.fail("a decimal that a float64 can hold") // an exponent of millions would take all memory
		}
		if _, ok = r.SetString(text); !ok {
			p.fail("a decimal")
		}
		p.advance()
		return constant(r)
	case scanner.Ident:
		p.advance()
		if p.take('(') {
			return p.call(text)
		}
		names := slices.Sorted(maps.Keys(Names))
		i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, text) })
		switch {
		case i >= 0:
		case functions[text] != nil:
			panic(syntaxError(fmt.Sprintf("%s is a function, as in %s(max_single)", text, text)))
		case extremes[text] != nil:
			panic(syntaxError(fmt.Sprintf("%s is a function, as in %s(compose, max_single)", text, text)))
		default:
			panic(syntaxError(fmt.Sprintf("%s is no name, must be one of %s", quoted(text), strings.Join(names, ", "))))
		}
		p.names[names[i]] = true
		return func(_ context.Context, of map[string]Value) (Value, bool) { return of[names[i]], true }
	case '(':
		p.advance()
		x := p.sum()
		if !p.take(')') {
			p.fail("an operator or )")
		}
		return x
	}
	p.fail("a number, a name or (")
	return nil
}

// decimal is how numbers are written.
var decimal = regexp.MustCompile(`^[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?$`)

// extremes are functions of several arguments.
var extremes = map[string]func(x, y Value) Value{"min": extreme(interval.Min, -1), "max": extreme(interval.Max, 1)}

// functions of one argument.
var functions = map[string]func(x interval.Interval) (interval.Interval, bool){
	"exp": exp,
	"ln":  ln,
	"sqrt": func(x interval.Interval) (interval.Interval, bool) {
		return precision.Sqrt(precision.Max0(x)), x.Lower.Sign() >= 0
	},
}

// mostBits bounds the binary exponents of what is computed with: e^x, powers and products of such numbers have
// exponents, too.
const mostBits = 1 << 20

// isModerate reports whether an interval has such ends.
func isModerate(x interval.Interval) bool {
	for _, end := range []*big.Float{x.Lower, x.Upper} {
		if exponent := end.MantExp(nil); end.IsInf() || exponent > mostBits || exponent < -mostBits {
			return false
		}
	}
	return true
}

func exp(x interval.Interval) (interval.Interval, bool) {
	most := big.NewFloat(mostBits / 2)
	if x.Upper.Cmp(most) > 0 || x.Lower.Cmp(new(big.Float).Neg(most)) < 0 {
		return x, false
	}
	return precision.Exp(x), true
}

func ln(x interval.Interval) (interval.Interval, bool) {
	if x.Lower.Sign() <= 0 {
		return x, false
	}
	return precision.LogOf(x), true
}

// call reads the arguments of a function.
func (p *parser) call(name string) expression {
	x := p.sum()
	if f, isOne := functions[name]; isOne {
		if !p.take(')') {
			p.fail("an operator or )")
		}
		return one(x, f)
	}
	pick := extremes[name]
	if pick == nil {
		panic(syntaxError(fmt.Sprintf("%s is no function, must be exp, ln, sqrt, min or max", quoted(name))))
	}
	for p.take(',') {
		x = both(x, p.sum(), pick)
	}
	if !p.take(')') {
		p.fail("an operator, a comma or )")
	}
	return x
}

func constant(r *big.Rat) expression {
	x := valueOf(precision.Rat(r))
	x.exact = form{"": r}
	return known(x)
}

func known(x Value) expression {
	return func(context.Context, map[string]Value) (Value, bool) { return x, true }
}

// one is a function of an expression.
func one(x expression, f func(interval.Interval) (interval.Interval, bool)) expression {
	return func(ctx context.Context, of map[string]Value) (Value, bool) {
		v, ok := x(ctx, of)
		if !ok {
			return v, false
		}
		y, ok := f(v.Interval)
		if !ok || !isModerate(y) {
			return v, false
		}
		return valueOf(y), true
	}
}

// both is a function of two expressions.
func both(x, y expression, f func(x, y Value) Value) expression {
	return func(ctx context.Context, of map[string]Value) (Value, bool) {
		v, hasFirst := x(ctx, of)
		w, hasSecond := y(ctx, of)
		if !hasFirst || !hasSecond || ctx.Err() != nil {
			return v, false
		}
		v = f(v, w)
		return v, isModerate(v.Interval) && isModerate(v.added) && isModerate(v.subtracted)
	}
}

func quotient(x, y expression) expression {
	return func(ctx context.Context, of map[string]Value) (Value, bool) {
		by, ok := y(ctx, of)
		if !ok || by.Contains(new(big.Rat)) {
			return by, false
		}
		return both(x, known(by), Value.over)(ctx, of)
	}
}

// power is a power of an expression.
func power(x expression, k int) expression {
	return func(ctx context.Context, of map[string]Value) (Value, bool) {
		v, ok := x(ctx, of)
		if !ok {
			return v, false
		}
		y := valueOf(powerOf(v.Interval, k))
		if !isModerate(y.Interval) {
			return y, false
		}
		if r := v.exact.ratio(); r != nil && k*bitsOf(r) <= longest {
			n := big.NewInt(int64(k))
			y.exact = form{"": r.SetFrac(new(big.Int).Exp(r.Num(), n, nil), new(big.Int).Exp(r.Denom(), n, nil))}
		}
		return y, true
	}
}

// powerOf encloses x^k for numbers of either sign.
func powerOf(x interval.Interval, k int) interval.Interval {
	above, below := precision.Power(precision.Max0(x), k), precision.Power(precision.Max0(precision.Neg(x)), k)
	switch {
	case x.Lower.Sign() >= 0:
		return above
	case k%2 == 1:
		return precision.Sub(above, below)
	case x.Upper.Sign() <= 0:
		return below
	}
	return interval.Max(above, below)
}

// extreme is the smaller of two, or the larger.
func extreme(pick func(x, y interval.Interval) interval.Interval, sign int) func(x, y Value) Value {
	return func(x, y Value) Value {
		z := valueOf(pick(x.Interval, y.Interval))
		if apart := x.exact.plus(y.exact, big.NewRat(-1, 1)).ratio(); apart != nil {
			if z.exact = x.exact; apart.Sign() == -sign {
				z.exact = y.exact
			}
		}
		return z
	}
}
