package ours

import (
	"math"
	"math/big"
	"math/bits"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// batches are the statements on records that are replaced, and on batches that are cut.
func batches() register.Checks {
	same := func(a certify.Additive) certify.Additive { return a }
	quieter := func(a certify.Additive) certify.Additive {
		a.Scale = rat.Mul(a.Scale, rat.Of("51/50"))
		return a
	}
	return register.Checks{
		"OUR-L6": checked(replacedInSamples(same),
			near("of a record that is added or removed", replacedInSamples(added)),
			near("with 51/50 of the noise", replacedInSamples(quieter))),
		"OUR-L7": checked(fixedBatches(true, same),
			near("as Poisson samples, which are as large on average", fixedBatches(true, uncut)),
			near("with 51/50 of the noise", fixedBatches(true, quieter))),
		"OUR-L8": checked(register.All(cutBatches(same), fixedBatches(false, same)),
			near("nothing is cut", cutBatches(uncut)),
			near("a batch of a fixed size is a Poisson sample", fixedBatches(false, uncut)),
			near("with 51/50 of the noise", fixedBatches(false, quieter))),
	}
}

// added is what is claimed where a record is taken for one that is added or removed.
func added(a certify.Additive) certify.Additive {
	a.Replaced = false
	return a
}

// uncut is what is claimed where it is forgotten that batches are cut: each record is in one as often, independently.
func uncut(a certify.Additive) certify.Additive {
	if a.Sampling.Cmp(rat.One) == 0 {
		a.Sampling = big.NewRat(int64(a.MaxBatch), int64(a.Records))
	}
	a.MaxBatch, a.Records = 0, 0
	return a
}

// vector is what a record contributes, in the plane.
type vector struct{ x, y float64 }

// noisy is noise around a point, with its probability.
type noisy struct {
	vector
	p float64
}

// sums returns the sums of all batches of so many of these at most, 0 for any number, with their probabilities: it goes
// through all samples, and all ways to cut them.
func sums(records []vector, q float64, most int) (all []noisy) {
	n := len(records)
	sumOf := func(set uint) (c vector) {
		for i, r := range records {
			if set>>i&1 == 1 {
				c.x, c.y = c.x+r.x, c.y+r.y
			}
		}
		return c
	}
	for sample := range uint(1) << n {
		size := bits.OnesCount(sample)
		p := math.Pow(q, float64(size)) * math.Pow(1-q, float64(n-size))
		if most == 0 || size <= most {
			all = append(all, noisy{sumOf(sample), p})
			continue
		}
		var left []uint
		for batch := range uint(1) << n {
			if batch&sample == batch && bits.OnesCount(batch) == most {
				left = append(left, batch)
			}
		}
		for _, batch := range left {
			all = append(all, noisy{sumOf(batch), p / float64(len(left))})
		}
	}
	return all
}

// larger returns the larger H_α of both orders of noise of scale 1 around these places, by quadrature in the plane.
func larger(with, without []noisy, alpha float64) float64 {
	const h, reach = 0.125, 8
	var one, other float64
	kernel := func(all []noisy, axis func(c vector) float64) (rows [][]float64) {
		for _, c := range all {
			var row []float64
			for x := -float64(reach); x < reach; x += h {
				d := x - axis(c.vector)
				row = append(row, math.Exp(-d*d/2)/math.Sqrt(2*math.Pi)*h)
			}
			rows = append(rows, row)
		}
		return rows
	}
	x, y := func(c vector) float64 { return c.x }, func(c vector) float64 { return c.y }
	px, py, qx, qy := kernel(with, x), kernel(with, y), kernel(without, x), kernel(without, y)
	for i := range px[0] {
		for j := range py[0] {
			p, q := 0.0, 0.0
			for k, c := range with {
				p += c.p * px[k][i] * py[k][j]
			}
			for k, c := range without {
				q += c.p * qx[k][i] * qy[k][j]
			}
			one, other = one+max(0, p-alpha*q), other+max(0, q-alpha*p)
		}
	}
	return max(one, other)
}

var knownBatches finite.Memo[string, float64]

// claimedBatch returns the δ of one step that impl finds for what is claimed.
func claimedBatch(t *register.T, claim func(certify.Additive) certify.Additive, a certify.Additive,
	alpha *big.Rat) float64 {
	a.Noise, a.Scale = certify.Gaussian, rat.One
	a = claim(a)
	step := impl.Mechanism{Additive: &a, Count: 1}
	return knownBatches.Of(step.Key()+alpha.RatString(), func() float64 {
		return optDel(t, impl.Pipeline{Mechanisms: []impl.Mechanism{step},
			Stops: []impl.Stop{{After: 1, Eps: loss.Exp(alpha)}}}, 1e-4).Float().Hi
	})
}

// turned is a record at a part of half a turn from one, on the unit circle turned by 1, so that no kink goes along the
// grid.
func turned(part *big.Rat) vector {
	at := 1 + math.Pi*rat.Float64(part)
	return vector{math.Cos(at), math.Sin(at)}
}

const offBatches = 2e-4 // of the quadrature

// claimed is what is claimed of noise in place of what is true.
type claimed = func(a certify.Additive) certify.Additive

// replacedInSamples compares the δ of Poisson samples with what is claimed. Records are opposite to each other, or not;
// and there are others, or not.
var replacedInSamples = finite.Over("angle in {1, 1/2, 3/4}, q in {1/2, 1/10}, e^ε in {1, 5/4, 3}, others in {0, 1}; "+
	"noise of scale 1 in the plane, records of length 1, of which one is replaced by one at an angle, as a part of "+
	"half a turn; by quadrature, for neighbours in both orders",
	func(t *register.T, claim claimed, angle, q, alpha *big.Rat, n int) {
		rate, others := rat.Float64(q), []vector{}
		if n > 0 {
			others = append(others, turned(rat.Of("1/3")))
		}
		bound := claimedBatch(t, claim, certify.Additive{Sampling: q, Replaced: true}, alpha)
		found := larger(sums(append(others, turned(rat.Int(0))), rate, 0), sums(append(others, turned(angle)), rate, 0),
			rat.Float64(alpha))
		t.Require(found <= bound+offBatches, "δ is %.6g, at most %.6g was claimed", found, bound)
		if angle.Cmp(rat.One) == 0 && n == 0 {
			t.Require(found >= bound-offBatches, "δ is %.6g, %.6g was claimed", found, bound)
		}
	})

// fixedBatches compares the δ of batches of a fixed size of three records with what is claimed: where the first is
// opposite to the others, and to the one in its place, no less is enough.
var fixedBatches = finite.Over("angle in {1, 1/2, 3/4}, batch in {1, 2}, e^ε in {1, 5/4, 3}; noise of scale 1 in the "+
	"plane, three records of length 1, of which one is added or removed, or replaced, and is at an angle to the others, "+
	"as a part of half a turn; by quadrature, for neighbours in both orders",
	func(t *register.T, replaces bool, claim claimed, angle *big.Rat, batch int, alpha *big.Rat) {
		one, others := turned(rat.Int(0)), []vector{turned(angle), turned(angle)}
		bound := claimedBatch(t, claim, certify.Additive{Sampling: rat.One, MaxBatch: batch, Records: 3,
			Replaced: replaces}, alpha)
		without := others
		if replaces {
			without = append([]vector{turned(angle)}, others...)
		}
		found := larger(sums(append([]vector{one}, others...), 1, batch), sums(without, 1, batch), rat.Float64(alpha))
		t.Require(found <= bound+offBatches, "δ is %.6g, at most %.6g was claimed", found, bound)
		if angle.Cmp(rat.One) == 0 {
			t.Require(found >= bound-offBatches, "δ is %.6g, %.6g was claimed", found, bound)
		}
	})

// cutBatches compares the δ of samples of three records that are cut with what is claimed at most.
var cutBatches = finite.Over("angle in {1, 1/2, 0}, batch in {1, 2}, q in {1/2, 9/10}, e^ε in {1, 5/4, 3}, "+
	"replaced in {0, 1}; noise of scale 1 in the plane, three records of length 1, of which one is replaced, or added "+
	"or removed, and is at an angle to the others, as a part of half a turn; by quadrature, for neighbours in both orders",
	func(t *register.T, claim claimed, angle *big.Rat, batch int, q, alpha *big.Rat, replaced int) {
		replaces, rate := replaced > 0, rat.Float64(q)
		one, others := turned(rat.Int(0)), []vector{turned(angle), turned(angle)}
		bound := claimedBatch(t, claim, certify.Additive{Sampling: q, MaxBatch: batch, Records: 3, Replaced: replaces},
			alpha)
		without := others
		if replaces {
			without = append([]vector{turned(rat.One)}, others...)
		}
		found := larger(sums(append([]vector{one}, others...), rate, batch), sums(without, rate, batch),
			rat.Float64(alpha))
		t.Require(found <= bound+offBatches, "δ is %.6g, at most %.6g was claimed", found, bound)
	})
