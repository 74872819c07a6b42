package stopping
import ("testing";"math/big";"checkrr/impl/certify";"checkrr/impl/loss")
func TestDbg(t *testing.T) {
	a := certify.Additive{Noise: certify.Gaussian, Scale: big.NewRat(3,10), Sampling: big.NewRat(1,1000000)}
	_ = loss.Epsilon{}
	p := Problem{Steps: []Step{{Pair: NewAdditive(a), Count: 100}}, Stops: []Stop{{100, loss.Nats(big.NewRat(1,100))}}}
	s, err := Solve(t.Context(), p, Options{RelWidth: 1e-4})
	t.Log(s.OptDel, err)
}
