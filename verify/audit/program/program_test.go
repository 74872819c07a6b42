package program

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"checkrr/verify/audit"
)

// start starts a fake, and ends it with the test.
func start(t testing.TB, name string, options ...Option) *Program {
	t.Helper()
	return startIn(t, "", name, options...)
}

// startIn is start in a folder.
func startIn(t testing.TB, folder, name string, options ...Option) *Program {
	t.Helper()
	p, err := Start(fake(name), folder, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// draw returns a sample as text: part, shape and numbers.
func draw(t *testing.T, p *Program, input string, parts bool, n int, seed byte) (string, error) {
	t.Helper()
	var s audit.Sample
	err := p.On(json.RawMessage(input), parts).Sample(t.Context(), n, [32]byte{seed}, &s)
	var b strings.Builder
	for _, g := range s.Groups() {
		fmt.Fprintf(&b, "%s %s x%d %v\n", g.Part, g.Shape, g.Count, g.Numbers)
	}
	return b.String(), err
}

func TestValues(t *testing.T) {
	t.Parallel()
	p := start(t, "values")
	for range 2 {
		got, err := draw(t, p, "{}", false, 13, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := ` "a\u0023" x1 []
 # x2 [1 -5]
 [#,[#]] x1 [1 2]
 null x1 []
 true x1 []
 {"a":"x","b":#} x1 [1]
 {"part":"p","value":#,"x":#} x1 [1 2]
 {"part":#,"value":#} x1 [1 2]
 {"value":#} x1 [1]
bot null x1 []
top # x1 [3]
top [#] x1 [4]
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	p := start(t, "parts")
	got, err := draw(t, p, "[]", true, 2, 1)
	if want := "bot null x1 []\ntop # x1 [0.25]\n"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// The input is passed on as it is, but for blanks and line ends.
func TestInput(t *testing.T) {
	t.Parallel()
	p := start(t, "echo")
	got, err := draw(t, p, "{\"b\": [1.50, 1e2,\n 12345678901234567890], \"a\": \"<é>\"}", false, 2, 1)
	want := ` "1 2 {\"b\":[1.50,1e2,12345678901234567890],\"a\":\"<é>\"}" x2 []` + "\n"
	if got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if _, err := draw(t, p, "{", false, 2, 1); err == nil || !strings.Contains(err.Error(), "the input is not JSON") {
		t.Errorf("an input that is no JSON gives the error %v", err)
	}
}

// Large inputs do not fit into a pipe at once.
func TestLargeInput(t *testing.T) {
	t.Parallel()
	p := start(t, "half")
	input := "[" + strings.Repeat("1, ", 1<<20) + "1]"
	if _, err := draw(t, p, input, false, 3, 1); err != nil {
		t.Error(err)
	}
}

// What is drawn depends on the seed alone, and n outputs are drawn in several requests.
func TestSeeds(t *testing.T) {
	t.Parallel()
	p := start(t, "numbers")
	first := map[string]bool{}
	for _, seed := range []byte{1, 2, 1} {
		got, err := draw(t, p, "0", false, 2*perRequest+1, seed)
		if err != nil || !strings.HasPrefix(got, fmt.Sprintf(" # x%d ", 2*perRequest+1)) {
			t.Fatalf("got %.40s, %v", got, err)
		}
		first[got] = true
		numbers := strings.Fields(got)[2:]
		if numbers[0] == "["+numbers[perRequest] {
			t.Error("two requests have the same seed")
		}
	}
	if len(first) != 2 {
		t.Errorf("two seeds give %d different samples", len(first))
	}
	if p.requests != 9 {
		t.Errorf("there were %d requests, want 9", p.requests)
	}
}

func TestSubSeed(t *testing.T) {
	t.Parallel()
	seen := map[uint64]bool{}
	for seed := range byte(10) {
		for chunk := range uint64(1000) {
			s := subSeed([32]byte{seed}, chunk)
			if s >= 1<<53 {
				t.Fatalf("seed %d is not below 2^53", s)
			}
			seen[s] = true
		}
	}
	if len(seen) != 10_000 {
		t.Errorf("%d different seeds, want 10000", len(seen))
	}
	if got := subSeed([32]byte{}, 5); got != 8912206489372386 { // as computed with Python's hashlib
		t.Errorf("the seed is %d", got)
	}
}

func TestNoParts(t *testing.T) {
	t.Parallel()
	p := start(t, "no parts")
	_, err := draw(t, p, "0", true, 2, 1)
	checkFault(t, p, err, `request 1: output 2 is 5, must be of the form {"part": "…", "value": …}`)
}

func TestImpatience(t *testing.T) {
	t.Parallel()
	p := start(t, "hangs")
	if _, err := draw(t, p, "0", false, 2, 1); err != nil {
		t.Fatal(err)
	}
	p.patience = 50 * time.Millisecond // not before: it takes time to start
	_, err := draw(t, p, "0", false, 2, 1)
	checkFault(t, p, err, "request 2: there is no reply after 50ms, must flush every reply, and reply sooner or be "+
		"given more patience\nits standard error ends with\n  thinking")

	p = start(t, "deaf", Patience(50*time.Millisecond)) // a request that does not fit into the pipe
	_, err = draw(t, p, "["+strings.Repeat("1, ", 1<<20)+"1]", false, 2, 1)
	checkFault(t, p, err, "request 1: there is no reply after 50ms, must flush every reply, "+
		"and reply sooner or be given more patience")
}

// A program that does not listen is killed.
func TestCloseHanging(t *testing.T) {
	t.Parallel()
	p := start(t, "deaf")
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if !p.ended(time.Millisecond) {
		t.Error("the program still runs")
	}
	if _, err := draw(t, p, "0", false, 2, 1); err == nil {
		t.Error("a program that is closed has outputs")
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	p := start(t, "flood")
	if _, err := draw(t, p, "0", false, 2, 1); err != nil {
		t.Error(err)
	}
}

// A request that nobody waits for any more does not confuse the next one.
func TestCancel(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, "slow")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var s audit.Sample
	for range 2 {
		if err := p.On(json.RawMessage("0"), false).Sample(ctx, 2, [32]byte{}, &s); err != context.DeadlineExceeded {
			t.Errorf("got the error %v", err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, replyFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := draw(t, p, "0", false, 2, 1)
	if want := " # x2 [2 2]\n"; got != want || err != nil || s.Count() != 0 {
		t.Errorf("got %q, %v, and %d outputs before, want %q", got, err, s.Count(), want)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	p := start(t, "echo")
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 20 {
				got, err := draw(t, p, fmt.Sprint(i), false, 2, 1)
				if !strings.HasSuffix(got, fmt.Sprintf(" 2 %d\" x2 []\n", i)) || err != nil {
					t.Errorf("got %q, %v for the input %d", got, err, i)
				}
			}
		})
	}
	wait.Wait()
}

func TestStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command []string
		dir     string
		want    string
	}{
		{nil, "", "the command is empty"},
		{[]string{""}, "", "the command is empty"},
		{[]string{"no-such-program-at-all", "x"}, "", "no-such-program-at-all x cannot be started: "},
		{[]string{"./none"}, t.TempDir(), "./none cannot be started: "},
		{fake("half"), filepath.Join(t.TempDir(), "none"), "fake half cannot be started: "},
	} {
		if _, err := Start(tt.command, tt.dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q gives the error %v, want %s", tt.command, err, tt.want)
		}
	}
}

// A command is looked for in the folder that it runs in.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "mechanism")); err != nil {
		t.Skip(err)
	}
	p, err := Start([]string{"./mechanism", "fake", "half"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := draw(t, p, "0", false, 2, 1); err != nil {
		t.Error(err)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var s tail
	for range 1000 {
		fmt.Fprint(&s, strings.Repeat("x", 100), "\n")
		fmt.Fprintln(&s, strings.Repeat("é", 201))
	}
	lines := s.last()
	if len(s.text) != tailBytes || len(lines) != tailLines {
		t.Errorf("%d bytes are kept, %d lines are shown", len(s.text), len(lines))
	}
	if lines[9] != strings.Repeat("é", 200)+"…" || lines[8] != strings.Repeat("x", 100) {
		t.Errorf("the last lines are %q", lines[8:])
	}
	s = tail{}
	s.Write([]byte(strings.Repeat("y", 3*tailBytes)))
	if lines := s.last(); len(lines) != 1 {
		t.Errorf("a long line is shown as %d lines", len(lines))
	}
}

// The tests that follow are not parallel: they change the limits, or count.

func TestLongLine(t *testing.T) {
	defer func(old int) { maxLine = old }(maxLine)
	maxLine = 4 << 20
	p := start(t, "long")
	_, err := draw(t, p, "0", false, 2, 1)
	checkFault(t, p, err, "request 1: the reply is too long, must have at most 4 MB")
}

// What may be long follows from the memory that there is.
func TestLongestOfMemory(t *testing.T) {
	for _, test := range []struct {
		name   string
		memory int64
		fault  string
	}{
		{"long", 64 << 20, "request 1: the reply is too long, must have at most 4 MB, one byte in 16 of the memory " +
			"of the audit: more memory allows longer ones"},
		{"long", 1 << 40, "request 1: the reply is too long, must have at most 64 MB"},
		{"wide", 4 << 20, "request 1: output 1 has 10002 bytes, must have at most 8192: " +
			"one in 512 of the memory of the audit"},
	} {
		p := start(t, test.name, Memory(test.memory))
		_, err := draw(t, p, "0", false, 2, 1)
		checkFault(t, p, err, test.fault)
	}
	p := start(t, "wide", Memory(64<<20)) // of 4 MB a reply has half at most, 209 of these outputs
	if _, err := draw(t, p, "0", false, 1, 1); err != nil {
		t.Fatal(err)
	}
	if got := p.atOnce(); got != 209 {
		t.Errorf("%d outputs are asked for at once, must be 209", got)
	}
}

// A flood without line ends takes little more memory than a line may have.
func TestFloodOfALine(t *testing.T) {
	p := start(t, "long")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := draw(t, p, "0", false, 2, 1)
	runtime.ReadMemStats(&after)
	checkFault(t, p, err, "request 1: the reply is too long, must have at most 64 MB")
	// What doubles up to the limit is twice the limit altogether, whether it is collected in between or not.
	if got := int(after.TotalAlloc - before.TotalAlloc); got > 2*maxLine+1<<20 {
		t.Errorf("%d bytes were allocated for a line of at most %d", got, maxLine)
	}
}

// Of long outputs fewer are asked for at once, so that no reply is longer than it needs to be.
func TestRequestsOfLongOutputs(t *testing.T) {
	defer func(old int) { replySize = old }(replySize)
	replySize = 1 << 20
	p := start(t, "wide")
	for _, test := range []struct{ n, requests int }{{50, 1}, {1000, 10}} { // a reply has 104 of them at most
		before := p.requests
		if _, err := draw(t, p, "0", false, test.n, 1); err != nil {
			t.Fatal(err)
		}
		if got := p.requests - before; got != test.requests {
			t.Errorf("%d outputs took %d requests, must be %d", test.n, got, test.requests)
		}
	}
	if got := len(p.line); got > replySize {
		t.Errorf("the last reply has %d bytes, must have %d at most", got, replySize)
	}
}

func TestNoLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, name := range []string{"half", "hangs", "crash", "mute", "orphan"} {
		p, err := Start(fake(name), "", Patience(20*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		draw(t, p, "0", false, 2, 1)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}
