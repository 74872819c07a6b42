package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
	"checkrr/verify/audit/calibrate"
)

// TestCalibrate checks a whole output. If none of one audit refutes, its rate is at most
// 1 - 0.005 with confidence 0.995, which is rounded up.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := checkrr("", "calibrate", "--audits", "1", "--samples", "2", "--alpha", "1/100", "--seed", "7")
	want := `
true claim about     samples  audits  refuted  rate  at least  at most
────────────────────────────────────────────────────────────────────────
laplace                    2       1        0     0         0    0.996
randomized-response        2       1        0     0         0    0.996
response-pipeline          2       1        0     0         0    0.996

alpha 1/100, seed 7, T
`
	got := regexp.MustCompile(`, [^,]*\n$`).ReplaceAllString(stdout, ", T\n")
	if code != exitOK || stderr != "" || "\n"+got != want {
		t.Errorf("exit code %d, %s, got\n%s\nwant%s", code, stderr, got, want)
	}
}

// TestCalibrateJSON: the rates lie between their bounds.
func TestCalibrateJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args, measured string
		rates          int
	}{
		{"--audits 20 --samples 100 --alpha 1/3", "false alarms", 3},
		{"--audits 2 --samples 100 --alpha 1e-100", "false alarms", 3},
		{"--power --audits 3 --samples 2,300 --alpha 0.5", "power", 2 * 8},
		{"--kinds --audits 20 --samples 100 --alpha 1/3", "false alarms", 7},
		{"--kinds --power --audits 2 --samples 2,50,400", "power", 3 * 6},
	} {
		code, stdout, stderr := checkrr("", append([]string{"calibrate", "--json"}, strings.Fields(tt.args)...)...)
		out := readJSON[calibrationJSON](t, stdout)
		if code != exitOK || stderr != "" || out.Measured != tt.measured || len(out.Rates) != tt.rates || out.Seed != 1 {
			t.Errorf("%s: exit code %d, %s, %s", tt.args, code, stderr, stdout)
		}
		for _, r := range out.Rates {
			rate := float64(r.Refuted) / float64(r.Audits)
			if !(0 <= r.Lower && float64(r.Lower) <= rate && rate <= float64(r.Upper) && r.Upper <= 1) || r.Label == "" || r.Mechanism == "" {
				t.Errorf("%s: the rate %+v", tt.args, r)
			}
		}
	}
}

// TestCalibratePower measures, prints and draws.
func TestCalibratePower(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a lot of arithmetic, and nothing at once")
	}
	for _, format := range report.PlotFormats {
		file := filepath.Join(t.ArtifactDir(), "power."+format)
		code, stdout, stderr := checkrr("", "calibrate", "--power", "--audits", "5", "--samples", "100,300", "--plot", file)
		if code != exitOK || stderr != "" {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		checkText(t, stdout)
		if lines := strings.Count(stdout, "\n"); lines != 2+2*8+2 {
			t.Errorf("%d lines in\n%s", lines, stdout)
		}
		checkMagic(t, file, format)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"3 % too little noise", "leak reported as seen", "samples for each input"} {
			if format == "svg" && !bytes.Contains(data, []byte("\n"+label+"\n")) {
				t.Errorf("no %q in the picture", label)
			}
		}
	}
}

// fakePower is a measurement with a number of curves of each kind, of some sizes.
func fakePower(noise, leaks int, samples ...int) *measured {
	m := &measured{calibrateOptions: calibrateOptions{power: true, alpha: "0.01", audits: 10}}
	for i := range noise + leaks {
		c := calibrate.Curve{Label: "too little noise"}
		if i >= noise {
			c.Label = "leak"
		}
		for j, n := range samples {
			c.Rates = append(c.Rates, calibrate.Rate{Mechanism: "m", Samples: n, Audits: 10, Refuted: min(j, 10), Upper: 1})
		}
		m.curves = append(m.curves, c)
	}
	return m
}

// TestPlotCalibratePower: one size, many, and violations of which nothing is measured.
func TestPlotCalibratePower(t *testing.T) {
	t.Parallel()
	unmeasured := fakePower(0, 3, 2e6, 1e7)
	unmeasured.curves = append([]calibrate.Curve{{}, {}}, unmeasured.curves...)
	kinds := fakePower(3, 3, 100, 1e3, 1e6)
	kinds.kinds = true
	for name, m := range map[string]*measured{
		"power-many": fakePower(4, 4, 1e3, 3e3, 1e4, 1e5, 1e6), "power-one": fakePower(4, 4, 1e4),
		"power-two": fakePower(1, 1, 2, 1e9), "power-leaks": unmeasured, "power-kinds": kinds,
	} {
		file := filepath.Join(t.ArtifactDir(), name+".svg")
		if err := plotPower(m, file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkMagic(t, file, "svg")
	}
}

// TestControl_CalibrateFalseAlarms: rates above alpha for certain are refuted.
func TestControl_CalibrateFalseAlarms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		power        bool
		refuted      int
		lower, alpha float64
		want         string
	}{
		{false, 10, 0.04, 0.05, ""},
		{false, 10, 0.05, 0.05, ""},
		{false, 20, 0.06, 0.05, "refuted: 20 of 100 audits of laplace are false alarms, must be at most 5e-2 of them"},
		{true, 20, 0.06, 0.05, ""},
	} {
		rate := calibrate.Rate{Mechanism: "laplace", Audits: 100, Refuted: tt.refuted, Lower: tt.lower, Upper: 1}
		m := &measured{
			calibrateOptions: calibrateOptions{power: tt.power, alpha: "5e-2"}, limits: audit.Options{Alpha: tt.alpha},
			curves: []calibrate.Curve{{Label: "right", Rates: []calibrate.Rate{{Mechanism: "right", Audits: 100, Upper: 0.1}}}, {Label: "laplace", Rates: []calibrate.Rate{rate}}},
		}
		err := m.verdictError()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want || !errors.Is(err, errRefuted)) {
			t.Errorf("%+v: got the error %v", tt, err)
		}
	}
}

// TestCalibrateUsage: what is refused before anything is measured.
func TestCalibrateUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"x", `unknown command "x" for "checkrr calibrate"`},
		{"--audits 0", "--audits is 0, must be at least 1 and at most 1000000"},
		{"--audits -1", "--audits is -1, must be at least 1 and at most 1000000"},
		{"--audits 1000001", "--audits is 1000001, must be at least 1 and at most 1000000"},
		{"--audits 1.5", "--audits is 1.5, must be a whole number of at most 18 digits"},
		{"--samples 1", "--samples is 1, must be a whole number from 2 to 1000000000"},
		{"--samples 1e10", "--samples is 1e10, must be a whole number from 2 to 1000000000"},
		{"--samples 1e3,1e4", `--samples is "1e3,1e4", must be one number without --power`},
		{"--power --samples 1e4,1e3", `--samples is "1e4,1e3", must rise`},
		{"--power --samples 1e3,1000", `--samples is "1e3,1000", must rise`},
		{"--power --samples 1e3,", `--samples is "", must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2`},
		{"--samples=", "--samples is empty, must have a value"},
		{"--alpha 0", "--alpha is 0, must be between 1e-100 and 0.5"},
		{"--alpha 1", "--alpha is 1, must be between 1e-100 and 0.5"},
		{"--alpha nan", "--alpha is nan, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
		{"--seed -1", "--seed is -1, must be a whole number from 0 to 18446744073709551615"},
		{"--timeout -1s", "--timeout is -1s, must not be negative"},
		{"--plot x.svg", "--plot is x.svg, must be used with --power: false alarms have no picture"},
		{"--power --plot x.gif", "--plot is x.gif, must end in .svg, .png or .pdf"},
		{"--power --plot -", "--plot is -, must end in .svg, .png or .pdf"},
		{"--power --plot no/such/x.svg", "--plot is no/such/x.svg, must be in a folder that exists"},
	} {
		checkRefused(t, "calibrate "+tt.args, tt.want)
	}
}

func TestCalibrateTimeout(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--power"}} {
		code, stdout, stderr := checkrr("", append([]string{"calibrate", "--timeout", "1ns"}, args...)...)
		if code != exitInconclusive || stdout != "" || stderr != "checkrr: inconclusive: no result within 1ns\n" {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// TestCalibratePlotFails: a picture that cannot be written is an error before anything is drawn.
func TestCalibratePlotFails(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "x.svg")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := checkrr("", "calibrate", "--power", "--audits", "1", "--samples", "2", "--plot", folder)
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "a folder, must be the name of a file") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
