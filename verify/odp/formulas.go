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
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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

// asFormulas checks that impl gives, stop by stop and in sum, what a formula does for each theorem; and that it is the
// same where equal mechanisms are counted and where each stands for itself.
func asFormulas(t *register.T, want formula) {
	t.AlsoDomain("the formulas of basic, advanced (by the book, and sharper), zero-concentrated and Rényi composition " +
		"in float64: these, (3/2, 1/10) and (3, 0) in turn for all; " +
		"4 mechanisms as two of which each counts twice, with all stopping points; 100 with ε = 0.1 and δ = 0 or 10^−7, " +
		"stops at 50 and 100, ε = 5 or 12 in the end, or δ = 10^−7 for the first 50 and one stop with ε = 6")
	for _, p := range counted() {
		t.Case()
		for _, name := range impl.Theorems {
			isAsFormula(t, p, name, want)
			isAsFormula(t, apart(p), name, want)
		}
	}
}

// isAsFormula checks that for one theorem on one pipeline impl has narrow intervals around what the formula says.
func isAsFormula(t *register.T, p impl.Pipeline, name impl.Theorem, want formula) {
	stops, sum, err := impl.Lemma11With(t.Context(), p, name)
	t.Must(err)
	is := func(x interval.Interval, delta float64, what string) {
		if x.RelWidth() > narrow || !isAbout(x, delta, formulaError) {
			t.Refute("%s: %s %s gives [%.12g, %.12g], its formula %.12g", described(p), what, name, x.Lower, x.Upper, delta)
		}
	}
	all, total := apart(p).Mechanisms, 0.0
	for i, s := range p.Stops {
		delta := want(name, all[:s.After], loss.Float64(s.Eps))
		total += delta
		is(stops[i], delta, fmt.Sprintf("at stop %d", i+1))
	}
	is(sum, total, "in sum")
}

// counted are pipelines of which mechanisms count once, twice, or a hundred times.
func counted() (all []impl.Pipeline) {
	for _, k := range []int{3, 4} {
		for _, points := range subsequences(k) {
			for _, p := range chargedAt(k, points) {
				p := p.Impl()
				if all = append(all, p); k == 4 {
					twice := impl.Pipeline{Mechanisms: slices.Clone(p.Mechanisms[:2]), Stops: p.Stops}
					twice.Mechanisms[0].Count, twice.Mechanisms[1].Count = 2, 2
					all = append(all, twice)
				}
			}
		}
	}
	stop := func(after int, eps string) impl.Stop { return impl.Stop{After: after, Eps: loss.Nats(rat.Of(eps))} }
	of := func(delta string, count int) impl.Mechanism {
		return impl.Mechanism{Eps: loss.Nats(big.NewRat(1, 10)), Delta: rat.Of(delta), Count: count}
	}
	all = append(all, impl.Pipeline{Mechanisms: []impl.Mechanism{of("1e-7", 50), of("0", 50)},
		Stops: []impl.Stop{stop(100, "6")}})
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

// withoutOwn is a formula by which the δ_k do not count but with basic composition.
func withoutOwn(name impl.Theorem, mechanisms []impl.Mechanism, charge float64) float64 {
	if name == impl.Basic {
		return byFormula(name, mechanisms, charge)
	}
	pure := slices.Clone(mechanisms)
	for k := range pure {
		pure[k].Delta = new(big.Rat)
	}
	return byFormula(name, pure, charge)
}
