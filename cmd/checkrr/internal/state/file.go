// Package state keeps the file that says what was spent of a budget, so that it cannot be spent twice: one run at a
// time goes on from it, whatever name it was given; it is replaced as a whole or not at all; and it is begun only when
// that is asked for.
package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/gofrs/flock"

	"checkrr/cmd/checkrr/internal/report"
)

// MaxSize is how many bytes a state may take: more than all mechanisms with the longest names and sums.
const MaxSize = 64 << 20

// File is the file of a state.
type File struct {
	path    string // where it is, behind all links
	lock    *lock
	Content []byte // nil: there is no file yet
}

// How a file is opened.
type How int

const (
	GoOn  How = iota // it must be there; no other run may go on from it until [File.Release]
	Begin            // it must not be there; else as GoOn
	Look             // it must be there, and is only read
)

// Open opens the file for the run that goes on from it.
func Open(name string, how How) (*File, error) {
	if report.IsOpen(name) {
		return nil, fmt.Errorf("--state is %s, must be the name of a file, not of what is open already",
			report.Name(name))
	}
	path, err := report.Resolve(name)
	if err != nil {
		return nil, err
	}
	f := &File{path: path}
	if how != Look {
		if f.lock, err = lockFor(path, (*flock.Flock).TryLock); err != nil {
			return nil, err
		}
	}
	if err := f.read(how == Begin); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// read reads what is in the file, or makes sure that it is not there.
func (f *File) read(isNew bool) error {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isNew:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return f.fault("is not there: to begin with nothing spent, give --new-state, too")
	case err != nil:
		return err
	case isNew:
		return f.fault("is there already: to go on from it, leave out --new-state")
	case !info.Mode().IsRegular() || info.Size() > MaxSize:
		return f.fault("must be a file of at most %d MiB", MaxSize>>20)
	}
	f.Content, err = f.now()
	return err
}

// fault says what is wrong with the file.
func (f *File) fault(format string, args ...any) error {
	return fmt.Errorf("--state %s %s", report.Name(f.path), fmt.Sprintf(format, args...))
}

// Replace writes the file anew, as a whole.
func (f *File) Replace(content []byte) error {
	now, err := f.now()
	switch isThere := !errors.Is(err, fs.ErrNotExist); {
	case isThere && err != nil:
		return err
	case isThere != (f.Content != nil), !bytes.Equal(now, f.Content):
		return errors.New("it was changed meanwhile")
	}
	replacing.Lock()
	defer replacing.Unlock()
	return report.Replace(f.path, content)
}

// replacing is held while a file is replaced, or its lock released.
var replacing sync.Mutex

// Settle waits until nothing is being replaced, keeps it so, and releases what is locked: for a process that is about
// to end.
func Settle() {
	replacing.Lock()
	if l := held.Load(); l != nil {
		l.release()
	}
}

// now returns what is in the file, if it has one name still.
func (f *File) now() ([]byte, error) {
	info, err := os.Lstat(f.path) // which may be a link by now
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it was changed meanwhile, and is no file any more")
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := f.checkLinks(in); err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// checkLinks refuses a file with several names, and one without, which another has replaced: it may still be mounted.
func (f *File) checkLinks(in *os.File) error {
	switch links, err := report.Links(in); {
	case err != nil || links == 1:
		return err
	case links == 0:
		return f.fault("was removed, or replaced by another file, and is out of date")
	default:
		return f.fault("has %d names (hard links), must have one: each would keep a budget of its own", links)
	}
}

// Sync makes the name of the file last, where a system can: Windows cannot open a folder.
func (f *File) Sync() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Release lets other runs go on from the file. It may be called twice.
func (f *File) Release() {
	if f != nil && f.lock != nil {
		replacing.Lock()
		defer replacing.Unlock()
		f.lock.release()
		f.lock = nil
	}
}
