package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
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

	"ODPComposition":       "impl.Accountant",
	"SumFilter":            "impl.SumRule",
	"ODPFilterComposition": "impl.Accountant, with impl.Rule for its filter",

	"LossMartingale": "no program needs it",

	"FilterOdometer":   "impl.FilterCurve, read by impl.Odometer",
	"MixtureOdometer":  "impl.MixtureCurve, read by impl.Odometer",
	"StitchedOdometer": "impl.StitchedCurve, read by impl.Odometer",
	"RogersOdometer":   "impl.RogersCurve, read by impl.Odometer",

	"ExpLoss":          "loss.Exp of the ratio, a step of impl.SmallestPDPDelta",
	"CloseToFirst":     "a construction of a proof; nobody runs it",
	"CloseToBoth":      "likewise",
	"MixtureTerms":     "a step of a proof, with no fast form",
	"RenyiMartingale":  "a step of a proof, with no fast form",
	"ConditionalRest":  "a step of a proof, with no fast form",
	"SubGaussianRatio": "a condition of theorems, with no fast form",
	"PrEver":           "impl.OptDel and impl.Strategy go through states, not paths",
	"StoppedMean":      "impl.OptDel and impl.Strategy go through states, not paths",

	"SparseVectorDensity": "impl.SparseVectorLaw, which is integrated",
	"LogisticLoss":        "part of impl.Minimizer",
	"L2Regularizer":       "part of impl.Minimizer",
	"Objective":           "part of impl.Minimizer",
}

// declared returns the files of a room and its exported functions, tests aside, and
// the file of each.
func declared(t *testing.T, room string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", room, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %d files", room, err, len(paths))
	}
	names := map[string]string{}
	for _, path := range paths {
		base := filepath.Base(path)
		if strings.HasSuffix(base, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names[base] = base
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				names[f.Name.Name] = base
			}
		}
	}
	return names
}

// TestTwins: every file and every exported function of spec has a twin of its name in impl, functions in
// files of the same name, or says what stands for it.
func TestTwins(t *testing.T) {
	t.Parallel()
	spec, impl := declared(t, "spec"), declared(t, "impl")
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
