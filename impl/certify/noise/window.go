package noise

import (
	"math"

	"checkrr/impl/certify/internal/num"
)

// lump is neighbouring nodes of a part, with the losses of the first and the last one in units of the finest part.
type lump struct {
	low, high, mass, log float64 // log is about ln mass
	from, to             int
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
		all = append(all, lump{float64(c.Low+from) * scale, float64(c.Low+to-1) * scale, mass, math.Log(mass), from, to})
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
// below 2^32. Terms below e^−60 of the largest one are taken for 2^-80 of it.
func (all lumps) logMoment(lambda float64) float64 {
	const nothing = -60
	ref, sum := math.Inf(-1), float64(len(all))*0x1p-80
	for _, x := range all {
		ref = max(ref, max(lambda*x.low, lambda*x.high)+x.log)
	}
	for _, x := range all {
		if e := max(lambda*x.low, lambda*x.high) - ref; e+x.log > nothing {
			sum += x.mass * num.Exp(min(e, num.MostExponent))
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
	const step, steepest = 4, 16.0
	a := s.lumps()
	b := a
	if s != t {
		b = t.lumps()
	}
	for side, sign := range [2]float64{-1, 1} {
		end := a.reach(sign) + b.reach(sign)
		across := end + a.reach(-sign) + b.reach(-sign)
		best := 0.0
		try := func(lambda float64) (isBetter bool) {
			log := a.logMoment(sign * lambda)
			if s == t {
				log *= 2
			} else {
				log += b.logMoment(sign * lambda)
			}
			at := (log - math.Log(cut)) / lambda
			if isBetter = at < end; isBetter {
				end, best = at, lambda
			}
			return isBetter
		}
		lambda := min(steepest, 0x1p31/(across+math.Abs(end)+1))
		for lambda*(across+1) > 0.1 && (try(lambda) || best == 0) {
			lambda /= step
		}
		for _, ratio := range [2]float64{2, math.Sqrt2} {
			if at := best; at > 0 && !try(at*ratio) {
				try(at / ratio)
			}
		}
		if best > 0 {
			w.dropped[side] = 1.01 * cut
		}
		*[2]*float64{&w.low, &w.high}[side] = sign * end
	}
	return w
}

// nodes returns those of part j that are in w, or so near that sums of what is in w may be on them: what was finer may
// have moved by up to 3/2 of their distance.
func (w window) nodes(j int) (nodes [2]int) {
	const near, most = 3, 1 << 40
	scale := math.Pow(3, float64(j))
	return [2]int{int(math.Floor(max(-most, w.low/scale))) - near, int(math.Ceil(min(w.high/scale, most))) + near}
}
