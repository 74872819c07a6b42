package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
)

// What marks errors that exit with exitRefuted, and with exitInconclusive.
var (
	ErrRefuted      = errors.New("refuted")
	ErrNotProved    = errors.New("not proved")
	ErrMoved        = errors.New("moved")
	ErrInconclusive = errors.New("inconclusive")
)

// App is what the commands act on: what they read, and where they print.
type App struct {
	Inputs         *input.Inputs
	Stdout, Stderr io.Writer
}

// Write writes to a file, or to standard output if none is named: an object as one line of JSON, or a table.
func (a App) Write(file string, asJSON bool, object func() report.Object, table func(w io.Writer)) error {
	var b bytes.Buffer
	if !asJSON {
		table(&b)
	} else if err := report.WriteJSON(&b, object()); err != nil {
		return err
	}
	if file != "" {
		return report.Wrote(a.Stderr, report.WriteText(file, b.Bytes()), file)
	}
	_, err := a.Stdout.Write(b.Bytes())
	return err
}

// failed says in the author's words why there is no result.
func failed(ctx context.Context, p *input.Problem, err error, timeout time.Duration) error {
	if broken, ok := errors.AsType[*impl.InputError](err); ok {
		return p.Fault(broken)
	}
	if broken, ok := errors.AsType[*impl.DeltaError](err); ok {
		says := []string{"--delta " + broken.Rule}
		if broken.IsLeak {
			for _, file := range lossFiles(p) {
				says = append(says, file.String())
			}
		}
		return errors.New(strings.Join(says, "; "))
	}
	if errors.Is(err, certify.ErrWindow) {
		err = fmt.Errorf("too large to compute (%w)", err)
	}
	if errors.Is(err, certify.ErrWindow) || errors.Is(err, impl.ErrNoSchedule) { // nothing is wrong with the input
		return fmt.Errorf("%w: no result: %w", ErrInconclusive, err)
	}
	return EndedBy(ctx, err, timeout)
}
