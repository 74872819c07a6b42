package input

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"checkrr/cmd/checkrr/internal/report"
)

// named are the files that a file names. Whoever wrote it may be somebody else than who has it read: its names must not
// reach what only the latter may see.
type named struct {
	inputs       *Inputs
	folder       string // that names are relative to; "" is the working directory
	allowOutside bool   // files may be outside of it
	isTyped      bool   // the names are those of flags: any file will do, a pipe as well
}

// nameError is a name that is refused.
type nameError struct{ rule string }

func (e *nameError) Error() string { return e.rule }

// path returns the name of a file from here.
func (n named) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return report.Join(n.folder, name)
}

// open opens a file.
func (n named) open(name string) (f *os.File, err error) {
	path := name
	if n.isTyped {
		f, err = os.Open(path)
	} else {
		path = n.path(name)
		f, err = n.openRegular(name, path)
	}
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: "open", Path: path, Err: fault.Err} // not how it was looked for
	}
	if err != nil {
		return nil, err
	}
	if output := n.inputs.outputAs(f); output != "" {
		f.Close()
		return nil, &nameError{fmt.Sprintf("is %s, must be a file other than %s", report.Quote(name), output)}
	}
	return f, nil
}

// openRegular opens a regular file. It never waits, as the opening of a pipe does, and looks at what it has opened:
// what was there before may be something else by then.
func (n named) openRegular(name, path string) (*os.File, error) {
	irregular := &nameError{"is " + report.Quote(name) + ", must be a regular file"}
	if name != "" && os.IsPathSeparator(name[len(name)-1]) { // as a folder is called
		return nil, irregular
	}
	open := func(flag int) (*os.File, error) { return os.OpenFile(path, flag, 0) }
	if !n.allowOutside {
		folder, within, err := n.inside(name, path)
		if err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		open = func(flag int) (*os.File, error) { return root.OpenFile(within, flag, 0) }
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // to open a device may do something
		return nil, irregular
	}
	f, err := open(os.O_RDONLY | syscall.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, irregular
	}
	return f, nil
}

// inside returns the folder, and where in it a file is, both without links; it refuses what is not in it.
func (n named) inside(name, path string) (folder, within string, err error) {
	outside := &nameError{fmt.Sprintf("is %s, outside the folder of the file that names it: copy it there, or give "+
		"--allow-outside", report.Quote(name))}
	folder, err = report.Place(cmp.Or(n.folder, "."))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return "", "", err
	}
	where, err := report.Place(path)
	if err == nil {
		where, err = filepath.EvalSymlinks(where)
	}
	if err != nil { // it is not there: that is not said of files outside
		where = nearest(path)
	}
	within, wrong := filepath.Rel(folder, where)
	if wrong != nil || !filepath.IsLocal(within) {
		return "", "", outside
	}
	return folder, within, err
}

// nearest returns the folder, without links, that is the last on the way to what is not there; nothing if a link leads
// nowhere.
func nearest(path string) string {
	for {
		if place, err := report.Place(path); err == nil {
			if real, err := filepath.EvalSymlinks(place); err == nil {
				return real
			}
		}
		if _, err := os.Lstat(path); err == nil {
			return ""
		}
		parent, _ := filepath.Split(strings.TrimRight(path, string(filepath.Separator)))
		if parent = cmp.Or(parent, "."); parent == path {
			return ""
		}
		path = parent
	}
}

// wrongName is the message about what is named, as by losses, and cannot be opened.
func wrongName(what string, err error) string {
	if broken, ok := errors.AsType[*nameError](err); ok {
		return what + " " + broken.rule
	}
	return what + ": " + err.Error()
}
