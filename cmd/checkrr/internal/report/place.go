package report

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
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

// Resolve returns where a file is, behind all links, even if it is not there yet; of what is open already, the name
// that the system has for it.
func Resolve(name string) (string, error) {
	const most = 40 // as systems have it
	path := name
	for range most {
		place, err := Place(path)
		if err != nil {
			return "", err
		}
		if isOfSystem(place) {
			return place, nil
		}
		target, err := os.Readlink(place)
		if err != nil {
			return place, nil // it is no link
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Dir(place) + string(filepath.Separator) + target
		}
	}
	return "", fmt.Errorf("%s is a link to a link, and so on, must end after %d of them", Name(name), most)
}

// Place returns a name from the root, with no link on the way to its last part. Nothing is taken from the text alone:
// the folder that .. leads to is that of the folder that a link names, not the one where the link is.
func Place(name string) (string, error) {
	whole, err := absolute(name)
	if err != nil {
		return "", err
	}
	folder, last := filepath.Split(whole)
	if last == "" || last == "." || last == ".." {
		return filepath.EvalSymlinks(whole)
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return "", err
	}
	there, _ := filepath.Split(name)
	if !isOneFolder(cmp.Or(there, "."), folder) {
		return "", fmt.Errorf("%s is elsewhere than its links say, behind a mount or the root of another process, "+
			"must be named as it is called here", Name(name))
	}
	return filepath.Join(folder, last), nil
}

// isOneFolder reports whether two names are of one folder.
func isOneFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return true // whoever opens it says so
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// absolute returns a name from the root, with .. as it is.
func absolute(name string) (string, error) {
	if runtime.GOOS == "windows" { // where .. is what the text says
		return filepath.Abs(name)
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	here, err := os.Getwd() // the name by which somebody came here, which may be a link
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	return here + string(filepath.Separator) + name, err
}

// IsOpen reports whether a name is one that the system has for what is open already, such as /dev/stdin, or that of a
// link there: it says nothing of where that is.
func IsOpen(name string) bool {
	path, err := Resolve(name)
	return err == nil && isOfSystem(path)
}

// isOfSystem reports whether a name from the root, with no link on the way to its last part, is one that the system has
// for what is open.
func isOfSystem(path string) bool {
	folder := filepath.Dir(path)
	isOfProcess := strings.HasPrefix(folder, "/proc/") && filepath.Base(folder) == "fd"
	return folder == "/dev" || folder == "/dev/fd" || isOfProcess
}

// IsUnwritable reports whether a name is one of the system for what this process has open, and nobody can write there:
// a number that is not in use, or only to read from, or by the program itself.
func IsUnwritable(name string) bool {
	path, err := Resolve(name)
	if err != nil || !isOfSystem(path) {
		return false
	}
	if f := openAt(path); f != nil {
		return !isWritable(f)
	}
	_, err = os.Lstat(path)
	return err != nil
}

// opened returns what this process has open under a name of the system, such as /dev/stdout or /dev/fd/3, or nil. To
// open the name anew would write from the beginning of a file.
func opened(name string) *os.File {
	path, err := Resolve(name)
	if err != nil {
		return nil
	}
	return openAt(path)
}

// openAt is opened for a name that is resolved.
func openAt(path string) *os.File {
	switch path {
	case "/dev/stdin":
		return os.Stdin
	case "/dev/stdout":
		return os.Stdout
	case "/dev/stderr":
		return os.Stderr
	}
	folder, base := filepath.Split(path)
	process := fmt.Sprintf("/proc/%d/", os.Getpid())
	if folder == "/dev/fd/" || isOfSystem(path) && strings.HasPrefix(folder, process) { // or one of its threads
		return descriptor(base, path)
	}
	return nil
}

// descriptor returns what is open under a number, or nil.
func descriptor(number, name string) *os.File {
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return nil
	}
	for _, f := range append([]*os.File{os.Stdout, os.Stderr}, others...) {
		if f.Fd() == uintptr(n) {
			return f
		}
	}
	f := os.NewFile(uintptr(n), name)
	others = append(others, f) // or it would be closed with the last that knows it
	return f
}

// others are what is open beside standard output and standard error, as far as it was asked for.
var others []*os.File
