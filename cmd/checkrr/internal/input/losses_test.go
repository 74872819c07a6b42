package input

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"checkrr/impl/certify"
)

func parseLosses(text string) (*certify.Losses, error) {
	return decodeLosses("l.csv", strings.NewReader(text))
}

// shownLosses prints losses as ratios.
func shownLosses(l *certify.Losses) string {
	if l == nil {
		return "lost"
	}
	var parts []string
	for _, x := range l.List() {
		parts = append(parts, x[0].RatString()+": "+x[1].RatString())
	}
	return strings.Join(parts, ", ")
}

func TestLosses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0,1": "0: 1",
		"\uFEFFLoss, mass\r\n0.5,0.25\r\n-1/4,1/4\r\n": "-1/4: 1/4, 1/2: 1/4",
		"# a\n\n loss,mass # b\n1,.5 # c\n":            "1: 1/2",
		"1,0.25\n0,0.5\n1,1/8\ninf,0.125":              "0: 1/2, 1: 3/8",
		"+inf,0.1\nInfinity,0.2\n0,0.7":                "0: 7/10",
		"inf,0.1\n2,0.5\n1,0\n":                        "2: 1/2",
		"-0.0000000001,0.4\n0,0.6000000005":            "-1/10000000000: 799999999/2000000000, 0: 1200000001/2000000000",
		"-2,0.0000000003\n1,0.4\n0,0.6000000005":       "0: 3/5, 1: 2/5",
		"inf,0.5\n0,0":                                 "lost",
		"inf,1\n-1,1e-10\n":                            "lost",
		"inf,1e-9\n-1,1e-10\n0,0.9999999995":           "0: 999999999/1000000000",
	} {
		l, err := parseLosses(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := shownLosses(l); got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}

// lossErrors are faulty files of losses, and what is said about them.
var lossErrors = []struct{ text, want string }{
	{"", "1:1: there are no losses with a mass above 0, must be at least one, as lines of the form loss,mass"},
	{"loss,mass\n", "1:1: there are no losses with a mass above 0, must be at least one, as lines of the form loss,mass"},
	{"inf,0\n0,0", "1:1: there are no losses with a mass above 0, must be at least one, as lines of the form loss,mass"},
	{"0,1\nloss,mass", "2:1: loss is text that is no number, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mass,loss\n", "1:1: the first line is text that is no number, must be the header loss,mass, or numbers"},
	{"0 1", "1:1: the line is \"0 1\", must be of the form loss,mass"},
	{"0,1,2", "1:1: the line is \"0,1,2\", must be of the form loss,mass"},
	{"0,0.5\n  nan , 0.5", "2:3: loss is nan, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"-inf,0.5", "1:1: loss is -inf, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"é,0.5", "1:1: loss is text that is no number, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"0, ", "1:4: mass is \"\", must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"0,\t-1e-9", "1:4: mass is -1e-9, must be at least 0"},
	{"0,inf", "1:3: mass is inf, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"-20000,0.5", "1:1: loss is -20000, must be between -600 and 600, or inf"},
	{"# c\n0.5,0.75\n1,0.25\n0,0.25", "4:3: the masses up to here sum to more than 1, all of them to 1 + about 0.25: must be at most 1"},
	{"0.5,0.75\ninf,0.5\n0,0.25", "2:5: the masses up to here sum to more than 1, all of them to 1 + about 0.5: must be at most 1"},
	{"0,0.5\n-0.5,0.5", "2:6: the masses under Q, mass·e^−loss, sum to about 1.324360635, must be at most 1 (a loss is ln P/Q, and a mass that of P)"},
	{"0,1/" + strings.Repeat("3", 401), "1:3: mass has 401 digits, must have at most 400"},
}

func TestLossErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range lossErrors {
		l, err := parseLosses(tt.text)
		if err == nil {
			t.Errorf("%.60q is read as %s, want the error %s", tt.text, shownLosses(l), tt.want)
			continue
		}
		if got := strings.TrimPrefix(err.Error(), "l.csv:"); got != tt.want {
			t.Errorf("%.60q\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// The largest file that is read, and more.
func TestLossLimits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads large files")
	}
	var b strings.Builder
	for i := range certify.MaxLosses {
		fmt.Fprintf(&b, "%g,%g\n", float64(i)/1000, 1e-6+float64(i)*1e-13)
	}
	text := b.String()
	if l, err := parseLosses(text); err != nil || len(l.List()) != certify.MaxLosses {
		t.Error(err)
	}
	if _, err := parseLosses(text + "1,0\n"); err == nil || !strings.Contains(err.Error(), "262145:1: this is loss 262145, must be at most 262144") {
		t.Errorf("one line more gives %v", err)
	}
	if _, err := parseLosses(strings.Repeat("inf,1e-10000\n", 10_000)); err == nil || !strings.Contains(err.Error(), ":1: the numbers up to here take more than 32 MiB") {
		t.Errorf("long numbers give %v", err)
	}
	if _, err := parseLosses(strings.Repeat("#", maxLossFile+1)); err == nil || !strings.Contains(err.Error(), "1:1: the file is too large, must be at most 64 MiB") {
		t.Errorf("one byte more gives %v", err)
	}
}

// A file that several entries name is one law, read once, in the folder of the problem file.
func TestLossFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"a.csv": "1,0.5", "p.yaml": "mechanisms: [{losses: a.csv}, {eps: 1}, {losses: ./a.csv}]\nstops: [{after: 3, eps: 1}]"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := ReadProblem(filepath.Join(folder, "p.yaml"), nil, ChargedStops, false)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Mechanisms[0].Losses, p.Mechanisms[2].Losses; a == nil || a != b || p.LossFiles[a] != filepath.Join(folder, "a.csv") {
		t.Errorf("losses are %p and %p of %q, must be one law of a.csv", a, b, p.LossFiles[a])
	}
}

// FuzzLosses checks that any text is read as losses that may be, or refused in one line with a place.
func FuzzLosses(f *testing.F) {
	for _, tt := range lossErrors {
		f.Add(tt.text)
	}
	f.Add("loss,mass\n0.4054651081081644,0.6\n-0.6931471805599453,0.29\ninf,0.11\n")
	f.Add("1,1/3 # c\r\n1,1/6\n1e-5000,.5")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseLosses(text)
		if err != nil {
			var fault *FileError
			if errors.As(err, &fault); !strings.HasPrefix(err.Error(), "l.csv:") {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			checkFault(t, text, err)
			return
		}
		if l == nil {
			return
		}
		sum := new(big.Rat)
		for i, x := range l.List() {
			if sum.Add(sum, x[1]); x[1].Sign() <= 0 || i > 0 && x[0].Cmp(l.List()[i-1][0]) <= 0 {
				t.Errorf("%q is read as %s", text, shownLosses(l))
			}
		}
		if sum.Cmp(big.NewRat(1, 1)) > 0 || l.Infinity() < 0 || l.Reversed().Infinity() < 0 {
			t.Errorf("%q: %s has more than 1", text, shownLosses(l))
		}
	})
}
