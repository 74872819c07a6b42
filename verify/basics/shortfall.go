package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// shortfall are the statements of Section 3.4 on how far below the largest the utility of the exponential mechanism is.
func shortfall() register.Checks {
	return register.Checks{
		"AFD-T3.11": register.Checked(register.All(shortfalls(1, 1, false), leastShortfall),
			register.Control("half of it", shortfalls(1, 2, false)),
			register.NearMiss("19/20 of it", shortfalls(19, 20, false)),
		),
		"AFD-X8": register.Checked(unlikely(unlikelyClaim{4, 1, rat.One, -1}),
			register.AlsoHolds("C = 6: at most 1/|R|²", unlikely(unlikelyClaim{6, 1, rat.One, -2})),
			register.AlsoHolds("C = 2: at most 1/2", unlikely(unlikelyClaim{2, 1, rat.Half, 0})),
			register.Control("C = 2: at most 1/|R|", unlikely(unlikelyClaim{2, 1, rat.One, -1})),
			register.NearMiss("C = 39/10: at most 1/|R|", unlikely(unlikelyClaim{39, 10, rat.One, -1})),
			register.NearMiss("C = 4: at most 19/20 of 1/|R|", unlikely(unlikelyClaim{4, 1, nearly, -1})),
			register.NearMiss("C = 2: at most 19/40", unlikely(unlikelyClaim{2, 1, rat.Of("19/40"), 0})),
		),
		"AFD-K3.12": register.Checked(register.All(shortfalls(1, 1, true), leastShortfall),
			register.Control("half of it", shortfalls(1, 2, true)),
			register.NearMiss("19/20 of it", shortfalls(19, 20, true)),
		),
	}
}

// wholeAbove returns the smallest whole number that is at least p/q·(2Δu/ε)·ln x, where base is e^(ε/(2Δu)): the first
// d with base^(q·d) ≥ x^p.
func wholeAbove(base *big.Rat, p, q int, x *big.Rat) (d int) {
	step, goal := rat.Power(base, q), rat.Power(x, p)
	for far := rat.One; far.Cmp(goal) < 0; far = rat.Mul(far, step) {
		d++
	}
	return d
}

// isShortfall refutes that both rooms allow another number than that of which [wholeAbove] is the next, for p = q,
// times Δu: for e^ε = base² and all Δu. It returns that for Δu = 1.
func isShortfall(t *register.T, outputs, optimal int, beta, base *big.Rat) (allowed interval.Interval) {
	odds := rat.Quo(big.NewRat(int64(outputs), int64(optimal)), beta)
	for i, sensitivity := range sensitivities {
		fast, err := impl.ExponentialShortfall(outputs, optimal, beta, sensitivity, loss.Exp(rat.Mul(base, base)))
		t.Must(err)
		literal := spec.ExponentialShortfall(outputs, optimal, rat.Float64(beta), rat.Float64(sensitivity),
			2*math.Log(rat.Float64(base)))
		isAbout(t, "the shortfall", fast, literal)
		want := rat.Float64(sensitivity) * math.Log(rat.Float64(odds)) / math.Log(rat.Float64(base))
		if !(math.Abs(literal-want) <= 1e-12*want) {
			t.Refute("e^(ε/2) = %s, Δu = %s: the shortfall for a probability of 1 in %s is %.15g, by powers %.15g",
				rat.Show(base), rat.Show(sensitivity), rat.Show(odds), literal, want)
		}
		if i == 0 {
			allowed = fast
		}
	}
	return allowed
}

// eachShortfall goes through utilities 0, −1, …, of which some are best. The last β is that for which the theorem
// allows 12.
func eachShortfall(t *register.T, try func(utilities []int, optimal int, beta *big.Rat)) {
	t.Domain("e^ε = 4, utilities in Δu, that is 1, and by impl also 1/4: 1 or 3 best outputs, and 0, 1, 3 or 29 others " +
		"1 to 12 below, β in {1, 1/2, 1/20, 1/1000} and |R|/(4096·|R_OPT|)")
	for _, optimal := range []int{1, 3} {
		for _, others := range []int{0, 1, 3, 29} {
			for distance := 1; distance <= 12; distance++ {
				for _, beta := range append(rat.List("1", "1/2", "1/20", "1/1000"),
					big.NewRat(int64(optimal+others), int64(4096*optimal))) {
					t.Case()
					u := make([]int, optimal+others)
					for r := optimal; r < len(u); r++ {
						u[r] = -distance
					}
					try(u, optimal, beta)
				}
			}
		}
	}
}

// shortfalls checks p/q of what the theorem allows, or of the corollary's.
func shortfalls(p, q int, corollary bool) register.Check {
	return func(t *register.T) {
		eachShortfall(t, func(u []int, optimal int, beta *big.Rat) {
			base := rat.Of("2")
			law := spec.ExponentialLaw(base, u)
			inImpl(t, base, u, law)
			if corollary {
				optimal = 1
			}
			allowed := isShortfall(t, len(u), optimal, beta, base)
			far, reached := wholeAbove(base, p, q, rat.Quo(big.NewRat(int64(len(u)), int64(optimal)), beta)), new(big.Rat)
			for r, x := range u {
				if -x >= far {
					reached = rat.Add(reached, law[r])
				}
			}
			if reached.Cmp(beta) > 0 {
				t.Refute("utilities %v, e^(−t) = %s: %d/%d of %.9g below the best, or farther, with the probability %s", u,
					rat.Show(beta), p, q, allowed.Upper, rat.Show(reached))
			}
			if beta.Cmp(rat.One) < 0 {
				t.CloseTo(reached, beta, "%d outputs, distance %d, e^(−t) = %s", len(u), -u[len(u)-1], rat.Show(beta))
			}
		})
	}
}

// leastShortfall checks the exact error: for given utilities by their law, and for the worst ones, which it is not
// below.
func leastShortfall(t *register.T) {
	eachShortfall(t, func(u []int, optimal int, beta *big.Rat) {
		likely := givenShortfall(t, u, beta)
		worst, err := impl.ExactExponentialShortfall(len(u), optimal, beta, rat.One, loss.Exp(rat.Of("4")))
		t.Must(err)
		if distance := -u[len(u)-1]; distance > 0 &&
			(rat.Exact(worst.Upper).Cmp(rat.Int(distance)) < 0) == (likely == distance) {
			t.Refute("utilities %v, β = %s: the shortfall is %d by spec, for the worst utilities it is at most %.9g", u,
				rat.Show(beta), likely, worst.Upper)
		}
	})
	t.AlsoDomain("the shortfall of 0 and all lists of 3 utilities of 0, −1, −3, −8")
	for others := range finite.Tuples([]int{0, -1, -3, -8}, 3) {
		for _, beta := range rat.List("1/2", "1/5", "1/20", "1/1000") {
			t.Case()
			givenShortfall(t, append([]int{0}, others...), beta)
		}
	}
}

// givenShortfall refutes that impl has another shortfall for given utilities, of which 0 is the largest, than the law
// of spec has: the largest distance that is reached or exceeded with a probability above β.
func givenShortfall(t *register.T, u []int, beta *big.Rat) (want int) {
	law := spec.ExponentialLaw(rat.Of("2"), u)
	var exact []*big.Rat
	for i, x := range u {
		exact = append(exact, rat.Int(x))
		if slices.Contains(u[:i], x) {
			continue
		}
		reached := new(big.Rat)
		for r, y := range u {
			if y <= x {
				reached = rat.Add(reached, law[r])
			}
		}
		if reached.Cmp(beta) > 0 {
			want = max(want, -x)
		}
	}
	fast, err := impl.ExponentialLaw(exact, rat.One, loss.Exp(rat.Of("4")))
	t.Must(err)
	given, err := impl.ShortfallOf(exact, fast, beta)
	t.Must(err)
	if !given.Contains(rat.Int(want)) {
		t.Refute("utilities %v, β = %s: the shortfall is in [%.9g, %.9g], and %d by spec", u, rat.Show(beta), given.Lower,
			given.Upper, want)
	}
	return want
}

// unlikelyClaim says that the utility is C·(Δu/ε)·ln |R| below the largest, or farther, with a probability of at most
// factor·|R|^power, C = p/q.
type unlikelyClaim struct {
	p, q   int
	factor *big.Rat
	power  int
}

// unlikely checks it for all small utilities, and for those that are worst: all but one at the distance itself, or
// farther.
func unlikely(c unlikelyClaim) register.Check {
	return func(t *register.T) {
		t.Domain("e^(ε/2) in {9/8, 2, 3}, utilities in Δu, that is 1, and by impl also 1/4: 2 to 4 outputs, the utilities " +
			"0, −1, −3 and −8 for all but one; 2, 16 and 64 outputs, all but one at the distance, and 1 and 2 farther")
		for _, base := range rat.List("9/8", "2", "3") {
			for n := 2; n <= 4; n++ {
				for others := range finite.Tuples([]int{0, -1, -3, -8}, n-1) {
					c.try(t, base, append([]int{0}, others...))
				}
			}
			for _, n := range []int{2, 16, 64} {
				far := wholeAbove(base, c.p, 2*c.q, rat.Int(n))
				for more := range 3 {
					u := make([]int, n)
					for r := 1; r < n; r++ {
						u[r] = -far - more
					}
					c.try(t, base, u)
				}
			}
		}
	}
}

// try checks one list of utilities, of which 0 is the largest.
func (c unlikelyClaim) try(t *register.T, base *big.Rat, u []int) {
	t.Case()
	law, reached, n := spec.ExponentialLaw(base, u), new(big.Rat), rat.Int(len(u))
	inImpl(t, base, u, law)
	far := wholeAbove(base, c.p, 2*c.q, n)
	for r, x := range u {
		if -x >= far {
			reached = rat.Add(reached, law[r])
		}
	}
	isShortfall(t, len(u), 1, rat.Quo(rat.One, n), base) // C = 4
	bound := rat.Mul(c.factor, rat.Power(n, c.power))
	if last := u[len(u)-1]; reached.Cmp(bound) > 0 {
		t.Refute("e^(ε/(2Δu)) = %s, %d outputs, utilities from 0 to %d: %d/%d·(Δu/ε)·ln |R| below the best, or farther, "+
			"with a probability of %.9g, claimed at most %.9g", rat.Show(base), len(u), last, c.p, c.q, rat.Float64(reached),
			rat.Float64(bound))
	}
	t.CloseTo(reached, bound, "e^(ε/(2Δu)) = %s, %d outputs, the last %d below the best", rat.Show(base), len(u),
		-u[len(u)-1])
}
