package program

import (
	"fmt"
	"strings"
)

// Error is what a program did wrong.
type Error struct {
	Command string   // that was run
	Request int      // the id of the request
	Text    string   // what was wrong
	Stderr  []string // the last lines of its standard error
}

// Error names the program and the request, and shows the end of its standard error.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: request %d: %s", printable(e.Command), e.Request, e.Text)
	if len(e.Stderr) > 0 {
		b.WriteString("\nits standard error ends with")
	}
	for _, line := range e.Stderr {
		b.WriteString("\n  " + line)
	}
	return b.String()
}

// fail ends the program and returns what it did wrong. All that it has written to its
// standard error is known only after its end.
func (p *Program) fail(format string, args ...any) error {
	p.kill()
	p.fault = &Error{p.name, p.requests, fmt.Sprintf(format, args...), p.stderr.last()}
	return p.fault
}

// gone is the fault of a program that does not read or write any more.
func (p *Program) gone(cause string) error {
	if p.ended(twilight) {
		return p.fail("the program ended (%v) before it replied, must run until its standard input ends",
			p.command.ProcessState)
	}
	return p.fail("the program %s, must not before its standard input ends", cause)
}
