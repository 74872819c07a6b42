package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// optimalAt is optimal composition by the theorem of Murtagh and Vadhan: the δ of a stop by itself, or of so many
// mechanisms fewer.
func optimalAt(t *register.T, p finite.Pipeline, s spec.Stop, fewer int) *big.Rat {
	s.After = max(1, s.After-fewer)
	return optimalStopping(t, finite.Pipeline{Mechanisms: p.Mechanisms[:s.After], Stops: []spec.Stop{s}})
}

// byTheorems returns the δ of all stops by all theorems on composition, rounded upward: first by optimal composition.
func byTheorems(t *register.T, p finite.Pipeline) (names []string, deltas [][]*big.Rat) {
	names, deltas = []string{"optimal composition"}, [][]*big.Rat{nil}
	for _, s := range p.Stops {
		deltas[0] = append(deltas[0], optimalAt(t, p, s, 0))
	}
	for _, name := range impl.Theorems {
		stops, _, err := impl.Lemma11With(t.Context(), p.Impl(), name)
		t.Must(err)
		var all []*big.Rat
		for _, x := range stops {
			all = append(all, rat.Exact(x.Upper))
		}
		names, deltas = append(names, string(name)), append(deltas, all)
	}
	return names, deltas
}

// extraClaim is a variant of ODP-X25.
type extraClaim struct {
	extra       *big.Rat // this part of the extra δ is claimed to be enough
	samePoints  bool     // other stopping points are claimed to have the same extra δ
	withoutLast bool     // the last mechanism before a stop does not count
}

// anyTheorem checks that OptDel is at most the δ of all mechanisms together and the extra δ, by all theorems; and
// that the extra δ of optimal composition is not the same for other stopping points. What impl gives for a theorem is
// compared with its formula in [asFormulas].
func anyTheorem(t *register.T, claim extraClaim) {
	most := t.Size(4, 7)
	t.Domain("%d and %d mechanisms with e^ε = 3/2 and 11/10 in turn, all stopping points, e^ℰ_i = 5/4, 2 and 3 in turn "+
		"or 1 + i/2; (3/2, 1/10) and (3, 0) in turn", most-1, most)
	for k := most - 1; k <= most; k++ {
		extras := map[string]bool{}
		for _, points := range subsequences(k) {
			for _, p := range chargedAt(k, points) {
				t.Case()
				if extra := claim.isEnough(t, p); len(points) == 2 {
					extras[rat.Show(extra)] = true
				}
			}
		}
		t.Require(claim.samePoints == (len(extras) < 2), "%d mechanisms, two stops: there are %d values of the extra δ of "+
			"optimal composition", k, len(extras))
	}
	optimalIsPrinted(t)
}

// isEnough checks one pipeline, and returns the extra δ of optimal composition.
func (claim extraClaim) isEnough(t *register.T, p finite.Pipeline) (extra *big.Rat) {
	optDel := register.Must(impl.OptDel(t.Context(), p.Impl(), impl.Options{})).OptDel
	names, deltas := byTheorems(t, p)
	last := len(p.Stops) - 1
	for i, name := range names {
		if claim.withoutLast && i == 0 {
			for j, s := range p.Stops {
				deltas[i][j] = optimalAt(t, p, s, 1)
			}
		}
		bound := rat.Add(deltas[i][last], rat.Mul(claim.extra, rat.Sum(deltas[i][:last]...)))
		t.Require(rat.Exact(optDel.Lower).Cmp(bound) <= 0, "%v: OptDel is at least %.9g, more than %.9g by %s", p,
			optDel.Lower, bound, name)
		if last > 0 {
			t.CloseTo(rat.Exact(optDel.Lower), bound, "%v by %s", p, name)
		}
	}
	return rat.Sum(deltas[0][:last]...)
}

// optimalIsPrinted checks, where spec can, that the δ of optimal composition are those of ODP-L11 as printed.
func optimalIsPrinted(t *register.T) {
	for _, points := range [][]int{{1}, {1, 2}, {1, 2, 3}} {
		p := chargedAt(last(points), points)[0]
		_, deltas := byTheorems(t, p)
		want := rat.Sum(deltas[0]...)
		solved := register.Must(impl.Lemma11(t.Context(), p.Impl(), impl.Options{}))
		printed := register.Must(spec.Lemma11(spec.Pipeline(p)))
		t.Require(rat.Equal(printed, want) && solved.Contains(want), "%v: optimal composition has %s at all stops "+
			"together, ODP-L11 as printed %s, the solver [%.12g, %.12g]", p, want, printed, solved.Lower, solved.Upper)
	}
}

// subsequences returns all stopping points of k mechanisms.
func subsequences(k int) (all [][]int) {
	for set := range 1 << (k - 1) {
		var points []int
		for i := range k {
			if i == k-1 || set>>i&1 == 1 {
				points = append(points, i+1)
			}
		}
		all = append(all, points)
	}
	return all
}

// chargedAt returns pipelines of k mechanisms with these stopping points.
func chargedAt(k int, points []int) (all []finite.Pipeline) {
	charges := [][]*big.Rat{rat.List("5/4", "2", "3"), rat.List("3/2", "2", "5/2", "3", "7/2", "4", "9/2")}
	pairs := [][]spec.Mechanism{{finite.Pure(big.NewRat(3, 2)), finite.Pure(big.NewRat(11, 10))},
		{finite.Mechanisms[1], finite.Mechanisms[0]}}
	for _, pair := range pairs {
		for _, charge := range charges {
			var p finite.Pipeline
			for i := range k {
				p.Mechanisms = append(p.Mechanisms, pair[i%2])
			}
			for i, after := range points {
				p.Stops = append(p.Stops, spec.Stop{After: after, ExpEps: charge[i%len(charge)]})
			}
			all = append(all, p)
		}
	}
	return all
}
