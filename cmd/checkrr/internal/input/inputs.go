package input

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"checkrr/cmd/checkrr/internal/report"
)

// Inputs is what a run may read: standard input and files, but for those that it writes. A run with a nil one writes
// no file.
type Inputs struct {
	Stdin   io.Reader
	written []writtenFile
	isQuiet atomic.Bool
}

// Standard output and standard error, as they are called where they are files.
const (
	Stdout = "standard output"
	Stderr = "standard error"
)

// IsQuiet reports whether standard error is a file that the command names, or one that was refused as one to read or to
// write: to say so there would change it.
func (in *Inputs) IsQuiet() bool { return in.isQuiet.Load() }

// Hush makes what is said quiet if standard error is a file that the command may read: standard input, one that its
// arguments name, or one that a word of such a file names.
func (in *Inputs) Hush(args []string) {
	if !slices.ContainsFunc(in.written, func(w writtenFile) bool { return w.flag == Stderr }) {
		return
	}
	if stdin, isFile := in.Stdin.(*os.File); isFile {
		in.outputAs(stdin)
	}
	for _, arg := range args {
		in.WrittenAs(arg)
		for _, name := range words(arg) {
			in.WrittenAs(name)
			in.hushNamedIn(name)
		}
	}
}

// hushNamedIn is Hush for the words of a file that is not long: those that name files are not.
func (in *Inputs) hushNamedIn(file string) {
	const long = 1 << 20
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > long {
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	for _, name := range words(string(text)) {
		in.WrittenAs(name)
		in.WrittenAs(report.Join(filepath.Dir(file), name))
	}
}

// words are the parts of a text that may be names of files.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("=,:;[]{}\"'", r) })
}

// writtenFile is a file that is there, and is going to be written over.
type writtenFile struct {
	info os.FileInfo
	flag string // that names it
}

// Writes notes that a file, which a flag names, is going to be written: no input that is opened after that may be
// this file.
func (in *Inputs) Writes(name, flag string) {
	if info, err := os.Stat(name); err == nil {
		in.note(info, flag)
	}
}

// WritesTo is [Inputs.Writes] for what is open already, if it is a file.
func (in *Inputs) WritesTo(out io.Writer, called string) {
	if f, isFile := out.(*os.File); isFile {
		if info, err := f.Stat(); err == nil {
			in.note(info, called)
		}
	}
}

// note notes a file. To write to a device destroys nothing.
func (in *Inputs) note(info os.FileInfo, flag string) {
	if in != nil && info.Mode().IsRegular() {
		in.written = append(in.written, writtenFile{info, flag})
	}
}

// outputAs returns the flag that names a file, which is open by whatever name, as one to be written; "" if none does.
func (in *Inputs) outputAs(f *os.File) string {
	if info, err := f.Stat(); in != nil && err == nil {
		return in.writtenAs(info)
	}
	return ""
}

// WrittenAs returns the flag, or what else, by which a file is written already; "" if by none.
func (in *Inputs) WrittenAs(name string) string {
	if in == nil || len(in.written) == 0 {
		return ""
	}
	if info, err := os.Stat(name); err == nil && !report.IsOpen(name) {
		return in.writtenAs(info)
	}
	return ""
}

func (in *Inputs) writtenAs(info os.FileInfo) (flag string) {
	for _, w := range in.written {
		if os.SameFile(info, w.info) {
			flag = cmp.Or(flag, w.flag)
			if w.flag == Stderr {
				in.isQuiet.Store(true)
			}
		}
	}
	return flag
}

// check refuses a file to be read, which is called so, if it is written.
func (in *Inputs) check(f *os.File, called string) error {
	if output := in.outputAs(f); output != "" {
		return fmt.Errorf("%s is read, must be a file other than %s", called, output)
	}
	return nil
}
