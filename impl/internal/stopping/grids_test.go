package stopping

import (
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// With many stops, each pipeline is solved on grids for OptDel and on others for Lemma 11: both are as narrow as was
// asked for, contain what is found for each of them alone, and the hints for OptDel find it again.
func TestSolve_Split(t *testing.T) {
	t.Parallel()
	const width = 1e-3
	noise := certify.Additive{Noise: certify.Gaussian, Scale: big.NewRat(2, 1), Sampling: big.NewRat(1, 10)}
	for _, stops := range []int{manyStops - 1, manyStops, 2 * manyStops} {
		x := certify.Problem{Mechanisms: []certify.Mechanism{{Additive: &noise, Count: stops}}}
		for i := range stops {
			x.Stops = append(x.Stops, certify.Stop{After: i + 1, Eps: loss.Nats(big.NewRat(int64(10+i), 50))})
		}
		p := New(x)
		found := map[certify.Need]*Result{}
		for _, need := range []certify.Need{certify.Both, certify.Game, certify.Singles} {
			s, err := Solve(t.Context(), p, Options{RelWidth: width, Need: need})
			if err != nil || s.Shortfall != "" {
				t.Fatalf("%d stops: %v, %q", stops, err, s.Shortfall)
			}
			found[need] = s
		}
		both, lemma11Slack := found[certify.Both], map[bool]float64{false: 1, true: lemma11Slack}[stops >= manyStops]
		if both.Lemma11Slack != lemma11Slack || both.OptDel.RelWidth() > width ||
			both.Lemma11.RelWidth() > lemma11Slack*width {
			t.Errorf("%d stops: Lemma 11 may be %g times as wide; widths %.2g and %.2g",
				stops, both.Lemma11Slack, both.OptDel.RelWidth(), both.Lemma11.RelWidth())
		}
		if both.Lemma11.RelWidth() < lemma11Slack*width/10 { // it would take longer than it must
			t.Errorf("%d stops: Lemma 11 is as narrow as %.2g", stops, both.Lemma11.RelWidth())
		}
		meet := func(what string, x, y interval.Interval) {
			if x.Upper.Cmp(y.Lower) < 0 || y.Upper.Cmp(x.Lower) < 0 {
				t.Errorf("%d stops: %s is in %v and in %v", stops, what, x, y)
			}
		}
		meet("OptDel", both.OptDel, found[certify.Game].OptDel)
		meet("Lemma 11", both.Lemma11, found[certify.Singles].Lemma11)
		sum := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf)
		for i, x := range both.SingleStop {
			meet("a single stop", x, found[certify.Singles].SingleStop[i])
			sum.Add(sum, x.Upper)
		}
		if len(both.SingleStop) != stops || sum.Cmp(both.Lemma11.Upper) != 0 {
			t.Errorf("%d stops: %d single stops, whose sum is %v, Lemma 11 is %v",
				stops, len(both.SingleStop), sum, both.Lemma11.Upper)
		}
		again, err := certify.Check(t.Context(), both.Certified[0].Problem, both.Certified[0].Hints)
		if err != nil || again.OptDel.Upper.Cmp(both.OptDel.Upper) != 0 ||
			again.OptDel.Lower.Cmp(both.OptDel.Lower) != 0 {
			t.Errorf("%d stops: %v, found again is %v, was %v", stops, err, again.OptDel, both.OptDel)
		}
	}
}
