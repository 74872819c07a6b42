package input

import (
	"errors"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/rogpeppe/go-internal/txtar"

	"checkrr/impl/certify"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

func parse(text string) (*Problem, error) {
	s := source{"f", problemForm()}
	return decodeProblem(s, named{}, ChargedStops, func(use func(ast.Node)) error {
		return s.read(strings.NewReader(text), use)
	})
}

func parseAudit(text string) (*AuditFile, error) {
	s := source{"f", auditForm}
	return decodeAudit(s, named{}, func(use func(ast.Node)) error { return s.read(strings.NewReader(text), use) })
}

func parseLosses(text string) (*certify.Losses, error) {
	return decodeLosses("f", strings.NewReader(text))
}

func parseTune(text string) (*TuneFile, error) {
	return decodeTune("f", strings.NewReader(text), []string{"threshold", "random-stop", "hard-stop"})
}

// lawFault is what is wrong with a law in a table, for a (1, 0)-DP claim.
func lawFault(text string) (err error) {
	defer caught(&err)
	readLaw("f", strings.NewReader(text)).check(audit.DP(loss.Nats(big.NewRat(1, 1)), new(big.Rat)), lawInputs)
	return nil
}

// faultOf returns what is wrong with a file of each kind.
var faultOf = map[string]func(text string) error{
	"problem":    func(text string) error { _, err := parse(text); return err },
	"audit":      func(text string) error { _, err := parseAudit(text); return err },
	"losses":     func(text string) error { _, err := parseLosses(text); return err },
	"candidates": func(text string) error { _, err := parseTune(text); return err },
	"law":        lawFault,
}

// fault is a faulty file and what is said about it.
type fault struct{ kind, text, want string }

// faults are those of testdata/faults of a kind.
func faults(t testing.TB, kind string) (all []fault) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "faults", kind+".txtar"))
	if err != nil || len(archive.Files) == 0 {
		t.Fatal(kind, err)
	}
	for _, f := range archive.Files {
		all = append(all, fault{kind, strings.TrimSuffix(string(f.Data), "\n"), f.Name})
	}
	return all
}

// seed adds the faulty files of a kind, and more, to what is fuzzed.
func seed(f *testing.F, kind string, more ...string) {
	for _, x := range faults(f, kind) {
		f.Add(x.text)
	}
	for _, text := range more {
		f.Add(text)
	}
}

// longFaults are those that are empty, long, or no text.
var longFaults = []fault{
	{"problem", "", "1:1: the file is empty, must have the keys mechanisms and stops"},
	{"problem", "\x00\x01", "1:1: byte 0x00 does not belong here, a problem file is plain UTF-8 text"},
	{"problem", "mechanisms:\n  - \xff", "2:5: byte 0xff does not belong here, a problem file is plain UTF-8 text"},
	{"problem", "é: \x1b[0m", "1:4: byte 0x1b does not belong here, a problem file is plain UTF-8 text"},
	{"problem", strings.Repeat("[", 1000), "1:13: nested too deeply"},
	{"problem", "a: " + strings.Repeat("{a: ", 1000), "1:52: nested too deeply"},
	{"problem", strings.Repeat("- ", 1000), "1:3: a list directly inside a list does not belong here"},
	{"problem", strings.Repeat("a: 1\n", 1000), "17:2: too many keys, an entry has at most 12"},
	{"problem", strings.Repeat("a: []\n", 1000), "17:2: too many keys, an entry has at most 12"},
	{"problem", "a:\n" + strings.Repeat("  a:\n  - 1\n", 1000), "34:4: too many keys, an entry has at most 12"},
	{"problem", "x: [\n" + strings.Repeat("a: 1\nb: [1,2]\n", 1000), "18:2: too many keys, an entry has at most 12"},
	{"audit", "", "1:1: the file is empty, must have the keys command, neighbours and claim, or law and claim"},
	{"audit", "\x00", "1:1: byte 0x00 does not belong here, an audit file is plain UTF-8 text"},
	{"audit", strings.Repeat("a: 1\n", 300),
		"257:2: too many keys without a list or brackets between them, must be at most 256"},
	{"audit", "x: [" + strings.Repeat("[],", 200_000),
		"1:600002: the file is too long, must have at most 200000 dashes and brackets"},
	{"audit", "command: [m]\nneighbours: [" + strings.Repeat("{x: 0, x2: 1},", 1000) + "1]\nclaim: {eps: 1}",
		"2:14014: neighbours has 1001 entries, must have at most 1000"},
	{"losses", "", "1:1: there are no losses with a mass above 0, must be at least one, as lines of the form " +
		"loss,mass"},
	{"law", "", "1:1: the file is empty, must begin with the header output,p0,p1 or output,p0,p1,part"},
}

func TestFaults(t *testing.T) {
	t.Parallel()
	all := longFaults
	for kind := range faultOf {
		all = append(all, faults(t, kind)...)
	}
	for _, x := range all {
		if err := faultOf[x.kind](x.text); err == nil || err.Error() != "f:"+x.want {
			t.Errorf("%s %.200q\nerror %v\nwant  f:%s", x.kind, x.text, err, x.want)
		}
	}
}

// TestLimits checks that each limit is reached and not passed.
func TestLimits(t *testing.T) {
	defer func(marks, size, entries int, bits int64, losses, file, lossBits int) {
		maxMarks, maxFileSize, maxEntries, maxBits, maxLosses, maxLossFile, maxLossBits = marks, size, entries, bits,
			losses, file, lossBits
	}(maxMarks, maxFileSize, maxEntries, maxBits, maxLosses, maxLossFile, maxLossBits)
	maxMarks, maxFileSize, maxEntries, maxBits = 10_000, 1<<20, 100, 50*33_250 // 1e-9999 takes 33,218 bits
	maxLosses, maxLossFile, maxLossBits = 100, 1<<20, 1<<23
	entries := func(n int, entry string) string { return "mechanisms:\n" + strings.Repeat(entry, n) }
	stops := func(n int) string {
		text := "stops: ["
		for i := range n {
			text += "\n{after: " + big.NewInt(int64(i+1)).String() + ", eps: 1},"
		}
		return text + "]"
	}
	for _, x := range []fault{
		{"problem", entries(100, "- {eps: 1}\n") + stops(100), ""},
		{"problem", entries(101, "- {eps: 1}\n") + stops(100),
			"102:3: mechanisms has 101 entries, must have at most 100"},
		{"problem", entries(100, "- {eps: 1, count: 9}\n") + stops(101),
			"203:1: stops has 101 entries, must have at most 100"},
		{"problem", entries(1000, "- {eps: 1}\n"),
			"302:1: the file is too long, must have at most 100 mechanisms and as many stops"},
		{"problem", strings.Repeat("[", maxMarks+1),
			"1:10001: the file is too long, must have at most 100 mechanisms and as many stops"},
		{"problem", strings.Repeat(" ", maxFileSize-3) + "{}\n",
			"1:1048574: mechanisms is missing, must be a list such as [{eps: 0.1, count: 10}]"},
		{"problem", strings.Repeat(" ", maxFileSize-3) + "{}\n\n", "1:1: the file is too large, must be at most 1 MiB"},
		{"problem", entries(49, "- {eps: 1e-9999}\n") + "stops: [{after: 49, eps: 1e-9999}]", ""},
		{"problem", entries(52, "- {eps: 1e-9999}\n") + "stops: []",
			"52:3: mechanism 51: the numbers up to here take more than 0 MiB"},
		{"losses", strings.Repeat("1,1e-9\n", 100), ""},
		{"losses", strings.Repeat("1,1e-9\n", 100) + "1,0\n", "101:1: this is loss 101, must be at most 100"},
		{"losses", strings.Repeat("inf,1e-10000\n", 100) + "1,1e-9", "101:1: this is loss 101, must be at most 100"},
		{"losses", strings.Repeat("#", maxLossFile+1), "1:1: the file is too large, must be at most 1 MiB"},
	} {
		switch err := faultOf[x.kind](x.text); {
		case x.want == "" && err != nil:
			t.Errorf("%.80q: %v", x.text, err)
		case x.want != "" && (err == nil || err.Error() != "f:"+x.want):
			t.Errorf("%.80q: %v, want f:%s", x.text, err, x.want)
		}
	}
	maxLosses = 1000
	const want = "f:253:1: the numbers up to here take more than 1 MiB"
	if _, err := parseLosses(strings.Repeat("inf,1e-10000\n", 300)); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// checkFault checks that an error is one line and stands inside the file.
func checkFault(t *testing.T, text string, err error) {
	t.Helper()
	at, ok := errors.AsType[*FileError](err)
	if !ok {
		t.Fatalf("%q: error without a place: %v", text, err)
	}
	lines := 1 + int32(strings.Count(text, "\n")+strings.Count(text, "\r"))
	isInside := at.at.line >= 1 && at.at.line <= lines && at.at.column >= 1 && at.at.column <= int32(len(text))+1
	if !isInside || strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("%q: the error %q has several lines, or a place that is not in the file", text, err)
	}
}
