package adversary

import (
	"cmp"
	"context"
	"math"

	"checkrr/impl/interval"
)

// Worst returns an interval that contains what the best adversary gets, and an adversary that gets at
// least its lower end.
func Worst(ctx context.Context, p Problem) (interval.Float, *Adversary, error) {
	g, err := newGraph(ctx, p)
	if err != nil {
		return interval.Float{}, nil, err
	}
	low, high := g.newPass(false), g.newPass(true)
	lowEnd := make(chan error)
	go func() { lowEnd <- low.run(ctx) }()
	highErr := high.run(ctx)
	if err := cmp.Or(<-lowEnd, highErr); err != nil {
		return interval.Float{}, nil, err
	}
	return interval.NewFloat(low.worth(), high.worth()), &Adversary{g, low.plans, low.runs > maxRuns}, nil
}

// pass is backward induction with inputs that are rounded to one side.
type pass struct {
	*graph
	up     bool
	masses []masses  // by step
	stop   []float64 // by loss + reach
	place  []int32   // by memory: its node among those of the next round

	then, now               []float64 // values of the next round and of this one
	thenInfinite, infinites []float64 // by node: what an infinite loss is worth
	choice                  []int16   // by loss: what the node does
	plans                   []plan    // by round; of the pass downwards
	runs                    int
}

// masses are those of a step, rounded to one side.
type masses struct{ up, down, infinite float64 }

// plan is what the adversary does in a round.
type plan struct {
	last     []int32 // by node: where its runs end
	runs     []run
	infinite []int16 // by node: what it does at an infinite loss that does not count yet
}

// run is a range of losses, up to one, where the adversary does the same.
type run struct {
	most   int32
	choice int16
}

// Stops is the choice to stop.
const Stops = -1

func (g *graph) newPass(up bool) *pass {
	p := &pass{graph: g, up: up, place: make([]int32, len(g.memories)), plans: make([]plan, len(g.layers))}
	for _, s := range g.Steps {
		p.masses = append(p.masses, masses{p.end(s.Up), p.end(s.Down), p.end(s.Infinite)})
	}
	if g.Stop != nil {
		for x := -int(g.reach); x <= int(g.reach); x++ {
			p.stop = append(p.stop, p.end(g.Stop(x)))
		}
	}
	p.then, p.now = make([]float64, g.values), make([]float64, g.values)
	p.choice = make([]int16, 2*int(g.reach)+1)
	return p
}

// end returns the end of x on the side of the pass.
func (p *pass) end(x interval.Float) float64 {
	if p.up {
		return x.Hi
	}
	return max(0, x.Lo)
}

// run goes from the last round to the first.
func (p *pass) run(ctx context.Context) error {
	const often = 256 // nodes
	work, done := 0.0, 0.0
	for _, l := range p.layers {
		work += float64(l.size)
	}
	for t := len(p.layers) - 1; t >= 0; t-- {
		l := p.layers[t]
		p.infinites = make([]float64, len(l.nodes))
		for i, n := range l.nodes {
			if i%often == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			p.node(t, i, n)
		}
		for i, n := range l.nodes {
			p.place[n.memory] = int32(i)
		}
		p.then, p.now, p.thenInfinite = p.now, p.then, p.infinites
		if done += float64(l.size); p.Progress != nil && p.up { // the other one is about as far
			p.Progress(done / work)
		}
	}
	return nil
}

// node finds what a memory is worth after t rounds, at all losses, and at an infinite one.
func (p *pass) node(t, i int, n node) {
	width, reach, stride := n.count(), int(n.reach), int(n.stride)
	now, choice := p.now[n.first:int(n.first)+width], p.choice[:width]
	clear(now)
	for x := range choice {
		choice[x] = Stops
		if p.stop != nil {
			now[x] = p.stop[int(p.reach)-reach+x*stride]
		}
	}
	m := &p.memories[n.memory]
	infinite := int16(Stops)
	if m.Infinite || p.up && m.MayBeInfinite {
		p.infinites[i] = 1
	}
	exceeds := m.Exceeds
	if p.up {
		exceeds = m.MayExceed
	}
	open := max(0, min(width, (exceeds+reach+stride-1)/stride)) // from there on the loss exceeds the reading
	for j := range p.Steps {
		next := m.Next[p.Steps[j].UpPart]
		if next == Refused || t == p.Rounds {
			continue
		}
		lost := p.thenInfinite[p.place[next]]
		if lost > p.infinites[i] {
			p.infinites[i], infinite = lost, int16(j)
		}
		p.play(now[:open], choice[:open], j, n, t, lost*p.masses[j].infinite)
	}
	for x := open; x < width; x++ {
		now[x] = 1
	}
	if !p.up {
		p.keep(&p.plans[t], choice, infinite, n.span)
	}
}

// play takes step j wherever it is worth more than what is best so far. That is said only of what exceeds
// that by more than rounding can make of it, so that the adversary does nothing in vain.
func (p *pass) play(now []float64, choice []int16, j int, n node, t int, lost float64) {
	if len(now) == 0 {
		return
	}
	s, up, down := &p.Steps[j], p.masses[j].up, p.masses[j].down
	above := p.after(t, n, s.UpPart, p.Units[s.UpPart], len(now))
	below := p.after(t, n, s.DownPart, -p.Units[s.DownPart], len(now))
	if p.up {
		for x := range now {
			if v := lost + up*above[x] + down*below[x]; v > now[x] {
				now[x] = v
			}
		}
		return
	}
	more := 1 + float64(p.Rounds-t)*0x1p-50
	choice = choice[:len(now)]
	for x, best := range now {
		if v := lost + up*above[x] + down*below[x]; v > best*more {
			now[x], choice[x] = v, int16(j)
		}
	}
}

// after returns what the first losses of a node are worth after an output in a part that moves them by so many units.
func (p *pass) after(t int, n node, part, by, count int) []float64 {
	next := p.layers[t+1].nodes[p.place[p.memories[n.memory].Next[part]]]
	there := p.then[next.at(by-int(n.reach)):]
	if n.stride == next.stride {
		return there[:count]
	}
	return everyOther(there[:2*count-1])
}

// everyOther returns every other value, the first one included.
func everyOther(x []float64) []float64 {
	half := make([]float64, 0, len(x)/2+1)
	for i := 0; i < len(x); i += 2 {
		half = append(half, x[i])
	}
	return half
}

// keep notes what the adversary does at a node.
func (p *pass) keep(to *plan, choice []int16, infinite int16, losses span) {
	to.infinite = append(to.infinite, infinite)
	for x := 0; x < len(choice) && p.runs <= maxRuns; x++ {
		if x+1 == len(choice) || choice[x+1] != choice[x] {
			to.runs = append(to.runs, run{int32(x)*losses.stride - losses.reach, choice[x]})
			p.runs++
		}
	}
	to.last = append(to.last, int32(len(to.runs)))
}

// worth returns the worth of the start, with the rounding of the pass: two products and two sums a round, and
// whatever went below the smallest float64, if anything can.
func (p *pass) worth() float64 {
	v, rounds := p.then[0], float64(len(p.layers))
	relative, absolute := 4*(rounds+1)*0x1p-53, 8*rounds*math.SmallestNonzeroFloat64
	if !p.positive || p.smallest() > -1000 {
		absolute = 0
	}
	switch {
	case v == 0 && absolute == 0:
		return 0
	case p.up:
		return min(1, math.Nextafter(v*(1+2*relative)+absolute, 2))
	}
	return max(0, math.Nextafter(v*(1-2*relative)-absolute, -1))
}

// smallest returns the binary logarithm of a number below which no product of the pass is, but for 0.
func (p *pass) smallest() float64 {
	last, each := 0.0, 0.0
	for _, x := range p.stop {
		if x > 0 {
			last = math.Log2(x) // that of the smallest loss that is worth something
			break
		}
	}
	for _, m := range p.masses {
		for _, x := range []float64{m.up, m.down} {
			if x > 0 {
				each = min(each, math.Log2(x))
			}
		}
		if m.infinite > 0 {
			last = min(last, math.Log2(m.infinite))
		}
	}
	return last + each*float64(p.Rounds) - 1
}
