package program

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// Program is a running program. Its methods can be called concurrently; it is asked one
// thing at a time.
type Program struct {
	name     string // its command, as it is shown
	command  *exec.Cmd
	group    *group
	stdin    io.WriteCloser
	stdout   *os.File
	stderr   tail
	patience time.Duration
	mostLine int           // bytes of a reply
	most     int           // bytes of an output
	exited   chan struct{} // closed once the process has ended
	turn     chan struct{} // holds something while the program is asked
	longest  atomic.Int64  // bytes of an output, in the longest reply so far

	// What follows belongs to the one whose turn it is.
	requests int
	lines    *bufio.Reader
	line     []byte               // the last one
	late     chan answer          // to what nobody waits for any more; nil if there is none
	fault    error                // the first one
	firsts   map[string]beginning // of the last reply, by input
}

// DefaultPatience is how long a reply may take.
const DefaultPatience = 30 * time.Second

// How long a process may take to end that has nothing to do any more, and to be seen to
// have ended when it does not read or write any more.
const (
	grace    = 500 * time.Millisecond
	twilight = time.Second
)

// Option changes how a program is run.
type Option func(*Program)

// Patience sets how long a reply may take.
func Patience(d time.Duration) Option { return func(p *Program) { p.patience = d } }

// Of the memory, one in so many bytes may be that of a reply, and of an output, of which a list takes many times as
// much once it is read and learned from.
const (
	lineShare   = 16
	outputShare = 512
)

// Memory sets how much memory there is, in bytes: replies that would take more are refused.
func Memory(bytes int64) Option {
	return func(p *Program) {
		p.mostLine = int(min(int64(maxLine), bytes/lineShare))
		p.most = int(min(int64(maxLine), bytes/outputShare))
	}
}

// Start runs a command in a folder, or in the working directory if dir is empty. A command
// with a slash in its name is looked for in that folder. It has to be closed.
func Start(command []string, dir string, options ...Option) (*Program, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, errors.New("the command is empty, must name a program")
	}
	p := &Program{
		name:     strings.Join(command, " "),
		command:  exec.Command(command[0], command[1:]...),
		patience: DefaultPatience,
		mostLine: maxLine,
		most:     maxLine,
		exited:   make(chan struct{}),
		turn:     make(chan struct{}, 1),
	}
	for _, set := range options {
		set(p)
	}
	p.command.Dir = dir
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w%s", printable(p.name), err, advice(command[0], err))
	}
	return p, nil
}

// advice says what to do about a program that is not there, if its name has arguments in it.
func advice(name string, err error) string {
	if strings.Contains(name, " ") && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
		return "; arguments are items of their own, as in [python3, mechanism.py]"
	}
	return ""
}

// start starts the process, and waits for its end in the background.
func (p *Program) start() error {
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return err
	}
	// Not StdoutPipe: that is closed when the process ends, read or not.
	stdout, theirs, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return err
	}
	defer theirs.Close()
	p.stdin, p.stdout, p.lines = stdin, stdout, bufio.NewReaderSize(stdout, 1<<18)
	p.command.Stdout, p.command.Stderr = theirs, &p.stderr
	p.command.WaitDelay = grace // for what it started itself and left behind with its stderr
	p.group = newGroup(p.command)
	if err := p.command.Start(); err != nil {
		stdin.Close() // once more: harmless
		stdout.Close()
		p.group.end()
		return err
	}
	running.Store(p, nil)
	go func() {
		p.command.Wait() // what it returns is in ProcessState
		p.group.end()
		running.Delete(p)
		close(p.exited)
	}()
	return nil
}

// Close ends the program: it is told by the end of its standard input, and killed with all
// that it has started if it does not listen. It is an error if there is output that nobody asked for.
func (p *Program) Close() error {
	p.stdin.Close()
	p.ended(grace)
	wrong := p.leftover()
	return cmp.Or(p.kill(), wrong)
}

// leftover returns an error if a program wrote more than what it was asked for.
func (p *Program) leftover() error {
	if p.late != nil || p.fault != nil {
		return nil
	}
	p.stdout.SetReadDeadline(time.Now().Add(grace / 10)) // it, or what it started, may still hold it
	line, _ := p.lines.ReadSlice('\n')
	if len(line) == 0 {
		return nil
	}
	return fmt.Errorf("%s wrote %s after its last reply, must write replies only", printable(p.name),
		show(bytes.TrimSpace(line)))
}

// kill ends the process and all of its group at once.
func (p *Program) kill() error {
	defer p.stdout.Close() // ends a read that waits for what is left of the group, too
	p.stdin.Close()
	p.group.kill()
	if !p.ended(10 * time.Second) {
		return fmt.Errorf("%s does not end, process %d", printable(p.name), p.command.Process.Pid)
	}
	return nil
}

// ended waits for the end of the process, for some time.
func (p *Program) ended(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}
