package odp

import (
	"math"
	"slices"

	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// noiseLevel is the probability with which one comparison of draws rejects a law that is right, by the inequality of
// Dvoretzky, Kiefer, Wolfowitz and Massart: sup |F_n − F| is more than x with probability at most 2e^(−2nx²).
const noiseLevel = 1e-9

// drawsLaw checks draws of q in d dimensions: γ‖q‖ has the law of Erlang with d steps, and the first coordinate of the
// direction is that of a uniform point of the circle or of the sphere (Archimedes).
//
// Power: a law that differs by 2·0.0127 somewhere is rejected with probability at least 1 − 1e-9 with 66000 draws;
// noise that is 7 % too small differs by 0.037 for d = 2 and by 0.045 for d = 3.
func drawsLaw(t *register.T) {
	n := t.Size(66_000, 1_000_000)
	far := math.Sqrt(math.Log(2/noiseLevel) / (2 * float64(n)))
	for d := 2; d <= 3; d++ {
		x := make([]float64, d)
		x[0] = 1
		db := training{[]impl.LabelledRecord{{X: x, Y: 1}, {X: x, Y: 0.5}}, logisticLoss, halfSquare, rat.Of("3/2")}
		gamma := 2 * 1.5 * 0.75 / 2 // nΛε/2 with ε = 3/4
		min, _ := db.minimum()
		runs, err := impl.NewERMRuns(db.train, 0.75, 1.5)
		t.Must(err)
		noise := impl.NewNoise([32]byte{4, byte(d)})
		var radius, first []float64
		for range n {
			q := runs.Draw(noise)
			square := 0.0
			for i := range q {
				q[i] -= min[i]
				square += q[i] * q[i]
			}
			radius, first = append(radius, gamma*math.Sqrt(square)), append(first, q[0]/math.Sqrt(square))
		}
		t.Case()
		if x, at := farthest(radius, func(r float64) float64 { return erlang(d, r) }); x > far {
			t.Refute("d = %d: of %d draws, the part with γ‖q‖ up to %.6g differs by %.6g from that of the density e^(−γ‖q‖), "+
				"more than %.6g", d, n, at, x, far)
		}
		if x, at := farthest(first, func(c float64) float64 { return axis(d, c) }); x > far {
			t.Refute("d = %d: of %d draws, the part with a first coordinate of the direction up to %.6g differs by %.6g from "+
				"that of a uniform one, more than %.6g", d, n, at, x, far)
		}
	}
	t.AlsoDomain("%d draws of q for d = 2 and 3 with the noise of impl: radius and direction, each at a level of %g", n,
		noiseLevel)
}

// farthest returns the largest |F_n − F|, and where it is.
func farthest(draws []float64, law func(x float64) float64) (most, at float64) {
	slices.Sort(draws)
	n := float64(len(draws))
	for i, x := range draws {
		f := law(x)
		if far := max(f-float64(i)/n, float64(i+1)/n-f); far > most {
			most, at = far, x
		}
	}
	return most, at
}

// erlang returns the probability that d steps of exponential length come to at most r: 1 − e^(−r) Σ_{k<d} r^k/k!.
func erlang(d int, r float64) float64 {
	term, sum := 1.0, 0.0
	for k := range d {
		sum += term
		term *= r / float64(k+1)
	}
	return 1 - math.Exp(-r)*sum
}

// axis returns the probability that a coordinate of a uniform point of the circle, d = 2, or of the sphere, d = 3, is
// at most c.
func axis(d int, c float64) float64 {
	if d == 2 {
		return 1 - math.Acos(max(-1, min(1, c)))/math.Pi
	}
	return (1 + c) / 2
}
