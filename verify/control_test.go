package verify

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// strict is a reporter that ends a test at the first error.
type strict struct{ *testing.T }

func (s strict) Errorf(format string, args ...any) { s.Fatalf(format, args...) }

// TestControlTarget runs the checks of this package on few problems, chosen for speed.
// [TestControl_DefectsAreNoticed] runs it on code with a defect.
func TestControlTarget(t *testing.T) {
	r := strict{t}
	d := Seeded(4)
	for range 60 {
		checkMethods(r, randomProblem(d, ratios, small), ratios)
		checkRule(r, randomProblem(d, ratios, 4), auto)
	}
	for range 12 {
		checkMethods(r, randomProblem(d, mixed, 3), mixed)
		checkRule(r, randomProblem(d, decimals, 4), auto)
	}
	for range 20 {
		checkPlain(r, longProblem(d, 40))
		checkLongRule(r, longProblem(d, 60), auto)
		checkWidths(r, longProblem(d, 60))
	}
	for range 16 {
		checkWidths(r, steep(d))
	}
}

// steep returns a problem with large counts whose charges lie 8 to 14 standard
// deviations out, where a δ is between 1e-15 and 1e-44.
func steep(d Dice) problem {
	const k, eps = 400, 50
	p := problem{mechanisms: []mechanism{{grains(eps), rat("0"), k}}}
	n := 1 + d.Roll(3)
	for i := range n {
		after := (i + 1) * k / n
		deviations := float64(800+d.Roll(600)) / 100
		p.stops = append(p.stops, stop{after, grains(int64(deviations * eps * math.Sqrt(float64(after))))})
	}
	return p
}

// TestControl_DefectsAreNoticed runs [TestControlTarget] on impl with one deliberate
// defect at a time. It must fail, and not because the code no longer compiles.
func TestControl_DefectsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds this test once for each defect")
	}
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			output := runTarget(t, d)
			switch {
			case strings.Contains(output, "[build failed]"):
				t.Errorf("%s does not compile:\n%s", d.file, output)
			case !strings.Contains(output, "--- FAIL: TestControlTarget"):
				t.Errorf("nobody noticed that %s\n%s: %q instead of %q\n%s", d.name, d.file, d.new, d.old, output)
			case strings.Contains(output, "panic:"):
				t.Errorf("it panics, which shows no check at work:\n%s", output)
			}
		})
	}
}

// runTarget returns the output of [TestControlTarget] with the defect d.
func runTarget(t *testing.T, d defect) string {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs(filepath.Join("..", "impl", d.file))
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, d.file)
	write(t, broken, d.apply(t, source))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{source: broken}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	write(t, list, overlay)
	var output bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay="+list, "-run=^TestControlTarget$", "-count=1", "-vet=off", "-timeout=60s", ".")
	cmd.Stdout, cmd.Stderr = &output, &output
	_ = cmd.Run() // the output says all
	return output.String()
}

// apply returns the file source with the defect.
func (d defect) apply(t *testing.T, source string) []byte {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(d.old)); n != 1 {
		t.Fatalf("%s contains %q %d times, must be once: bring the defect %q up to date", source, d.old, n, d.name)
	}
	return bytes.Replace(text, []byte(d.old), []byte(d.new), 1)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
