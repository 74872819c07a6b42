package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// marker is a variable that all processes of one run inherit: numbers of processes tell nothing of those whose parent
// is gone.
const marker = "CHECKRR_TEST_RUN"

// withMarker returns the processes with a marker that have not ended, as they were started.
func withMarker(value string) (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	want := []byte(marker + "=" + value)
	for _, file := range files {
		environment, err := os.ReadFile(file) // of one that has ended it is empty
		if err != nil || !bytes.Contains(append([]byte{0}, environment...), append([]byte{0}, append(want, 0)...)) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		all = append(all, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return all
}

// startMarked starts an audit of a program that has started others, none of which ends by itself.
func startMarked(t *testing.T, value string) *exec.Cmd {
	t.Helper()
	text := auditOf("same", "[mechanism, same]", `[sh, -c, "sleep 1000 & (sleep 1001 | sleep 1002) & mechanism slow"]`)
	c := exec.Command("checkrr", "audit", "-")
	c.Stdin = strings.NewReader(text)
	c.Env = append(os.Environ(), marker+"="+value)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAuditKilled ends audits by signals at random moments: nothing that they have started is left then.
func TestAuditKilled(t *testing.T) {
	t.Parallel()
	each := 2
	if *full {
		each = 13
	}
	kinds := []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGKILL}
	var slowest time.Duration
	var mutex sync.Mutex
	var wait sync.WaitGroup
	places := make(chan struct{}, 4)
	for i := range each * len(kinds) {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			value := fmt.Sprintf("%d-%d-%d", os.Getpid(), i, rand.Uint64())
			after := time.Duration(rand.Int64N(int64(200 * time.Millisecond)))
			took := killMarked(t, startMarked(t, value), value, kinds[i%len(kinds)], after)
			mutex.Lock()
			defer mutex.Unlock()
			slowest = max(slowest, took)
		})
	}
	wait.Wait()
	t.Logf("all was over after %v at most", slowest)
}

// killMarked sends a signal after some time, waits until all is over, and returns how long it then took: a second or
// less, but on a busy machine.
func killMarked(t *testing.T, c *exec.Cmd, value string, s syscall.Signal, after time.Duration) time.Duration {
	time.Sleep(after)
	began := time.Now()
	c.Process.Signal(s)
	go c.Wait()
	for {
		left := withMarker(value)
		took := time.Since(began)
		if len(left) == 0 {
			return took
		}
		time.Sleep(25 * time.Millisecond) // to read all of /proc takes a while, too
	}
}

// TestControl_SurvivorIsSeen: what is left behind is seen.
func TestControl_SurvivorIsSeen(t *testing.T) {
	t.Parallel()
	value := fmt.Sprintf("%d-survivor", os.Getpid())
	c := exec.Command("sh", "-c", "sleep 1000 & exit 0")
	c.Env = append(os.Environ(), marker+"="+value)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	if left := withMarker(value); len(left) != 1 || left[0] != "sleep 1000 " {
		t.Errorf("what is left is %q, must be one process", left)
	}
}

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
