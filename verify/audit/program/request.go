package program

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// maxLine is the most bytes of a reply, and of what is kept of one that does not end, if there is memory for it.
var maxLine = 64 << 20

// request is what a program is asked for: n outputs on an input.
type request struct {
	ID    int             `json:"id"`
	Input json.RawMessage `json:"input"`
	N     int             `json:"n"`
	Seed  uint64          `json:"seed"` // below 2^53, so that it is a number to everyone
	// Noise is what is to be used instead of drawn noise, for each output; nil if noise is to be drawn.
	Noise []json.RawMessage `json:"noise,omitempty"`
}

// text returns the request as a line.
func (r request) text() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the input as it is
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("the input is not JSON: %w", err)
	}
	return b.Bytes(), nil
}

// answer is a line, or that there is none.
type answer struct {
	line []byte
	err  error
}

var (
	errDeaf = errors.New("does not read its standard input")
	errMute = errors.New("closed its standard output")
	errLong = errors.New("too long")
)

// ask sends a request and has its reply read. If ctx ends first, the program is left at
// its work: whoever asks next waits for the end of that.
func (p *Program) ask(ctx context.Context, r request, read func(id int, line []byte) error) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turn }()
	if p.fault != nil {
		return p.fault
	}
	if p.late != nil {
		if _, err := p.wait(ctx, p.late); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.requests++
	r.ID = p.requests
	text, err := r.text()
	if err != nil {
		return err
	}
	line, err := p.wait(ctx, p.send(text))
	if err != nil {
		return err
	}
	if err := read(r.ID, line); err != nil {
		return p.fail("%v", err)
	}
	return nil
}

// send writes a line and reads one, in the background.
func (p *Program) send(text []byte) chan answer {
	c := make(chan answer, 1)
	go func() {
		if _, err := p.stdin.Write(text); err != nil {
			c <- answer{err: errDeaf}
			return
		}
		line, err := p.readLine()
		c <- answer{line, err}
	}()
	return c
}

// readLine reads a line of any length up to the limit. It is valid until the next one.
func (p *Program) readLine() ([]byte, error) {
	p.line = p.line[:0]
	for {
		part, err := p.lines.ReadSlice('\n')
		if len(part) > p.mostLine-len(p.line) {
			p.line = nil
			return nil, errLong
		}
		p.line = appendLine(p.line, part, p.mostLine)
		switch {
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(p.line) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, errMute
		default:
			return p.line, nil
		}
	}
}

// appendLine is append, but for the room that is made for more: as much again, and never more than the limit.
func appendLine(line, part []byte, most int) []byte {
	if n := len(line) + len(part); n > cap(line) {
		line = append(make([]byte, 0, min(max(2*cap(line), n), max(most, n))), line...)
	}
	return append(line, part...)
}

// wait returns the line of an answer, or why there is none.
func (p *Program) wait(ctx context.Context, c chan answer) ([]byte, error) {
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	p.late = nil
	exited := p.exited
	for {
		select {
		case a := <-c:
			return a.line, p.judge(a.err)
		case <-ctx.Done():
			p.late = c
			return nil, ctx.Err()
		case <-exited: // what it has written is still to be read, but not what others might write
			exited = nil
			timer.Reset(grace)
		case <-timer.C:
			if exited == nil {
				return nil, p.gone("")
			}
			return nil, p.fail("there is no reply after %v, must flush every reply, "+
				"and reply sooner or be given more patience", p.patience)
		}
	}
}

// moreMemory says what helps against a reply that is too long.
func (p *Program) moreMemory() string {
	if p.mostLine == maxLine {
		return ""
	}
	return fmt.Sprintf(", one byte in %d of the memory of the audit: more memory allows longer ones", lineShare)
}

// judge says what is wrong if there is no line.
func (p *Program) judge(err error) error {
	switch err {
	case nil:
		return nil
	case errLong:
		return p.fail("the reply is too long, must have at most %d MB%s", p.mostLine>>20, p.moreMemory())
	case io.ErrUnexpectedEOF:
		return p.gone("closed its standard output inside a line")
	}
	return p.gone(err.Error())
}
