package report

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// When and how the bar is drawn.
const (
	patience = time.Second // a computation may take this long without a bar
	redraw   = 200 * time.Millisecond
	barWidth = 40
)

// ProgressOn returns a function that notes the fraction done, to be drawn on stderr if that is a terminal, and one that
// ends and removes the drawing, which may be called twice.
func ProgressOn(stderr io.Writer) (report func(done float64), clear func()) {
	if f := terminalOf(stderr); f != nil {
		return drawProgress(f, patience)
	}
	return func(float64) {}, func() {}
}

// terminalOf returns the terminal onto which stderr writes, behind what escapes and hushes; nil if it is none, or that
// of a runner.
func terminalOf(stderr io.Writer) *os.File {
	for {
		behind, ok := stderr.(interface{ Unwrap() io.Writer })
		if !ok {
			break
		}
		stderr = behind.Unwrap()
	}
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("CI") != "" {
		return nil
	}
	return f
}

// Wrote says on stderr, if that is a terminal, which files were written: none if there is an error, which it returns.
func Wrote(stderr io.Writer, err error, files ...string) error {
	if err != nil || terminalOf(stderr) == nil {
		return err
	}
	for _, file := range files {
		if file != "" && !IsOpen(file) {
			fmt.Fprintf(stderr, "checkrr: wrote %s\n", Name(file))
		}
	}
	return nil
}

// drawProgress is [ProgressOn] for a terminal.
func drawProgress(terminal io.Writer, patience time.Duration) (report func(done float64), clear func()) {
	var fraction atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		drawBar(terminal, patience, func() float64 { return math.Float64frombits(fraction.Load()) }, stop)
	}()
	report = func(done float64) { fraction.Store(math.Float64bits(done)) }
	return report, sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
}

// drawBar shows the fraction until stop is closed, beginning when patience is over.
// What cannot be drawn is no error.
func drawBar(terminal io.Writer, patience time.Duration, fraction func() float64, stop <-chan struct{}) {
	select {
	case <-stop:
		return
	case <-time.After(patience):
	}
	line := ""
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		done := min(max(fraction(), 0), 0.999)
		line = fmt.Sprintf("%3d%% |%-*s|", int(100*done), barWidth, strings.Repeat("█", int(barWidth*done)))
		_, _ = io.WriteString(terminal, "\r"+line)
		select {
		case <-stop:
			_, _ = io.WriteString(terminal, "\r"+strings.Repeat(" ", utf8.RuneCountInString(line))+"\r")
			return
		case <-tick.C:
		}
	}
}
