package adversary

import (
	"cmp"
	"slices"
	"sort"
)

// Adversary is a rule what to play after what was seen.
type Adversary struct {
	graph  *graph
	plans  []plan
	forgot bool // whether some of it was not kept
}

// Play is what the adversary does in some situations.
type Play struct {
	Round       int   // that comes, from 1
	Memory      int32 // what the rule remembers
	Least, Most int   // the losses, in units, of those that it gets into
	IsInfinite  bool  // whether the loss is infinite instead
	Step        int   // what it plays
}

// Plays returns what the adversary plays in the situations that it gets into, round by round, but at most so
// many lines, and whether that is all. Elsewhere it stops.
func (a *Adversary) Plays(most int) (plays []Play, all bool) {
	here := map[int32]*arrivals{0: {losses: map[int32]bool{0: true}}}
	for t := 0; t+1 < len(a.plans) && len(here) > 0; t++ {
		next := map[int32]*arrivals{}
		for i, n := range a.graph.layers[t].nodes {
			if r := here[n.memory]; r != nil {
				plays = append(plays, a.at(t, i, n.memory, r, next)...)
			}
			if len(plays) > most {
				return plays[:most], false
			}
		}
		here = next
	}
	return plays, !a.forgot
}

// arrivals are the losses with which the adversary gets to a memory.
type arrivals struct {
	losses     map[int32]bool
	isInfinite bool
}

// to returns the arrivals at a memory.
func to(next map[int32]*arrivals, memory int32) *arrivals {
	if next[memory] == nil {
		next[memory] = &arrivals{losses: map[int32]bool{}}
	}
	return next[memory]
}

// at returns what is played at a node, and notes where that leads.
func (a *Adversary) at(t, i int, memory int32, r *arrivals, next map[int32]*arrivals) (plays []Play) {
	m, pl := &a.graph.memories[memory], &a.plans[t]
	if len(pl.last) <= i {
		return nil
	}
	first := int32(0)
	if i > 0 {
		first = pl.last[i-1]
	}
	runs := pl.runs[first:pl.last[i]]
	before := -1 // the run of the last play
	for _, loss := range sortedLosses(r.losses) {
		k := sort.Search(len(runs), func(k int) bool { return runs[k].most >= loss })
		if k == len(runs) || runs[k].choice == Stops {
			continue
		}
		j := int(runs[k].choice)
		if k != before {
			plays = append(plays, Play{Round: t + 1, Memory: memory, Least: int(loss), Step: j})
		}
		before = k
		plays[len(plays)-1].Most = int(loss)
		a.arrive(next, m, a.graph.Steps[j], loss)
	}
	if j := pl.infinite[i]; r.isInfinite && j != Stops {
		plays = append(plays, Play{Round: t + 1, Memory: memory, IsInfinite: true, Step: int(j)})
		to(next, m.Next[a.graph.Steps[j].UpPart]).isInfinite = true
	}
	return plays
}

// arrive notes where a step leads from a loss.
func (a *Adversary) arrive(next map[int32]*arrivals, m *Memory, s Step, loss int32) {
	up := to(next, m.Next[s.UpPart])
	up.isInfinite = up.isInfinite || s.Infinite.Hi > 0
	if s.Up.Hi > 0 { // it is 0 if one of two parts has no loss
		up.losses[loss+int32(a.graph.Units[s.UpPart])] = true
	}
	if s.Down.Hi > 0 {
		to(next, m.Next[s.DownPart]).losses[loss-int32(a.graph.Units[s.DownPart])] = true
	}
}

func sortedLosses(set map[int32]bool) []int32 {
	losses := make([]int32, 0, len(set))
	for x := range set {
		losses = append(losses, x)
	}
	slices.SortFunc(losses, cmp.Compare[int32])
	return losses
}
