package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/papers"
)

var (
	record = flag.Bool("record", false, "record anew what TestRecorded compares with")
	slow   = flag.Bool("slow", false, "run the slow commands of the record, too: minutes")
)

const recordFile = "testdata/recorded.jsonl.gz"

// recording is a command and what it printed.
type recording struct {
	Args   []string `json:"args"`
	Stdin  string   `json:"stdin,omitempty"`
	Exit   int      `json:"exit"`
	Stdout string   `json:"stdout"`
	Stderr string   `json:"stderr,omitempty"`
	Slow   bool     `json:"slow,omitempty"` // to be compared only on demand
}

func (r recording) String() string { return fmt.Sprintf("checkrr %q < %q", r.Args, r.Stdin) }

// rerun returns the same command and what it prints now, without times.
func (r recording) rerun() recording {
	var stdout, stderr bytes.Buffer
	r.Exit = run(r.Args, strings.NewReader(r.Stdin), &stdout, &stderr)
	r.Stdout, r.Stderr = timeless(stdout.String()), timeless(stderr.String())
	return r
}

var times = regexp.MustCompile(`("seconds": ?)[-+.e0-9]+|(?:[-+.e0-9]+ |less than 1 m)(s\b)`)

func timeless(s string) string { return times.ReplaceAllString(s, "${1}T${2}") }

// TestRecorded runs commands whose answers are on record, and requires the same ones, byte for byte but
// for times: what a user sees changes only where that is meant. Last digits depend on whether
// multiplications and additions are fused, so the record is that of one architecture.
func TestRecorded(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the record is of amd64")
	}
	if *record {
		writeRecordings(t, commands())
	}
	rs := readRecordings(t)
	if len(rs) < 300 {
		t.Errorf("%d recordings, want 300 at least", len(rs))
	}
	for _, r := range rs {
		if r.Slow && !*slow {
			continue
		}
		if diff := cmp.Diff(r, r.rerun()); diff != "" {
			t.Errorf("%v: recorded (-), now (+):\n%s", r, diff)
		}
	}
}

func readRecordings(t *testing.T) (rs []recording) {
	t.Helper()
	file, err := os.Open(recordFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(z); ; {
		var r recording
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return rs
		} else if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
}

// writeRecordings records commands that print the same twice.
func writeRecordings(t *testing.T, rs []recording) {
	t.Helper()
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	e := json.NewEncoder(z)
	for _, r := range rs {
		start := time.Now()
		r = r.rerun()
		r.Slow = time.Since(start) > 100*time.Millisecond
		if cmp.Diff(r, r.rerun()) != "" {
			t.Logf("%v: left out, as it differs from run to run", r)
			continue
		}
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recordFile, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// commands returns the commands to record.
func commands() (rs []recording) {
	d := rand.New(rand.NewPCG(12, 1))
	for range 200 {
		rs = append(rs, solving(d, inventedProblem(d)))
	}
	for range 30 {
		rs = append(rs, recording{Args: []string{"account", "-", "--json", "--budget", "eps=2,delta=1e-5"}, Stdin: inventedLedger(d)})
	}
	for _, name := range []string{"steps", "mixed", "tiny", "unrelated"} {
		file := filepath.Join("..", "..", "examples", name+".yaml")
		for _, args := range [][]string{{"optdel", file}, {"optdel", "--json", file}, {"schedule", "--json", "--delta", "0.01", file},
			{"schedule", "--delta", "0.01", file}, {"compose", "--delta", "0.01", file}, {"compose", "--json", "--eps", "1.5", file}} {
			rs = append(rs, recording{Args: args})
		}
	}
	for _, args := range []string{
		"account --budget eps=3,delta=1e-5 ../../examples/ledger.jsonl",
		"account --json ../../examples/ledger.jsonl",
		"account --json --budget eps=6,delta=1e-5 --rule adaptive ../../examples/ledger.jsonl",
		"account --budget eps=6,delta=1e-5 --rule zcdp ../../examples/ledger.jsonl",
		"account --json --budget eps=3,delta=1e-5 --rule odp-advanced ../../examples/ledger.jsonl",
		"odometer --delta 1e-5 ../../examples/ledger.jsonl",
		"odometer --json --delta 1e-5 ../../examples/ledger.jsonl",
		"odometer --json --delta 1e-5 --rule rogers --size 100 ../../examples/ledger.jsonl",
		"challenge --rule sum --budget eps=1 --menu eps=0.1|0.3;eps=0.2 --rounds 1e1 --json",
		"accuracy laplace --eps 1 --queries 10 --json", "accuracy exponential --eps 0.5 --candidates 1000",
		"select --budget eps=1 --candidates 50 --target 0.9", "select --budget eps=3 --candidates 20 --method best --json",
		"accuracy sparse --eps 1 --queries 100 --cutoff 2 --delta 1e-6 --json", "accuracy numeric-sparse --eps 1 --beta 1e-6 --delta 1e-6",
		"statements", "statements --json", "statements --verdict fails", "audit --list", "audit --list --json",
	} {
		rs = append(rs, recording{Args: strings.Fields(args)})
	}
	for _, s := range papers.Statements() {
		rs = append(rs, recording{Args: []string{"verify", "--json", s.ID}}, recording{Args: []string{"explain", s.ID}})
	}
	for _, m := range mechanisms.All() {
		for _, args := range []string{"--method exact", "--method exact --json", "--method sampled --samples 1000 --seed 5 --json"} {
			rs = append(rs, recording{Args: append([]string{"audit", "--builtin", m.Name}, strings.Fields(args)...)})
		}
	}
	return append(rs, refusals()...)
}

// refusals returns commands that are refused.
func refusals() (rs []recording) {
	for _, args := range []string{
		"", "optdle x.yaml", "optdel", "optdel none.yaml", "optdel --mech eps=1", "optdel --mech eps=-1 --stop after=1,eps=1",
		"optdel --mech eps=1,delta=2 --stop after=1,eps=1", "optdel --mech eps=1 --stop after=2,eps=1", "optdel --mech eps=1e --stop after=1,eps=1",
		"optdel --mech eps=1 --stop after=1,eps=1 --method grid", "optdel --mech eps=1 --stop after=1,eps=1 --rel-width 0",
		"optdel --mech eps=1 --stop after=1,eps=1 --exact", "optdel --mech eps=1 --stop after=1,eps=1 --at-most x",
		"schedule --mech eps=1 --stop after=1", "schedule --mech eps=1 --stop after=1 --delta 2", "schedule --mech eps=1 --stop after=1 --delta 0.1 --shape cubic",
		"compose --mech eps=1", "compose --mech eps=1 --eps 1 --delta 0.1", "compose --mech eps=1,count=0 --eps 1", "account none.jsonl",
		"account - --budget eps=x", "account - --state none/x", "odometer - --delta 1e-5 --state -", "verify ODP-T99", "verify --verdict maybe", "explain", "audit", "audit --builtin none", "audit --builtin laplace --eps x",
		"certify none.json", "certify -", "reproduce none", "calibrate --audits 0",
	} {
		rs = append(rs, recording{Args: strings.Fields(args)})
	}
	return rs
}

// solving returns a command that solves a problem.
func solving(d *rand.Rand, problem string) recording {
	asked := fmt.Sprintf("%.3g", math.Pow(10, -0.5-4*d.Float64()))
	widths := []string{"0.01", "1e-5", "1e-9", "1e-12", "1e-18"}
	args := [][]string{
		{"optdel", "--json", "-"},
		{"optdel", "--json", "--rel-width", widths[d.IntN(len(widths))], "-"},
		{"optdel", "--at-most", asked, "-"},
		{"optdel", "--exact", "--json", "-"},
		{"optdel", "--method", []string{"exhaustive", "lattice", "bracket"}[d.IntN(3)], "--rel-width", "0.001", "--json", "-"},
		{"compose", "--delta", asked, "--json", "-"},
		{"compose", "--eps", fmt.Sprintf("%.2f", 2*d.Float64()), "--json", "-"},
		{"schedule", "--delta", asked, "--json", "-"},
		{"schedule", "--delta", asked, "--shape", []string{"linear", "sqrt", "optimal"}[d.IntN(3)], "--json", "-"},
	}
	choice := args[d.IntN(len(args))]
	if slices.Contains(choice, "--exact") && strings.Contains(problem, " eps:") {
		choice = args[0]
	}
	return recording{Args: choice, Stdin: problem}
}

// inventedProblem returns a problem file: equal, decimal, powers of one ratio, unrelated ratios, or mixed.
func inventedProblem(d *rand.Rand) string {
	var b strings.Builder
	kind, total, loss := d.IntN(5), 0, 0.0
	fmt.Fprintln(&b, "mechanisms:")
	for range 1 + d.IntN(3) {
		count := 1 + d.IntN([]int{3, 10, 100}[d.IntN(3)])
		eps := float64(1+d.IntN(40)) / 100
		number := fmt.Sprintf("eps: %.2f", eps)
		switch {
		case kind == 1:
			eps = 0.05
			number = "eps: 0.05"
		case kind == 2:
			count = min(count, 12)
			eps = math.Log(1.5)
			number = "exp_eps: 3/2"
		case kind == 3 || kind == 4 && d.IntN(2) == 0:
			count = min(count, 4)
			n := 2 + d.IntN(9)
			eps = math.Log1p(1 / float64(n))
			number = fmt.Sprintf("exp_eps: %d/%d", n+1, n)
		}
		delta := []string{"0", "0", "1e-9", "1e-6", "1/500"}[d.IntN(5)]
		fmt.Fprintf(&b, "  - {%s, delta: %s, count: %d}\n", number, delta, count)
		total += count
		loss += eps * float64(count)
	}
	fmt.Fprintln(&b, "stops:")
	for after := 0; after < total; {
		if after += 1 + d.IntN(total); d.IntN(4) == 0 || after > total {
			after = total
		}
		part := loss * float64(after) / float64(total)
		if charge := part * (0.1 + d.Float64()); kind == 2 || kind == 3 {
			fmt.Fprintf(&b, "  - {after: %d, exp_eps: %.3f}\n", after, math.Exp(charge))
		} else {
			fmt.Fprintf(&b, "  - {after: %d, eps: %.3f}\n", after, charge)
		}
	}
	return b.String()
}

// inventedLedger returns a ledger, some with a line that is wrong.
func inventedLedger(d *rand.Rand) string {
	var b strings.Builder
	for i := range 1 + d.IntN(12) {
		small, large := 0.01+0.1*d.Float64(), 0.2+0.4*d.Float64()
		observed := []string{"none", "some"}[d.IntN(2)]
		if d.IntN(40) == 0 {
			observed = "other"
		}
		fmt.Fprintf(&b, `{"time": "2026-11-02T09:%02d:00Z", "mechanism": "m%d", "parts": {"none": %.3f, "some": %.3f}, "delta": %s, "observed": %q}`+"\n",
			i, d.IntN(3), small, large, []string{"0", "1e-6", "1e-7"}[d.IntN(3)], observed)
	}
	return b.String()
}
