package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

// response answers whether a bit is set, truthfully three times out of four: it is ln 3-DP.
type response struct{ bit bool }

func (r response) Sample(_ context.Context, n int, seed [32]byte, s *audit.Sample) error {
	random := rand.New(rand.NewChaCha8(seed))
	for range n {
		if err := s.AddValue("", r.bit != (random.IntN(4) == 0)); err != nil {
			return err
		}
	}
	return nil
}

// An audit of a mechanism in Go.
func ExampleRun() {
	pair := audit.Pair{Inputs: [2]string{"true", "false"}, Samplers: [2]audit.Sampler{response{true}, response{false}}}
	options := audit.Options{Samples: 20_000, Alpha: 0.001, Seed: 1}
	for _, expEps := range []int64{3, 2} {
		claim := audit.DP(loss.Exp(big.NewRat(expEps, 1)), new(big.Rat))
		r, err := audit.Run(context.Background(), claim, []audit.Pair{pair}, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("e^ε = %d: %s\n", expEps, r.Verdict)
	}
	// Output:
	// e^ε = 3: no violation found
	// e^ε = 2: refuted
}
