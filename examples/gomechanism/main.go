// Command gomechanism is a mechanism that checkrr can audit: how many ones are in a list,
// with Laplace noise. It does what examples/laplace.py does, in Go. The protocol is
// described in docs/audit-protocol.md.
//
//	go run ./gomechanism -noise 1.0
//
// The noise has the scale noise / eps. The count changes by at most 1 when one element of
// the list is replaced, so that 1.0 gives eps-differential privacy and anything less does
// not.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
)

const eps = 1.0

// request asks for n outputs on an input.
type request struct {
	ID    int             `json:"id"`
	Input json.RawMessage `json:"input"`
	N     int             `json:"n"`
	Seed  uint64          `json:"seed"`
}

// reply answers a request, with as many outputs as were asked for or with an error.
type reply struct {
	ID      int       `json:"id"`
	Outputs []float64 `json:"outputs,omitempty"`
	Error   string    `json:"error,omitempty"`
}

func main() {
	noise := flag.Float64("noise", 1, "factor of the noise; 1.0 is right")
	flag.Parse()
	if err := serve(os.Stdin, os.Stdout, *noise/eps); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers requests until there are no more.
func serve(in io.Reader, out io.Writer, scale float64) error {
	requests := json.NewDecoder(bufio.NewReader(in))
	replies := json.NewEncoder(out) // one line each, not buffered
	for {
		var r request
		switch err := requests.Decode(&r); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := replies.Encode(answer(r, scale)); err != nil {
			return err
		}
	}
}

// answer draws the outputs, all from the seed of the request.
func answer(r request, scale float64) reply {
	var x []int
	if json.Unmarshal(r.Input, &x) != nil {
		return reply{ID: r.ID, Error: fmt.Sprintf("the input is %s, must be a list of 0 and 1", r.Input)}
	}
	count := 0.0
	for _, element := range x {
		if element != 0 {
			count++
		}
	}
	random := rand.New(rand.NewPCG(r.Seed, 0))
	outputs := make([]float64, r.N)
	for i := range outputs {
		outputs[i] = rounded(count + scale*(random.ExpFloat64()-random.ExpFloat64()))
	}
	return reply{ID: r.ID, Outputs: outputs}
}

// rounded returns x to six decimals. That is done after the noise and looks at nothing
// else, so it costs no privacy. Without it the lowest bits of the float would tell which
// count the noise was added to: not all numbers can be written as this count plus some
// noise (Mironov 2012, "On significance of the least significant bits for differential
// privacy").
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
