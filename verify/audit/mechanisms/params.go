package mechanisms

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
	"checkrr/verify/rat"
)

// Params are what a user can set. Zero values stand for the mechanism's defaults.
type Params struct {
	Claim   string   // dp or odp
	Eps     *big.Rat // ε, in nats
	Delta   *big.Rat // δ
	C       int      // cutoff: the most ⊤ there can be
	Queries int      // how many queries, counts or rounds there are
	Noise   *big.Rat // factor on the scale of the noise: 1 is right, 4/5 is too little
}

// parameter is a field of Params: its name, and what may be given.
type parameter struct {
	name  string
	text  func(p Params) string // exactly
	given func(p Params) bool
	rule  func(p Params) string // "" if it is kept
	copy  func(to *Params, from Params)
}

var parameters = []parameter{
	{"eps", func(p Params) string { return decimal(p.Eps) }, func(p Params) bool { return p.Eps != nil },
		func(p Params) string { return between(p.Eps, leastNumber, greatestNumber) },
		func(to *Params, from Params) { to.Eps = from.Eps }},
	{"delta", func(p Params) string { return decimal(p.Delta) }, func(p Params) bool { return p.Delta != nil },
		func(p Params) string { return between(p.Delta, new(big.Rat), big.NewRat(1, 2)) },
		func(to *Params, from Params) { to.Delta = from.Delta }},
	{"c", func(p Params) string { return strconv.Itoa(p.C) }, func(p Params) bool { return p.C != 0 },
		func(p Params) string { return between(big.NewRat(int64(p.C), 1), one, big.NewRat(20, 1)) },
		func(to *Params, from Params) { to.C = from.C }},
	{"queries", func(p Params) string { return strconv.Itoa(p.Queries) }, func(p Params) bool { return p.Queries != 0 },
		func(p Params) string { return between(big.NewRat(int64(p.Queries), 1), one, big.NewRat(maxQueries, 1)) },
		func(to *Params, from Params) { to.Queries = from.Queries }},
	{"noise", func(p Params) string { return decimal(p.Noise) }, func(p Params) bool { return p.Noise != nil },
		func(p Params) string { return between(p.Noise, leastNumber, greatestNumber) },
		func(to *Params, from Params) { to.Noise = from.Noise }},
}

// ε and factors on noise are kept where float64 draws and exact laws both work.
var leastNumber, greatestNumber = big.NewRat(1, 1000), big.NewRat(100, 1)

// maxQueries is such that outputs fit into 64 bits, a marker included.
const maxQueries = 40

// between returns the rule that x breaks, or "".
func between(x, low, high *big.Rat) string {
	if x.Cmp(low) >= 0 && x.Cmp(high) <= 0 {
		return ""
	}
	return fmt.Sprintf("is %s, must be at least %s and at most %s", shown(x), shown(low), shown(high))
}

// decimal writes a number as a decimal if that is short, else as a ratio.
func decimal(x *big.Rat) string {
	if digits, exact := x.FloatPrec(); exact && digits <= 20 {
		return x.FloatString(digits)
	}
	return x.RatString()
}

// shown writes a number as it is, or rounded if that is long.
func shown(x *big.Rat) string {
	const longest = 40
	if text := decimal(x); len(text) <= longest {
		return text
	}
	return new(big.Float).SetRat(x).Text('g', 6)
}

// Setting is a parameter and its value, as it can be given.
type Setting struct{ Name, Value string }

// settings returns all parameters that there are.
func (p Params) settings() []Setting {
	var all []Setting
	for _, field := range parameters {
		if field.given(p) {
			all = append(all, Setting{field.name, field.text(p)})
		}
	}
	return all
}

// complete sets defaults, and checks what was given.
func (m Mechanism) complete(p Params) (Params, error) {
	if p.Claim == "" {
		p.Claim = m.Claims[0]
	}
	if !slices.Contains(m.Claims, p.Claim) {
		return Params{}, fmt.Errorf("claim is %q, must be %s", p.Claim, strings.Join(m.Claims, " or "))
	}
	for _, field := range parameters {
		switch taken := field.given(m.defaults); {
		case !field.given(p) && taken:
			field.copy(&p, m.defaults)
		case !field.given(p):
		case !taken:
			return Params{}, fmt.Errorf("%s is given, must not be: the parameters are %s",
				field.name, m.parameterNames())
		default:
			if rule := field.rule(p); rule != "" {
				return Params{}, fmt.Errorf("%s %s", field.name, rule)
			}
		}
	}
	return p, nil
}

func (m Mechanism) parameterNames() string {
	if names := m.Takes(); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "fixed"
}

// dp is the claim of (ε, δ)-DP.
func (p Params) dp() audit.Claim { return audit.DP(loss.Nats(p.Eps), p.Delta) }

// numberOrBottom is the claim for outputs that are numbers or ⊥, and their parts: with
// these charges for an output partition, otherwise of DP.
func (p Params) numberOrBottom(number, bottom loss.Epsilon) (claim audit.Claim, parts [2]string) {
	if p.Claim == "dp" {
		return p.dp(), parts
	}
	parts = [2]string{"number", "bottom"}
	return audit.Claim{Parts: []audit.Part{{Name: parts[0], Eps: number}, {Name: parts[1], Eps: bottom}},
		Delta: p.Delta}, parts
}

// eps is ε as a float64.
func (p Params) eps() float64 { return float(p.Eps) }

// Operations on rationals, for formulas that can be read.
var (
	add, sub, mul, quo = rat.Add, rat.Sub, rat.Mul, rat.Quo
	whole, float       = rat.Int, rat.Float64
	one                = rat.One
)

func neg(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }
