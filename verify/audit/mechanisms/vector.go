package mechanisms

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// vector is a mechanism that compares the answers to a list of queries with a threshold of
// 0, and says ⊤ or ⊥ to each.
type vector struct {
	Params
	law        impl.SparseVectorLaw
	redraw     bool // the threshold is noised again after each ⊤, up to C of them
	printed    bool // ⊤ comes as q + ν, rounded to the grid
	search     bool // for the run that loses most, for each number of ⊤
	neighbours [][2][]int
	// run draws the outputs for a list of answers; if it is missing, the law is run.
	run func(answers []float64, random noise.Source) (pattern, error)
}

// dpCase is for a claim of DP.
func (v vector) dpCase() *Case { return v.audited(v.dp()) }

func (v vector) audited(claim audit.Claim) *Case {
	run := func(answers []int) program { return v.program(floats(answers), !claim.IsDP()) }
	law := func(n [2][]int) (audit.Law, error) { return v.lawOf(n, claim) }
	c := caseOf(claim, run, law, v.neighbours...)
	if v.search {
		c.addLaws(min(v.C, v.Queries)+1, func(above int) (audit.Law, error) { return v.searched(above, claim) })
	}
	return c
}

func floats(answers []int) []float64 {
	x := make([]float64, len(answers))
	for i, a := range answers {
		x[i] = float64(a)
	}
	return x
}

// program draws from the answers. With an output partition, the part is the number of ⊤.
func (v vector) program(answers []float64, parts bool) program {
	switch {
	case v.printed:
		return listProgram(audit.Number, parts, v.runLaw(answers))
	case v.run == nil:
		return listProgram(above, parts, v.runLaw(answers))
	}
	return listProgram(above, parts, func(random noise.Source, _ []float64) (pattern, []float64, error) {
		p, err := v.run(answers, random)
		return p, nil, err
	})
}

// runLaw draws with the noise of the law, and appends what is printed to numbers.
func (v vector) runLaw(answers []float64) listRun {
	rhoScale, nuScale, cutoff := float(v.law.RhoScale), float(v.law.NuScale), v.law.Cutoff
	return func(random noise.Source, numbers []float64) (pattern, []float64, error) {
		rho, p := random.Laplace(rhoScale), noOutputs
		for _, q := range answers {
			if nuScale > 0 {
				q += random.Laplace(nuScale)
			}
			above := q >= rho
			if above && v.printed {
				numbers = append(numbers, round(q))
			}
			if p = p.and(above); above && p.above() == cutoff {
				break
			}
		}
		return p, numbers, nil
	}
}

// mostOutcomes is how many outputs a law has at most that is written in full.
const mostOutcomes = 2000

// lawOf has all outputs if they are not too many, otherwise the one with ⊥ where answers
// rise and ⊤ where they fall: it loses most.
func (v vector) lawOf(n [2][]int, claim audit.Claim) (audit.Law, error) {
	var all []pattern
	if !v.printed {
		all = outcomes(len(n[0]), v.cutoff(), mostOutcomes)
	}
	if all == nil && !v.printed && v.cutoff() == 0 {
		return v.counted(n)
	}
	law := audit.Law{Complete: all != nil}
	if all == nil {
		all = []pattern{v.worst(n)}
	}
	known := segments{}
	for _, p := range all {
		cell, err := v.cell([2][]*big.Rat{rationals(n[0]), rationals(n[1])}, p, claim, known)
		if err != nil {
			return audit.Law{}, err
		}
		law.Cells = append(law.Cells, cell)
	}
	return law, nil
}

// counted has all outputs of a mechanism without a cutoff, whose order does not matter: for
// answers of two kinds, those before and those after the first change, a cell has so many ⊤
// to each.
func (v vector) counted(n [2][]int) (audit.Law, error) {
	length := len(n[0])
	first := 1
	for first < length && n[0][first] == n[0][0] && n[1][first] == n[1][0] {
		first++
	}
	for k := first + 1; k < length; k++ {
		if n[0][k] != n[0][first] || n[1][k] != n[1][first] {
			return audit.Law{}, fmt.Errorf("internal error: answers %v are of more than two kinds", n)
		}
	}
	law := audit.Law{Complete: true}
	for i := range first + 1 {
		for j := range length - first + 1 {
			p := noOutputs
			for k := range length {
				p = p.and(k < i || k >= first && k < first+j)
			}
			cell, err := v.cell([2][]*big.Rat{rationals(n[0]), rationals(n[1])}, p, v.dp(), segments{})
			if err != nil {
				return audit.Law{}, err
			}
			cell.Name = fmt.Sprintf("⊤ to %d of queries 1 to %d, to %d of the others", i, first, j)
			lists := new(big.Int).Mul(new(big.Int).Binomial(int64(first), int64(i)),
				new(big.Int).Binomial(int64(length-first), int64(j)))
			for b := range cell.P {
				cell.P[b] = lawBits.Mul(cell.P[b], lawBits.Rat(new(big.Rat).SetInt(lists)))
			}
			law.Cells = append(law.Cells, cell)
		}
	}
	return law, nil
}

// cutoff returns how many ⊤ there can be, or 0.
func (v vector) cutoff() int {
	if v.redraw {
		return v.C
	}
	return v.law.Cutoff
}

// cell returns that of a list of outputs. If there is an output partition, it is in the
// part with its number of ⊤.
func (v vector) cell(inputs [2][]*big.Rat, p pattern, claim audit.Claim, known segments) (audit.Cell, error) {
	cell := audit.Cell{Name: v.cellName(p)}
	if !claim.IsDP() {
		cell.Part = p.above()
	}
	for b, answers := range inputs {
		var err error
		if cell.P[b], err = v.probability(answers, p, known); err != nil {
			return audit.Cell{}, err
		}
	}
	return cell, nil
}

// worst returns ⊥ where answers rise or stay, and ⊤ where they fall, or are the last, up
// to the cutoff.
func (v vector) worst(n [2][]int) pattern {
	p := noOutputs
	for i := range n[0] {
		if v.cutoff() > 0 && p.above() == v.cutoff() {
			break
		}
		last := v.printed && i == len(n[0])-1
		p = p.and(n[1][i] < n[0][i] || last)
	}
	return p
}

func rationals(answers []int) []*big.Rat {
	x := make([]*big.Rat, len(answers))
	for i, a := range answers {
		x[i] = whole(a)
	}
	return x
}

// relWidth is the relative width of probabilities: far below what a loss is compared with.
const relWidth = 1e-25

// printedRange is where a printed number is in the event: at the threshold or below, where
// the noisy threshold must be below it too. The other end is far enough.
var printedRange = impl.Range{Low: sub(whole(-1024), halfGrid), High: halfGrid}

// segments has the probabilities of comparisons with one noisy threshold. Their order does
// not matter: given the noise on the threshold, they are independent.
type segments map[string]interval.Interval

// of computes what is not known yet.
func (s segments) of(law impl.SparseVectorLaw, run []impl.Comparison) (interval.Interval, error) {
	counts := map[string]int{}
	for _, c := range run {
		counts[fmt.Sprint(c.Query.RatString(), c.Above)]++
	}
	key := fmt.Sprint(counts) // in the order of its keys
	if p, ok := s[key]; ok {
		return p, nil
	}
	p, err := law.Probability(run, relWidth)
	if err == nil {
		s[key] = p
	}
	return p, err
}

// probability returns that of the outputs. If the threshold is drawn again, it is a product
// over the segments up to each ⊤.
func (v vector) probability(answers []*big.Rat, p pattern, known segments) (interval.Interval, error) {
	var run []impl.Comparison
	result := lawBits.Int(1)
	for i, above := range p.list() {
		c := impl.Comparison{Query: answers[i], Threshold: new(big.Rat), Above: above}
		if v.printed && above {
			c.Released = &printedRange
		}
		run = append(run, c)
		if i < p.length()-1 && !(v.redraw && above) {
			continue
		}
		segment, err := known.of(v.law, run)
		if err != nil {
			return interval.Interval{}, err
		}
		result, run = lawBits.Mul(result, segment), nil
	}
	return result, nil
}

func (v vector) cellName(p pattern) string {
	if v.printed {
		return p.shape(audit.Number).String() + ", # from -1024 to 0"
	}
	return p.shape(above).String()
}

// searched returns the law of one output: of the run that loses most.
func (v vector) searched(above int, claim audit.Claim) (audit.Law, error) {
	inputs, p, err := v.worstRun(above)
	if err != nil {
		return audit.Law{}, err
	}
	cell, err := v.cell(inputs, p, claim, segments{})
	return audit.Law{Inputs: [2]string{decimals(inputs[0]), decimals(inputs[1])}, Cells: []audit.Cell{cell}}, err
}

// worstRun returns the answers and the outputs of the run with the largest loss that is found,
// among those with so many ⊤ and at most Queries answers, on any neighbouring inputs. Where
// the threshold is drawn again, it is a run with one ⊤, repeated.
func (v vector) worstRun(above int) (inputs [2][]*big.Rat, p pattern, err error) {
	tops, most, times := above, v.Queries, 1
	if v.redraw && above > 1 {
		tops, most, times = 1, v.Queries/above, above
	}
	runs, _, err := impl.ClosestRun(v.law, tops, most)
	if err != nil {
		return inputs, p, err
	}
	p = noOutputs
	for range times {
		for i := range runs[0] {
			p = p.and(runs[0][i].Above)
			for b := range runs {
				inputs[b] = append(inputs[b], runs[b][i].Query)
			}
		}
	}
	return inputs, p, nil
}

// decimals writes a list of multiples of 1/4.
func decimals(x []*big.Rat) string {
	var words []string
	for _, r := range x {
		words = append(words, strconv.FormatFloat(float(r), 'g', -1, 64))
	}
	return "[" + strings.Join(words, ",") + "]"
}
