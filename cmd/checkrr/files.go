package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/state"
)

// problemFiles completes names of problem files.
var problemFiles = cobra.FixedCompletions([]string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt)

func atMostOneFile(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%d files are named, must be only one: %s", len(args), report.Name(strings.Join(args, " ")))
	}
	return nil
}

// checkTimeout refuses a time to give up after.
func checkTimeout(timeout time.Duration) error {
	if timeout < 0 {
		return fmt.Errorf("--timeout is %v, must not be negative", timeout)
	}
	return nil
}

// reading reads input in the time that there is for all of a command. What waits for input then, as from a pipe that
// nobody closes, ends with the process.
func reading[T any](ctx context.Context, timeout time.Duration, read func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := read()
		done <- outcome{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, endedBy(ctx, nil, timeout)
	}
}

// addPlotTo adds the flag that names a picture; draw says what is drawn.
func addPlotTo(cmd *cobra.Command, name *string, draw string) {
	cmd.Flags().StringVar(name, "plot", "", draw+" into `FILE`"+report.PlotEndings)
	report.Must(cmd.MarkFlagFilename("plot", report.PlotFormats...))
}

// checkPlot refuses a picture in a format that cannot be drawn.
func checkPlot(name string) error {
	if name != "" && report.PlotFormat(name) == "" {
		return fmt.Errorf("--plot is %s, must end in %s", report.Quote(name), report.PlotEndings)
	}
	return nil
}

// target is a file to be written, named by a flag.
type target struct{ flag, name string }

// checkFiles refuses files that would be written over, and folders that are not
// there, before anything is computed. From then on none of the targets can be read.
func checkFiles(in *input.Inputs, args []string, targets ...target) error {
	return checkTargets(in, args, "the problem file", targets)
}

// checkLedgerFiles is checkFiles for a command that reads a ledger.
func checkLedgerFiles(in *input.Inputs, ledger string, targets ...target) error {
	return cmp.Or(checkNoPipe(ledger), checkTargets(in, []string{ledger}, "the ledger", targets))
}

// checkNoPipe refuses a file that may be waited for for ever, for a command without a time to give up after.
func checkNoPipe(name string) error {
	if name != "-" && isPipe(name) {
		return fmt.Errorf("%s is a pipe, must be a file: to wait for what is written there, give - and < %[1]s",
			report.Name(name))
	}
	return nil
}

// checkTargets is checkFiles; args is a file to be read, which is called so.
func checkTargets(in *input.Inputs, args []string, called string, targets []target) error {
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
		if err := checkFolder(f.flag, f.name); err != nil {
			return err
		}
		for _, g := range targets[:i] {
			if g.name != "" && sameFile(g.name, f.name) {
				return fmt.Errorf("%s and %s are both %s, must be different files", g.flag, f.flag, report.Name(f.name))
			}
		}
		if other := in.WrittenAs(f.name); other != "" {
			return fmt.Errorf("%s is %s, must be a file other than %s", f.flag, report.Name(f.name), other)
		}
		in.Writes(f.name, f.flag)
	}
	return nil
}

// checkFolder refuses a file, named by a flag, that could not be written.
func checkFolder(flag, name string) error {
	switch {
	case name == "":
		return nil
	case report.Name(name) != name:
		return fmt.Errorf("%s is %s, must be a name of characters that can be seen", flag, report.Name(name))
	case !isFolder(folderOf(name)):
		return fmt.Errorf("%s is %s, must be in a folder that exists", flag, report.Name(name))
	case isFolder(name):
		return fmt.Errorf("%s is %s, a folder, must be the name of a file", flag, report.Name(name))
	case isPipe(name):
		return fmt.Errorf("%s is %s, a pipe, must be a file: nobody may read it", flag, report.Name(name))
	}
	return nil
}

// isPipe reports whether to open a file may wait for somebody, for ever. What a shell has opened is no such one.
func isPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 && !input.IsOpen(name)
}

// placeOf returns the folder where a file is, or is going to be, behind all links; of what is open already it is not known, and
// the working directory stands for it.
func placeOf(name string) string {
	if input.IsOpen(name) {
		return "."
	}
	if path, err := state.Resolve(name); err == nil {
		return filepath.Dir(path)
	}
	return folderOf(name)
}

// folderOf returns the folder of a file, as it is named: to clean a name may lead elsewhere, if what is before .. is a link.
func folderOf(name string) string {
	folder, _ := filepath.Split(name)
	return cmp.Or(folder, ".")
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// sameFile reports whether two names stand for one file, there or yet to be made.
func sameFile(a, b string) bool {
	if x, err := state.Resolve(a); err == nil {
		if y, err := state.Resolve(b); err == nil && (x == y || samePlace(x, y)) {
			return true
		}
	}
	return isOne(a, b)
}

// samePlace reports whether two names are one in the same folder, which may have several names itself, as one that is
// mounted twice has.
func samePlace(a, b string) bool {
	return filepath.Base(a) == filepath.Base(b) && isOne(filepath.Dir(a), filepath.Dir(b))
}

// isOne reports whether two names are those of one file or folder that is there.
func isOne(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
