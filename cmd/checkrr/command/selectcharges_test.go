package command

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/selection"
)

// deltaOfAllRuns goes through all answers of at most three runs of randomized response, of which there are j with
// probability pr[j−1], and sums up what is beyond the charge of j runs.
func deltaOfAllRuns(eps float64, pr, charges [3]float64) (delta float64) {
	likely := math.Exp(eps) / (1 + math.Exp(eps))
	for j := 1; j <= 3; j++ {
		for answers := range 1 << j {
			p, q := pr[j-1], pr[j-1]
			for i := range j {
				if answers&(1<<i) > 0 {
					p, q = p*likely, q*(1-likely)
				} else {
					p, q = p*(1-likely), q*likely
				}
			}
			delta += math.Max(0, p-math.Exp(charges[j-1])*q)
		}
	}
	return delta
}

// What is charged by the number of runs, if it is drawn whatever the data are, keeps to δ, and not if it is a little
// less; to charge what any rule for stopping needs is more.
func TestChargesOf_AllAnswers(t *testing.T) {
	t.Parallel()
	delta := big.NewRat(1, 20)
	for _, gamma := range []int64{2, 3, 10} {
		for _, eps := range []float64{0.3, 0.7, 2} {
			p := selection.Plan{Gamma: big.NewRat(1, gamma), Limit: 3, Eps: eps, Delta: new(big.Rat)}
			var charges [2][3]float64
			for i, mayDepend := range []bool{false, true} {
				c, err := chargesOf(t.Context(), p, mayDepend, delta)
				if err != nil {
					t.Fatal(err)
				}
				if len(c.runs) != 3 || c.runs[2] != 3 {
					t.Fatalf("charges for %v runs", c.runs)
				}
				for k, x := range c.eps {
					charges[i][k], _ = x.Float64()
				}
			}
			g := 1 / float64(gamma)
			pr := [3]float64{g, (1 - g) * g, (1 - g) * (1 - g)}
			got, less := deltaOfAllRuns(eps, pr, charges[0]), charges[0]
			for k := range less {
				less[k] -= 1e-6
			}
			if got > 0.05*(1+1e-9) || got < 0.05*(1-1e-4) || deltaOfAllRuns(eps, pr, less) <= 0.05 {
				t.Errorf("ε = %g, γ = 1/%d: charges %v have δ = %g, a little less %g", eps, gamma, charges[0], got,
					deltaOfAllRuns(eps, pr, less))
			}
			for k := range 3 {
				if charges[1][k] < charges[0][k]-1e-9 {
					t.Errorf("ε = %g, γ = 1/%d: %v for any rule, %v for a number that is drawn", eps, gamma, charges[1],
						charges[0])
				}
			}
		}
	}
}
