package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparseProofs are the steps of the proofs of Theorems 3.25 to 3.28.
func sparseProofs() register.Checks {
	return register.Checks{
		"AFD-T3.25.s1": checked(with(restarts, restartsSparse),
			near("AboveThreshold(D, {f_i}, T, 21/20·ε')", with(restarts, restartsLater)),
			corrected("AboveThreshold(D, {f_i}, T, ε')", with(restarts, restartsAboveThreshold))),
		"AFD-T3.26.s1": checked(byOneRun("1"), near("with 20/19·ε' for ε'", byOneRun("20/19"))),
		"AFD-T3.27.s1": checked(partsOfNumeric("1", "0", "as printed"),
			near("with 20/19·(8/9)ε", partsOfNumeric("20/19", "0", "as printed"))),
		"AFD-T3.27.s2": checked(partsOfNumeric("1", "1e-6, 1/2", "0"),
			near("NumericSparse(D, {f_i}, T, c, ε, δ), with 20/19·√512/(√512 + 1)·ε",
				partsOfNumeric("20/19", "1e-6, 1/2", "as printed")),
			corrected("NumericSparse(D, {f_i}, T, c, ε, δ)", partsOfNumeric("1", "1e-6, 1/2", "as printed"))),
		"AFD-T3.28.s1": checked(sparseOfNumeric("1", "0, 1e-6, 1/2"),
			near("with 20/19·ε_1 for ε_1", sparseOfNumeric("20/19", "0, 1e-6, 1/2"))),
		"AFD-T3.28.s2": checked(numbersOf("1", "0, 1e-6, 1/2"),
			near("for δ = 0, with 4/5·α", numbersOf("4/5", "0")),
			corrected("for δ = 0", numbersOf("1", "0"))),
	}
}

// asker is an analyst without thresholds.
type asker = func(x int, a []bool) (q float64, stop bool)

// restart runs an algorithm for what Sparse restarts, with ε′.
type restart func(ask asker, c int, each, delta float64, noise spec.Noise) ([]bool, error)

func restartsSparse(ask asker, c int, each, delta float64, noise spec.Noise) ([]bool, error) {
	return spec.Sparse(0, ask, 0, c, each, delta, noise)
}

func restartsAboveThreshold(ask asker, _ int, each, _ float64, noise spec.Noise) ([]bool, error) {
	return spec.AboveThreshold(0, ask, 0, each, noise)
}

func restartsLater(ask asker, _ int, each, _ float64, noise spec.Noise) ([]bool, error) {
	return spec.AboveThreshold(0, ask, 0, 1.05*each, noise)
}

// restarts checks that Sparse has the outputs, and draws the noise, of an algorithm that is started c times.
func restarts(t *register.T, of restart) {
	n := t.Size(300, 30000)
	t.Domain("%d tapes, T = 0, up to 8 queries, c ≤ 3, ε in {1/4, 1}, δ in {0, 1e-6, 1/2}", n)
	t.Random(9, n, func(t *register.T, d register.Dice) {
		c, eps, delta := 1+d.Roll(3), oneOf(d, 1, 0.25), oneOf(d, 0, 0.5, 1e-6)
		each := eps / float64(c)
		if delta > 0 {
			each = eps / math.Sqrt(8*float64(c)*math.Log(1/delta))
		}
		s := sparseCase{answers: drawn(d, d.Roll(9), 8, 1/each)}
		draws := drawn(d, 13, 8, 0.12)
		t.At("ε = %g, δ = %g, c = %d, answers %v, draws %v", eps, delta, c, s.answers, draws)
		tape, apart := tapes(draws)[0], tapes(draws)[1]
		want, whole := register.Must(spec.Sparse(0, s.ask, 0, c, eps, delta, tape)), []bool(nil)
		for range c {
			before := whole
			outputs := register.Must(of(func(_ int, a []bool) (float64, bool) {
				return s.ask(0, append(before[:len(before):len(before)], a...))
			}, c, each, delta, apart))
			whole = append(whole, outputs...)
		}
		t.Require(len(whole) == len(want), "%d outputs, and %d by restarts", len(want), len(whole))
		for i := range min(len(tape.Scales), len(apart.Scales)) {
			t.Require(math.Abs(tape.Scales[i]/apart.Scales[i]-1) <= 1e-12 && (i >= len(want) || want[i] == whole[i]),
				"draw %d has the scale %.9g, and %.9g by restarts", i+1, tape.Scales[i], apart.Scales[i])
		}
	})
}

// byOneRun checks that α of Sparse is that of AboveThreshold with β/c and a multiple of ε′, by both rooms.
var byOneRun = on("k in {1, 1000}, c in {1, 5}, β in {1/1000, 1/3}, ε in {1/2, 3}, δ in {0, 1e-6, 1/2}",
	func(t *register.T, more string, k, c int, beta, eps, delta *big.Rat) {
		each := rat.Float64(eps) / float64(c)
		if delta.Sign() > 0 {
			each = rat.Float64(eps) / math.Sqrt(8*float64(c)*math.Log(1/rat.Float64(delta)))
		}
		claimed := spec.AboveThresholdAccuracy(k, rat.Float64(beta)/float64(c), each*rat.Float64(rat.Of(more)))
		isAbout(t, "α", impl.SparseAccuracy(k, c, beta, eps, delta), claimed)
		isAbout(t, "α", impl.SparseAccuracy(k, c, beta, eps, delta),
			spec.SparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
	})

// partsOfNumeric checks that the noise of NumericSparse, with the δ that is printed or 0, is that of Sparse with a
// multiple of its ε and δ/2, and of Laplace mechanisms that are together (ε′, δ/2)-DP: with 2/σ for δ = 0, and the c
// that Theorem 3.20 has at a first term of ε′/2.
func partsOfNumeric(more, deltas, of string) register.Check {
	settings := "c in {1, 5}, ε in {1/2, 3}, δ in {" + deltas + "}"
	return finite.Over(settings, func(t *register.T, c int, eps, delta *big.Rat) {
		own := delta
		if of == "0" {
			own = new(big.Rat)
		}
		first, second := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(own))
		numericScales(t, c, eps, own, 1e-12)
		root, half := math.Sqrt(512), rat.Float64(delta)/2
		share, rest, answer := root/(root+1), 1/(root+1), 0.0
		if delta.Sign() == 0 {
			share, rest = 8.0/9, 1.0/9
			answer = rest * rat.Float64(eps) / float64(c)
		} else {
			answer = rest * rat.Float64(eps) / math.Sqrt(8*float64(c)*math.Log(1/half))
		}
		sigma := spec.SparseScale(c, share*rat.Float64(eps)*rat.Float64(rat.Of(more)), half)
		t.Require(math.Abs(first/sigma-1) <= 1e-12, "T̂ has the scale %.9g, and %.9g in Sparse", first, sigma)
		t.Require(math.Abs(second*answer-1) <= 1e-12, "numbers have the scale %.9g, and %.9g", second, 1/answer)
	})()
}

// sparseOfNumeric checks that α of NumericSparse is that of Sparse with β/2, a multiple of ε_1 and, as its σ says, δ/2.
func sparseOfNumeric(more, deltas string) register.Check {
	return finite.Over("k in {1, 1000}, c in {1, 5}, β in {1/1000, 1/3}, ε in {1/2, 3}, δ in {"+deltas+"}",
		func(t *register.T, k, c int, beta, eps, delta *big.Rat) {
			root, share := math.Sqrt(512), 8.0/9
			if delta.Sign() > 0 {
				share = root / (root + 1)
			}
			claimed := spec.SparseAccuracy(k, c, rat.Float64(beta)/2, share*rat.Float64(eps)*rat.Float64(rat.Of(more)),
				rat.Float64(delta)/2)
			isAbout(t, "α", impl.NumericSparseAccuracy(k, c, beta, eps, delta), claimed)
			isAbout(t, "α", impl.NumericSparseAccuracy(k, c, beta, eps, delta),
				spec.NumericSparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
		})()
}

// numbersOf checks that c numbers are off by more than a share of α with a probability of at most β/2, by Theorem 3.8:
// σ(ε_2)·ln(2c/β) ≤ α.
func numbersOf(share, deltas string) register.Check {
	return finite.Over("k in {1, 1000}, c in {1, 5}, β in {1/1000, 1/3}, ε in {1/2, 3}, δ in {"+deltas+"}",
		func(t *register.T, k, c int, beta, eps, delta *big.Rat) {
			alpha := times(impl.NumericSparseAccuracy(k, c, beta, eps, delta), rat.Of(share))
			isAbout(t, "α", impl.NumericSparseAccuracy(k, c, beta, eps, delta),
				spec.NumericSparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
			sigma := numericScales(t, c, eps, delta, 1e-12)[1]
			isBelow(t, "σ(ε_2)·ln(2c/β)", precise.Mul(sigma, precise.Log(rat.Quo(rat.Int(2*c), beta))), alpha)
		})()
}
