package audit

import (
	"math/big"
	"testing"

	"checkrr/impl/loss"
)

func BenchmarkAudit(b *testing.B) {
	for b.Loop() {
		_, err := Run(b.Context(), DP(loss.Nats(big.NewRat(1, 1)), new(big.Rat)),
			[]Pair{{Samplers: [2]Sampler{laplaceSampler{0, 1}, laplaceSampler{1, 1}}}},
			Options{Samples: 1e6, Alpha: 0.01})
		if err != nil {
			b.Fatal(err)
		}
	}
}
