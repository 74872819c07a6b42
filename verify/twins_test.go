package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"checkrr/verify/register/mutation"
)

// withoutTwin are what spec has and impl does not have by the same name, and what stands for it there.
var withoutTwin = map[string]string{
	"domain.go":   "impl says in which parameter an error is, for the command",
	"rational.go": "impl/internal/rational",

	"RandomizedResponse": "stopping.Response, which impl.OptDel stands on",
	"ResponseLaw":        "the PLD of stopping.Response",
	"Lemma11Joint":       "the same number as Lemma11, by another sum",

	"dominatingpair.go": "impl/pipeline.go, with impl/internal/stopping for the pairs",
	"HockeyStick":       "impl.SmallestDPDelta, for orders of at least 1; below them it is never computed by itself",
	"PairsValue":        "impl.OptDel and impl.Exact, from a = b = 1",
	"AllocationRatio":   "examples/allocation, which finds its law on a grid",
	"RangeLaws":         "impl/certify, as masses on a grid, which impl.OptDel stands on",

	"ODPComposition":       "ledger.Accountant",
	"SumFilter":            "ledger.SumRule",
	"AdvancedODPFilter":    "ledger.ODPFilter, run by ledger.FilterRun",
	"ODPFilterComposition": "ledger.Accountant, with ledger.Rule for its filter",

	"LossMartingale": "no program needs it",

	"FilterOdometer":   "ledger.FilterCurve, read by ledger.Odometer",
	"MixtureOdometer":  "ledger.MixtureCurve, read by ledger.Odometer",
	"StitchedOdometer": "ledger.StitchedCurve, read by ledger.Odometer",
	"RogersOdometer":   "ledger.RogersCurve, read by ledger.Odometer",

	"ExpLoss":          "loss.Exp of the ratio, a step of impl.SmallestPDPDelta",
	"CloseToFirst":     "a construction of a proof; nobody runs it",
	"CloseToBoth":      "likewise",
	"MixtureTerms":     "a step of a proof, with no fast form",
	"RenyiMartingale":  "a step of a proof, with no fast form",
	"ConditionalRest":  "a step of a proof, with no fast form",
	"InBadEvent":       "a step of a proof, with no fast form",
	"LoweredNone":      "the law of an algorithm that is not private; nobody runs it",
	"SubGaussianRatio": "a condition of theorems, with no fast form",
	"PrEver":           "impl.OptDel and ledger.Strategy go through states, not paths",
	"StoppedMean":      "impl.OptDel and ledger.Strategy go through states, not paths",

	"SparseVectorDensity": "impl.SparseVectorLaw, which is integrated",
	"LogisticLoss":        "part of impl.Minimizer",
	"L2Regularizer":       "part of impl.Minimizer",
	"Objective":           "part of impl.Minimizer",
}

// files returns the files of a room and the packages beneath it, by path, tests aside.
func files(t *testing.T, room string) (set *token.FileSet, all map[string]*ast.File) {
	t.Helper()
	set, all = token.NewFileSet(), map[string]*ast.File{}
	err := filepath.WalkDir(filepath.Join("..", room), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			all[path], err = parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %d files", room, err, len(all))
	}
	return set, all
}

// functions returns those of a file.
func functions(file *ast.File) (all []*ast.FuncDecl) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all = append(all, f)
		}
	}
	return all
}

// declared returns the files of rooms and their exported functions, and the file of each.
func declared(t *testing.T, rooms ...string) map[string]string {
	names := map[string]string{}
	for _, room := range rooms {
		_, all := files(t, room)
		for path, file := range all {
			if base := filepath.Base(path); filepath.Dir(path) == filepath.Join("..", room) {
				names[base] = base
				for _, f := range functions(file) {
					if f.Recv == nil && f.Name.IsExported() {
						names[f.Name.Name] = base
					}
				}
			}
		}
	}
	return names
}

// TestTwins: every file and every exported function of spec has a twin of its name in impl or a room of it, functions
// in files of the same name, or says what stands for it.
func TestTwins(t *testing.T) {
	t.Parallel()
	spec, impl := declared(t, "spec"), declared(t, mutation.Fast...)
	for name, file := range spec {
		other, there := impl[name]
		switch excused := withoutTwin[name] != ""; {
		case there == excused:
			t.Errorf("spec: %s: in impl %v, excused %v", name, there, excused)
		case there && other != file:
			t.Errorf("%s is in spec/%s and in impl/%s", name, file, other)
		}
	}
	for name := range withoutTwin {
		if spec[name] == "" {
			t.Errorf("%s is excused, but not in spec", name)
		}
	}
}

// longest is how many lines a function of a room may have, tests aside: in spec as many as can be read
// with the paper in the other hand.
var longest = map[string]int{"spec": 25, "impl": 70}

// TestLongFunctions: no function of spec, nor of impl and the packages beneath it, is longer.
func TestLongFunctions(t *testing.T) {
	t.Parallel()
	for room, most := range longest {
		set, all := files(t, room)
		for path, file := range all {
			for _, f := range functions(file) {
				if lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; lines > most {
					t.Errorf("%s: %s has %d lines, must have at most %d", path, f.Name.Name, lines, most)
				}
			}
		}
	}
}
