package mechanisms

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

func responses() []Mechanism {
	return []Mechanism{
		{
			Name: "randomized-response", Title: "randomized response, which reveals its input with probability δ",
			Source:   "ODP-L12",
			defaults: Params{Eps: one, Delta: new(big.Rat)},
			make: func(p Params) (*Case, error) {
				return responseCase(p, p.Delta, [4]string{`"0"`, `"1"`, `"2"`, `"3"`})
			},
		},
		{
			Name: "leak", Title: "randomized response, and sometimes the input", Source: "made up",
			Wrong:    "reveals its input with probability 2e-4, whatever δ is claimed",
			defaults: Params{Eps: one, Delta: new(big.Rat)},
			make: func(p Params) (*Case, error) {
				leak := big.NewRat(1, 5000)
				if p.Delta.Cmp(leak) >= 0 {
					return nil, fmt.Errorf("delta is %s, must be less than %s, which makes the claim true",
						shown(p.Delta), shown(leak))
				}
				return responseCase(p, leak, [4]string{`["input",0]`, `"no"`, `"yes"`, `["input",1]`})
			},
		},
		{
			Name:     "response-pipeline",
			Title:    "randomized responses with the worst stopping rule: as private as claimed and no more",
			Source:   "ODP-A3, ODP-T15",
			Claims:   []string{"odp"},
			defaults: Params{Eps: one, Queries: 3},
			make:     pipelineCase,
		},
	}
}

// response is the law of M̃_(ε,δ): for each input and output its probability, and the loss
// of the outputs 1 and 2.
type response struct {
	p    [2][4]interval.Interval
	loss [4]*big.Rat
}

func newResponse(eps, delta *big.Rat) (response, error) {
	factor, err := loss.Factor(loss.Nats(eps))
	if err != nil {
		return response{}, err
	}
	alive := sub(one, delta)
	likely := image(factor, func(e *big.Rat) *big.Rat { return quo(mul(alive, e), add(one, e)) })
	unlikely := image(factor, func(e *big.Rat) *big.Rat { return quo(alive, add(one, e)) })
	reveals, never := lawBits.Rat(delta), lawBits.Int(0)
	return response{
		p:    [2][4]interval.Interval{{reveals, likely, unlikely, never}, {never, unlikely, likely, reveals}},
		loss: [4]*big.Rat{nil, eps, neg(eps), nil},
	}, nil
}

// responseCase is M̃_(ε,δ) with names for its outputs.
func responseCase(p Params, delta *big.Rat, names [4]string) (*Case, error) {
	r, err := newResponse(p.Eps, delta)
	if err != nil {
		return nil, err
	}
	run := func(b int) program { return tableProgram(names[:], uppers(r.p[b][:])) }
	return wholeCase(p.dp(), 0, 1, run, func() ([]audit.Cell, error) {
		return []audit.Cell{audit.ExactCell(names[0], 0, delta, new(big.Rat)), r.cell(1, names[1]), r.cell(2, names[2]),
			audit.ExactCell(names[3], 0, new(big.Rat), delta)}, nil
	}), nil
}

// cell is that of the output 1 or 2.
func (r response) cell(z int, name string) audit.Cell {
	return audit.Cell{Name: name, P: [2]interval.Interval{r.p[0][z], r.p[1][z]}}.WithLoss(r.loss[z], r.loss[z])
}

const (
	mostRounds   = 5    // of a pipeline: there are 4^rounds outputs
	revealed     = 1000 // a response reveals its input once in so many runs
	chargedShare = 2    // a length is charged the sum of its ε divided by this
)

// pipeline is M_iter of randomized responses that are (ε/n, 1/1000)-DP, with a stop after
// each of them. A length is charged half of what its responses are.
type pipeline struct {
	response response
	rule     []impl.Threshold
	step     float64 // ε/n, about
	rounds   int
}

// pipelineCase claims the smallest δ there is: OptDel, and the stopping rule attains it.
func pipelineCase(p Params) (*Case, error) {
	if p.Queries > mostRounds {
		return nil, fmt.Errorf("queries is %d, must be at most %d", p.Queries, mostRounds)
	}
	step, delta := quo(p.Eps, whole(p.Queries)), big.NewRat(1, revealed)
	r, err := newResponse(step, delta)
	if err != nil {
		return nil, err
	}
	var claim audit.Claim
	var parameters impl.Pipeline
	for k := range p.Queries {
		charge := loss.Nats(quo(mul(step, whole(k+1)), whole(chargedShare)))
		claim.Parts = append(claim.Parts, audit.Part{Name: text(k + 1), Eps: charge})
		parameters.Mechanisms = append(parameters.Mechanisms,
			impl.Mechanism{Eps: loss.Nats(step), Delta: delta, Count: 1})
		parameters.Stops = append(parameters.Stops, impl.Stop{After: k + 1, Eps: charge})
	}
	result, err := impl.OptDel(context.Background(), parameters, impl.Options{RelWidth: 1e-12})
	if err != nil {
		return nil, err
	}
	_, claim.Delta = result.OptDel.Rats()
	l := pipeline{r, result.Rule, float(step), p.Queries}
	run := func(b int) program { return l.program(b) }
	return wholeCase(claim, 0, 1, run, func() ([]audit.Cell, error) { return l.cells(), nil }), nil
}

// stops reports whether the rule says stop after these outputs: if the loss is at least
// that of the rule, to which float64 adds an error far below ε/n.
func (l pipeline) stops(outputs []int) bool {
	k, loss := len(outputs), 0.0
	if k == l.rounds {
		return true
	}
	for _, z := range outputs {
		switch {
		case z == 0:
			return true // it can be from input 0 only
		case z == 3:
			return false
		case z == 1:
			loss += l.step
		default:
			loss -= l.step
		}
	}
	return loss >= l.rule[k-1].LossAtLeast-l.step/1000
}

// cells goes through all outputs.
func (l pipeline) cells() (cells []audit.Cell) {
	var visit func(outputs []int, p [2]interval.Interval, loss *big.Rat)
	visit = func(outputs []int, p [2]interval.Interval, loss *big.Rat) {
		if k := len(outputs); k > 0 && l.stops(outputs) {
			cell := audit.Cell{Name: responseShape(outputs).String(), Part: k - 1, P: p}
			if loss != nil {
				cell = cell.WithLoss(loss, loss)
			}
			cells = append(cells, cell)
			return
		}
		for z := range 4 {
			next := [2]interval.Interval{lawBits.Mul(p[0], l.response.p[0][z]), lawBits.Mul(p[1], l.response.p[1][z])}
			if next[0].Upper.Sign()+next[1].Upper.Sign() == 0 {
				continue
			}
			sum := loss
			if sum != nil && l.response.loss[z] != nil {
				sum = add(sum, l.response.loss[z])
			} else {
				sum = nil
			}
			visit(append(outputs[:len(outputs):len(outputs)], z), next, sum)
		}
	}
	visit(nil, [2]interval.Interval{lawBits.Int(1), lawBits.Int(1)}, new(big.Rat))
	return cells
}

// responseShape is outputs as a list of texts.
func responseShape(outputs []int) *audit.Shape {
	words := make([]*audit.Shape, len(outputs))
	for i, z := range outputs {
		words[i] = audit.Text(text(z))
	}
	return audit.List(words...)
}

// program runs M_iter.
func (l pipeline) program(b int) program {
	t := newTable(uppers(l.response.p[b][:]))
	return func(n int, random noise.Random, s *audit.Sample) error {
		var points []int
		var mechanisms []func([]int, int) int
		for k := range l.rounds {
			points = append(points, k+1)
			mechanisms = append(mechanisms, func([]int, int) int { return t.draw(random.Uint64()) })
		}
		criteria := slices.Repeat([]func([]int) bool{l.stops}, l.rounds-1)
		groups := map[[mostRounds]int]*audit.Group{}
		for range n {
			outputs, err := impl.Iterate(points, mechanisms, criteria, b)
			if err != nil {
				return err
			}
			key := [mostRounds]int{} // each output plus 1, then zeros
			for i, z := range outputs {
				key[i] = z + 1
			}
			if groups[key] == nil {
				groups[key] = s.Group(text(len(outputs)), responseShape(outputs))
			}
			groups[key].Count++
		}
		return nil
	}
}
