// Package mutation makes wrong changes of the code that the checks of a register must notice: by operators over the
// syntax tree of the functions that entries name, in one room and in two rooms alike.
//
// All mutants are built at once. [Overlay] writes the changed functions beside the original ones, and the number in
// the environment variable [Variable] chooses one.
package mutation

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Rooms are the packages of this module whose functions entries name, from its root.
var Rooms = slices.Concat([]string{"spec"}, Fast, []string{"impl/interval", "impl/loss", "exhaustive"})

// Fast are the rooms of what is made fast: what functions of spec have their twins in.
var Fast = []string{"impl", "impl/ledger", "impl/selection", "impl/noise"}

// Mutant is a wrong change of a function, or the same of two functions in different rooms.
type Mutant struct {
	Name     string   // says what is changed, and no other mutant has it
	Operator string   // such as "a term dropped"
	Symbols  []string // that entries name and that use what is changed, such as spec.OptDel
	places   []place
}

// place is one change of one function.
type place struct {
	function
	change
}

// Place returns where the first change is: file:line, from the root of the module.
func (m Mutant) Place() string {
	p := m.places[0]
	return fmt.Sprintf("%s:%d", p.file, 1+bytes.Count(p.text[:p.at-p.base], []byte("\n")))
}

// Rooms returns in how many rooms the mutant is.
func (m Mutant) Rooms() int { return len(m.places) }

// beneath are files of other packages, and functions, that entries try by what they name.
var beneath = map[string][]string{
	"ledger.ChallengeFilter": {
		"impl/ledger/challengeFilter", "impl/ledger/responseShares", "impl/ledger/attack.memory",
		"impl/ledger/attack.search", "impl/ledger/attack.judge", "impl/ledger/payoff.go",
	},
	"ledger.ChallengeOdometer": {"impl/ledger/challengeOdometer", "impl/ledger/attack.firstAbove"},
	"spec.RangeLaws":           {"impl/certify/range.go"},
	"impl.Exact":               {"impl/internal/exact/exact.go"},
	"impl.OptDel": {
		"impl/certify/noise/additive.go", "impl/certify/noise/cells.go", "impl/certify/noise/laplace.go",
		"impl/certify/noise/normal.go", "impl/certify/pair.go",
	},
}

// beside are functions that say in which steps something is searched for: what each step finds is certified.
var beside = []string{"impl.designInTurn", "impl.ScheduleOptions.stages"}

// Functions returns the functions that the mutant changes.
func (m Mutant) Functions() (names []string) {
	for _, p := range m.places {
		names = append(names, p.name)
	}
	return names
}

// All returns the mutants of the functions and of the methods of types that entries name, and of what these use, in
// the order of the code: of packages of a module, from its root.
func All(root string, rooms, named []string) ([]Mutant, error) {
	used, err := usedBy(root, rooms, named)
	if err != nil {
		return nil, err
	}
	var all []Mutant
	places := map[string][]place{} // by what entries name
	for _, u := range used {
		for _, c := range u.changes() {
			all = append(all, Mutant{Operator: c.operator, Symbols: u.symbols, places: []place{{u.function, c}}})
			for _, s := range u.symbols {
				places[s] = append(places[s], place{u.function, c})
			}
		}
	}
	for _, s := range named {
		if name, isSpec := strings.CutPrefix(s, "spec."); isSpec {
			for _, room := range Fast {
				all = append(all, alike(s, path.Base(room)+"."+name, places)...)
			}
		}
	}
	return distinct(all), nil
}

// Replacing returns the mutant that has another text in a function of a file, in which the old one must be once.
func Replacing(root, file, old, new string) (Mutant, error) {
	functions, err := functionsOf(root, path.Dir(file))
	if err != nil {
		return Mutant{}, err
	}
	m, n := Mutant{Name: fmt.Sprintf("%s: `%s` → `%s`", file, old, new)}, 0
	for _, f := range functions {
		if body := f.of(f.decl.Body); f.file == file && strings.Contains(body, old) {
			n += strings.Count(body, old)
			c := change{old: old, new: new, body: f.closed(strings.Replace(body, old, new, 1), ""), at: f.decl.Pos()}
			m.places = []place{{f, c}}
		}
	}
	if n != 1 {
		return m, fmt.Errorf("functions of %s have %q %d times, must be once", file, old, n)
	}
	return m, nil
}

// alike returns the mutants that change what is alike in two functions and in what they use.
func alike(spec, impl string, places map[string][]place) (all []Mutant) {
	others := map[string][]place{}
	for _, p := range places[impl] {
		others[p.alike] = append(others[p.alike], p)
	}
	for _, p := range places[spec] {
		if same := others[p.alike]; len(same) > 0 && !strings.Contains(p.alike, "?") {
			all = append(all, Mutant{Operator: p.operator, Symbols: []string{spec, impl}, places: []place{p, same[0]}})
			others[p.alike] = same[1:]
		}
	}
	return all
}

// usedFunction is a function and what entries name that uses it.
type usedFunction struct {
	function
	symbols []string
}

// usedBy returns the functions that entries try.
func usedBy(root string, rooms, named []string) (all []usedFunction, err error) {
	for _, room := range rooms {
		functions, err := functionsOf(root, room)
		if err != nil {
			return nil, err
		}
		symbols := map[string][]string{}
		for _, f := range functions {
			for _, s := range f.symbols(named) {
				for _, g := range f.reached(functions, named) {
					if !slices.Contains(symbols[g.name], s) {
						symbols[g.name] = append(symbols[g.name], s)
					}
				}
			}
		}
		for _, f := range functions {
			if symbols[f.name] != nil {
				all = append(all, usedFunction{f, symbols[f.name]})
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(beneath)) {
		for _, what := range beneath[s] {
			functions, err := functionsOf(root, path.Dir(what))
			if err != nil {
				return nil, err
			}
			for _, f := range functions {
				if f.file == what || f.name == path.Base(path.Dir(what))+"."+path.Base(what) {
					all = append(all, usedFunction{f, []string{s}})
				}
			}
		}
	}
	return all, nil
}

// symbols returns what entries name of a function: itself, or the type that it is a method of; in the fast rooms
// of an exported one. A pipeline is what functions are asked about: its methods are none of a statement.
func (f function) symbols(named []string) (symbols []string) {
	kind := f.name[:strings.LastIndex(f.name, ".")]
	isMethod := (f.decl.Name.IsExported() || !slices.Contains(Fast, path.Dir(f.file))) && kind != "impl.Pipeline"
	if slices.Contains(named, f.name) {
		symbols = append(symbols, f.name)
	}
	if isMethod && slices.Contains(named, kind) {
		symbols = append(symbols, kind)
	}
	return symbols
}

// reached returns a function and those that it uses and that entries do not name: of all the package or, in the rooms
// of impl, which share more than what is of a statement, of its file.
func (f function) reached(functions []function, named []string) []function {
	reached := []function{f}
	for i := 0; i < len(reached); i++ {
		calls := reached[i].calls()
		for _, g := range functions {
			isNear := g.file == f.file || !strings.HasPrefix(f.file, "impl/")
			isOwn := g.symbols(named) != nil || slices.Contains(beside, g.name)
			isHelper := (calls[g.name] || calls[g.decl.Name.Name]) && isNear && !isOwn
			if isHelper && !slices.ContainsFunc(reached, func(h function) bool { return h.name == g.name }) {
				reached = append(reached, g)
			}
		}
	}
	return reached
}

// distinct names the mutants, those that would have the same name by their number too, and leaves out what changes
// the same places as one before.
func distinct(all []Mutant) (kept []Mutant) {
	seen, count := map[string]bool{}, map[string]int{}
	for _, m := range all {
		where, name := "", ""
		for i, p := range m.places {
			if where += p.name + p.body; i > 0 {
				name += ", and "
			}
			name += fmt.Sprintf("%s: `%s` → `%s`", p.name, p.old, p.new)
		}
		if seen[where] {
			continue
		}
		seen[where] = true
		if count[name]++; count[name] > 1 {
			name += fmt.Sprintf(" (%d)", count[name])
		}
		m.Name = name
		kept = append(kept, m)
	}
	return kept
}
