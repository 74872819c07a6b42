package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
)

// stateHead is what the state of any command begins with.
type stateHead struct {
	SchemaVersion int               `json:"schema_version"`
	Command       string            `json:"command"`
	Parameters    map[string]string `json:"parameters"` // with exact numbers
	Lines         int64             `json:"lines"`      // that were read so far
}

// newStateHead returns the head of a state that is written now.
func newStateHead(command string, parameters map[string]string, lines int64) stateHead {
	return stateHead{report.SchemaVersion, command, parameters, lines}
}

// maxLines is how many lines may have been read: more than anybody reads.
const maxLines = 1e15

// check refuses the state of something else; wanted is the head that fits.
func (h stateHead) check(wanted stateHead) error {
	switch {
	case h.Command != wanted.Command:
		return fmt.Errorf("command is %s, must be %s", report.Quote(h.Command), wanted.Command)
	case h.SchemaVersion != wanted.SchemaVersion:
		return fmt.Errorf("schema_version is %d, must be %d", h.SchemaVersion, wanted.SchemaVersion)
	case h.Lines < 0 || h.Lines > maxLines:
		return fmt.Errorf("lines is %d, must be at least 0 and at most %d", h.Lines, int64(maxLines))
	case h.Parameters["rule"] != wanted.Parameters["rule"]: // other rules have other parameters
		return fmt.Errorf("it is the state of an %s by the rule %s, must be of one by the rule %s", h.Command, report.Quote(h.Parameters["rule"]), wanted.Parameters["rule"])
	}
	all := maps.Clone(wanted.Parameters)
	maps.Copy(all, h.Parameters)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, isThere := h.Parameters[name]
		is, isWanted := wanted.Parameters[name]
		switch {
		case !isThere:
			return fmt.Errorf("it is the state of an %s without %s, must be of one with %s %s", h.Command, name, name, is)
		case !isWanted:
			return fmt.Errorf("it is the state of an %s with %s %s, must be of one without", h.Command, name, report.Quote(was))
		case was != is:
			return fmt.Errorf("it is the state of an %s with %s %s, must be of one with %s", h.Command, name, report.Quote(was), is)
		}
	}
	return nil
}

// stateful is what goes on from a file.
type stateful interface {
	head() stateHead // of its state
	state() any      // what is to be remembered
	resume(decode func(into any) error) error
}

// addStateTo adds the flag that names the file.
func addStateTo(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "state", "", "go on from `FILE`, if it is there, and write it anew in the end")
}

// stateFile is the file of --state.
type stateFile struct {
	name string
	lock string // a file that is there while a run is at work
	old  []byte // what was in it
}

// maxState is how many bytes a state may take: more than all mechanisms with the longest names and sums.
const maxState = 64 << 20

// resumeFrom makes s go on from a file, if one is named and it is there.
func resumeFrom(name string, s stateful) (*stateFile, error) {
	if name == "" {
		return nil, nil
	}
	f, err := lockState(name)
	if err != nil {
		return nil, err
	}
	if err := f.read(s); err != nil {
		f.release()
		return nil, err
	}
	return f, nil
}

// read makes s go on from the file, if it is there.
func (f *stateFile) read(s stateful) error {
	info, err := os.Stat(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > maxState:
		return fmt.Errorf("--state is %s, must be a file of at most %d MiB", report.Quote(f.name), maxState>>20)
	}
	if f.old, err = os.ReadFile(f.name); err != nil {
		return err
	}
	return f.decode(s)
}

// lockState keeps other runs away from a state until it is released: of two at once, one would forget what the other counts.
func lockState(name string) (*stateFile, error) {
	lock := name + ".lock"
	if real, err := filepath.EvalSymlinks(name); err == nil {
		lock = real + ".lock"
	}
	l, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there: another run is at work on %s; if none is, remove it", lock, name)
	}
	if err != nil {
		return nil, err
	}
	return &stateFile{name: name, lock: lock}, l.Close()
}

// release lets other runs go on from the file.
func (f *stateFile) release() {
	if f != nil {
		os.Remove(f.lock) // if that fails, the next run says so
	}
}

// decode reads the file, and refuses it if it is not what s would write.
func (f *stateFile) decode(s stateful) error {
	var h stateHead
	if err := input.DecodeState(f.name, f.old, &h, true); err != nil {
		return err
	}
	err := h.check(s.head())
	if err == nil {
		err = s.resume(func(into any) error { return input.DecodeState(f.name, f.old, into, false) })
	}
	if _, isPlaced := errors.AsType[*input.FileError](err); err != nil && !isPlaced {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if err == nil {
		err = input.CheckState(f.name, f.old, s.state())
	}
	return err
}

// write writes the state anew and, if the account ended early, says at which line of the ledger it goes on.
func (f *stateFile) write(s stateful, end error, line int32, stderr io.Writer) error {
	if f == nil {
		return nil
	}
	if now, _ := os.ReadFile(f.name); !bytes.Equal(now, f.old) {
		return fmt.Errorf("%s was changed meanwhile, and is left as it is: these events are not in it", f.name)
	}
	if err := replaceFile(f.name, input.EncodeState(s.state())); err != nil {
		return fmt.Errorf("%s is as it was, these events are not in it: %w", f.name, err)
	}
	if end != nil {
		fmt.Fprintf(stderr, "checkrr: %s holds the events before line %d\n", f.name, line)
	}
	return nil
}

// conclude joins what went wrong with the state and with the result: if only the latter is lost, the events are counted all the
// same, and must not be again.
func (f *stateFile) conclude(written, shown error) error {
	if f != nil && written == nil && shown != nil {
		return fmt.Errorf("%w; %s holds the events of this ledger all the same", shown, f.name)
	}
	return errors.Join(written, shown)
}

// replaceFile writes a file beside another, and puts it in its place when it is whole.
func replaceFile(name string, data []byte) error {
	mode := fs.FileMode(0o666)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	beside := fmt.Sprintf("%s.%d.new", name, os.Getpid())
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return nil
}
