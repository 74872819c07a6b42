package command

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"checkrr/cmd/checkrr/internal/report"
)

// powers are the numbers of samples in the tables of docs/audit.md.
var powers = map[string]float64{"10³": 1e3, "3·10³": 3e3, "10⁴": 1e4, "3·10⁴": 3e4, "10⁵": 1e5, "3·10⁵": 3e5,
	"10⁶": 1e6, "3·10⁶": 3e6, "10⁷": 1e7}

// TestReference_PowerFigure: docs/power.svg draws the tables of docs/audit.md that say how often audits find
// violations.
func TestReference_PowerFigure(t *testing.T) {
	t.Parallel()
	var figures []*plot.Plot
	for _, table := range strings.Split(documents(t)["docs/audit.md"], "\n\n") {
		if strings.HasPrefix(table, "| samples |") {
			figures = append(figures, powerFigure(t, strings.Split(table, "\n")))
		}
	}
	if len(figures) != 2 {
		t.Fatalf("docs/audit.md has %d such tables, must have 2", len(figures))
	}
	figures[0].Title.Text = "How often audits at α = 0.01 find a violation"
	figures[1].X.Label.Text = "samples for each input"
	const shown = "../../../docs/power.svg"
	file := filepath.Join(t.TempDir(), "power.svg")
	if *update {
		file = shown
	}
	if err := report.WritePicture(file, "", figures...); err != nil {
		t.Fatal(err)
	}
	if contents(t, file) != contents(t, shown) {
		t.Error("it is not what the tables say: run go test ./cmd/checkrr/command -run Reference -update")
	}
}

// powerFigure draws the rows of a table, a curve each.
func powerFigure(t *testing.T, table []string) *plot.Plot {
	figure := report.NewFigure("", "", "share of audits")
	add, samples := report.LabelEnds(figure), cellsOf(table[0])
	for i, line := range table[2:] {
		var points plotter.XYs
		for j, share := range cellsOf(line)[1:] {
			y, err := strconv.ParseFloat(share, 64)
			if err != nil {
				t.Fatal(err)
			}
			points = append(points, plotter.XY{X: powers[samples[j+1]], Y: y})
		}
		add(cellsOf(line)[0], points,
			report.Look{HasGlyphs: true, Color: report.Colors[i], Shape: report.Shapes[i], Dashes: report.Dashes[i]})
	}
	figure.X.Scale, figure.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	figure.X.Min, figure.X.Max = powers[samples[1]], powers[samples[len(samples)-1]]
	figure.Y.Min, figure.Y.Max = 0, 1
	return figure
}

// cellsOf are those of a row of a table.
func cellsOf(row string) (cells []string) {
	for cell := range strings.SplitSeq(strings.Trim(row, "| "), "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}
