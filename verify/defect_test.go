package verify

// defect is a deliberate mistake in the code of impl: in a file, the text old, which
// is there exactly once, becomes new.
type defect struct {
	name     string
	file     string
	old, new string
}

// defects must each be noticed by [TestControlTarget].
var defects = []defect{
	// The recursion.
	{"a stop is placed one step early", "walk.go",
		"if stop >= 0 && w.ends[stop] == j {",
		"if stop >= 0 && w.ends[stop] == j+1 {"},
	{"a stop is placed one step late", "walk.go",
		"if stop >= 0 && w.ends[stop] == j {",
		"if stop >= 0 && w.ends[stop] == j-1 {"},
	{"a stop is charged what the next one is", "walk.go",
		"f.stop(&w.charges[stop])",
		"f.stop(&w.charges[stop+1])"},
	{"a stop is never used", "front.go",
		"if p*margin < c || p == 0 {",
		"if p < 2 {"},
	{"outputs that only the first database has are forgotten", "step.go",
		"only: only.float()",
		"only: 0"},
	{"the same, in single stops", "law.go",
		"l.only += s.only * l.alive",
		"l.only += 0 * l.alive"},
	{"a mechanism that leaks loses nothing of the rest", "step.go",
		"s.decay = keep.mul(expOrZero(low.neg()))",
		"s.decay = expOrZero(low.neg())"},
	{"δ adds up", "step.go",
		"lost = lost.add(base.mul(lost))",
		"lost = lost.add(lost)"},
	{"the probabilities of the losses ε and −ε are exchanged", "step.go",
		"[]dd{keep.mul(r.down), keep.mul(r.up)}",
		"[]dd{keep.mul(r.up), keep.mul(r.down)}"},
	{"counts are ignored", "walk.go",
		"yield(entry, n, end)",
		"yield(entry, 1, end)"},
	{"the distance to the charge has the wrong sign", "axis.go",
		"z := e.value.sub(loss)",
		"z := loss.sub(e.value)"},
	{"a single stop leaves out the first loss that pays", "law.go",
		"first := max(l.lo, l.below(&e, l.at)+1)",
		"first := max(l.lo, l.below(&e, l.at)+2)"},
	{"a box subtracts losses that it should add", "box.go",
		"z = z.sub(term)",
		"z = z.add(term)"},

	// What is certified.
	{"bounds are rounded inward", "walk.go",
		"math.Nextafter(value*(1-slack)-below, 0)",
		"math.Nextafter(value*(1+slack)-below, 2)"},
	{"losses given up are taken to be worth nothing", "front.go",
		"f.u[m] = f.u[f.lo]",
		"f.u[m] = 0"},
	{"what giving up low losses costs is not counted", "front.go",
		"f.excess += w.charged * f.peak",
		"f.excess += 0 * w.charged * f.peak"},
	{"masses dropped are not counted in single stops", "law.go",
		"l.lost += l.f[l.origin-m]",
		"l.lost += 0 * l.f[l.origin-m]"},
	{"wider arithmetic rounds lower bounds to nearest", "wide.go",
		"return big.ToZero",
		"return big.ToNearestEven"},
	{"wider arithmetic exchanges its directions", "wide.go",
		"if up {\n\t\treturn big.AwayFromZero",
		"if !up {\n\t\treturn big.AwayFromZero"},

	// The bracket.
	{"the weights of the chord are exchanged", "grid.go",
		"add(node, fall.mul(payoff(t.sub(x.unit))).div(all).times(m))\n\t\tif above := payoff(t.neg()); above.hi > 0 {\n\t\t\tadd(node+1, above.div(all).times(m))\n\t\t}",
		"add(node, payoff(t.neg()).div(all).times(m))\n\t\tadd(node+1, fall.mul(payoff(t.sub(x.unit))).div(all).times(m))"},
	{"losses are rounded down for the upper bound", "grid.go",
		"add(node, fall.mul(payoff(t.sub(x.unit))).div(all).times(m))\n\t\tif above := payoff(t.neg()); above.hi > 0 {",
		"add(node, fall.div(fall).times(m))\n\t\tif above := payoff(t.neg()); above.hi > 2 {"},
	{"merging forgets mass of the second database", "merge.go",
		"nextB[i+up] += q * l.tilt[up]",
		"nextB[i+up] = q * l.tilt[up]"},
	{"merging counts runs that have ended", "merge.go",
		"value, probability = g.take(e, threshold, true)",
		"value, probability = g.take(e, threshold, false)"},

	// The rule.
	{"thresholds are one node high", "solver.go",
		"places[i].origin + 2*m}",
		"places[i].origin + 2*m + 2}"},
	{"an infinite loss never stops", "law.go",
		"probability, l.only = l.only, 0",
		"probability, l.only = 0, l.only"},
}
