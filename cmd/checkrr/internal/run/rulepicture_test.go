package run

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

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
				s := &solution{found: found{Result: r}, solved: &solved{o: SolverFlags{Plot: Plot{File: file}}, problem: p}}
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
