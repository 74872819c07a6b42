package finite

import (
	"fmt"
	"iter"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sized returns the grid of a run: without what is for deep runs, or with it.
func sized(t *register.T, grid string) string {
	if t.Size(0, 1) == 0 {
		return behindBar.ReplaceAllString(grid, "")
	}
	return strings.ReplaceAll(grid, " | ", ", ")
}

// gridOf yields all values of the parameters in a text, of which the last changes fastest, and says where they are.
func gridOf(text string) iter.Seq2[string, []*big.Rat] {
	var axes [][]point
	for _, m := range axis.FindAllStringSubmatch(text, -1) {
		for _, name := range strings.Split(m[1], " and ") {
			axes = append(axes, pointsOf(name, m[2]))
		}
	}
	if axes == nil || len(axis.FindAllString(text, -1)) != strings.Count(text, " in {") {
		panic(fmt.Sprintf("the grid is %q, must have parameters such as “p and q in {0, 1/2}”, and no other “ in {”",
			text))
	}
	return func(yield func(string, []*big.Rat) bool) { walk(axes, point{}, yield) }
}

var (
	axis    = regexp.MustCompile(`(\([^()]*\)|\S+(?: and \S+)*) in \{([^}]*)\}`)
	several = regexp.MustCompile(`\(([^)]*)\)`)

	behindBar = regexp.MustCompile(` \| [^}]*`)
)

// point is values with their names.
type point struct {
	at     string
	values []*big.Rat
}

// pointsOf returns the values of one parameter, or of several that come together.
func pointsOf(name, list string) (all []point) {
	if !strings.HasPrefix(name, "(") {
		for _, x := range numbers(list) {
			all = append(all, point{name + " = " + rat.Show(x), []*big.Rat{x}})
		}
		return all
	}
	for _, m := range several.FindAllStringSubmatch(list, -1) {
		xs := numbers(m[1])
		all = append(all, point{name + " = (" + rat.Show(xs...) + ")", xs})
	}
	return all
}

// numbers returns the numbers of a list, such as −1/2, 10^5.
func numbers(list string) (all []*big.Rat) {
	for _, text := range strings.Split(strings.ReplaceAll(list, "−", "-"), ", ") {
		base, exponent, isPower := strings.Cut(text, "^")
		x := rat.Of(base)
		if isPower {
			x = rat.Power(x, int(rat.Of(exponent).Num().Int64()))
		}
		all = append(all, x)
	}
	return all
}

// walk yields what the axes add to a point, and reports whether to go on.
func walk(axes [][]point, before point, yield func(string, []*big.Rat) bool) bool {
	if len(axes) == 0 {
		return yield(strings.TrimPrefix(before.at, ", "), before.values)
	}
	for _, p := range axes[0] {
		values := append(before.values[:len(before.values):len(before.values)], p.values...)
		if !walk(axes[1:], point{before.at + ", " + p.at, values}, yield) {
			return false
		}
	}
	return true
}

// Each calls a function for every place of a grid: with some arguments first, and then with the parameters of the grid,
// of which the last changes fastest.
//
//	finite.Each(t, "p and q in {1/4, 1/2}, n in {1, 2 | 10}", func(p, q *big.Rat, n int) { … })
//
// Some parameters may come together: "(ε_0, δ) in {(1/2, 1/10), (1, 1/100)}". What stands behind a bar is for deep runs
// only. The text is the domain of the check; what it says beside is only for the reader.
//
// Numbers are handed over as the function takes them: as *big.Rat, int or float64, and of the arguments also in words,
// as "19/20". Each call is a case at its place, such as "p = 1/4, q = 1/2, n = 1", unless the function takes the place,
// a string, between the two: then it says itself what its cases are. Without a grid it is one call.
//
// The function of [Over] takes t before these. One that takes something else, such as an int for 1/2, leaves the check
// inconclusive.
func Each(t *register.T, grid string, visit any, first ...any) {
	f := reflect.ValueOf(visit)
	takes := f.Type()
	call := func(values []any) {
		var args []reflect.Value
		for i, x := range values[:min(len(values), takes.NumIn())] {
			if v := argument(x, takes.In(i)); v.CanConvert(takes.In(i)) {
				args = append(args, v.Convert(takes.In(i)))
			}
		}
		if len(args) != len(values) || len(args) != takes.NumIn() {
			t.Inconclusive("the function is %s, must take %d: %s (as numbers what the grid has as “n in {1, 2}”)", takes,
				len(values), strings.Join(taken(first, values, grid), ", "))
		}
		f.Call(args)
	}
	if grid == "" {
		call(first)
		return
	}
	grid = sized(t, grid)
	t.AlsoDomain("%s", grid)
	n := len(first)
	asksForPlace := n < takes.NumIn() && takes.In(n).Kind() == reflect.String
	for at, xs := range gridOf(grid) {
		values := slices.Clone(first)
		if asksForPlace {
			values = append(values, at)
		} else {
			t.At("%s", at)
		}
		for _, x := range xs {
			values = append(values, x)
		}
		call(values)
	}
}

// taken returns what the function of [Each] must take: types, and the names of a grid.
func taken(first, values []any, grid string) (all []string) {
	for _, x := range first {
		all = append(all, fmt.Sprintf("%T", x))
	}
	var names []string
	for _, m := range axis.FindAllStringSubmatch(grid, -1) {
		names = append(names, strings.Split(plainNames.Replace(m[1]), ", ")...)
	}
	if len(values) > len(first)+len(names) {
		all = append(all, "the place")
	}
	return append(all, names...)
}

// plainNames makes a list of the names of an axis, such as “p and q”, or “(ε, δ)”.
var plainNames = strings.NewReplacer("(", "", ")", "", " and ", ", ")

// argument returns a value as it is converted to what a function takes.
func argument(x any, as reflect.Type) reflect.Value {
	if text, isText := x.(string); isText && as.Kind() == reflect.Pointer {
		x = rat.Of(text)
	}
	if r, isRat := x.(*big.Rat); isRat && r.IsInt() && as.Kind() == reflect.Int {
		x = int(r.Num().Int64())
	} else if isRat && as.Kind() == reflect.Float64 {
		x = rat.Float64(r)
	}
	return reflect.ValueOf(x)
}

// Over returns a function from some arguments to a check that calls a function for [Each] place: with T, the arguments,
// and the parameters.
func Over(grid string, visit any) func(args ...any) register.Check {
	return func(args ...any) register.Check {
		return func(t *register.T) { Each(t, grid, visit, append([]any{t}, args...)...) }
	}
}

// With is [Over] without a grid.
func With(check any, args ...any) register.Check { return Over("", check)(args...) }

// Claim is a check of a statement with a share of its bound: it holds with 1.
type Claim func(t *register.T, share *big.Rat)

// On is [Over] for claims: the function takes T, the share, the arguments, and the parameters.
func On(grid string, visit any) func(args ...any) Claim {
	return func(args ...any) Claim {
		return func(t *register.T, share *big.Rat) { Each(t, grid, visit, append([]any{t, share}, args...)...) }
	}
}

// With returns the check with a share.
func (c Claim) With(share string) register.Check { return func(t *register.T) { c(t, rat.Of(share)) } }

// Tight is what runs for a claim that holds, and not with a share that is near:
//
//	"ABC-L3": finite.Tight(finite.On("x in {1/4, 1}", bounded)("2"), "39/40", "f(x) ≤ 1.95x")
//
// where bounded(t, share, factor, x) checks that f(x) ≤ share·factor·x.
func Tight(c Claim, near, says string, more ...register.Part) []register.Part {
	return register.Checked(c.With("1"), append(more, register.NearMiss(says, c.With(near)))...)
}

// Mended is what runs for a claim that fails as printed: another holds, and not with a share of it that is near.
//
//	bound := finite.On("x in {1/4, 1}", bounded)
//	"ABC-L4": finite.Mended(bound("1"), bound("2"), "f(x) ≤ 2x", "39/40", "f(x) ≤ 1.95x")
func Mended(printed, corrected Claim, says, near, nearSays string, more ...register.Part) []register.Part {
	return register.Checked(printed.With("1"), append(more, register.NearMiss(nearSays, corrected.With(near)),
		register.Corrected(says, corrected.With("1")))...)
}
