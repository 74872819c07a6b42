package mutation

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written writes files and returns their folder.
func written(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// rooms are two rooms with the same formula.
var rooms = map[string]string{
	"spec/rest.go": `package spec

func Rest(a, b float64) (float64, error) {
	if err := domain("Rest", a); err != nil {
		return 0, err
	}
	if a < b {
		return 0, nil
	}
	return twice(a) - b, nil
}

func twice(x float64) float64 {
	progress(1)
	return 2 * x * (1 + 0x1p-50)
}

func unused(x float64) float64 { return 3 * x }
`,
	"impl/rest.go": `package impl

func Rest(a, b interval.Interval) (interval.Interval, error) {
	return bits.Sub(bits.Mul(bits.Int(2), a), b), nil
}
`,
}

func TestAll(t *testing.T) {
	t.Parallel()
	all, err := All(written(t, rooms), Rooms, []string{"spec.Rest", "impl.Rest"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Place()+": "+m.Name)
		for _, left := range []string{"unused", "domain", "progress", "1 - 0x1p-50", " * (1 + 0x1p-50)` → `2 * x`"} {
			if strings.Contains(m.Name, left) {
				t.Errorf("%s: it is used by nothing, refuses, or is behind the digits", m.Name)
			}
		}
	}
	for _, want := range []string{
		"spec/rest.go:3: spec.Rest: `b` → `b *= 1.05`",
		"spec/rest.go:7: spec.Rest: `a < b` → `a <= b`",
		"spec/rest.go:7: spec.Rest: `a < b` → `false && (a < b)`",
		"spec/rest.go:10: spec.Rest: `twice(a) - b` → `twice(a) + b`",
		"spec/rest.go:10: spec.Rest: `twice(a) - b` → `twice(a)`",
		"spec/rest.go:15: spec.twice: `2 * x` → `(2 + 1) * x`",
		"spec/rest.go:15: spec.twice: `2 * x` → `x`",
		"impl/rest.go:4: impl.Rest: `bits.Sub(bits.Mul(bits.Int(2), a), b)` → `bits.Sub(b, bits.Mul(bits.Int(2), a))`",
		"spec/rest.go:3: spec.Rest: `b` → `b *= 1.05`, and impl.Rest: `b` → " +
			"`b = interval.Precision(200).Mul(b, interval.Precision(200).Rat(big.NewRat(21, 20)))`",
		"spec/rest.go:15: spec.twice: `2 * x` → `(2 - 1) * x`, and impl.Rest: `bits.Int(2)` → `bits.Int((2 - 1))`",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s among\n%s", want, strings.Join(names, "\n"))
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for fast, literal := range map[string]string{
		"bits.Log(new(big.Rat).Quo(big.NewRat(5, 4), delta))": "math.Log(1.25 / delta)",
		"x.times(y).plus(bits.Int(int64(n)))":                 "x*y + float64(n)",
		"s.Eps":                                               "s.eps",
	} {
		x, errX := parser.ParseExpr(fast)
		y, errY := parser.ParseExpr(literal)
		if errX != nil || errY != nil || plain(x) != plain(y) {
			t.Errorf("%s is %s, %s is %s", fast, plain(x), literal, plain(y))
		}
	}
}

// The overlay is Go, and a mistake in a line is that of its mutant.
func TestOverlay(t *testing.T) {
	t.Parallel()
	root, dir := written(t, rooms), t.TempDir()
	all, err := All(root, Rooms, []string{"spec.Rest", "impl.Rest"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Overlay(root, dir, all, map[int]bool{0: true})
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]bool{}
	for _, file := range []string{"spec-rest.go", "impl-rest.go"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), file, text, 0); err != nil {
			t.Error(err)
		}
		mutant := -1
		for i, line := range strings.Split(string(text), "\n") {
			_, _ = fmt.Sscanf(line, "case %d:", &mutant)
			for n := range b.Mistakes(fmt.Sprintf("%s:%d:1: mistake\n", file, i+1)) {
				found[n] = true
				if n != mutant-1 {
					t.Errorf("line %d of %s is of mutant %d, not %d", i+1, file, n, mutant-1)
				}
			}
		}
	}
	if len(found) != len(all)-1 || found[0] {
		t.Errorf("%d of %d mutants are written, the first: %v", len(found), len(all), found[0])
	}
}

// The package at the root of another module has mutants, too, whatever its folder is called.
func TestOverlay_Root(t *testing.T) {
	t.Parallel()
	const half = "package own\n\nfunc Half(x float64) float64 { return x / 2 }\n"
	root, dir := written(t, map[string]string{"half.go": half}), t.TempDir()
	all, err := All(root, []string{"."}, []string{"own.Half"})
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	if _, err := Overlay(root, dir, all, nil); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, "overlay.json"))
	if want := fmt.Sprintf("%q:%q", filepath.Join(root, "half.go"), filepath.Join(dir, "half.go")); err != nil ||
		!strings.Contains(string(list), want) {
		t.Errorf("%v, %s, must have %s", err, list, want)
	}
	added, err := os.ReadFile(filepath.Join(dir, "mutantthatruns.go"))
	if err != nil || !strings.HasPrefix(string(added), "package own\n") {
		t.Errorf("%v, %s", err, added)
	}
}
