package audit

// lowBitsPromise is the growth of the logarithm of a capital from which on last bits are
// warned of: by chance, there is hardly ever so much.
const lowBitsPromise = 20

// lowBits reports whether numbers that were taken as reals would break the claim as
// float64, by bits that a real number does not have (Mironov 2012). It is a warning and
// no test: it looks at no fresh outputs.
func (a *auditor) lowBits() bool {
	bitwise := *a
	bitwise.Bits = true
	for _, t := range a.matches {
		copied := &match{learn: t.learn, judge: t.judge, drawn: t.drawn}
		r, err := copied.open(&bitwise, t.judge[0].Count(), 0)
		if err != nil || r == nil {
			return false // what is wrong was said when it was bet on
		}
		for _, g := range copied.games {
			if g.betting && g.bold.promise > lowBitsPromise {
				return true
			}
		}
	}
	return false
}
