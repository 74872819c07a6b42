package ours

import (
	"math/big"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// bands is the statement on noise by banded matrices.
func bands() register.Checks {
	return register.Checks{
		"OUR-L9": checked(roundsDominate(wholeAtFirst),
			near("of a round nothing is lost before its last step", roundsDominate(wholeAtLast)),
			near("the rate of a round is that of a step", roundsDominate(notMoreOften)),
			near("with 999/1000 of the rate", roundsDominate(rarer))),
	}
}

// banded is a run in rounds of two steps. In the first step of a round a record is in the sample with a probability; if
// it is, both steps show it, each by one bit, independently.
type banded struct {
	rate  *big.Rat      // of a round
	shows []finite.Pair // per step of a round, the laws of its bit if the record is in the sample, and if not
	delay int           // how many steps run before the first round
	steps int
}

// rounded are the pairs that steps are said to have.
type rounded = func(b banded) []finite.Pair

// ofRound returns the pair of all that a round shows.
func (b banded) ofRound(rate *big.Rat) finite.Pair {
	return inSample(released(b.shows[0], b.shows[1]), rate)
}

// nothing is the pair of what loses nothing.
func nothing() finite.Pair { return finite.Pair{{"0": rat.One}, {"0": rat.One}} }

// at returns pairs of which every second one, from a place on, is that of a round with this rate.
func (b banded) at(place int, rate *big.Rat) (pairs []finite.Pair) {
	for k := range b.steps {
		if k%2 == place {
			pairs = append(pairs, b.ofRound(rate))
		} else {
			pairs = append(pairs, nothing())
		}
	}
	return pairs
}

func wholeAtFirst(b banded) []finite.Pair { return b.at(0, b.rate) }
func wholeAtLast(b banded) []finite.Pair  { return b.at(1, b.rate) }
func notMoreOften(b banded) []finite.Pair { return b.at(0, rat.Mul(rat.Half, b.rate)) }
func rarer(b banded) []finite.Pair        { return b.at(0, rat.Mul(rat.Of("999/1000"), b.rate)) }

// tree returns the laws of each step after the bits before it.
func (b banded) tree() finite.Tree {
	tree := finite.Tree{}
	var grow func(bits string, in, out *big.Rat)
	grow = func(bits string, in, out *big.Rat) { // the probability of the round so far, in the sample and out of it
		k := len(bits) - b.delay
		if len(bits) == b.steps {
			return
		}
		shows := nothing()
		if k >= 0 {
			shows = b.shows[k%2]
		}
		if k%2 == 0 {
			in, out = rat.One, rat.One
		}
		whole := rat.Add(rat.Mul(b.rate, in), rat.Mul(rat.Complement(b.rate), out))
		laws := finite.Pair{{}, {}}
		for _, bit := range shows.Outputs() {
			x, y := rat.Mul(in, shows[0].Pr(bit)), rat.Mul(out, shows[1].Pr(bit))
			laws[0][bit] = rat.Quo(rat.Add(rat.Mul(b.rate, x), rat.Mul(rat.Complement(b.rate), y)), whole)
			laws[1][bit] = shows[1].Pr(bit)
			grow(bits+bit, x, y)
		}
		tree[bits] = laws
	}
	grow("", rat.One, rat.One)
	return tree
}

// bit is a step that shows a bit, which is 1 with these probabilities.
func bit(in, out *big.Rat) finite.Pair {
	return finite.Pair{{"0": rat.Complement(in), "1": in}, {"0": rat.Complement(out), "1": out}}
}

// roundsDominate goes through all stopping rules of runs with two rounds, and one more step perhaps. No rule needs more
// than the pairs say; where a round shows all in its first step, some rule needs as much.
var roundsDominate = finite.Over("rate in {1/5, 1}, first in {1/2, 3/4}, second in {1/4, 1/2, 3/4}, delay in {0, 1}, "+
	"steps in {3, 4}, e^ε in {1, 5/4, 3/2}; rounds of two steps, of which each shows one bit: 1 with these "+
	"probabilities if the record is in the sample, and 1/4 if not",
	func(t *register.T, claim rounded, rate, first, second *big.Rat, delay, steps int, expEps *big.Rat) {
		quarter, stops := rat.Of("1/4"), finite.Pipeline{}
		b := banded{rate, []finite.Pair{bit(first, quarter), bit(second, quarter)}, delay, steps}
		for k := range steps {
			stops.Stops = append(stops.Stops, spec.Stop{After: k + 1, ExpEps: rat.Add(expEps, big.NewRat(int64(k), 8))})
		}
		forth := testCase{b.tree(), claim(b), stops}
		for i, s := range []testCase{forth, forth.back()} {
			worst, bound := s.worst(t), start(s.pairs, s.stops)
			t.AtMost(worst, bound, "order %d: some rule needs δ = %s, %s was claimed", i+1, worst, bound)
			if second.Cmp(quarter) == 0 && delay == 0 {
				t.Require(rat.Equal(worst, bound), "order %d: δ = %s is enough, %s was claimed", i+1, worst, bound)
			}
		}
	})
