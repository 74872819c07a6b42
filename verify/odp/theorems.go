package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// optimal stands for optimal composition beside the theorems of impl.
const optimal impl.Theorem = "optimal composition"

// extraClaim is a variant of ODP-X25.
type extraClaim struct {
	extra      *big.Rat // this part of the extra δ is claimed to be enough
	formula    formula  // of the theorems but optimal composition
	samePoints bool     // other stopping points are claimed to have the same extra δ
}

// anyTheorem checks that OptDel is at most the δ of all mechanisms together and the extra δ, by all theorems; that the
// extra δ of optimal composition is not the same for other stopping points; and that impl gives for each theorem, stop
// by stop and in sum, what its formula does, whether equal mechanisms are counted or each stands for itself.
func anyTheorem(t *register.T, claim extraClaim) {
	t.Domain("optimal composition, and the formulas of basic, advanced (by the book, and sharper), " +
		"zero-concentrated and Rényi composition in float64: 4 mechanisms with e^ε = 3/2 and 11/10 in turn, " +
		"or (3/2, 1/10) and (3, 0), all stopping points, e^ℰ_i = 5/4, 2 and 3 in turn or 1 + i/2; " +
		"4 mechanisms as two of which each counts twice; 3 with ε = 0 or 0.1 and δ = 3/8; " +
		"100 with ε = 0.1 and δ = 0 or 10^−7, stops at 50 and 100, " +
		"ε = 5 or 12 in the end, or ε = 0.05 and δ = 10^−7 for the first 50 and one stop with ε = 6")
	extras := map[string]bool{}
	for _, p := range counted() {
		t.At("%v", described(p))
		optDel := rat.Exact(register.Must(impl.OptDel(t.Context(), p, impl.Options{})).OptDel.Lower)
		last := len(p.Stops) - 1
		for _, name := range append([]impl.Theorem{optimal}, impl.Theorems...) {
			deltas := claim.deltas(t, p, name)
			extra := rat.Sum(deltas[:last]...)
			bound := rat.Add(deltas[last], rat.Mul(claim.extra, extra))
			t.Require(optDel.Cmp(bound) <= 0, "OptDel is at least %.9g, more than %.9g by %s", optDel, bound, name)
			if last > 0 {
				t.CloseTo(optDel, bound, "by %s", name)
			}
			if last == 1 && name == optimal && len(p.Mechanisms) == 4 {
				extras[rat.Show(extra)] = true
				t.Require(!claim.samePoints || len(extras) < 2, "optimal composition has another extra δ: %s", extra)
			}
		}
	}
	t.Require(len(extras) > 1, "optimal composition always has the same extra δ")
	for _, points := range [][]int{{1}, {1, 2}, {1, 2, 3}} {
		everywhere(t, chargedAt(last(points), points)[0])
	}
}

// deltas returns the δ of all stops by a theorem, rounded upward.
func (claim extraClaim) deltas(t *register.T, p impl.Pipeline, name impl.Theorem) (deltas []*big.Rat) {
	all := apart(p)
	if name == optimal {
		for _, s := range p.Stops {
			q := impl.Pipeline{Mechanisms: all.Mechanisms[:s.After], Stops: []impl.Stop{s}}
			deltas = append(deltas, rat.Exact(register.Must(impl.OptDel(t.Context(), q, impl.Options{})).OptDel.Upper))
		}
		return deltas
	}
	for _, q := range []impl.Pipeline{all, p} {
		stops, sum, err := impl.Lemma11With(t.Context(), q, name)
		t.Must(err)
		deltas = nil
		total := 0.0
		for i, s := range q.Stops {
			delta := claim.formula(name, all.Mechanisms[:s.After], loss.Float64(s.Eps))
			total, deltas = total+delta, append(deltas, rat.Exact(stops[i].Upper))
			isAsFormula(t, stops[i], delta, name)
		}
		isAsFormula(t, sum, total, name)
	}
	return deltas
}

// isAsFormula refutes an interval that is not narrow around what a formula says.
func isAsFormula(t *register.T, x interval.Interval, delta float64, name impl.Theorem) {
	t.Require(x.RelWidth() <= narrow && isAbout(x, delta, formulaError), "%s gives [%.12g, %.12g], its formula %.12g",
		name,
		x.Lower, x.Upper, delta)
}

// formula is the δ with which mechanisms are together (charge, δ)-DP by a theorem.
type formula func(name impl.Theorem, mechanisms []impl.Mechanism, charge float64) float64

// byFormula is what the theorems say, in float64, for mechanisms of which each stands for itself.
func byFormula(name impl.Theorem, mechanisms []impl.Mechanism, charge float64) float64 {
	total, leaked := 0.0, 0.0
	for _, m := range mechanisms {
		total, leaked = total+loss.Float64(m.Eps), leaked+rat.Float64(m.Delta)
	}
	within := total <= charge+formulaError // no sum is that close to a charge but those that are equal
	switch {
	case name == impl.Basic && within:
		return min(1, leaked)
	case name == impl.Basic:
		return 1
	case name == impl.RDP && within:
		return withOwn(0, mechanisms)
	case name == impl.AdvancedBook:
		return bookFormula(mechanisms, charge)
	case name == impl.Advanced:
		return withOwn(advancedFormula(mechanisms, charge), mechanisms)
	}
	return withOwn(conversion(name, mechanisms, charge), mechanisms)
}

// withOwn returns 1 − (1 − δ)·Π(1 − δ_k), by logarithms.
func withOwn(delta float64, mechanisms []impl.Mechanism) float64 {
	sum := math.Log1p(-delta)
	for _, m := range mechanisms {
		sum += math.Log1p(-rat.Float64(m.Delta))
	}
	return -math.Expm1(sum)
}

// advancedFormula is Theorem 3.5 of Kairouz, Oh and Viswanath: the δ′ at which its last ε is the charge,
// Σ (e^ε_k − 1)ε_k/(e^ε_k + 1) + √(Σ 2ε_k²·ln(1/δ′)).
func advancedFormula(mechanisms []impl.Mechanism, charge float64) float64 {
	mean, squares := 0.0, 0.0
	for _, m := range mechanisms {
		eps := loss.Float64(m.Eps)
		mean += (math.Exp(eps) - 1) * eps / (math.Exp(eps) + 1)
		squares += 2 * eps * eps
	}
	root := max(0, charge-mean)
	return math.Exp(-root * root / squares)
}

// bookFormula is Theorem 3.20 of Dwork and Roth for k mechanisms that all have the largest ε and the largest δ: the kδ
// + δ′ at which √(2k ln(1/δ′))·ε + kε(e^ε − 1) is the charge.
func bookFormula(mechanisms []impl.Mechanism, charge float64) float64 {
	k, eps, delta := float64(len(mechanisms)), 0.0, 0.0
	for _, m := range mechanisms {
		eps, delta = max(eps, loss.Float64(m.Eps)), max(delta, rat.Float64(m.Delta))
	}
	z := max(0, charge-k*eps*math.Expm1(eps)) / (math.Sqrt(k) * eps)
	return min(1, k*delta+math.Exp(-z*z/2))
}

// conversion is Proposition 12 of Canonne, Kamath and Steinke at the best α = 1 + e^x: the least
// e^((α−1)(Σ D_α − ε))·(α − 1)^(α−1)/α^α.
func conversion(name impl.Theorem, mechanisms []impl.Mechanism, charge float64) float64 {
	return math.Exp(leastOf(func(x float64) float64 {
		before := math.Exp(x)
		alpha := 1 + before
		sum := before*math.Log(before) - alpha*math.Log(alpha) - before*charge
		for _, m := range mechanisms {
			sum += renyiFormula(name, loss.Float64(m.Eps), alpha)
		}
		return sum
	}))
}

// renyiFormula returns (α − 1)·D_α. That of randomized response is ln(p^α·q^(1−α) + q^α·p^(1−α)) by definition, with
// p = e^ε/(1 + e^ε) and q = 1 − p; the first term is the larger one.
func renyiFormula(name impl.Theorem, eps, alpha float64) float64 {
	if name == impl.ZCDP {
		return (alpha - 1) * alpha * eps * eps / 2
	}
	q := -math.Log1p(math.Exp(eps))
	p := eps + q
	large, small := alpha*p+(1-alpha)*q, alpha*q+(1-alpha)*p
	return large + math.Log1p(math.Exp(small-large))
}

// leastOf returns the least value of a function that falls and then rises, on a grid that is made finer around it.
func leastOf(f func(x float64) float64) float64 {
	least, at := f(0), 0.0
	for step := 4.0; step > 1e-7; step /= 4 {
		middle := at
		for i := -4.0; i <= 4; i++ {
			if x := middle + i*step; f(x) < least {
				least, at = f(x), x
			}
		}
	}
	return least
}

// formulaError is how far float64 may be from a formula, in parts of it: exponents are below 1000.
const formulaError = 1e-9

// counted are pipelines of which mechanisms count once, twice, or a hundred times.
func counted() (all []impl.Pipeline) {
	for set := range 1 << 3 { // of stops before the last
		var points []int
		for i := range 4 {
			if i == 3 || set>>i&1 == 1 {
				points = append(points, i+1)
			}
		}
		for _, p := range chargedAt(4, points) {
			p := p.Impl()
			twice := impl.Pipeline{Mechanisms: slices.Clone(p.Mechanisms[:2]), Stops: p.Stops}
			twice.Mechanisms[0].Count, twice.Mechanisms[1].Count = 2, 2
			all = append(all, p, twice)
		}
	}
	stop := func(after int, eps string) impl.Stop { return impl.Stop{After: after, Eps: loss.Nats(rat.Of(eps))} }
	of := func(delta string, count int) impl.Mechanism {
		return impl.Mechanism{Eps: loss.Nats(big.NewRat(1, 10)), Delta: rat.Of(delta), Count: count}
	}
	sure, half := of("3/8", 3), of("1e-7", 50) // the sum of δ is more than 1; others have the larger ε
	sure.Eps, half.Eps = loss.Nats(new(big.Rat)), loss.Nats(big.NewRat(1, 20))
	all = append(all, impl.Pipeline{Mechanisms: []impl.Mechanism{half, of("0", 50)},
		Stops: []impl.Stop{stop(100, "6")}})
	for _, m := range []impl.Mechanism{sure, of("3/8", 3)} {
		all = append(all, impl.Pipeline{Mechanisms: []impl.Mechanism{m},
			Stops: []impl.Stop{stop(1, "1/5"), stop(3, "1")}})
	}
	for _, delta := range []string{"0", "1e-7"} {
		for _, charge := range []string{"5", "12"} {
			all = append(all, impl.Pipeline{Mechanisms: []impl.Mechanism{of(delta, 100)},
				Stops: []impl.Stop{stop(50, "3"), stop(100, charge)}})
		}
	}
	return all
}

// apart returns p with every mechanism by itself.
func apart(p impl.Pipeline) impl.Pipeline {
	each := impl.Pipeline{Stops: p.Stops}
	for _, m := range p.Mechanisms {
		n := m.Count
		m.Count = 1
		for range n {
			each.Mechanisms = append(each.Mechanisms, m)
		}
	}
	return each
}

func described(p impl.Pipeline) (text string) {
	for _, m := range p.Mechanisms {
		text += fmt.Sprintf("%d × (ε = %v, δ = %s), ", m.Count, m.Eps, rat.Show(m.Delta))
	}
	for _, s := range p.Stops {
		text += fmt.Sprintf("ℰ = %v at %d, ", s.Eps, s.After)
	}
	return strings.TrimSuffix(text, ", ")
}

// chargedAt returns pipelines of k mechanisms with these stopping points.
func chargedAt(k int, points []int) (all []finite.Pipeline) {
	charges := [][]*big.Rat{rat.List("5/4", "2", "3"), rat.List("3/2", "2", "5/2", "3", "7/2", "4", "9/2")}
	pairs := [][]spec.Mechanism{{finite.Pure(big.NewRat(3, 2)), finite.Pure(big.NewRat(11, 10))},
		{finite.Mechanisms[1], finite.Mechanisms[0]}}
	for _, pair := range pairs {
		for _, charge := range charges {
			mechanisms := slices.Concat(pair, pair)[:k]
			all = append(all, finite.Pipeline{Mechanisms: mechanisms, Stops: stopsAt(points, charge...)})
		}
	}
	return all
}

// scaledFormula is the formula of one theorem times a factor, and those of the others.
func scaledFormula(of impl.Theorem, factor float64) formula {
	return func(name impl.Theorem, mechanisms []impl.Mechanism, charge float64) float64 {
		delta := byFormula(name, mechanisms, charge)
		if name == of {
			delta = min(1, factor*delta)
		}
		return delta
	}
}
