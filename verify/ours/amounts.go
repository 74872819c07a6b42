package ours

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// amounts are the statements on what is added at random.
func amounts() register.Checks {
	largest := func(a []amount) []amount { return moved1Percent(a, len(a)-1) }
	least := func(a []amount) []amount { return moved1Percent(a, 1) }
	same := func(a []amount) []amount { return a }
	return register.Checks{
		"OUR-L4": checked(with(inThePlane, same, ofBothOrders),
			near("with 99/100 of the probability of the largest amount", with(inThePlane, largest, ofBothOrders)),
			near("with 99/100 of that of the least above 0", with(inThePlane, least, ofBothOrders)),
			near("the mean of what is added, for certain", with(inThePlane, meanAmount, ofBothOrders)),
			near("(Q*, P*) in both orders", with(inThePlane, same, ofOneOrder))),
		"OUR-X15": checked(register.All(oneAmount("1"), randomSteps), near("1001/1000 of it", oneAmount("1001/1000"))),
		"OUR-X16": checked(groups(membership(binomial)),
			near("all members are in the sample, or none", groups(membership(together))),
			near("the members are in two steps", groups(membership(inTwoSteps))),
			near("a member fewer", groups(membership(oneFewer)))),
		"OUR-X17": checked(gdpSteps(true), near("of μ·√k in place of k·μ", gdpSteps(false))),
	}
}

// amount is what is contributed, and its probability.
type amount struct{ size, p float64 }

// mixtures are the amounts of users, of which the first is 0.
var mixtures = [][]amount{
	{{0, 0.2}, {1, 0.6}, {2, 0.2}},
	{{0, 0.5}, {1, 0.5}},
	{{0, 0}, {1, 0.5}, {3, 0.5}},
	{{0, 0.9}, {0.5, 0.05}, {1, 0.05}},
}

// moved1Percent moves 1/100 of the probability of an amount to the one before it.
func moved1Percent(a []amount, i int) []amount {
	b := append([]amount{}, a...)
	part := b[i].p / 100
	b[i].p -= part
	b[i-1].p += part
	return b
}

func meanAmount(a []amount) []amount {
	mean := 0.0
	for _, x := range a {
		mean += x.size * x.p
	}
	return []amount{{0, 0}, {mean, 1}}
}

// additive is the mechanism that adds noise of a scale to the amounts, to nine digits.
func additive(a []amount, scale *big.Rat) certify.Additive {
	m := certify.Additive{Noise: certify.Gaussian, Scale: scale, Sampling: rat.One}
	left := rat.One
	for _, x := range a {
		p := big.NewRat(int64(math.Round(x.p*1e9)), 1e9)
		if left = rat.Sub(left, p); p.Sign() > 0 {
			m.Adds = append(m.Adds, [2]*big.Rat{new(big.Rat).SetFloat64(x.size), p})
		}
	}
	last := m.Adds[len(m.Adds)-1]
	last[1].Add(last[1], left)
	return m
}

// normalAbove returns the probability of a standard normal variable to be above x.
func normalAbove(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// mixedStick returns H_α(P*, Q*) of noise of scale 1: outputs above z, and no others, have a larger ratio than α.
func mixedStick(a []amount, alpha float64) float64 {
	ratio := func(z float64) (sum float64) {
		for _, x := range a {
			sum += x.p * math.Exp(x.size*z-x.size*x.size/2)
		}
		return sum
	}
	low, high := -60.0, 60.0
	if alpha <= ratio(low) {
		return 1 - alpha
	}
	for range 100 {
		if middle := (low + high) / 2; ratio(middle) > alpha {
			high = middle
		} else {
			low = middle
		}
	}
	sum := -alpha * normalAbove(high)
	for _, x := range a {
		sum += x.p * normalAbove(high-x.size)
	}
	return sum
}

// ofBothOrders returns the δ of a step that impl finds at e^ε = α: that of the order that needs more.
func ofBothOrders(t *register.T, a []amount, alpha *big.Rat) float64 {
	m := additive(a, rat.One)
	return optDel(t, impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &m, Count: 1}},
		Stops: []impl.Stop{{After: 1, Eps: loss.Exp(alpha)}}}, 1e-4).Float().Hi
}

// ofOneOrder returns it for what is added only.
func ofOneOrder(_ *register.T, a []amount, alpha *big.Rat) float64 {
	x := rat.Float64(alpha)
	return 1 - x + x*mixedStick(a, 1/x)
}

// inThePlane compares the δ of contributions in the plane with what is said of those on the line: these of some
// amounts, and a bound for both orders. Those of the largest amount have an angle to those of the others, and are as
// long as they may be or not.
func inThePlane(
	t *register.T, said func([]amount) []amount, bound func(t *register.T, a []amount, alpha *big.Rat) float64,
) {
	const off = 1e-4
	var known finite.Memo[string, float64]
	finite.Each(t, "law in {1, 2, 3, 4}, angle in {0, 1/2, 1}, length in {1/2, 1}, e^ε in {1, 5/4, 3}; amounts with "+
		"these laws, and Gaussian noise of scale 1 in the plane; angles as parts of half a turn between what is added "+
		"as the largest amount and as others, its length as a part of that; neighbours in both orders; by quadrature",
		func(law int, angle, length float64, e *big.Rat) {
			a := mixtures[law-1]
			most := known.Of(fmt.Sprint(law, e), func() float64 { return bound(t, said(a), e) })
			found := max(planeSticks(a, math.Pi*angle, length, rat.Float64(e)))
			t.Require(found <= most+off, "δ is %.6g in the plane, at most %.6g was claimed", found, most)
			if angle == 0 && length == 1 {
				t.Require(found >= most-off, "δ is %.6g on a line, %.6g was claimed", found, most)
			}
		})
}

// planeSticks returns H_α of the laws with and without what is added, and without and with it.
func planeSticks(a []amount, angle, length, alpha float64) (removed, added float64) {
	const h, reach = 0.1, 7.0
	const turned = 1 // all directions, so that no kink goes along the grid: what it is off by has the mean 0
	largest := a[len(a)-1].size
	density := func(x, y float64) float64 { return math.Exp(-(x*x+y*y)/2) / (2 * math.Pi) }
	for x := -largest - reach; x < largest+reach; x += h {
		for y := -largest - reach; y < largest+reach; y += h {
			without, with := density(x, y), 0.0
			for _, c := range a {
				size, at := c.size, float64(turned)
				if c.size == largest {
					size, at = length*largest, turned+angle
				}
				with += c.p * density(x-size*math.Cos(at), y-size*math.Sin(at))
			}
			removed += max(0, with-alpha*without) * h * h
			added += max(0, without-alpha*with) * h * h
		}
	}
	return removed, added
}

// oneAmount compares with a multiple of the closed form.
var oneAmount = finite.Over("scale in {1, 3}, e^ε in {1, 21/20, 2}; amounts with four laws, where δ is above 10^-6; "+
	"neighbours in both orders",
	func(t *register.T, factor *big.Rat, at string, scale, e *big.Rat) {
		for i, a := range mixtures {
			var b []amount
			for _, y := range a {
				b = append(b, amount{y.size / rat.Float64(scale), y.p})
			}
			if delta := max(mixedStick(b, rat.Float64(e)), ofOneOrder(t, b, e)); delta > 1e-6 {
				t.At("law %d, %s", i+1, at)
				agrees(t, additive(a, scale), 1, loss.Exp(e), rat.Float64(factor)*delta)
			}
		}
	})

// randomSteps compares several steps with their law in float64.
func randomSteps(t *register.T) {
	const count, width = 8, 2e-3
	t.AlsoDomain("%d steps with the first three laws, e^ε = 2, by losses in 50ths", count)
	for i, a := range mixtures[:3] {
		t.At("%d steps with law %d", count, i+1)
		m := additive(a, rat.Int(2))
		found := optDel(t, impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &m, Count: count}},
			Stops: []impl.Stop{{After: count, Eps: loss.Exp(rat.Int(2))}}}, 1e-3).Float()
		cell := func(y float64) (with, without float64) { // of the length 1/100, in multiples of the noise
			without = normalAbove(y) - normalAbove(y+0.01)
			for _, x := range a {
				with += x.p * (normalAbove(y-x.size/2) - normalAbove(y+0.01-x.size/2))
			}
			return with, without
		}
		want := max(convolvedCells(cell, 0.01, count, math.Ln2, false),
			convolvedCells(cell, 0.01, count, math.Ln2, true))
		t.Require(found.Lo <= want*(1+width) && found.Hi >= want*(1-width),
			"impl finds from %.9g to %.9g, it is about %.9g", found.Lo, found.Hi, want)
	}
}

// membership is a claim about how many members of a group are in a sample, in so many steps.
type membership func(k int, q float64) (a []amount, steps int)

// binomial goes through all subsets of the members.
func binomial(k int, q float64) (a []amount, steps int) {
	for j := range k + 1 {
		a = append(a, amount{float64(j), 0})
	}
	for subset := range 1 << k {
		p, size := 1.0, 0
		for i := range k {
			if subset>>i&1 == 1 {
				p, size = p*q, size+1
			} else {
				p *= 1 - q
			}
		}
		a[size].p += p
	}
	return a, 1
}

func together(k int, q float64) ([]amount, int) { return []amount{{0, 1 - q}, {float64(k), q}}, 1 }

func inTwoSteps(_ int, q float64) ([]amount, int) { return []amount{{0, 1 - q}, {1, q}}, 2 }

func oneFewer(k int, q float64) ([]amount, int) { return binomial(k-1, q) }

// groups compares what impl finds for groups with the δ of so many members, of several steps by cells.
var groups = finite.Over("k in {2, 3}, q in {1/10, 1/2}, e^ε in {1, 3/2}; one step, noise of scale 2; neighbours in "+
	"both orders",
	func(t *register.T, of membership, k int, q, e *big.Rat) {
		m := certify.Additive{Noise: certify.Gaussian, Scale: rat.Int(2), Sampling: q, Group: k}
		found := optDel(t, impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &m, Count: 1}},
			Stops: []impl.Stop{{After: 1, Eps: loss.Exp(e)}}}, 1e-4).Float()
		claimed, steps := of(k, rat.Float64(q))
		for i := range claimed {
			claimed[i].size /= 2
		}
		want, off := max(mixedStick(claimed, rat.Float64(e)), ofOneOrder(t, claimed, e)), 1e-9
		if steps > 1 {
			cell := func(y float64) (with, without float64) {
				without = normalAbove(y) - normalAbove(y+0.01)
				for _, c := range claimed {
					with += c.p * (normalAbove(y-c.size) - normalAbove(y+0.01-c.size))
				}
				return with, without
			}
			eps := math.Log(rat.Float64(e))
			want = max(convolvedCells(cell, 0.01, steps, eps, false), convolvedCells(cell, 0.01, steps, eps, true))
			off = 2e-3
		}
		t.Require(found.Lo <= want*(1+off) && found.Hi >= want*(1-off),
			"impl finds from %.9g to %.9g, %.9g was claimed", found.Lo, found.Hi, want)
	})

// gdpSteps compares with k·μ, or with μ·√k.
var gdpSteps = finite.Over("μ in {1/3, 2}, k in {1, 3}, steps in {1, 5}, ε in {1/2, 3}",
	func(t *register.T, isLinear bool, mu *big.Rat, k, count int, eps *big.Rat) {
		a := certify.Additive{Noise: certify.GDP, Scale: rat.Quo(rat.One, mu), Sampling: rat.One, Group: k}
		steps, spent := count*k, mu
		if isLinear {
			steps, spent = count, rat.Mul(mu, rat.Int(k))
		}
		delta := likeSpec(t, spec.ComposedGaussianDelta(steps, 1, 1/rat.Float64(spent), rat.Float64(eps)),
			impl.ComposedGaussianDelta(steps, rat.One, interval.Precision(192).Rat(rat.Quo(rat.One, spent)), eps))
		agrees(t, a, count, loss.Nats(eps), delta)
	})
