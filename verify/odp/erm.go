package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// erm are the statements on p_min and on output perturbation.
func erm() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-E5",
			Title:   "p_min(x^train) = arg min_p (1/n) Σ l(y·p^T x) + Λ·N(p)",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition. For Λ > 0 the objective is Λ-strongly convex, so that there is one p_min; every minimizer here is certified through ‖p − p_min‖ ≤ ‖gradient‖/Λ.",
			In:      []string{"spec.Objective", "spec.Minimizer", "impl.Minimizer", "impl.MinimizerOnLine"},
		},
		{
			ID:      "ODP-A4",
			Title:   "Output perturbation is ε-DP: |ln| of the ratio of the densities of p̃_min is at most ε",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "Line 1 says that the *element-wise* density of q is proportional to exp(−γ‖q‖_2), γ = nΛε/2. It is read as the joint density of the vector, the only one that ‖q‖_2 is a function of. " +
				"With every coordinate drawn by itself, with density proportional to exp(−γ|q_j|), it is not ε-DP for d ≥ 2: the loss is (nΛε/2)·‖p_min − p'_min‖_1, up to √d·ε: 41/29·ε if a record moves from (20/29, 21/29) to the opposite point. The last control is that reading. " +
				"The densities are those of real numbers; a release as float64 is another mechanism. By the triangle inequality the loss is largest at p̃ = p_min, where it is (nΛε/2)·‖p_min − p'_min‖_2.",
			In:    []string{"spec.ERMOutputPert", "impl.ERMOutputPert", "impl.PerturbationLoss"},
			Check: perturbation(rat.One, euclidean),
			Controls: []register.Claim{
				{Says: "it is, with density proportional to exp(−nΛε‖q‖), half the noise", Check: perturbation(rat.Of("2"), euclidean)},
				{Says: "it is, with two thirds of the noise", Check: perturbation(rat.Of("3/2"), euclidean)},
				{Says: "it is, with a fifth less noise", Check: perturbation(rat.Of("5/4"), euclidean)},
				{Says: "it is, with every coordinate drawn by itself, with density proportional to exp(−γ|q_j|)", Check: perturbation(rat.One, manhattan)},
			},
		},
		{
			ID:      "ODP-T16",
			Title:   "The L_2-sensitivity of p_min is at most 2/(n^train·Λ)",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "Checked for l(z) = −z and the logistic loss, both with N = (1/2)‖p‖² and d ≤ 2. Tight: l(z) = −z attains it. For the logistic loss |l'| < 1, and nothing attains it; in two dimensions it is approached as Λ → 0 with nΛ fixed " +
				"(all other records at (1, 0), one moves from (−cos θ, sin θ) to (−cos θ, −sin θ)), and 2σ(R)/(nΛ) is a sharper bound, see impl.LogisticErrorSensitivity.",
			In:    []string{"spec.ERMSensitivity", "impl.ERMSensitivity", "impl.Minimizer", "impl.MinimizerOnLine"},
			Check: minimizerMoves(rat.Of("2"), anyLoss),
			Controls: []register.Claim{
				{Says: "it is at most 1.99/(nΛ)", Check: minimizerMoves(rat.Of("1.99"), anyLoss)},
				{Says: "it is at most 1/(nΛ) for the logistic loss", Check: minimizerMoves(rat.Of("1"), logistic)},
				{Says: "it is at most 1/(2nΛ) for the logistic loss", Check: minimizerMoves(rat.Of("1/2"), logistic)},
			},
		},
	}
}

// minimizerMoves checks that neighbouring p_min are at most c/(nΛ) apart, for some losses.
func minimizerMoves(c *big.Rat, applies func(move) bool) register.Check {
	return func(t *register.T) {
		most, where := 0.0, ""
		for m := range moves(t) {
			if !applies(m) {
				continue
			}
			t.Case()
			atMost(t, m.l2, rat.Quo(c, m.weight()), "%s: ‖p_min − p'_min‖", m.text)
			if part := rat.Float64(rat.Mul(m.l2.lower, m.weight())); part > most && logistic(m) {
				most, where = part, m.text
			}
		}
		t.Domain("%s; the largest ‖p_min − p'_min‖ for the logistic loss is %.4g/(nΛ): %s", movesDomain(t), most, where)
	}
}

// perturbation checks that the privacy loss of Algorithm 4, with its rate multiplied and
// with noise of a density proportional to exp(−γ·length(q)), is at most ε: at p_min, where
// it is largest, and for the logistic loss in one dimension also at outputs on a grid.
func perturbation(rate *big.Rat, length func(move) bounds) register.Check {
	return func(t *register.T) {
		for m := range moves(t) {
			for _, eps := range rat.List("1/2", "3") {
				t.Case()
				noise := rat.Mul(rate, eps)
				loss := length(m).times(rat.Mul(rat.Mul(m.weight(), noise), rat.Half))
				atMost(t, loss, eps, "%s, ε = %s: loss at p_min", m.text, rat.Show(eps))
				if logistic(m) && len(m.train[0][0].X) == 1 {
					lossOnLine(t, m, noise, eps)
				}
			}
		}
	}
}

// lossOnLine checks that the loss with noise for ε = noise is at most eps at some outputs.
func lossOnLine(t *register.T, m move, noise, eps *big.Rat) {
	var x [2]impl.ReleaseTest
	for i := range x {
		x[i] = impl.ReleaseTest{Train: m.train[i], Eps1: noise, Lambda: m.lambda}
	}
	for _, p := range []float64{0, 0.25, -3} {
		loss, err := impl.PerturbationLoss(x[0], x[1], p)
		t.Must(err)
		atMost(t, magnitude(loss), eps, "%s, ε = %s: loss at %g", m.text, rat.Show(eps), p)
	}
}
