package state

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"checkrr/cmd/checkrr/internal/report"
)

// lock keeps other runs away from a state: of two at once, one would forget what the other counts. The system ends it
// with its process, however that ends; what may stay behind is an empty file, which locks nothing.
type lock struct{ file *flock.Flock }

// LockOf returns the name of the file that locks a state.
func LockOf(path string) string { return path + ".lock" }

// Locked does what changes a file, by any name, when no other run does that: it waits for them, until ctx ends.
func Locked(ctx context.Context, name string, do func() error) error {
	path, err := report.Resolve(name)
	if err != nil {
		return err
	}
	f := &File{path: path}
	if f.lock, err = lockFor(path, func(l *flock.Flock) (bool, error) {
		return l.TryLockContext(ctx, time.Millisecond)
	}); err != nil {
		return err
	}
	defer f.Release()
	return do()
}

// CheckLocked returns an error if what is to be done by [Locked] would fail for a file that is no lock.
func CheckLocked(name string) error {
	path, err := report.Resolve(name)
	if err != nil {
		return err
	}
	return checkLock(LockOf(path))
}

func checkLock(name string) error {
	if info, err := os.Lstat(name); err == nil && !(info.Mode().IsRegular() && info.Size() == 0) {
		return fmt.Errorf("%s must be an empty file, as it locks the file beside it, and is removed then",
			report.Name(name))
	}
	return nil
}

// lockFor locks the file at path by one beside it, as the file itself is replaced.
func lockFor(path string, try func(*flock.Flock) (bool, error)) (*lock, error) {
	name := LockOf(path)
	for {
		if err := checkLock(name); err != nil {
			return nil, err
		}
		l := &lock{flock.New(name, flock.SetPermissions(0o666))}
		isOurs, err := try(l.file)
		if err != nil {
			return nil, err
		}
		if !isOurs {
			return nil, fmt.Errorf("another run is at work on %s: try again when it has ended", report.Name(path))
		}
		if l.isNamed() {
			held.Store(l)
			return l, nil
		}
		l.file.Unlock() // of a file that its last owner has removed meanwhile
	}
}

// isNamed reports whether the file that is locked is still the one that others find.
func (l *lock) isNamed() bool {
	locked, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.file.Path())
	return err == nil && os.SameFile(locked, named)
}

// held is the lock of this process, if it has one: a run has one state.
var held atomic.Pointer[lock]

// release removes the file while it is locked, so that nobody else's is removed; Windows removes no open file.
func (l *lock) release() {
	held.Store(nil)
	if runtime.GOOS != "windows" {
		os.Remove(l.file.Path())
	}
	l.file.Unlock()
}
