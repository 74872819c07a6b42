package finite

import (
	"math/big"
	"slices"

	"checkrr/verify/rat"
)

// Coins are draws that come out in every way, one after the other: in a run of [GoThrough] they follow a path.
type Coins struct {
	Path []Draw   // how the draws so far came out
	Pr   *big.Rat // the probability of that

	at    int
	least *big.Rat
	empty bool // whether draws come out in parts without a length, too
}

// Draw is a uniform real number in [0, 1), of which is known in which part it is.
type Draw struct {
	Low, High *big.Rat // it is in [Low, High)
	IsCoin    bool     // made by Bernoulli or Below

	part, last int // the parts with a positive length end with the last
}

// Part returns in which part it is, 0 for the lowest.
func (d Draw) Part() int { return d.part }

// rare is what a run panics with whose path is less probable than the bound.
type rare struct{}

// GoThrough runs a program once for every path of its draws that is as probable as least, or more, and returns the
// probability of the other paths. The program does the same on the same draws.
func GoThrough(least *big.Rat, run func(c *Coins)) (rest *big.Rat) {
	return (&Coins{least: least}).goThrough(run)
}

func (c *Coins) goThrough(run func(c *Coins)) (rest *big.Rat) {
	rest = new(big.Rat)
	for {
		c.at, c.Pr = 0, rat.One
		if c.isRare(run) {
			rest = rat.Add(rest, c.Pr)
		}
		c.Path = c.Path[:c.at]
		for len(c.Path) > 0 && c.Path[len(c.Path)-1].part == c.Path[len(c.Path)-1].last {
			c.Path = c.Path[:len(c.Path)-1]
		}
		if len(c.Path) == 0 {
			return rest
		}
		c.Path[len(c.Path)-1].part++
	}
}

func (c *Coins) isRare(run func(c *Coins)) (isRare bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, isRare = r.(rare); !isRare {
				panic(r)
			}
		}
	}()
	run(c)
	return false
}

// next returns in which part the next draw is, of those between the cuts 0 and 1.
func (c *Coins) next(isCoin bool, cuts ...*big.Rat) int {
	if c.at == len(c.Path) {
		last := len(cuts) - 2
		for !c.empty && rat.Equal(cuts[last], cuts[last+1]) {
			last--
		}
		c.Path = append(c.Path, Draw{IsCoin: isCoin, last: last})
	}
	d := &c.Path[c.at]
	for !c.empty && rat.Equal(cuts[d.part], cuts[d.part+1]) {
		d.part++
	}
	d.Low, d.High = cuts[d.part], cuts[d.part+1]
	c.at++
	if c.Pr = rat.Mul(c.Pr, rat.Sub(d.High, d.Low)); c.Pr.Cmp(c.least) < 0 {
		panic(rare{})
	}
	return d.part
}

// Bernoulli returns whether the next draw is below p.
func (c *Coins) Bernoulli(p *big.Rat) bool { return c.next(true, new(big.Rat), p, rat.One) == 0 }

// Below returns n times the next draw, rounded down.
func (c *Coins) Below(n *big.Int) *big.Int {
	return big.NewInt(int64(c.next(true,
		cutsOf(slices.Repeat([]*big.Rat{new(big.Rat).SetFrac(big.NewInt(1), n)}, int(n.Int64())))...)))
}

// Of returns a draw from a law over 0, 1, ….
func (c *Coins) Of(law []*big.Rat) int { return c.next(false, cutsOf(law)...) }

func cutsOf(law []*big.Rat) []*big.Rat {
	cuts := []*big.Rat{new(big.Rat)}
	for _, p := range law {
		cuts = append(cuts, rat.Add(cuts[len(cuts)-1], p))
	}
	return cuts
}

// Words returns random words with which noise.Coins come out as they did on a path: those just inside of the parts, at
// their lower or at their upper ends. What has one part takes none.
func Words(path []Draw, lower bool) (words []uint64) {
	digits := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 64))
	for _, d := range path {
		if !d.IsCoin || d.Low.Sign() == 0 && rat.Equal(d.High, rat.One) {
			continue
		}
		low, high := rat.Mul(d.Low, digits), rat.Mul(d.High, digits)
		first := new(big.Int).Quo(new(big.Int).Add(low.Num(), new(big.Int).Sub(low.Denom(), big.NewInt(1))),
			low.Denom())
		end := new(big.Int).Quo(high.Num(), high.Denom())
		if !lower {
			first = end.Sub(end, big.NewInt(1))
		}
		words = append(words, first.Uint64())
	}
	return words
}

// WordTape is a source of words that ends.
type WordTape struct{ Words []uint64 }

// Uint64 returns the next word.
func (s *WordTape) Uint64() uint64 {
	w := s.Words[0]
	s.Words = s.Words[1:]
	return w
}

// Tape is noise that was drawn beforehand: it plays the draws, over and over. Programs that should do the same can
// be run on the same draws.
type Tape struct {
	Draws  []float64 // for scale 1
	Scales []float64 // what was asked for, draw by draw
}

// Laplace returns the next draw.
func (t *Tape) Laplace(scale float64) float64 {
	t.Scales = append(t.Scales, scale)
	return scale * t.Draws[(len(t.Scales)-1)%len(t.Draws)]
}

// Gauss returns the next draw.
func (t *Tape) Gauss(sigma float64) float64 { return t.Laplace(sigma) }
