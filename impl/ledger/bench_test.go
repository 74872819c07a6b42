package ledger

import (
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// BenchmarkOdometer is one event of an odometer that is read after each.
func BenchmarkOdometer(b *testing.B) {
	filter, mixture, stitched := FilterCurve{1}, MixtureCurve{0.1}, StitchedCurve{0.01}
	for name, curve := range map[string]Curve{"filter": filter, "mixture": mixture, "stitched": stitched,
		"rogers": RogersCurve{1000}, "best": BestCurve{filter, mixture, stitched}} {
		b.Run(name, func(b *testing.B) {
			o, err := NewOdometer(curve, rational.MustParse("5e-6"), rational.MustParse("5e-6"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				if err := o.Spend(loss.Nats(big.NewRat(1000+i%1000, 1_000_000_000)), new(big.Rat)); err != nil {
					b.Fatal(err)
				}
				if o.Read().Events == 0 {
					b.Fatal("nothing was counted")
				}
			}
		})
	}
}
