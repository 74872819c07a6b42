package state

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/gofrs/flock"

	"checkrr/cmd/checkrr/internal/report"
)

// lock keeps other runs away from a state: of two at once, one would forget what the other counts. The system ends it
// with its process, however that ends; what may stay behind is an empty file, which locks nothing.
type lock struct{ file *flock.Flock }

// LockOf returns the name of the file that locks a state.
func LockOf(path string) string { return path + ".lock" }

// lockFor locks the state at path by a file beside it, as the state itself is replaced.
func lockFor(path string) (*lock, error) {
	name := LockOf(path)
	for {
		if info, err := os.Lstat(name); err == nil && !(info.Mode().IsRegular() && info.Size() == 0) {
			return nil, fmt.Errorf("%s must be an empty file, as it locks the state beside it, and is removed then",
				report.Name(name))
		}
		l := &lock{flock.New(name, flock.SetPermissions(0o666))}
		isOurs, err := l.file.TryLock()
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
