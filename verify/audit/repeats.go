package audit

import (
	"math"
	"slices"
)

// repeated is an output that was seen several times.
type repeated struct {
	numbers []float64
	score   float64
	seen    float64
}

// learnRepeats scores the outputs that were seen several times.
func (g *groupModel) learnRepeats(rows [][]float64, counts [][2]float64) {
	hashes := make([]uint64, len(rows))
	for r, numbers := range rows {
		hashes[r] = g.hash(numbers)
	}
	sums := map[uint64]*[2]float64{}
	for _, h := range repeatedKeys(hashes, minRepeats) {
		sums[h] = &[2]float64{}
	}
	if len(sums) == 0 {
		return
	}
	for r, numbers := range rows {
		sum, ok := sums[hashes[r]]
		if !ok {
			continue
		}
		if _, ok := g.repeat[hashes[r]]; !ok {
			g.repeat[hashes[r]] = repeated{numbers: slices.Clone(numbers)} // the others need not be kept
		}
		sum[0] += counts[r][0]
		sum[1] += counts[r][1]
	}
	g.scoreRepeats(sums)
}

// repeatedKeys returns the keys that are there so often at least.
func repeatedKeys(keys []uint64, often int) []uint64 {
	var all []uint64
	sorted := slices.Sorted(slices.Values(keys))
	for i := often - 1; i < len(sorted); i++ {
		if k := sorted[i]; k == sorted[i-often+1] && (len(all) == 0 || all[len(all)-1] != k) {
			all = append(all, k)
		}
	}
	return all
}

// scoreRepeats scores the outputs that were seen several times, each by its own counts and as many outputs like those
// of its leaf as it takes to be sure. One that is most of its leaf, or whose counts differ from the others there,
// or from all outputs, by more than the luck of the luckiest of all, is believed as it is: a leaf of a tree over many
// numbers has more of one input by chance alone. The others differ from their leaves on the whole
// by more than chance, or they do not: where numbers are rounded there may be a hundred thousand of them, of which
// thousands came from one input alone, and that says nothing. They are dropped if what they say is worth less than
// the leaf.
func (g *groupModel) scoreRepeats(sums map[uint64]*[2]float64) {
	luck := luckOf(len(sums))
	var others dispersion
	doubted := map[uint64]bool{}
	for h, sum := range sums {
		leaf := g.leaf(g.repeat[h].numbers, nil)
		surprises := max(surprise(*sum, leaf), surprise(*sum, leafOf(g.counts)))
		if surprises < luck && 2*(sum[0]+sum[1]) < leaf.counts[0]+leaf.counts[1] {
			doubted[h] = true
			others.add(*sum, leaf)
		}
	}
	prior := others.prior()
	for h, sum := range sums {
		x, leaf, weight := g.repeat[h], g.leaf(g.repeat[h].numbers, nil), 1.0
		if doubted[h] {
			weight = prior
		}
		if x.seen = sum[0] + sum[1]; x.seen < weight {
			delete(g.repeat, h)
			continue
		}
		x.score = math.Log((sum[0] + weight*leaf.share(0)) / (sum[1] + weight*leaf.share(1)))
		g.repeat[h] = x
	}
}

// luckOf returns what surprises no more than the luckiest of so many outputs does.
func luckOf(outputs int) float64 { return minGain + math.Log(float64(outputs)) }

// surprise returns by how much the log-likelihood of counts is larger with shares of their own than with those of a
// leaf.
func surprise(counts [2]float64, leaf *tree) float64 {
	return likelihood(counts) - counts[0]*math.Log(leaf.share(0)) - counts[1]*math.Log(leaf.share(1))
}

// dispersion is by how much counts of many outputs differ from the shares of their leaves, and would by chance.
//
// If the share of an output is itself drawn from a beta law with mean p, as if s outputs had been seen of it before,
// the first of its n counts has the variance n·p(1 − p)·(1 + (n − 1)/(s + 1)).
type dispersion struct{ excess, scale float64 }

func (d *dispersion) add(counts [2]float64, leaf *tree) {
	n, p := counts[0]+counts[1], leaf.share(0)
	off := counts[0] - n*p
	d.excess += off*off - n*p*(1-p)
	d.scale += n * (n - 1) * p * (1 - p)
}

// prior returns s, at least 1, and infinity if there is nothing but chance.
func (d dispersion) prior() float64 {
	if !(d.excess > 0) {
		return math.Inf(1)
	}
	return max(1, d.scale/d.excess-1)
}

// hash returns a number that two outputs with the same numbers share, and hardly any others.
// 0 and −0 are the same as reals.
func (g *groupModel) hash(numbers []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range numbers {
		if x == 0 && !g.bits {
			x = 0
		}
		h ^= math.Float64bits(x)
		h *= 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}
