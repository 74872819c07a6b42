package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// move is a pair of neighbouring x^train, of which one record differs, and how far their p_min are apart.
type move struct {
	text       string
	of         [2]training
	p          [2][]float64 // within off of p_min, both together
	off        *big.Rat
	difference []*big.Rat // p_min − p'_min, within off
	l2, l1     bounds     // ‖p_min − p'_min‖ in both norms
}

func (m move) n() int           { return len(m.of[0].train) }
func (m move) dimension() int   { return len(m.difference) }
func (m move) lambda() *big.Rat { return m.of[0].lambda }

// weight is nΛ.
func (m move) weight() *big.Rat { return rat.Mul(rat.Int(m.n()), m.lambda()) }

func euclidean(m move) bounds { return m.l2 }
func manhattan(m move) bounds { return m.l1 }

// logistic reports whether it is the release test's: the logistic loss and N = (1/2)‖p‖².
func logistic(m move) bool {
	return m.of[0].loss.name == logisticLoss.name && m.of[0].reg.name == halfSquare.name
}

// inTheorem reports whether l and N are as Theorem 16 has them.
func inTheorem(m move) bool {
	return m.of[0].loss.name != doubled.name && m.of[0].reg.name != weak.name
}

// movesDomain says what moves yields.
func movesDomain(t *register.T) string {
	return fmt.Sprintf("l(z) = −z, N = (1/2)‖p‖², d = 2: up to %d records, Λ in {1/10, 1, 10}, the one that changes "+
		"at %d rational points of the unit disc (exact); the logistic loss, d = 1: all x^train of up to %d records "+
		"with y·x in {0, ±1, ±1/2}, Λ in {1/10, 1, 10}; d = 2: %d records near the worst case; %d random ones of up "+
		"to 4 records, d from 2 to 4, of %d losses and %d regularizers, Λ in {1/4, 1, 5}, and a third as many of the "+
		"logistic loss and (1/2)‖p‖²", t.Size(2, 5), len(disc), t.Size(2, 4), t.Size(2000, 20000), t.Size(120, 5000),
		len(losses), len(regularizers))
}

// knownMoves are those of a normal run, 0, and of a deep one, 1.
var knownMoves finite.Memo[int, []move]

// moves returns pairs of neighbouring x^train: for l(z) = −z, for the logistic loss in one dimension and in two,
// and for other losses and regularizers.
func moves(t *register.T) []move {
	t.Domain("%s", movesDomain(t))
	return knownMoves.Of(t.Size(0, 1), func() []move {
		return slices.Concat(linearMoves(t), lineMoves(t), []move{worstMove(t.Size(2000, 20000))}, generalMoves(t))
	})
}

// newMove is the move between two x^train. The p_min are found within a distance.
func newMove(text string, of [2]training, minimum func(x training) (p []float64, off *big.Rat)) move {
	m := move{text: text, of: of, off: new(big.Rat)}
	for b, x := range of {
		p, off := minimum(x)
		m.p[b], m.off = p, rat.Add(m.off, off)
	}
	m.difference = differenceOf(m.p)
	return m.measured()
}

// differenceOf returns p_0 − p_1.
func differenceOf(p [2][]float64) (all []*big.Rat) {
	for i := range p[0] {
		all = append(all, rat.Sub(new(big.Rat).SetFloat64(p[0][i]), new(big.Rat).SetFloat64(p[1][i])))
	}
	return all
}

func width(x interval.Interval) *big.Rat { return rat.Sub(rat.Exact(x.Upper), rat.Exact(x.Lower)) }

// disc are points of the unit disc.
var disc = [][]*big.Rat{
	rat.List("1", "0"), rat.List("-1", "0"), rat.List("0", "1"), rat.List("3/5", "4/5"), rat.List("-3/5", "-4/5"),
	rat.List("1/2", "0"), rat.List("0", "0"), rat.List("20/29", "21/29"), rat.List("-20/29", "-21/29"),
	rat.List("1/3", "-1/2"),
}

// linearMoves are those of l(z) = −z, where p_min is the mean of y·x divided by Λ: what
// the records that stay are does not matter.
func linearMoves(t *register.T) (all []move) {
	for n := 1; n <= t.Size(2, 5); n++ {
		for _, lambda := range rat.List("1", "1/10", "10") {
			for i, v := range disc {
				for _, w := range disc[:i] {
					all = append(all, linearMove(n, lambda, v, w))
				}
			}
		}
	}
	return all
}

func linearMove(n int, lambda *big.Rat, v, w []*big.Rat) move {
	m := move{off: new(big.Rat)}
	m.text = fmt.Sprintf("l(z) = −z, n = %d, Λ = %s, y·x = (%s) or (%s) of the record that changes",
		n, rat.Show(lambda), rat.Show(v...), rat.Show(w...))
	for i := range v {
		m.difference = append(m.difference, rat.Quo(rat.Sub(v[i], w[i]), rat.Mul(rat.Int(n), lambda)))
	}
	for b, x := range [][]*big.Rat{v, w} {
		rest := slices.Repeat([]impl.LabelledRecord{{X: make([]float64, len(v)), Y: 1}}, n-1)
		m.of[b] = training{append(rest, impl.LabelledRecord{X: rat.Floats(x), Y: 1}), linear, halfSquare, lambda}
		m.p[b] = each(rat.Floats(x), func(c float64) float64 { return c / float64(n) / rat.Float64(lambda) })
	}
	return m.measured()
}

// measured returns m with the norms of the difference.
func (m move) measured() move {
	total := new(big.Rat)
	for _, c := range m.difference {
		total.Add(total, new(big.Rat).Abs(c))
	}
	m.l1 = exactly(total).widen(rat.Mul(rat.Int(m.dimension()), m.off)) // ‖·‖_1 ≤ √d·‖·‖_2
	m.l2 = rootOf(inner(m.difference, m.difference)).widen(m.off)
	return m
}

// inner returns x^T y.
func inner(x, y []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for i := range x {
		total.Add(total, rat.Mul(x[i], y[i]))
	}
	return total
}

// margins are the values of v = y·x of the record that changes and of the others.
var margins = []float64{0, 1, -1, 0.5, -0.5}

// others returns the databases of up to n − 1 records that stay, up to their order.
func others(n int) [][]float64 {
	all := [][]float64{nil}
	for i := 0; i < len(all); i++ {
		for _, v := range margins {
			if last := len(all[i]) - 1; len(all[i]) < n-1 &&
				(last < 0 || slices.Index(margins, v) >= slices.Index(margins, all[i][last])) {
				all = append(all, append(slices.Clip(all[i]), v))
			}
		}
	}
	return all
}

// lineMoves are those of the logistic loss in one dimension.
func lineMoves(t *register.T) (all []move) {
	for _, rest := range others(t.Size(2, 4)) {
		for _, lambda := range rat.List("1", "1/10", "10") {
			for i, v := range margins {
				for _, w := range margins[:i] {
					all = append(all, lineMove(rest, v, w, lambda))
				}
			}
		}
	}
	return all
}

func lineMove(rest []float64, v, w float64, lambda *big.Rat) move {
	var on []interval.Interval
	m := logisticMove(records(rest...), records(v, w), lambda, func(x training) ([]float64, *big.Rat) {
		p := register.Must(impl.MinimizerOnLine(x.train, lambda))
		on = append(on, p)
		return []float64{p.Float().Lo}, width(p)
	})
	m.l2 = between(on[0], on[1])
	m.l1 = m.l2
	return m
}

// logisticMove is one of the logistic loss, by the records that stay and the two that change.
func logisticMove(rest, changes []impl.LabelledRecord, lambda *big.Rat,
	minimum func(x training) ([]float64, *big.Rat)) move {
	var of [2]training
	for b := range of {
		of[b] = training{append(slices.Clip(rest), changes[b]), logisticLoss, halfSquare, lambda}
	}
	others := "no other record"
	if len(rest) > 0 {
		others = "of the others " + recordsText(rest)
	}
	text := fmt.Sprintf("logistic loss, Λ = %s, y·x = %s or %s of the record that changes, %s", rat.Show(lambda),
		recordsText(changes[:1]), recordsText(changes[1:]), others)
	return newMove(text, of, minimum)
}

// generalMoves are some of all losses and regularizers, and at last of those that are not in Theorem 16.
func generalMoves(t *register.T) (all []move) {
	d := register.Seeded(161)
	for i := range t.Size(120, 5000) {
		all = append(all, generalMove(d, losses[i%len(losses)], regularizers[d.Roll(len(regularizers))]))
		if i%3 == 0 {
			all = append(all, generalMove(d, logisticLoss, halfSquare))
		}
	}
	for range 20 {
		all = append(all, generalMove(d, doubled, halfSquare), generalMove(d, linear, weak))
	}
	return all
}

// generalMove has a record that changes to the opposite label, or to any.
func generalMove(d register.Dice, l lossFunction, n regularizer) move {
	dimension, lambda := 2+d.Roll(3), rat.List("1", "1/4", "5")[d.Roll(3)]
	var rest []impl.LabelledRecord
	for range d.Roll(4) {
		rest = append(rest, ballRecord(d, dimension))
	}
	first, second := ballRecord(d, dimension), ballRecord(d, dimension)
	if d.Roll(2) == 0 {
		second = impl.LabelledRecord{X: first.X, Y: -first.Y}
	}
	of := [2]training{{append(slices.Clip(rest), first), l, n, lambda},
		{append(slices.Clip(rest), second), l, n, lambda}}
	text := fmt.Sprintf("%v, the last of which becomes %s", of[0], labelledText([]impl.LabelledRecord{second}))
	return newMove(text, of, training.minimum)
}

// ballRecord returns a record in the unit ball, at multiples of 1/8, where float64 is exact.
func ballRecord(d register.Dice, dimension int) impl.LabelledRecord {
	label := []float64{1, -1, 0.5, 1, -1}[d.Roll(5)]
	if d.Roll(3) == 0 {
		x := make([]float64, dimension)
		x[d.Roll(dimension)] = 1
		return impl.LabelledRecord{X: x, Y: label}
	}
	for {
		x := make([]float64, dimension)
		for i := range x {
			x[i] = float64(d.Roll(17)-8) / 8
		}
		if square := sumOf(x, func(c float64) float64 { return c * c }); square <= 1 && square >= 0.5 {
			return impl.LabelledRecord{X: x, Y: label}
		}
	}
}

// worstMove is near the worst case: p_min is far out on the first axis, where the record
// that moves is predicted wrongly and |l'| is near 1; across, only Λ resists.
func worstMove(n int) move {
	rest := slices.Repeat([]impl.LabelledRecord{{X: []float64{1, 0}, Y: 1}}, n-1)
	changes, lambda := []impl.LabelledRecord{{X: []float64{-0.5, 0.866}, Y: 1}, {X: []float64{-0.5, -0.866}, Y: 1}},
		big.NewRat(5, int64(n))
	return logisticMove(rest, changes, lambda, func(x training) ([]float64, *big.Rat) {
		p, distance, err := impl.Minimizer(x.train, rat.Float64(lambda))
		return register.Must(p, err), new(big.Rat).SetFloat64(distance)
	})
}
