package mechanisms

import (
	"fmt"
	"math/big"
	"strconv"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// selector is a mechanism that names one of some candidates, by their utilities.
type selector struct {
	Params
	neighbours [][2][]int // utilities
	choose     func(utilities []float64, random noise.Source) (int, error)
	law        func(utilities []int) ([]interval.Interval, error)
	// loss returns the loss of a candidate where it is a rational number, else nil.
	loss func(n [2][]int, candidate int) *big.Rat
}

// dpCase is for a claim of DP.
func (s selector) dpCase() *Case {
	run := func(utilities []int) program {
		u := floats(utilities)
		return choiceProgram(indices(len(u)), func(random noise.Random) (int, error) { return s.choose(u, random) })
	}
	return caseOf(s.dp(), run, s.lawOf, s.neighbours...)
}

func (s selector) lawOf(n [2][]int) (audit.Law, error) {
	law := audit.Law{Complete: true}
	var p [2][]interval.Interval
	for b, utilities := range n {
		var err error
		if p[b], err = s.law(utilities); err != nil {
			return audit.Law{}, err
		}
	}
	for i, name := range indices(len(n[0])) {
		cell := audit.Cell{Name: name, P: [2]interval.Interval{p[0][i], p[1][i]}}
		if s.loss != nil {
			if loss := s.loss(n, i); loss != nil {
				cell = cell.WithLoss(loss, loss)
			}
		}
		law.Cells = append(law.Cells, cell)
	}
	return law, nil
}

// indices returns the indices of n candidates as outputs that are no numbers.
func indices(n int) []string {
	var names []string
	for i := range n {
		names = append(names, strconv.Quote(strconv.Itoa(i)))
	}
	return names
}

// someCandidates refuses a choice among one, which tells nothing however it is made.
func (p Params) someCandidates() error { return p.enoughQueries(2, "one candidate is private") }

// enoughQueries refuses fewer queries than are needed to break a claim.
func (p Params) enoughQueries(least int, why string) error {
	if p.Queries < least {
		return fmt.Errorf("queries is %d, must be at least %d: %s", p.Queries, least, why)
	}
	return nil
}

// unhalved makes the case of a choice with ε for ε/2, which is that of half the noise.
func unhalved(choice func(p Params) (*Case, error)) func(p Params) (*Case, error) {
	return func(p Params) (*Case, error) {
		if err := p.someCandidates(); err != nil {
			return nil, err
		}
		p.Noise = big.NewRat(1, 2)
		return choice(p)
	}
}

// behind has one candidate with a utility, and others with another.
func behind(n, first, others int) []int {
	utilities := level(n, others)
	utilities[0] = first
	return utilities
}

// firstRises has utilities that do not fall: the first one rises, where all are equal and where it is far behind, or
// all others do.
func firstRises(n, far int) [][2][]int {
	return [][2][]int{
		{behind(n, 0, 0), behind(n, 1, 0)},
		{behind(n, 0, far), behind(n, 1, far)},
		{behind(n, 0, far-1), behind(n, 0, far)},
	}
}

// othersFall has utilities of which the first one rises and all others fall, where all are equal and where it is far
// behind.
func othersFall(n, far int) [][2][]int {
	return [][2][]int{
		{behind(n, 0, 0), behind(n, 1, -1)},
		{behind(n, 0, far), behind(n, 1, far-1)},
	}
}

// far is where a candidate is so far behind that its index loses nearly ε: by so many times the scale of the noise.
func (p Params) far(times float64) int { return int(min(1000, 1+times*float(p.Noise)/p.eps())) }
