package finite

import (
	"iter"
	"math/big"
	"regexp"
	"strings"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Grid yields all values of the parameters in a text, of which the last changes fastest, and says where they are: as in
// "e^ε_1 = 1, p = 0, q = 1/2" for
//
//	e^ε_1 in {1, 4}, p and q in {0, 1/2}
//
// Some may come together: "(ε_0, δ) in {(1/2, 1/10), (1, 1/100)}". What stands behind a bar is for deep runs only: "n in
// {1, 2 | 10, 100}". The text is the domain of the check; what it says beside is only for the reader.
func Grid(t *register.T, text string) iter.Seq2[string, []*big.Rat] {
	text = sized(t, text)
	t.Domain("%s", text)
	return gridOf(text)
}

// sized returns the grid of a run: without what is for deep runs, or with it.
func sized(t *register.T, grid string) string {
	if t.Size(0, 1) == 0 {
		return behindBar.ReplaceAllString(grid, "")
	}
	return strings.ReplaceAll(grid, " | ", ", ")
}

func gridOf(text string) iter.Seq2[string, []*big.Rat] {
	var axes [][]point
	for _, m := range axis.FindAllStringSubmatch(text, -1) {
		for _, name := range strings.Split(m[1], " and ") {
			axes = append(axes, pointsOf(name, m[2]))
		}
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
