package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot/plotter"

	"checkrr/cmd/checkrr/internal/report"
)

func TestPlotRule(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		stops int
		eps   string
		never bool
	}{
		{name: "twenty", stops: 20},
		{name: "thousand", stops: 1000},
		{name: "one", stops: 1},
		{name: "two", stops: 2},
		{name: "never", stops: 20, never: true},
		{name: "one-never", stops: 1, never: true},
		{name: "zero", stops: 3, eps: "0"},
		{name: "tiny", stops: 3, eps: "1e-9999"},
		{name: "huge", stops: 3, eps: "1e280"},
	}
	for _, tt := range tests {
		for _, format := range report.PlotFormats {
			t.Run(tt.name+"."+format, func(t *testing.T) {
				p := manyStops(t, tt.stops, tt.eps)
				r := fakeResult(p.Pipeline)
				for i := range r.Rule {
					if tt.never {
						r.Rule[i].LossAtLeast = math.Inf(1)
					}
				}
				file := filepath.Join(t.ArtifactDir(), tt.name+"."+format)
				s := &solution{found: found{Result: r}, solved: solved{o: solverFlags{plot: file}, problem: p}}
				if err := s.draw(); err != nil {
					t.Fatal(err)
				}
				checkMagic(t, file, format)
			})
		}
	}
}

// checkMagic checks that a file is what its name says.
func checkMagic(t *testing.T, file, format string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	magic := map[string]string{"png": "\x89PNG\r\n", "svg": "<?xml", "pdf": "%PDF-1."}[format]
	if !bytes.HasPrefix(data, []byte(magic)) {
		t.Errorf("%s starts with %q, want %q", file, data[:min(len(data), 8)], magic)
	}
	if bytes.Contains(data, []byte("NaN")) && format == "svg" {
		t.Errorf("%s has coordinates that are NaN", file)
	}
}

func TestFiniteParts(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	tests := []struct {
		ys   []float64
		want []int // lengths
	}{
		{nil, nil},
		{[]float64{inf}, nil},
		{[]float64{1}, []int{1}},
		{[]float64{inf, 1, 2, inf, inf, 3}, []int{2, 1}},
		{[]float64{1, inf, 2}, []int{1, 1}},
		{[]float64{1, 2, 3}, []int{3}},
	}
	for _, tt := range tests {
		var points plotter.XYs
		for i, y := range tt.ys {
			points = append(points, plotter.XY{X: float64(i), Y: y})
		}
		parts := report.FiniteParts(points)
		if len(parts) != len(tt.want) {
			t.Errorf("finiteParts(%v) has %d parts, want %d", tt.ys, len(parts), len(tt.want))
			continue
		}
		for i, part := range parts {
			if len(part) != tt.want[i] {
				t.Errorf("finiteParts(%v): part %d has %d points, want %d", tt.ys, i, len(part), tt.want[i])
			}
		}
	}
}

func TestRoundTicks(t *testing.T) {
	t.Parallel()
	for _, last := range []float64{1e-300, 0.0123, 0.5, 1, 1.1, 2, 3.3, 4.99, 5, 7, 9.99, 10, 1030, 10_300_000, 1e280} {
		ticks := report.RoundTicks(0, last)
		if len(ticks) < 5 || len(ticks) > 11 {
			t.Errorf("roundTicks(0, %g) has %d ticks, want 5 to 11", last, len(ticks))
		}
	}
}
