package stopping
import ("testing";"math/big";"checkrr/impl/certify";"checkrr/impl/loss";"checkrr/impl/interval")
func TestDbg(t *testing.T) {
	a := certify.Additive{Noise: certify.Gaussian, Scale: big.NewRat(6,10), Sampling: big.NewRat(1,10000)}
	p := Problem{Steps: []Step{{Pair: NewAdditive(a), Count: 100000}}, Stops: []Stop{{100000, loss.Nats(big.NewRat(1,1))}}}
	d := big.NewFloat(1e-6)
	s, err := Compose(t.Context(), p, Remainder{Interval: interval.New(d,d)}, Options{RelWidth: 1e-4})
	t.Log(s.Eps, err)
}
