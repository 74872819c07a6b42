package noise

import (
	"math"

	"checkrr/impl/certify/internal/num"
)

// lump is neighbouring nodes of a part, with the losses of the first and the last one in units of the finest part.
type lump struct {
	low, high, mass float64
	from, to        int
}

type lumps []lump

// mostLumps bounds the lumps of a part.
const mostLumps = 128

// lumps returns those of part j; their P-masses are no less than those of their nodes.
func (c *Cells) lumps(j int) (all lumps) {
	n, scale := len(c.Mass[0]), math.Pow(3, float64(j))
	size := (n + mostLumps - 1) / mostLumps
	for from := 0; from < n; from += size {
		to := min(from+size, n)
		mass := outward(num.Dot(c.Mass[0][from:to], nil), num.SumRounds(size), true)
		all = append(all, lump{float64(c.Low+from) * scale, float64(c.Low+to-1) * scale, mass, from, to})
	}
	return all
}

// lumps returns those of all parts.
func (s *scales) lumps() (all lumps) {
	for j, c := range s.parts {
		if c != nil {
			all = append(all, c.lumps(j)...)
		}
	}
	return all
}

// reach returns how far the losses reach on one side.
func (all lumps) reach(sign float64) float64 {
	far := math.Inf(-1)
	for _, x := range all {
		far = max(far, sign*x.low, sign*x.high)
	}
	return far
}

// logMoment returns ln Σ mass·e^(lambda·loss), or a little more; it is off by less than 2^-10 while lambda·loss is
// below 2^32.
func (all lumps) logMoment(lambda float64) float64 {
	ref, sum := math.Inf(-1), 0.0
	for _, x := range all {
		if x.mass > 0 {
			ref = max(ref, max(lambda*x.low, lambda*x.high)+math.Log(x.mass))
		}
	}
	for _, x := range all {
		if x.mass > 0 {
			e := max(lambda*x.low, lambda*x.high) - ref
			sum += x.mass * num.Exp(min(max(-num.MostExponent, e), num.MostExponent))
		}
	}
	return ref + num.Exactly(outward(sum, float64(len(all)+8), true)).Log().Hi
}

// tilted returns about ln Σ mass·e^(lambda·loss), where no exponent counts for more than most.
func (all lumps) tilted(lambda, most float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x.mass * math.Exp(min(lambda*x.high, most)-most)
	}
	return most + math.Log(sum)
}

// core returns the nodes that are left without some at the ends, with at most a mass of part on either side, and of
// e^logPart where it is tilted.
func (all lumps) core(part, lambda, most, logPart float64) (from, to int) {
	small := func(plain, tilted *float64, x lump) bool {
		if x.mass > 0 {
			*plain += x.mass
			*tilted += x.mass * math.Exp(min(min(lambda*x.high, most)-logPart, num.MostExponent))
		}
		return *plain <= part && *tilted <= 1
	}
	n, plain, tilted := len(all), 0.0, 0.0
	i := 0
	for i < n && small(&plain, &tilted, all[i]) {
		i++
	}
	if i == n {
		return all[n-1].to, all[n-1].to
	}
	k := n - 1
	for plain, tilted = 0, 0; k > i && small(&plain, &tilted, all[k]); {
		k--
	}
	return all[i].from, all[k].to
}

// window is the losses between which those of a product are, in units of the finest part, and bounds of the P-mass
// below and above.
type window struct {
	low, high float64
	dropped   [2]float64
}

// window returns one outside of which there is a P-mass of at most about cut on each side: less than e^(−λ·loss) times
// the product of the moments of e^(λ·loss), for the best λ (Chernoff).
func (s *scales) window(t *scales, cut float64) (w window) {
	const step, steepest, enough = 1.6, 16.0, 4
	a := s.lumps()
	b := a
	if s != t {
		b = t.lumps()
	}
	var ends [2]float64
	for side, sign := range [2]float64{-1, 1} {
		end := a.reach(sign) + b.reach(sign)
		across := end + a.reach(-sign) + b.reach(-sign)
		lambda, worse := min(steepest, 0x1p31/(across+math.Abs(end)+1)), 0
		for ; lambda*(across+1) > 0.1 && worse < enough; lambda /= step {
			log := a.logMoment(sign * lambda)
			if s == t {
				log *= 2
			} else {
				log += b.logMoment(sign * lambda)
			}
			if at := (log - math.Log(cut)) / lambda; at < end {
				end, w.dropped[side], worse = at, 1.01*cut, 0
			} else if w.dropped[side] > 0 {
				worse++
			}
		}
		ends[side] = sign * end
	}
	w.low, w.high = ends[0], ends[1]
	return w
}

// nodes returns those of part j that are in w, or so near that sums of what is in w may be on them: what was finer may
// have moved by up to 3/2 of their distance.
func (w window) nodes(j int) (nodes [2]int) {
	const near, most = 3, 1 << 40
	scale := math.Pow(3, float64(j))
	return [2]int{int(math.Floor(max(-most, w.low/scale))) - near, int(math.Ceil(min(w.high/scale, most))) + near}
}
