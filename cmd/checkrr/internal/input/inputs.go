package input

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"checkrr/cmd/checkrr/internal/report"
)

// Inputs is what a run may read: standard input and files, but for those that it writes. A run with a nil one writes
// no file.
type Inputs struct {
	Stdin   io.Reader
	written []writtenFile
	isQuiet atomic.Bool

	outer       *Inputs      // of the run that this one is in
	readsOutput atomic.Value // see [Inputs.ReadsOutput]

	served string // the name of a claim that is known
	claim  *inline
}

// Standard output and standard error, as they are called where they are files.
const (
	Stdout = "standard output"
	Stderr = "standard error"
)

// Again is what another run in this one may read: nothing that either writes.
func (in *Inputs) Again(stdin io.Reader) *Inputs {
	return &Inputs{Stdin: stdin, written: slices.Clone(in.written), outer: in}
}

// ReadsOutput returns what this run, or one in it, would have read although it writes there, such as standard output;
// "" if nothing.
func (in *Inputs) ReadsOutput() string {
	output, _ := in.readsOutput.Load().(string)
	return output
}

// IsStdin reports whether a name is that of standard input: - or, unless that comes from this program, one that the
// system has for it.
func (in *Inputs) IsStdin(name string) bool {
	stdin, isFile := in.Stdin.(*os.File)
	if name == "-" || !isFile || !report.IsOpen(name) {
		return name == "-"
	}
	x, err := stdin.Stat()
	y, wrong := os.Stat(name)
	return err == nil && wrong == nil && os.SameFile(x, y)
}

// Quiet returns standard error, into which nothing is written if it is a file that the command names, or one that was
// refused as one to read or to write: to say so there would change it.
func (in *Inputs) Quiet(stderr io.Writer) io.Writer { return quiet{in, stderr} }

type quiet struct {
	in *Inputs
	to io.Writer
}

// Unwrap returns standard error.
func (q quiet) Unwrap() io.Writer { return q.to }

// Write implements [io.Writer].
func (q quiet) Write(text []byte) (int, error) {
	if q.in.isQuiet.Load() {
		return len(text), nil
	}
	return q.to.Write(text)
}

// Hush makes what is said quiet if standard error is one of these files, which the command reads or keeps, and there is
// something in it; - is standard input.
func (in *Inputs) Hush(files []string) {
	if len(in.written) == 0 {
		return
	}
	for _, name := range files {
		stdin, isFile := in.Stdin.(*os.File)
		if isFile && (name == "-" || report.IsOpen(name)) {
			in.outputAs(stdin)
		}
		file, _ := ClaimOf(name)
		if info, err := os.Stat(file); err == nil {
			in.writtenAs(info)
		}
	}
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
	info, err := f.Stat()
	if in == nil || err != nil {
		return ""
	}
	return in.noted(in.writtenAs(info))
}

// noted returns what is said to be written, which would have been read.
func (in *Inputs) noted(output string) string {
	for run := in; output != "" && run != nil; run = run.outer {
		run.readsOutput.Store(output)
	}
	return output
}

// WritesAny reports whether any file that is there is going to be written.
func (in *Inputs) WritesAny() bool { return len(in.written) > 0 }

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
			for run := in; run != nil; run = run.outer {
				if w.flag == Stderr && w.info.Size() > 0 {
					run.isQuiet.Store(true)
				}
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
