package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/cmd/checkrr/internal/state"
)

// stateful is what goes on from a file.
type stateful interface {
	head() state.Head // of its state
	state() any       // what is to be remembered
	resume(decode func(into any) error) error
}

// walk is how far a command has come in a ledger.
type walk struct {
	before     int64            // how many lines were read before this ledger
	line       int32            // the last that was read, of this ledger
	neighbours input.Neighbours // of the events; zero if there are none
	chain      state.Chain      // of the events
	end        error            // why it ended before the ledger did
	unsaved    error            // why the state is not written
}

// begin opens a ledger to go on with.
func (w *walk) begin(name string, inputs *input.Inputs, isDry bool) (l *input.Ledger, in io.ReadCloser, err error) {
	if in, name, err = input.OpenInput(name, inputs); err != nil {
		return nil, nil, err
	}
	l = input.NewLedger(name, in)
	l.MayLackObserved, l.Neighbours = isDry, w.neighbours
	if run.IsFolder(name) {
		err = fmt.Errorf("%s is a folder, must be a file", report.Quote(name))
	}
	return l, in, cmp.Or(err, l.Check())
}

// through counts the events of a ledger, up to the first that cannot be.
func (w *walk) through(l *input.Ledger, count func(e *input.Event) error) {
	for {
		e, err := l.Next()
		w.line = l.Line
		if err == nil {
			err = count(e)
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			w.end = err
			return
		}
		w.chain, w.neighbours = w.chain.After(l.Text()), e.Neighbours
	}
}

// headOf is the head of a state.
func (w *walk) headOf(command string, parameters map[string]string) state.Head {
	return state.NewHead(command, w.chain, parameters, w.before+int64(max(w.line, 1)-1))
}

// stateFlags are the flags of a command that goes on from a file.
type stateFlags struct {
	name   string
	begins bool
	isDry  bool
}

// addTo adds the flags.
func (o *stateFlags) addTo(f *pflag.FlagSet) {
	f.StringVar(&o.name, "state", "", "go on from `FILE`, and overwrite it at the end")
	f.BoolVar(&o.begins, "new-state", false, "begin the FILE of --state, which must not be there yet")
	f.BoolVar(&o.isDry, "dry-run", false, "ask only: nothing is charged, and the FILE of --state stays as it is")
}

// targets are the files that a run writes for the state.
func (o stateFlags) targets() []run.Target {
	if o.name == "" {
		return nil
	}
	targets := []run.Target{run.To("--state", o.name)}
	if path, err := report.Resolve(o.name); err == nil && !report.IsOpen(path) { // else the state is refused
		targets = append(targets, run.To("the lock of --state", state.LockOf(path)))
	}
	return targets
}

// stateFile is the file of --state.
type stateFile struct {
	*state.File
	name  string
	isDry bool
}

// resumeFrom makes s go on from the file, if one is named.
func (o stateFlags) resumeFrom(s stateful) (*stateFile, error) {
	if o.name == "" {
		if o.begins {
			return nil, errors.New("--new-state is given, needs --state")
		}
		return nil, nil
	}
	how := state.GoOn
	switch {
	case o.begins && o.isDry:
		return nil, errors.New("--new-state and --dry-run are both given: to ask with nothing spent, leave out --state")
	case o.begins:
		how = state.Begin
	case o.isDry:
		how = state.Look
	}
	file, err := state.Open(o.name, how)
	if err != nil {
		return nil, err
	}
	f := &stateFile{file, o.name, o.isDry}
	if o.begins {
		return f, nil
	}
	if err := f.decode(s); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// release lets other runs go on from the file.
func (f *stateFile) release() {
	if f != nil {
		f.Release()
	}
}

// decode reads the file, and refuses it if it is not what s would write.
func (f *stateFile) decode(s stateful) error {
	var h state.Head
	if err := input.DecodeState(f.name, f.Content, &h, true); err != nil {
		return err
	}
	err := h.Check(s.head(), f.Content)
	if err == nil {
		err = s.resume(func(into any) error { return input.DecodeState(f.name, f.Content, into, false) })
	}
	if _, isPlaced := errors.AsType[*input.FileError](err); isPlaced {
		return err
	}
	if err == nil && !bytes.Equal(encoded(s), f.Content) {
		err = errors.New("its parts do not fit together")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", report.Name(f.name), err)
	}
	return nil
}

// encoded returns the text of a state.
func encoded(s stateful) []byte { return state.Seal(input.EncodeState(s.state())) }

// write writes the state anew, lets other runs go on from it and, if the account ended early, says at which line of the
// ledger it goes on.
func (f *stateFile) write(s stateful, end error, line int32, stderr io.Writer) error {
	if f == nil || f.isDry {
		return nil
	}
	defer f.release()
	if err := f.Replace(encoded(s)); err != nil {
		return fmt.Errorf("%s: the events of this ledger are not in it: %w", report.Name(f.name), err)
	}
	if err := f.Sync(); err != nil {
		fmt.Fprintf(stderr, "checkrr: warning: %s is written, but if the machine stops now it may be as it was "+
			"before: %v\n",
			report.Name(f.name), err)
	}
	if end != nil {
		fmt.Fprintf(stderr, "checkrr: %s holds the events before line %d\n", report.Name(f.name), line)
	}
	return nil
}

// conclude joins what went wrong with the state and with the result: if only the latter is lost, the events are counted
// all the same, and must not be again.
func (f *stateFile) conclude(written, shown error) error {
	err := errors.Join(written, shown)
	switch {
	case err == nil:
		return nil
	case f != nil && !f.isDry && written == nil:
		err = fmt.Errorf("%w; %s holds the events of this ledger all the same", shown, report.Name(f.name))
	}
	return report.Unwritten{Cause: err}
}
