// Command google is mechanisms of Google's library for differential privacy, that checkrr can
// audit. Its first argument names one of them. The protocol is described in
// docs/audit-protocol.md; seeds are ignored, as the library draws from the system.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// request asks for n outputs on an input.
type request struct {
	ID    int       `json:"id"`
	Input []float64 `json:"input"`
	N     int       `json:"n"`
}

// reply answers a request.
type reply struct {
	ID      int    `json:"id"`
	Outputs []any  `json:"outputs,omitempty"`
	Error   string `json:"error,omitempty"`
}

func main() {
	if len(os.Args) != 2 || mechanisms[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: google MECHANISM, one of mechanisms.go")
		os.Exit(2)
	}
	if err := serve(os.Stdin, os.Stdout, mechanisms[os.Args[1]]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers requests until there are no more.
func serve(in io.Reader, out io.Writer, draw mechanism) error {
	requests := json.NewDecoder(in)
	replies := json.NewEncoder(out) // one line each, not buffered
	for {
		var r request
		switch err := requests.Decode(&r); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := replies.Encode(answer(r, draw)); err != nil {
			return err
		}
	}
}

// answer draws the outputs.
func answer(r request, draw mechanism) reply {
	outputs := make([]any, r.N)
	for i := range outputs {
		output, err := draw(r.Input)
		if err != nil {
			return reply{ID: r.ID, Error: err.Error()}
		}
		outputs[i] = output
	}
	return reply{ID: r.ID, Outputs: outputs}
}
