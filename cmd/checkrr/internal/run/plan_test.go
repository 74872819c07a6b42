package run

import (
	"bytes"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

const weighted = `
mechanisms: [{eps: 0.1, delta: 1e-9, count: 100}, {exp_eps: 3/2, count: 4}]
stops:
  - {after: 50, weight: 2}
  - {after: 80, eps: 3, weight: 1/3}
  - {after: 104}
`

// scheduled returns what checkrr schedule prints.
func scheduled(t *testing.T, problem string, o ScheduleOptions) string {
	t.Helper()
	var out bytes.Buffer
	a := App{&input.Inputs{Stdin: strings.NewReader(problem)}, &out, &out}
	if err := a.Schedule(t.Context(), o, []string{"-"}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestScheduleFile: optdel reads what -o writes, exactly, and finds no more than δ.
func TestScheduleFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, problem, delta string }{
		{"both kinds of eps", weighted, "1e-6"},
		{"a third", "mechanisms: [{eps: 1/3, count: 20}]\nstops: [{after: 10}, {after: 20}]", "1/30000"},
		{"all charges 0", "mechanisms: [{eps: 0.1, delta: 1/7, count: 2}]\nstops: [{after: 1}, {after: 2}]", "0.9"},
		{"delta 0", "mechanisms: [{exp_eps: 7/3, count: 20}]\nstops: [{after: 10}, {after: 20}]", "0"},
		{"next to the leak", "mechanisms: [{eps: 0.5, delta: 1/100, count: 1}]\nstops: [{after: 1}]", "0.0100000001"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "charged.yaml")
			o := ScheduleOptions{Delta: Number{Value: rational(tt.delta)}, Shape: "uniform", Slack: Width{value: 1e-3, isGiven: true}}
			o.Output = file
			scheduled(t, tt.problem, o)
			before, err := input.ReadProblem("-", &input.Inputs{Stdin: strings.NewReader(tt.problem)}, input.WeightedStops, false)
			if err != nil {
				t.Fatal(err)
			}
			after, err := input.ReadProblem(file, nil, input.ChargedStops, false)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range after.Mechanisms {
				want := before.Mechanisms[i]
				if m.Count != want.Count || m.Delta.Cmp(want.Delta) != 0 || m.Eps.Rat().Cmp(want.Eps.Rat()) != 0 || m.Eps.Log != want.Eps.Log {
					t.Errorf("mechanism %d became %v, was %v", i+1, m, want)
				}
			}
			r, err := impl.OptDel(t.Context(), after.Pipeline, impl.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if lower, _ := r.OptDel.Lower.Rat(nil); lower.Cmp(rational(tt.delta)) > 0 {
				t.Errorf("OptDel is %v, δ %s", r.OptDel, tt.delta)
			}
		})
	}
}

// fakePlan is a schedule with made-up charges.
func fakePlan(t *testing.T, stops int, lemma11 bool) *impl.Schedule {
	p := manyStops(t, stops, "")
	s := &impl.Schedule{Pipeline: p.Pipeline, Result: fakeResult(p.Pipeline), IsLeaking: !lemma11}
	s.Result.Arithmetic = "float64"
	for i, e := range s.Charges() {
		s.SingleStop = append(s.SingleStop, new(big.Rat).Mul(e, big.NewRat(9, 10)))
		if lemma11 {
			s.Lemma11 = append(s.Lemma11, new(big.Rat).Mul(e, big.NewRat(11, 10)))
		}
		s.Weights = append(s.Weights, float64(i+1))
	}
	return s
}

// TestScheduleTable: rows, what is left out, and a dash where Lemma 11 has nothing.
func TestScheduleTable(t *testing.T) {
	t.Parallel()
	const legend = 2 // lines
	for _, tt := range []struct {
		stops, lines  int
		all, lemma11  bool
		left          string
		dashes, notes int
	}{
		{3, 8 + 2 + 3, false, true, "", 0, 0},
		{3, 8 + 2 + 3 + 2, false, false, "", 3, 1},
		{1000, 8 + 2 + maxRows + 2, false, true, "960 of 1000 stops are left out: --all-stops or --json shows all.", 0, 0},
		{1000, 8 + 2 + 1000, true, true, "", 0, 0},
	} {
		var b strings.Builder
		c := &solved{o: SolverFlags{AllStops: tt.all}, elapsed: time.Second, problem: &input.Problem{}}
		s := &plan{Schedule: fakePlan(t, tt.stops, tt.lemma11), solved: c, shape: impl.Linear, delta: big.NewRat(1, 1000)}
		s.writeTable(&b)
		got := b.String()
		if n := strings.Count(got, "\n"); n != tt.lines+legend {
			t.Errorf("%d stops: %d lines, want %d:\n%s", tt.stops, n, tt.lines+legend, got)
		}
		if strings.Contains(got, "left out") != (tt.left != "") || !strings.Contains(got, tt.left) {
			t.Errorf("%d stops: left out must be %q:\n%s", tt.stops, tt.left, got)
		}
		if n := strings.Count(got, " – "); n != tt.dashes {
			t.Errorf("%d stops: %d dashes, want %d:\n%s", tt.stops, n, tt.dashes, got)
		}
		if n := strings.Count(got, "No charges were found with which Lemma 11"); n != tt.notes {
			t.Errorf("%d stops: %d notes, want %d:\n%s", tt.stops, n, tt.notes, got)
		}
	}
}

// TestChargeCell: never below the charge.
func TestChargeCell(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "–", "0": "0", "1": "1", "4.94339": "4.94339", "4.943389001": "4.94339", "9.9999991": "10.0000", "0.2": "0.2", "100": "100", "1/3": "0.333334", "0.1": "0.1",
		"123456.01": "123457",
	} {
		var e *big.Rat
		if in != "" {
			e = rational(in)
		}
		if got := chargeCell(e); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

func TestPlotPlan(t *testing.T) {
	t.Parallel()
	zero := fakePlan(t, 3, true)
	for _, list := range [][]*big.Rat{zero.Charges(), zero.Lemma11, zero.SingleStop} {
		for _, e := range list {
			e.SetInt64(0)
		}
	}
	for name, s := range map[string]*impl.Schedule{
		"schedule-twenty": fakePlan(t, 20, true), "schedule-thousand": fakePlan(t, 1000, true), "schedule-one": fakePlan(t, 1, true),
		"schedule-no-lemma": fakePlan(t, 5, false), "schedule-zero": zero,
	} {
		for _, format := range report.PlotFormats {
			file := filepath.Join(t.ArtifactDir(), name+"."+format)
			drawn := &plan{Schedule: s, solved: &solved{o: SolverFlags{Plot: Plot{File: file}}}, shape: impl.Uniform, delta: big.NewRat(1, 1000)}
			if err := drawn.draw(); err != nil {
				t.Fatal(err)
			}
			checkMagic(t, file, format)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(data, []byte("\nLemma 11\n")); format == "svg" && got != (s.Lemma11 != nil) {
				t.Errorf("%s: Lemma 11 is drawn: %v", name, got)
			}
		}
	}
}
