package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// eventsOf returns how many events a state has counted.
func eventsOf(t *testing.T, file string) int {
	t.Helper()
	var s accountState
	if err := json.Unmarshal([]byte(contents(t, file)), &s); err != nil {
		t.Fatal(err)
	}
	return s.Spent.Events
}

// TestStateKilled ends accounts by signals while they read: the state stays what it was, and the next run goes on from
// it.
func TestStateKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "spent")
	if code, _, stderr := commanded("account", one, going(file)...); code != exitOK {
		t.Fatal(stderr)
	}
	want := 1
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) { // as nohup has it: then it is by what is started, too
			continue
		}
		c := exec.Command("checkrr", "account", "-", "--state", file)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// more than the pipe holds: it is at work
		if _, err := io.WriteString(in, strings.Repeat(one+"\n", 10_000)); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := commanded("account", one, "--state", file); code != exitUsage ||
			!strings.Contains(stderr, "another run is at work on") {
			t.Errorf("beside it: exit code %d, %s", code, stderr)
		}
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil {
			t.Errorf("%v: the account went on", s)
		}
		if _, err := os.Lstat(file + ".lock"); err == nil && (s == syscall.SIGTERM || s == syscall.SIGHUP) {
			t.Errorf("%v: the file of the lock was left behind", s)
		}
		if code, _, stderr := commanded("account", one, "--state", file); code != exitOK {
			t.Errorf("after %v: exit code %d, %s", s, code, stderr)
		}
		if want++; eventsOf(t, file) != want {
			t.Errorf("after %v: %d events, want %d", s, eventsOf(t, file), want)
		}
	}
}

// TestStateOfAClosedPipe: where nobody reads the result, the events count, and the next run goes on.
func TestStateOfAClosedPipe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "spent")
	commanded("account", one, going(file)...)
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		c := exec.Command("checkrr", "account", "-", "--json", "--state", file)
		c.Stdin, c.Stdout = strings.NewReader(one), w
		err = c.Run()
		w.Close()
		if err == nil {
			t.Fatal("the result was written where nobody reads")
		}
		if got, want := eventsOf(t, file), i+2; got != want {
			t.Fatalf("%d events, want %d", got, want)
		}
		if _, err := os.Lstat(file + ".lock"); err == nil {
			t.Fatal("the file of the lock was left behind")
		}
	}
}
