package mechanisms

import (
	"context"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/impl/selection"
	"checkrr/verify/audit"
)

func selections() []Mechanism {
	return []Mechanism{
		{
			Name:     "random-stopping",
			Title:    "the best of runs that stop at random, each (ε/3)-DP",
			Source:   "PSC-A2, PSC-T3.2",
			defaults: Params{Eps: one, Queries: 40, Noise: one},
			make: func(p Params) (*Case, error) {
				return stoppingCase(p, quo(p.Eps, mul(big.NewRat(3, 1), p.Noise)))
			},
		},
		{
			Name:     "random-stopping-once",
			Title:    "the best of runs that stop at random, each ε-DP",
			Source:   "PSC-X1, PSC-T3.2",
			Wrong:    "is claimed to cost what one run does: up to 3·ε",
			defaults: Params{Eps: one, Queries: 40},
			make: func(p Params) (*Case, error) {
				if err := p.enoughQueries(2, "one run costs ε"); err != nil {
					return nil, err
				}
				return stoppingCase(p, p.Eps)
			},
		},
		{
			Name: "best-of-all", Title: "the best of candidates that are run once each, each ε-DP", Source: "PSC-X17",
			Wrong:    "is claimed to cost what one run does: the number of candidates times ε",
			defaults: Params{Eps: one, Queries: 5},
			make:     bestOfAllCase,
		},
	}
}

// answers are what a run says, from the lowest score to the highest: a twentieth of the likely answer to randomized
// response is above the rest of it, and the other answer above both. The second loses nearly as much as any sample can.
var answers = []string{`"low"`, `"middle"`, `"high"`}

const answerCut = 20

// answerLaw returns the probabilities of the answers on an input, with randomized response to a budget.
func answerLaw(eps *big.Rat) (p [2][]interval.Interval, err error) {
	r, err := newResponse(eps, new(big.Rat))
	if err != nil {
		return p, err
	}
	for b := range p {
		likely, share := r.p[b][1], big.NewRat(1, answerCut)
		p[b] = []interval.Interval{lawBits.Mul(likely, lawBits.Rat(sub(one, share))),
			lawBits.Mul(likely, lawBits.Rat(share)), r.p[b][2]}
	}
	return p, nil
}

// stoppingCase stops with the probability 1/queries after a run that is ε_1-DP.
func stoppingCase(p Params, eps *big.Rat) (*Case, error) {
	gamma := big.NewRat(1, int64(p.Queries))
	of := func(below interval.Interval) interval.Interval { // γs/(1 − (1 − γ)s) = 1 − (1 − s)/(1 − (1 − γ)s)
		rest := complement(lawBits.Mul(lawBits.Rat(sub(one, gamma)), below))
		return complement(lawBits.Quo(complement(below), rest))
	}
	return answersCase(p, eps, of, func(run answerRun, coins noise.Coins) (int, error) {
		s, _, err := selection.RandomStopping(context.Background(), run, higherAnswer, gamma, coins)
		return s.Output, err
	})
}

// bestOfAllCase runs so many candidates once each.
func bestOfAllCase(p Params) (*Case, error) {
	if err := p.someCandidates(); err != nil {
		return nil, err
	}
	of := func(below interval.Interval) interval.Interval { return lawBits.Power(below, p.Queries) }
	return answersCase(p, p.Eps, of, func(run answerRun, coins noise.Coins) (int, error) {
		s, _, err := selection.HardStopping(context.Background(), run, higherAnswer, new(big.Rat), p.Queries, coins)
		return s.Output, err
	})
}

func higherAnswer(x, y int) bool { return x > y }

// answerRun is a run of a candidate.
type answerRun = func(context.Context) (selection.Scored[int], error)

// answersCase returns the best answer of runs that are ε_1-DP: below maps the probability that a run is not above an
// answer to that for the selection.
func answersCase(p Params, eps *big.Rat, below func(interval.Interval) interval.Interval,
	choose func(run answerRun, coins noise.Coins) (int, error)) (*Case, error) {
	law, err := answerLaw(eps)
	if err != nil {
		return nil, err
	}
	run := func(input int) program {
		t := newTable(uppers(law[input]))
		return choiceProgram(answers, func(random noise.Random) (int, error) {
			run := func(context.Context) (selection.Scored[int], error) {
				i := t.draw(random.Uint64())
				return selection.Scored[int]{Output: i, Score: float64(i)}, nil
			}
			return choose(run, noise.Coins{Source: random.Rand})
		})
	}
	p.Delta = new(big.Rat)
	return wholeCase(p.dp(), 0, 1, run, func() (cells []audit.Cell, err error) {
		for i, name := range answers {
			cells = append(cells, audit.Cell{Name: name,
				P: [2]interval.Interval{answerPr(law[0], i, below), answerPr(law[1], i, below)}})
		}
		return cells, nil
	}), nil
}

// answerPr returns the probability that an answer is the best.
func answerPr(law []interval.Interval, i int, below func(interval.Interval) interval.Interval) interval.Interval {
	above, from := lawBits.Int(0), lawBits.Int(0) // of a run
	for j := range law {
		if j > i {
			above = lawBits.Add(above, law[j])
		}
		if j >= i {
			from = lawBits.Add(from, law[j])
		}
	}
	lower := lawBits.Int(0)
	if i > 0 {
		lower = below(complement(from))
	}
	return lawBits.Max0(lawBits.Sub(below(complement(above)), lower))
}
