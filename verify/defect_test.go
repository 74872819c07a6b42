package verify

// defect is a deliberate mistake in the code of impl: in a function of a file, the text old, which
// is there exactly once, becomes new.
type defect struct {
	name     string
	file     string
	old, new string
}

// certifies is where the solver asks the checker.
const certifies = "b, err := certify.Check("

// windows begins a loop that asks for windows.
const windows = "for range s.problem.runs {\n\t\th.Upper.Windows = append(h.Upper.Windows, certify.Window"

// kernel is the folder of the kernel.
const kernel = "internal/stopping/"

// trusted are defects in what every bound rests on: the checker, and how a problem gets to it.
// [TestControlTarget] must notice each.
var trusted = []defect{
	// The problem.
	{"entries of different δ are joined", "certify/grouped.go",
		"{{m.Eps.Value, m.Delta}}", "{{m.Eps.Value, m.Eps.Value}}"},
	{"e^ε is taken for ε", "loss/epsilon.go",
		"Epsilon{Value: rational.Copy(expEps), Log: true}",
		"Epsilon{Value: rational.Copy(expEps), Log: expEps.IsInt()}"},
	{"a stop is charged what the next one is", "certify/payoff.go",
		"charge: l.frame.of(p.Stops[r.Stop].Eps)",
		"charge: l.frame.of(p.Stops[min(r.Stop+1, len(p.Stops)-1)].Eps)"},
	{"the largest loss leaves out a mechanism", "certify/payoff.go",
		"s := &stopPayoff{top: top.plus(n, eps)",
		"s := &stopPayoff{top: top.plus(n-1, eps)"},

	// The law of a run.
	{"the ratio of binomial masses is wrong", "certify/law.go",
		"x.SetInt64(int64(count-n+i))",
		"x.SetInt64(int64(count-n+i+1))"},
	{"a mechanism that leaks does so once", "certify/law.go",
		"leak(m.Delta, count, prec)",
		"leak(m.Delta, 1, prec)"},
	{"masses left out below are not counted", "certify/law.go",
		"before.Add(before, behind).Quo(before, sum)",
		"before.Sub(behind, behind).Quo(before, sum)"},
	{"one square is forgotten in the exponential", "certify/internal/num/interval.go",
		"for range s {",
		"for range s - 1 {"},
	{"a part of logarithms has the wrong sign", "certify/internal/num/interval.go",
		"return OfInt(0).Sub(twiceArtanh(z.Neg(z), w), w).Add(",
		"return twiceArtanh(z.Neg(z), w).Add("},

	// The lattice.
	{"the weights of the chord are exchanged", "certify/pld.go",
		"s.add(-q-1, mass*((1-x)*y/num.OneMinusExp(unit)), 1)\n\t\ts.add(-q, mass*(x/num.OneMinusExp(unit)), 1)",
		"s.add(-q-1, mass*(x/num.OneMinusExp(unit)), 1)\n\t\ts.add(-q, mass*((1-x)*y/num.OneMinusExp(unit)), 1)"},
	{"losses are rounded down for the upper end", "certify/pld.go",
		"s.add(-q-1, mass*((1-x)*y/num.OneMinusExp(unit)), 1)\n\t\ts.add(-q, mass*(x/num.OneMinusExp(unit)), 1)",
		"s.add(-q-1, mass, 1)\n\t\ts.add(-q, 0, 1)"},
	{"the tilt of what is merged upward is inverted", "certify/pld.go",
		"s.add(-q, mass, 1/(1-y))",
		"s.add(-q, mass, 1-y)"},
	{"merging is taken for exact", "certify/pld.go",
		"l.isExact = false\n",
		"l.isExact = true\n"},
	{"a rest is not the rest", "certify/sum.go",
		"return int(n.Int64()), sum{nats: r}, nil",
		"return int(n.Int64()), sum{nats: r.Rsh(r, 1)}, nil"},
	{"losses that differ in nats are the same state", "certify/states.go",
		"[]byte(s.nats.Text(32))",
		"[]byte{}"},
	{"a payoff forgets the first excess", "certify/payoff.go",
		"num.OneMinusExp(l.frame.float(s.excess.plus(first-s.first, l.unit)))",
		"num.OneMinusExp(l.frame.float(l.unit.plus(first-s.first, l.unit)))"},
	{"the first node that pays is left out", "certify/payoff.go",
		"if s.first = -q; s.isNode {\n\t\ts.first++",
		"if s.first = -q + 1; s.isNode {\n\t\ts.first++"},
	{"payoffs fall with the loss", "certify/payoff.go",
		"pay[j] = start*fall + complements[j]",
		"pay[j] = start*fall + 0*complements[j]"},
	{"1 − e^−x is 1 too early", "certify/internal/num/float.go",
		"if x >= 48 {",
		"if x >= 8 {"},

	// The upper end.
	{"a stop is never used", "certify/internal/num/float.go",
		"p != 0 && !(p < w[m]) && w[m] == w[m] {",
		"p > 2 {"},
	{"below a window there is nothing", "certify/pass.go",
		"next.pad(Window{l.useful[k].Lo, here.Hi}, w[first], 1)",
		"next.pad(Window{l.useful[k].Lo, here.Hi}, 0, 1)"},
	{"above a window there is what is at its end", "certify/pass.go",
		"next.pad(Window{l.useful[k].Lo, here.Hi}, w[first], 1)",
		"next.pad(Window{l.useful[k].Lo, here.Hi}, w[first], w[len(w)-1])"},
	{"outputs that only the first database has are forgotten", "certify/pass.go",
		"s.mass[0], s.infinity+s.truncated+",
		"s.mass[0], s.truncated+"},
	{"atoms left out are worth nothing", "certify/pass.go",
		"s.mass[0], s.infinity+s.truncated+",
		"s.mass[0], s.infinity+"},

	// The lower end, and single stops.
	{"the same outputs are forgotten in single stops", "certify/forward.go",
		"v.infinity += s.infinity * min(num.Dot(v.on(0, from), nil), most)",
		"v.infinity += 0 * min(num.Dot(v.on(0, from), nil), most)"},
	{"atoms left out are not counted as dropped", "certify/forward.go",
		"v.dropped += s.truncated",
		"v.dropped += 0 * s.truncated"},
	{"what is outside a window is not counted as dropped", "certify/forward.go",
		"nil), most)*below + num.Dot(",
		"nil), most)*0 + 0*num.Dot("},
	{"dropped mass is not added", "certify/check.go",
		"x.gain+x.dropped",
		"x.gain"},
	{"runs that have ended go on", "certify/forward.go",
		"clear(ends)",
		"clear(ends[:0])"},
	{"merged runs that have ended go on", "certify/forward.go",
		"a[m], b[m] = 0, 0",
		"a[m], b[m] = a[m]+0, b[m]+0"},
	{"an infinite loss never stops", "certify/forward.go",
		"o.probability += v.infinity\n\t\tv.infinity = 0",
		"o.probability += v.infinity"},
	{"merging forgets the second database", "certify/forward.go",
		"s.reversed, s.backward[j], num.Tiny[j])",
		"s.reversed, s.backward[0], num.Tiny[j])"},
	{"Lemma 11 leaves out a stop", "certify/check.go",
		"for i := range b.SingleStop {",
		"for i := range b.SingleStop[:max(1, len(b.SingleStop)-1)] {"},
	{"a stop that only leaks does not pay", "certify/payoff.go",
		"leaks = leaks || p.Mechanisms",
		"leaks = leaks && p.Mechanisms"},

	// Rounding.
	{"bounds are rounded inward", "certify/outward.go",
		"x*(1+o.slack)+o.lost",
		"x*(1-o.slack)+o.lost"},
	{"roundings are not counted", "certify/outward.go",
		"1.01 * roundings * 0x1p-53",
		"0 * roundings"},

	{"P1-masses that are too small for float64 do not grow again", "certify/forward.go",
		"s.reversed, s.backward[j], num.Tiny[j])",
		"s.reversed, s.backward[j], num.Tiny[0])"},
	{"atoms are added on a node as if that were exact", "certify/pld.go",
		"s.rounds++",
		"s.rounds += 0"},

	// States.
	{"states forget outputs that only the first database has", "certify/states.go",
		"here[m] = s.infinity[k]",
		"here[m] = num.OfInt(0)"},
	{"states that have ended go on", "certify/states.go",
		"s.mulAdd(num.OfInt(1), x, o.probability), num.OfInt(0)",
		"s.mulAdd(num.OfInt(1), x, o.probability), x"},
	{"states are paid for their loss, not for the gap", "certify/states.go",
		"s.pay(f, gap)",
		"s.pay(f, loss)"},
	{"states round constants inward", "certify/wide.go",
		"e := new(big.Float).SetMantExp(x, -int(w))",
		"e := new(big.Float).SetMantExp(x, 8-int(w))\n\te.Neg(e)"},
}

// untrusted are defects in what only proposes: [TestControlTruth] must find no bound wrong with any.
var untrusted = []defect{
	{"the unit is three times too large", kernel + "solver.go",
		"unit := l.unit",
		"unit := l.unit\n\tunit.Value = new(big.Rat).Mul(unit.Value, big.NewRat(3, 1))"},
	{"the unit is no divisor", kernel + "solver.go",
		"unit := l.unit",
		"unit := l.unit\n\tunit.Value = new(big.Rat).Mul(unit.Value, big.NewRat(17, 20))"},
	{"the unit is smaller than it must be", kernel + "solver.go",
		"unit := l.unit",
		"unit := l.unit\n\tunit.Value = new(big.Rat).Mul(unit.Value, big.NewRat(1, 7))"},
	{"the unit of logarithms is no power", kernel + "solver.go",
		"unit := l.unit",
		"unit := l.unit\n\tif unit.Log {\n\t\tunit.Value = new(big.Rat).Add(unit.Value, unit.Value)\n\t}"},
	{"much is given up", kernel + "solver.go", "for floor := firstFloor;", "for floor := 0.05;"},
	{"large atoms are left out", kernel + "solver.go", "Floor: floor, Cut: floor / 16})", "Floor: floor, Cut: 0.1})"},
	{"much is given up on grids", kernel + "gridstart.go",
		"certify.Hints{Floor: floor, Cut: floor / 16, Upper",
		"certify.Hints{Floor: math.Sqrt(floor), Cut: floor / 16, Upper"},
	{"the lower grid is coarse", kernel + "gridstart.go",
		"gridUnit(coarser * unit)",
		"gridUnit(25 * coarser * unit)"},
	{"grids have one bit", kernel + "gridstart.go", "SetPrec(6)", "SetPrec(1)"},
	{"thresholds are 0", kernel + "solver.go", certifies,
		"h.Thresholds = make([]float64, len(s.problem.Stops))\n\t" + certifies},
	{"nothing ever stops", kernel + "solver.go", certifies,
		"for range s.problem.Stops {\n\t\th.Thresholds = append(h.Thresholds, math.Inf(1))\n\t}\n\t" + certifies},
	{"windows are narrow", kernel + "solver.go", certifies, windows + "{Lo: -3})\n\t}\n\t" + certifies},
	{"windows are far below", kernel + "solver.go", certifies, windows + "{Lo: -1000, Hi: -900})\n\t}\n\t" + certifies},
	{"methods are exchanged", kernel + "solver.go", "case s.Method == Bracket, s.Method",
		"case s.Method == Lattice, s.Method"},
	{"lattices cost nothing", kernel + "solver.go", "return 3 * sum", "return 0 * sum"},
	{"states cost nothing", kernel + "solver.go", "sum += size * max(float64(r.Count+1), float64(len(depths)))",
		"sum += 0 * size * max(float64(r.Count+1), float64(len(depths)))"},
	{"grids cost nothing", kernel + "solver.go", "return 20 * k", "return 0 * k"},
	{"bits are few", kernel + "solver.go", "Bits: max(64, bits)", "Bits: 53"},
	{"deviations are a hundred times too large", kernel + "problem.go", "return max(p.root(",
		"return 100 * max(p.root("},
	{"every answer is fine", kernel + "solver.go", "return s.width(s.best) <= s.RelWidth && (", "return true || ("},
	{"the worst answer is kept", kernel + "solver.go", "return x < y || x == y", "return x > y || x == y"},
	{"losses are fewer than there are", kernel + "lattice.go", "l.span = append(l.span, span)",
		"l.span = append(l.span, span/2)"},
	{"the common unit is twice too large", kernel + "lattice.go", "SetFrac(g, b.Mul(", "SetFrac(g.Lsh(g, 1), b.Mul("},
	{"the common unit of logarithms is too large", kernel + "lattice.go", "case 0:\n\t\t\treturn x, true",
		"case 0:\n\t\t\treturn x.Mul(x, y), true"},
}
