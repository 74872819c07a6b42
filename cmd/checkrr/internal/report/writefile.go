package report

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Join is filepath.Join for names with .. in them, too: to clean such a name may lead elsewhere, if what is before ..
// is a link.
func Join(folder, name string) string {
	if !strings.Contains(folder+name, "..") {
		return filepath.Join(folder, name)
	}
	switch {
	case folder == "" || folder == ".":
		return name
	case !os.IsPathSeparator(folder[len(folder)-1]):
		folder += string(filepath.Separator)
	}
	return folder + name
}

// Unwritten is what went wrong where a result or a state is not written, too: whatever the verdict, nobody has it.
type Unwritten struct{ Cause error }

// Error is the text of the cause.
func (e Unwritten) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e Unwritten) Unwrap() error { return e.Cause }

// WriteFile writes a file as a whole: on a full disk what was there before stays. A device, a pipe or a link is written
// to as it is, and so is a file in a folder where no other one can be made. An error is an [Unwritten].
func WriteFile(name string, data []byte) error {
	if err := writeFile(name, data); err != nil {
		return Unwritten{err}
	}
	return nil
}

func writeFile(name string, data []byte) error {
	info, err := os.Lstat(name)
	if isNew := errors.Is(err, fs.ErrNotExist); !isNew && (err != nil || !info.Mode().IsRegular()) {
		return os.WriteFile(name, data, 0o666)
	}
	if info != nil { // whoever may not write to a file may not replace it
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
	}
	if isMade, err := Replace(name, data); isMade {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// Replace writes a file beside another one, with its permissions, and lets it take its place, as a whole or not at all.
// It reports whether a file could be made there.
func Replace(name string, data []byte) (isMade bool, err error) {
	beside := name + "." + rand.Text() + ".new"
	out, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return false, err
	}
	if info, wrong := os.Stat(name); wrong == nil {
		err = out.Chmod(info.Mode().Perm())
	}
	_, written := out.Write(data)
	if err = errors.Join(err, written, out.Sync(), out.Close()); err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		os.Remove(beside)
	}
	return true, err
}
