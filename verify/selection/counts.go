package selection

import (
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// binomialLaw returns the law of the sum of n variables that are 1 with probability p.
func binomialLaw(n int, p *big.Rat) []interval.Interval {
	law := make([]interval.Interval, n+1)
	for k := range law {
		law[k] = num(0)
	}
	if rat.Equal(p, rat.One) {
		law[n] = num(1)
		return law
	}
	law[0] = power(rat.Complement(p), n)
	odds := rat.Quo(p, rat.Complement(p))
	for k := 1; k <= n; k++ {
		law[k] = mul(law[k-1], rat.Mul(odds, big.NewRat(int64(n-k+1), int64(k))))
	}
	return law
}

// atLeast returns the probability of k and more, for each k.
func atLeast(law []interval.Interval) []interval.Interval {
	tails := make([]interval.Interval, len(law)+1)
	tails[len(law)] = num(0)
	for k := len(law) - 1; k >= 0; k-- {
		tails[k] = add(law[k], tails[k+1])
	}
	return tails
}

// upTo returns the probability of the counts that are surely at most x.
func upTo(law []interval.Interval, x interval.Interval) interval.Interval {
	sum := num(0)
	for k := 0; k < len(law) && num(k).Upper.Cmp(x.Lower) <= 0; k++ {
		sum = add(sum, law[k])
	}
	return sum
}

// from returns the least count that is surely at least x, from 0 to n.
func from(x interval.Interval, n int) int {
	if x.Upper.Sign() <= 0 {
		return 0
	}
	if x.Upper.Cmp(num(n).Lower) > 0 {
		return n
	}
	up, accuracy := x.Upper.Int64()
	if accuracy == big.Below {
		up++
	}
	return int(up)
}

// misestimate is how far an estimate of 6000 samples must not be from what it estimates: by a value of a count, and by
// a factor of e^(move·ε_0) from its mean on, but with a share of δ, for δ_0 another share.
type misestimate struct {
	value                 func(k *big.Rat, offset interval.Interval) interval.Interval
	delta0, move, allowed *big.Rat
}

const estimated = 6000

// What is compared is Φ^(N,Δ) of a share of counts, or their number with Δ.
func oddsOfCount(k *big.Rat, offset interval.Interval) interval.Interval {
	return quo(add(k, offset), add(sub(estimated, k), offset))
}

func countAndOffset(k *big.Rat, offset interval.Interval) interval.Interval { return add(k, offset) }

// check checks it with a share of Δ.
func (m misestimate) check(offset anOffset) claim {
	return func(t *register.T, share *big.Rat) {
		for at, v := range finite.Grid(t, "N = 6000, p in {1/10, 1/4}; (ε_0, ε_1) in {(1/2, 1/10), (1/25, 9/10)}, δ in "+
			"{1/100, 1/2}, T = R = 2") {
			t.Case()
			p, eps0, delta := v[0], v[1], v[3]
			d := mul(share, offset(t, eps0, v[2], rat.Mul(m.delta0, delta)))
			rising(t, at+", Δ = "+d.Upper.Text('g', 6), m.far(p, rat.Mul(m.move, eps0), d), rat.Mul(m.allowed, delta))
		}
	}
}

// far returns the probability that a value is farther from that of the mean than e^move, above or below.
func (m misestimate) far(p, move *big.Rat, d interval.Interval) interval.Interval {
	bound, pr, law := mul(m.value(rat.Mul(rat.Int(estimated), p), d), exp(move)), num(0), binomialLaw(estimated, p)
	if move.Sign() > 0 {
		for k := estimated; k >= 0 && m.value(rat.Int(k), d).Lower.Cmp(bound.Upper) > 0; k-- {
			pr = add(pr, law[k])
		}
		return pr
	}
	for k := 0; k <= estimated && m.value(rat.Int(k), d).Upper.Cmp(bound.Lower) < 0; k++ {
		pr = add(pr, law[k])
	}
	return pr
}

// twoCounts is a place of Lemma 4.3: two sums of variables of which one has at most e^ε_1 times the mean of the other.
type twoCounts struct {
	at                 string
	x, y               []interval.Interval // laws
	meanX, meanY       *big.Rat
	eps0, eps1, delta0 *big.Rat
}

// twoSums goes through them.
func twoSums(t *register.T, visit func(x twoCounts)) {
	laws := map[string][]interval.Interval{}
	law := func(n, p *big.Rat) []interval.Interval {
		key := rat.Show(n, p)
		if laws[key] == nil {
			laws[key] = binomialLaw(whole(n), p)
		}
		return laws[key]
	}
	for at, v := range finite.Grid(t, "sums X and Y of n variables that are 1 with probability p, with n_X and n_Y in "+
		"{1, 2, 300}, p_X and p_Y in {1/100, 1/3, 2/3}, and means within a factor of e; ε_0 in {1/100, 1/2, 99/100}, ε_1 "+
		"the least multiple of 1/100 for the means, δ_0 in {1/1000, 1/2, 99/100}") {
		x := twoCounts{meanX: rat.Mul(v[0], v[2]), meanY: rat.Mul(v[1], v[3]), eps0: v[4], delta0: v[5]}
		least := math.Ceil(100 * math.Log(rat.Float64(rat.Quo(x.meanX, x.meanY))))
		if x.eps1 = big.NewRat(int64(max(least, 1)), 100); x.eps1.Cmp(rat.One) < 0 {
			t.Case()
			x.at, x.x, x.y = at+", ε_1 = "+rat.Show(x.eps1), law(v[0], v[2]), law(v[1], v[3])
			visit(x)
		}
	}
}
