package audit

import (
	"math"
	"math/rand/v2"
	"slices"
)

// neighbourhood is what a number that leaks may have beside it: others, of which the input that has it may have e^ε
// times as many as the other input has, as far as the claim goes. They look much like the leak, and it takes some
// outputs to tell it from them. Words have nothing beside them.
type neighbourhood struct {
	odds float64 // e^ε, or 0 for words
	luck float64 // by how much the luckiest of all outputs that came again surprises, see [groupModel.scoreRepeats]
}

// neighbourhood returns that of a leak in a part, if there are numbers in it.
func (a *auditor) neighbourhood(t *match, part int) (n neighbourhood) {
	for k := range t.learn[0].groups {
		if p, err := a.claim.Part(k.part); err != nil || p != part {
			continue
		}
		var hashes []uint64
		for _, s := range t.learn {
			if g := s.groups[k]; g != nil && g.Width() > 0 {
				hashes = append(hashes, hashesOf(g)...)
			}
		}
		if len(hashes) > 0 {
			n.odds = a.null.weights[part]
			n.luck = max(n.luck, luckOf(1+len(repeatedKeys(hashes, minRepeats))))
		}
	}
	return n
}

// hashesOf returns those of a group's outputs, which have numbers; see [groupModel.hash].
func hashesOf(g *Group) (hashes []uint64) {
	var hasher groupModel
	for numbers := range slices.Chunk(g.Numbers, g.Width()) {
		hashes = append(hashes, hasher.hash(numbers))
	}
	return hashes
}

// tells reports whether so many outputs of the leak that were learned from differ from others by more than luck.
func (n neighbourhood) tells(learned int) bool {
	return n.odds == 0 || float64(learned)*math.Log1p(1/n.odds) >= n.luck
}

// until is how many outputs of the other input are beside a leak before a tree divides these from it. With it, 3000
// and 20,000 outputs with Laplace noise, with up to six decimals, find a leak at the worst of six places in 0.75 to
// 0.97 of all audits, ε from 0.3 to 3, and at others in up to all.
const until = 3

// taken returns how many outputs of its own input are taken for the leak: none, if it is most of what is there.
func (n neighbourhood) taken(learned int, source *rand.Rand) float64 {
	others := 0.0
	for range until {
		others += n.odds * source.ExpFloat64()
	}
	if float64(learned) >= others {
		return 0
	}
	return others
}
