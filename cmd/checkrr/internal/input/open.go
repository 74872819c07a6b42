package input

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
)

// OpenInput opens a file, or standard input if its name is "-", and returns its name for messages. What is to be
// written is refused.
func OpenInput(name string, in *Inputs) (r io.ReadCloser, shown string, err error) {
	shown = ShownName(name)
	switch name {
	case "-":
		r = io.NopCloser(in.Stdin)
		if f, isFile := in.Stdin.(*os.File); isFile {
			err = in.check(f, "standard input")
		}
		return r, shown, err
	case "": // as that of a variable that is not set
		return nil, name, errors.New("the name of a file is empty")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, shown, err
	}
	if err := in.check(f, shown); err != nil {
		f.Close()
		return nil, shown, err
	}
	return f, shown, nil
}

// folderOf returns the folder that names in an opened file are relative to: that of the file, or for standard input and
// pipes "", the working directory.
func folderOf(name string, opened io.Reader) string {
	if f, ok := opened.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && !report.IsOpen(name) {
			folder, _ := filepath.Split(name)
			return cmp.Or(strings.TrimSuffix(folder, string(filepath.Separator)), ".")
		}
	}
	return ""
}

// NameOf is the name of a file, or <stdin>.
func NameOf(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// ShownName is the name of a file for messages.
func ShownName(name string) string { return report.Name(NameOf(name)) }
