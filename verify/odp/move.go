package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// move is a pair of neighbouring x^train, and how far their p_min are apart.
type move struct {
	text       string
	n          int
	lambda     *big.Rat
	l2, l1     bounds           // ‖p_min − p'_min‖ in both norms
	difference []*big.Rat       // p_min − p'_min, for l(z) = −z
	train      [2][]impl.Record // for the logistic loss
}

// weight is nΛ.
func (m move) weight() *big.Rat { return rat.Mul(rat.Int(m.n), m.lambda) }

func euclidean(m move) bounds { return m.l2 }
func manhattan(m move) bounds { return m.l1 }

func anyLoss(move) bool    { return true }
func logistic(m move) bool { return m.difference == nil }

// movesDomain says what moves yields.
func movesDomain(t *register.T) string {
	return fmt.Sprintf("N = (1/2)‖p‖²; l(z) = −z, d = 2: up to %d records, Λ in {1/10, 1, 10}, the one that changes at %d rational points of the unit disc (exact); "+
		"the logistic loss, d = 1: all x^train of up to %d records with y·x in {0, ±1, ±1/2}, Λ in {1/10, 1, 10}; d = 2: %d random ones of up to 4 records, and %d records near the worst case",
		t.Size(3, 5), len(disc), t.Size(3, 4), t.Size(200, 5000), t.Size(2000, 20000))
}

// moves yields pairs of neighbouring x^train: for l(z) = −z, and for the logistic loss in
// one dimension and then in two.
func moves(t *register.T) iter.Seq[move] {
	t.Domain("%s", movesDomain(t))
	return func(yield func(move) bool) {
		for _, all := range []iter.Seq[move]{linearMoves(t), lineMoves(t), planeMoves(t)} {
			for m := range all {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// disc are points of the unit disc.
var disc = [][]*big.Rat{
	rat.List("1", "0"), rat.List("-1", "0"), rat.List("0", "1"), rat.List("3/5", "4/5"), rat.List("-3/5", "-4/5"),
	rat.List("1/2", "0"), rat.List("0", "0"), rat.List("20/29", "21/29"), rat.List("-20/29", "-21/29"), rat.List("1/3", "-1/2"),
}

// linearMoves are those of l(z) = −z, where p_min is the mean of y·x divided by Λ: what
// the records that stay are does not matter.
func linearMoves(t *register.T) iter.Seq[move] {
	return func(yield func(move) bool) {
		for n := 1; n <= t.Size(3, 5); n++ {
			for _, lambda := range rat.List("1", "1/10", "10") {
				for i, v := range disc {
					for _, w := range disc[:i] {
						if !yield(linearMove(n, lambda, v, w)) {
							return
						}
					}
				}
			}
		}
	}
}

func linearMove(n int, lambda *big.Rat, v, w []*big.Rat) move {
	m := move{n: n, lambda: lambda}
	m.text = fmt.Sprintf("l(z) = −z, n = %d, Λ = %s, y·x = (%s) or (%s) of the record that changes", n, rat.Show(lambda), rat.Show(v...), rat.Show(w...))
	total := new(big.Rat)
	for i := range v {
		moved := rat.Quo(rat.Sub(v[i], w[i]), m.weight())
		m.difference = append(m.difference, moved)
		total.Add(total, new(big.Rat).Abs(moved))
	}
	m.l1, m.l2 = exactly(total), rootOf(inner(m.difference, m.difference))
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
			if last := len(all[i]) - 1; len(all[i]) < n-1 && (last < 0 || slices.Index(margins, v) >= slices.Index(margins, all[i][last])) {
				all = append(all, append(slices.Clip(all[i]), v))
			}
		}
	}
	return all
}

// lineMoves are those of the logistic loss in one dimension.
func lineMoves(t *register.T) iter.Seq[move] {
	return func(yield func(move) bool) {
		for _, rest := range others(t.Size(3, 4)) {
			for _, lambda := range rat.List("1", "1/10", "10") {
				for i, v := range margins {
					for _, w := range margins[:i] {
						if !yield(lineMove(t, rest, v, w, lambda)) {
							return
						}
					}
				}
			}
		}
	}
}

func lineMove(t *register.T, rest []float64, v, w float64, lambda *big.Rat) move {
	m := move{n: len(rest) + 1, lambda: lambda}
	var p [2]interval.Interval
	for i, x := range []float64{v, w} {
		m.train[i] = records(append(slices.Clip(rest), x)...)
		min, err := impl.MinimizerOnLine(m.train[i], lambda)
		t.Must(err)
		p[i] = min
	}
	m.l2 = between(p[0], p[1])
	m.l1 = m.l2
	m.text = logisticText(lambda, recordsText(records(rest...)), recordsText(records(v)), recordsText(records(w)))
	return m
}

// logisticText describes a move by the y·x of the records that stay and of the one that
// changes.
func logisticText(lambda *big.Rat, rest, v, w string) string {
	others := "no other record"
	if rest != "" {
		others = "of the others " + rest
	}
	return fmt.Sprintf("logistic loss, Λ = %s, y·x = %s or %s of the record that changes, %s", rat.Show(lambda), v, w, others)
}

// planeMoves are some of the logistic loss in two dimensions.
func planeMoves(t *register.T) iter.Seq[move] {
	return func(yield func(move) bool) {
		d := register.Seeded(16)
		for range t.Size(200, 5000) {
			if !yield(randomMove(t, d)) {
				return
			}
		}
		yield(worstMove(t, t.Size(2000, 20000)))
	}
}

// directions are on the unit circle or in it.
var directions = [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0.6, 0.8}, {-0.6, 0.8}, {0.6, -0.8}, {-0.8, -0.6}, {0.28, 0.96}, {0, 0}, {0.5, 0}}

func randomMove(t *register.T, d register.Dice) move {
	n, lambda := 1+d.Roll(4), rat.List("1", "1/8", "1/64", "8")[d.Roll(4)]
	var rest []impl.Record
	for range n - 1 {
		rest = append(rest, impl.Record{X: directions[d.Roll(len(directions))], Y: 1})
	}
	v, w := directions[d.Roll(len(directions))], directions[d.Roll(len(directions))]
	return planeMove(t, rest, v, w, lambda)
}

// worstMove is near the worst case: p_min is far out on the first axis, where the record
// that moves is predicted wrongly and |l'| is near 1; across, only Λ resists.
func worstMove(t *register.T, n int) move {
	rest := slices.Repeat([]impl.Record{{X: []float64{1, 0}, Y: 1}}, n-1)
	return planeMove(t, rest, []float64{-0.5, 0.866}, []float64{-0.5, -0.866}, big.NewRat(5, int64(n)))
}

func planeMove(t *register.T, rest []impl.Record, v, w []float64, lambda *big.Rat) move {
	m := move{n: len(rest) + 1, lambda: lambda}
	var p [2][]float64
	off, moved := new(big.Rat), [2]string{}
	for i, x := range [][]float64{v, w} {
		last := impl.Record{X: x, Y: 1}
		m.train[i], moved[i] = append(slices.Clip(rest), last), recordsText([]impl.Record{last})
		min, distance, err := impl.Minimizer(m.train[i], rat.Float64(lambda))
		t.Must(err)
		p[i] = min
		off.Add(off, new(big.Rat).SetFloat64(distance))
	}
	m.text = logisticText(lambda, recordsText(rest), moved[0], moved[1])
	var difference []*big.Rat
	total := new(big.Rat)
	for i := range p[0] {
		difference = append(difference, rat.Sub(new(big.Rat).SetFloat64(p[0][i]), new(big.Rat).SetFloat64(p[1][i])))
		total.Add(total, new(big.Rat).Abs(difference[i]))
	}
	m.l2 = rootOf(inner(difference, difference)).widen(off)
	m.l1 = exactly(total).widen(rat.Twice(off)) // ‖·‖_1 ≤ √2·‖·‖_2
	return m
}
