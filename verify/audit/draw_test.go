package audit

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// drawLevel is how often [TestStatistical_Binomial] fails for other seeds, if all laws are right.
const drawLevel = 1e-6

// farthest returns by how much the share of draws that are k at most differs from a distribution function, for the k
// where that is most, and what that is with a probability of at most level if the draws are independent and of that
// law.
//
// Source: Dvoretzky, Kiefer and Wolfowitz (1956) with the constant of Massart (1990), which holds for all laws and
// sizes.
func farthest(draws []int, most int, cdf func(k int) float64, level float64) (distance, chance float64) {
	draws = slices.Sorted(slices.Values(draws))
	n, below := float64(len(draws)), 0
	for k := range most + 1 {
		for below < len(draws) && draws[below] <= k {
			below++
		}
		distance = max(distance, math.Abs(float64(below)/n-cdf(k)))
	}
	return distance, math.Sqrt(math.Log(2/level) / (2 * n))
}

// Null hypothesis: draws have the binomial law, but for an error of 0.004 of the distribution function where the
// variance is more than normalFrom. Sample: 50,000 draws for each law, 150,000 with -full. Level: drawLevel.
// Power: an error of 0.03 somewhere, 0.016 with -full, is seen nearly surely.
func TestStatistical_Binomial(t *testing.T) {
	laws := []struct {
		n int
		p float64
	}{
		{1, 0.3}, {2, 0.5}, {63, 0.5}, {64, 0.5}, {65, 0.5}, {10, 0.9}, {40, 0.02}, {100, 0.3}, {1_000_000,
			1e-6}, {1_000_000, 2.9e-5},
		{1_000_000, 3.1e-5}, {200, 0.2}, {200, 0.8}, {160, 0.5}, {30_000, 0.4}, {30_000, 0.99},
	}
	draws := AtLeast(50_000, 150_000)
	for i, law := range laws {
		dice := diceOf(uint64(i))
		all := make([]int, draws)
		for j := range all {
			all[j] = binomial(law.n, law.p, dice)
		}
		most := min(law.n, slices.Max(all))
		cdf := func(k int) float64 { return distuv.Binomial{N: float64(law.n), P: law.p}.CDF(float64(k)) }
		slack := 0.0
		if float64(law.n)*law.p*(1-law.p) > normalFrom {
			slack = 0.004
		}
		distance, chance := farthest(all, most, cdf, drawLevel/float64(len(laws)))
		if distance > chance+slack {
			t.Errorf("n = %d, p = %g: the distribution function is off by %.4f, must by at most %.4f", law.n, law.p,
				distance, chance+slack)
		}
	}
}

// What is certain needs no draw.
func TestBinomial_Certain(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want int
	}{{0, 0.5, 0}, {7, 0, 0}, {7, -1e-17, 0}, {7, 1, 7}, {7, 1 + 1e-15, 7}, {1e6, 1e-300, 0}} {
		if got := binomial(c.n, c.p, diceOf(1)); got != c.want {
			t.Errorf("n = %d, p = %g: %d, must be %d", c.n, c.p, got, c.want)
		}
	}
}

// The counts of a multinomial law, and what is kept of counts, have the means of each and sum to the whole. Sample:
// 50,000 draws; a mean is off by six standard deviations with probability 2e-9, and the seed is fixed.
func TestStatistical_Counts(t *testing.T) {
	const draws = 50_000
	p, sums, kept := []float64{0.1, 0, 0.6, 0.05, 0.25}, make([]int, 5), 0
	dice := diceOf(3)
	for range draws {
		counts := multinomial(30, p, dice)
		for c, k := range counts {
			sums[c] += k
		}
		if sumOf(counts) != 30 {
			t.Fatalf("%v sum to %d, must to 30", counts, sumOf(counts))
		}
		few := thinned([2][]int{{0, 40}, {12}}, 100, 30, dice)
		if few[0][0] != 0 || len(few[0]) != 2 || len(few[1]) != 1 {
			t.Fatalf("%v are kept of [[0 40] [12]]", few)
		}
		kept += few[0][1]
	}
	check := func(name string, sum, n int, p float64) {
		if mean := float64(sum) / draws; !near(mean, float64(n)*p, 6*math.Sqrt(float64(n)*p*(1-p)/draws)) {
			t.Errorf("%s: the mean is %g, must be %g", name, mean, float64(n)*p)
		}
	}
	for c := range p {
		check(fmt.Sprint("cell ", c), sums[c], 30, p[c])
	}
	check("what is kept", kept, 40, 0.3)
}
