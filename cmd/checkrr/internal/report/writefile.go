package report

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Unwritten is what went wrong where a result or a state is not written, too: whatever the verdict, nobody has it.
type Unwritten struct{ Cause error }

// Error is the text of the cause.
func (e Unwritten) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e Unwritten) Unwrap() error { return e.Cause }

// WriteFile writes a file as a whole: on a full disk what was there before stays. A device, a pipe, a link or a file
// with several names is written where it is, and so is a file whose place no other one can take. An error is an
// [Unwritten].
func WriteFile(name string, data []byte) error {
	if err := write(name, data); err != nil {
		return Unwritten{err}
	}
	return nil
}

func write(name string, data []byte) error {
	if f := opened(name); f != nil {
		_, err := f.Write(data)
		return err
	}
	isReplaced, err := isReplaceable(name)
	if err == nil && isReplaced {
		err = Replace(name, data)
		isReplaced = !isBarred(err)
	}
	if !isReplaced {
		err = writeInto(name, data)
	}
	return err
}

// isReplaceable reports whether another file may take the place of one, or there is none.
func isReplaceable(name string) (bool, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	_, links, err := existing(name)
	return links < 2, err
}

// existing returns what is known of a file, and how many names it has; nothing if it is not there. Whoever may not
// write to a file may not replace it.
func existing(name string) (info os.FileInfo, links uint64, err error) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil {
		links, err = Links(f)
	}
	return info, links, err
}

// isBarred reports whether an error is that of a folder in which no file can be made, or of a file that must stay
// there: one that is mounted by itself, or that of somebody else in a folder for all.
func isBarred(err error) bool {
	for _, bar := range []error{fs.ErrPermission, syscall.EROFS, syscall.EBUSY, syscall.EXDEV} {
		if errors.Is(err, bar) {
			return true
		}
	}
	return false
}

// Unclosed is a writer that stays open.
type Unclosed struct{ io.Writer }

// Close does nothing.
func (Unclosed) Close() error { return nil }

// Create opens a file to be written from its beginning, or what is open already under the name.
func Create(name string) (io.WriteCloser, error) {
	if f := opened(name); f != nil {
		return Unclosed{f}, nil
	}
	if IsOpen(name) {
		return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	}
	return os.Create(name)
}

// writeInto writes what stays where it is: at its end, if it is open already. Of a file what is longer than before is
// written first: if there is no room for it, what was there stays.
func writeInto(name string, data []byte) error {
	flag := os.O_WRONLY
	if IsOpen(name) {
		flag |= os.O_APPEND
	}
	f, err := os.OpenFile(name, flag, 0)
	if errors.Is(err, fs.ErrNotExist) { // as where a link leads to
		return os.WriteFile(name, data, 0o666)
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || flag != os.O_WRONLY {
		_, written := f.Write(data)
		return errors.Join(err, written, f.Close())
	}
	before, size := min(info.Size(), int64(len(data))), int64(len(data))
	if _, err = f.WriteAt(data[before:], before); err != nil {
		size = info.Size()
	} else {
		_, err = f.WriteAt(data[:before], 0)
	}
	return errors.Join(err, f.Truncate(size), f.Close())
}

// Replace writes a file beside another one, with its permissions and, where that is allowed, its owner, and lets it
// take its place, as a whole or not at all.
func Replace(name string, data []byte) error {
	was, _, err := existing(name)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o666)
	if was != nil {
		mode = 0o600 // until it has the permissions of the other: nobody may open it before
	}
	folder, _ := filepath.Split(name)
	beside := folder + "checkrr." + rand.Text() + ".new"
	out, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return calledBy(name, err)
	}
	if was != nil {
		mode = keepOwner(out, was)
		err = errors.Join(keepACL(beside, name), out.Chmod(mode))
	}
	_, written := out.Write(data)
	if err = errors.Join(err, written, out.Sync(), out.Close()); err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		os.Remove(beside)
	}
	return calledBy(name, err)
}

// calledBy is an error of the system with the name that the user gave a file.
func calledBy(name string, err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: fault.Op, Path: name, Err: fault.Err}
	}
	if fault, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "replace", Path: name, Err: fault.Err}
	}
	return err
}
