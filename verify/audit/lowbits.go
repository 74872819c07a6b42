package audit

import "math"

// lowBitsPromise is the growth of the logarithm of a capital from which on last bits are
// warned of: by chance, there is hardly ever so much.
const lowBitsPromise = 20

// lowBitsOutputs is how many outputs are looked at, about: what last bits tell, they tell soon.
const lowBitsOutputs = 20_000

// some returns the first outputs of every group with numbers, and some groups without, about n altogether.
func (s *Sample) some(n int) *Sample {
	share := min(1, float64(n)/float64(s.Count()+1))
	few := &Sample{}
	for _, k := range s.someKeys(share) {
		g := s.groups[k]
		count := int(math.Ceil(share * float64(g.Count)))
		mine := few.Group(k.part, k.shape, g.Width)
		mine.Count, mine.Numbers = count, g.Numbers[:count*g.Width]
	}
	return few
}

// lowBits reports whether numbers that were taken as reals would break the claim as
// float64, by bits that a real number does not have (Mironov 2012). It is a warning and
// no test: it looks at no fresh outputs.
func (a *auditor) lowBits() bool {
	if !a.haveNumbers() {
		return false
	}
	bitwise := *a
	bitwise.Bits = true
	ctx, stop := a.untilReport()
	defer stop()
	for _, t := range a.matches {
		copied := &match{drawn: t.drawn}
		for side := range 2 {
			copied.learn[side], copied.judge[side] = t.learn[side].some(lowBitsOutputs), t.judge[side].some(lowBitsOutputs)
		}
		r, err := copied.open(ctx, &bitwise, copied.judge[0].Count(), 0)
		if err != nil || r == nil {
			return false // what is wrong was said when it was bet on, or time is up
		}
		for _, g := range copied.capitals {
			if g.betting && g.chosen.promise > lowBitsPromise {
				return true
			}
		}
	}
	return false
}

// haveNumbers reports whether there are numbers in the outputs.
func (a *auditor) haveNumbers() bool {
	for _, t := range a.matches {
		for _, g := range t.learn[0].groups {
			if g.Width > 0 {
				return true
			}
		}
	}
	return false
}
