package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot"
)

// Plot is a picture to be drawn: the file, and another title unless that is nil.
type Plot struct {
	File  string
	Title *string
}

// AddTo adds the flags; draw says what is drawn. The title is left out of short help.
func (p *Plot) AddTo(cmd *cobra.Command, draw string) {
	f := cmd.Flags()
	f.StringVar(&p.File, "plot", "", draw+" into `FILE`"+report.PlotEndings)
	report.Must(cmd.MarkFlagFilename("plot", report.PlotFormats...))
	f.Func("title", "the title of the picture, `TEXT`, or '' for none", func(text string) error {
		p.Title = &text
		return nil
	})
	report.Must(f.MarkHidden("title"))
}

// Draw draws figures below each other into the file, and says so on stderr.
func (p Plot) Draw(stderr io.Writer, figures ...*plot.Plot) error {
	if p.Title != nil {
		figures[0].Title.Text = *p.Title
	}
	return report.Wrote(stderr, report.WritePicture(p.File, figures...), p.File)
}

// Check refuses a picture in a format that cannot be drawn.
func (p Plot) Check() error {
	switch {
	case p.File != "" && report.PlotFormat(p.File) == "":
		return fmt.Errorf("--plot is %s, must end in %s", report.Quote(p.File), report.PlotEndings)
	case p.File == "" && p.Title != nil:
		return errors.New("--title is given, must be with --plot")
	case p.Title != nil && report.OneLine(*p.Title) != *p.Title:
		return fmt.Errorf("--title is %s, must be one line of characters that can be seen", report.Quote(*p.Title))
	}
	return nil
}

// Target is a file to be written, named by a flag.
type Target struct{ flag, name string }

// File returns its name.
func (t Target) File() string { return t.name }

// To returns a target.
func To(flag, name string) Target { return Target{flag, name} }

// CheckLedgerFiles is [CheckTargets] for a command that reads a ledger.
func CheckLedgerFiles(in *input.Inputs, ledger string, targets ...Target) error {
	return cmp.Or(CheckNoPipe(ledger), CheckTargets(in, []string{ledger}, "the ledger", targets...))
}

// CheckNoPipe refuses a file that may be waited for for ever, for a command without a time to give up after.
func CheckNoPipe(name string) error {
	if name != "-" && isPipe(name) {
		return fmt.Errorf("%s is a pipe, must be a file: to wait for what is written there, give - and < %[1]s",
			report.Name(name))
	}
	return nil
}

// CheckTargets refuses files that would be written over, as args would, the name of a file to be read, which is called
// so, and folders that are not there, before anything is computed. From then on none of the targets can be read.
func CheckTargets(in *input.Inputs, args []string, called string, targets ...Target) error {
	for i, f := range targets {
		switch f.name {
		case "":
			continue
		case "-":
			return fmt.Errorf("%s is -, must be the name of a file", f.flag)
		}
		if len(args) == 1 && args[0] != "-" && sameFile(f.name, args[0]) {
			return fmt.Errorf("%s is %s, must not be %s", f.flag, report.Name(f.name), called)
		}
		if err := CheckFolder(f.flag, f.name); err != nil {
			return err
		}
		for _, g := range targets[:i] {
			if g.name != "" && sameFile(g.name, f.name) {
				return fmt.Errorf("%s and %s are both %s, must be different files", g.flag, f.flag, report.Name(f.name))
			}
		}
		if other := in.WrittenAs(f.name); other != "" && other != f.flag {
			return fmt.Errorf("%s is %s, must be a file other than %s", f.flag, report.Name(f.name), other)
		}
		in.Writes(f.name, f.flag)
	}
	return nil
}

// CheckFolder refuses a file, named by a flag, that could not be written.
func CheckFolder(flag, name string) error {
	_, leadsNowhere := report.Resolve(name)
	file, claim := input.ClaimOf(name)
	switch {
	case name == "":
		return nil
	case report.Name(name) != name:
		return fmt.Errorf("%s is %s, must be a name of characters that can be seen", flag, report.Name(name))
	case claim != "":
		return fmt.Errorf("%s is %s, which means a claim of %s, must have another name", flag, report.Name(name),
			report.Name(file))
	case report.IsUnwritable(name):
		return fmt.Errorf("%s is %s, must be open to be written", flag, report.Name(name))
	case !IsFolder(folderOf(name)), leadsNowhere != nil:
		return fmt.Errorf("%s is %s, must be in a folder that exists", flag, report.Name(name))
	case IsFolder(name):
		return fmt.Errorf("%s is %s, a folder, must be the name of a file", flag, report.Name(name))
	case isPipe(name):
		return fmt.Errorf("%s is %s, a pipe, must be a file: nobody may read it", flag, report.Name(name))
	}
	return nil
}

// isPipe reports whether to open a file may wait for somebody, for ever. What a shell has opened is no such one.
func isPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 && !report.IsOpen(name)
}

// placeOf returns the folder where a file is, or is going to be, behind all links; of what is open already it is not
// known, and the working directory stands for it.
func placeOf(name string) string {
	if report.IsOpen(name) {
		return "."
	}
	if path, err := report.Resolve(name); err == nil {
		return filepath.Dir(path)
	}
	return folderOf(name)
}

// folderOf returns the folder of a file, as it is named: to clean a name may lead elsewhere, if what is before .. is a
// link.
func folderOf(name string) string {
	folder, _ := filepath.Split(name)
	return cmp.Or(folder, ".")
}

// IsFolder reports whether a name is that of a folder.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// sameFile reports whether two names stand for one file, there or yet to be made.
func sameFile(a, b string) bool {
	if x, err := report.Resolve(a); err == nil {
		if y, err := report.Resolve(b); err == nil && (x == y || samePlace(x, y)) {
			return true
		}
	}
	return isSameFile(a, b)
}

// samePlace reports whether two names are one in the same folder, which may have several names itself, as one that is
// mounted twice has.
func samePlace(a, b string) bool {
	return filepath.Base(a) == filepath.Base(b) && isSameFile(filepath.Dir(a), filepath.Dir(b))
}

// isSameFile reports whether two names are those of one file or folder that is there.
func isSameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
