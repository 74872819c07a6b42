package input

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"checkrr/impl/certify"
)

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
		"-0.0000000001,0.4\n0,0.6000000005": "-1/10000000000: 799999999/2000000000, 0: " +
			"1200000001/2000000000",
		"-2,0.0000000003\n1,0.4\n0,0.6000000005": "0: 3/5, 1: 2/5",
		"inf,0.5\n0,0":                           "lost",
		"inf,1\n-1,1e-10\n":                      "lost",
		"inf,1e-9\n-1,1e-10\n0,0.9999999995":     "0: 999999999/1000000000",
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

// A file that several entries name is one law, read once, in the folder of the problem file.
func TestLossFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"a.csv": "1,0.5",
		"p.yaml": "mechanisms: [{losses: a.csv}, {eps: 1}, {losses: ./a.csv}]\nstops: [{after: 3, eps: 1}]"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := ReadProblem(filepath.Join(folder, "p.yaml"), nil, ChargedStops, false)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Mechanisms[0].Losses, p.Mechanisms[2].Losses; a == nil || a != b ||
		p.LossFiles[a] != filepath.Join(folder, "a.csv") {
		t.Errorf("losses are %p and %p of %q, must be one law of a.csv", a, b, p.LossFiles[a])
	}
}

// FuzzLosses checks that any text is read as losses that may be, or refused in one line with a place.
func FuzzLosses(f *testing.F) {
	seed(f, "losses", "loss,mass\n0.4054651081081644,0.6\n-0.6931471805599453,0.29\ninf,0.11\n",
		"1,1/3 # c\r\n1,1/6\n1e-5000,.5")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseLosses(text)
		if err != nil {
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
