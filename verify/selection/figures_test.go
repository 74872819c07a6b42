package selection

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"checkrr/impl/selection"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// TestDocs: the tables of docs/selection.md are what the figures have.
func TestDocs(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../docs/selection.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Paper.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]register.Figure{}
	for _, f := range all {
		by[f.Name] = f
	}
	var rows []string
	for _, gamma := range []string{"0.0001", "0.001", "0.01", "0.1", "0.3"} {
		row := "| " + gamma + " |"
		for _, c := range by["losses"].Curves {
			row += fmt.Sprintf(" %.3f |", valueAt(t, c, gamma))
		}
		rows = append(rows, row)
	}
	for _, mean := range []string{"10", "100", "1000"} {
		row := "| " + mean + " |"
		for i, c := range by["runs"].Curves {
			row += fmt.Sprintf(" %s, %s |",
				short(valueAt(t, c, mean)), missed(valueAt(t, by["misses"].Curves[i], mean)))
		}
		rows = append(rows, strings.ReplaceAll(row, "e-05", "e-5"))
	}
	most, printed := "| runs at most |", "| by Theorems 4.6 and 3.1 |"
	for _, share := range []string{"0.1", "0.2", "0.5", "0.9"} {
		goal := selection.Goal{Eps: rat.One, Delta: rat.Of("1e-6"), Reach: rat.Of("1/10"), Fail: rat.Of("1/20"),
			Slack: rat.Of("1/100")}
		p, err := selection.PlanPrivateSelection(goal, 10, rat.Of(share))
		if err != nil {
			t.Fatal(err)
		}
		most += fmt.Sprintf(" %.1e |", rat.Float64(new(big.Rat).SetInt(p.MostRuns())))
		few, _ := p.Printed.Float64()
		printed += fmt.Sprintf(" %.1e |", few)
	}
	plain := strings.NewReplacer("e+0", "e", "e+", "e")
	rows = append(rows, plain.Replace(most), plain.Replace(printed))
	for i, name := range []string{"all runs, any rule", "all runs, number drawn beforehand"} {
		row := "| " + name + " |"
		for _, runs := range []string{"1", "2", "3", "10", "30", "100", "1000"} {
			row += fmt.Sprintf(" %s |", charge(valueAt(t, by["charges"].Curves[i], runs)))
		}
		rows = append(rows, row)
	}
	for _, want := range rows {
		if !strings.Contains(string(docs), want) {
			t.Errorf("docs/selection.md does not have %q", want)
		}
	}
}

// valueAt returns the upper end of a curve at x.
func valueAt(t *testing.T, c register.Curve, x string) float64 {
	for _, p := range c.Points {
		if rat.Equal(p.X, rat.Of(x)) {
			return p.Y.Float().Hi
		}
	}
	t.Fatalf("%s has no point at %s", c.Label, x)
	return 0
}

// missed has two digits.
func missed(x float64) string {
	if x >= 0.1 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// short has three digits after the point, of small numbers four.
func short(x float64) string {
	if x < 0.1 {
		return fmt.Sprintf("%.4f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

// charge has two digits after the point, of large numbers one.
func charge(x float64) string {
	if x > 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
