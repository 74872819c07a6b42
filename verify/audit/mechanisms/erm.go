package mechanisms

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
	"checkrr/verify/rat"
)

func releases() []Mechanism {
	return []Mechanism{
		privateIQR(),
		{
			Name: "erm", Title: "logistic regression on one covariate, output perturbed; " + rounded,
			Source:   "ODP-A4, ODP-T16",
			defaults: Params{Eps: one, Delta: new(big.Rat)},
			make:     ermCase,
		},
		{
			Name:     "logreg-test",
			Title:    "logistic regression, released if its error is small: ε_1 = ε, ε_2 = ε/2; " + rounded,
			Source:   "ODP-A5, ODP-T17",
			Claims:   []string{"odp", "dp"},
			defaults: Params{Eps: one, Delta: new(big.Rat)},
			make:     releaseTestCase,
		},
	}
}

// margins are records with covariate 1 and these labels.
type margins []float64

func (m margins) String() string { return "labels " + text(m) }

func (m margins) impl() []impl.LabelledRecord {
	var records []impl.LabelledRecord
	for _, y := range m {
		records = append(records, impl.LabelledRecord{X: []float64{1}, Y: y})
	}
	return records
}

// The regularization: strong, so that a record changes p_min by half of what Theorem 16
// allows.
var lambda = one

// ermCase has one of ten labels change.
func ermCase(p Params) (*Case, error) {
	train := [2]margins{{1, 1, 1, 1, 1, -1, -1, -1, -1, 1}, {1, 1, 1, 1, 1, -1, -1, -1, -1, -1}}
	run := func(m margins) program {
		return preparedProgram([2]string{},
			func() (impl.ERMRuns, error) { return impl.NewERMRuns(m.impl(), p.eps(), float(lambda)) })
	}
	cells := func() ([]audit.Cell, error) { return ermCells(train, p.Eps) }
	return wholeCase(p.dp(), train[0], train[1], run, cells), nil
}

// preparedProgram does once for many outputs what they have in common, and draws vectors of one number, or nil for ⊥.
func preparedProgram[R interface {
	Draw(impl.VectorNoise) []float64
}](parts [2]string, prepare func() (R, error)) program {
	return func(n int, random noise.Random, s *audit.Sample) error {
		runs, err := prepare()
		if err != nil {
			return err
		}
		return numbersOrBottom(n, parts, s, func() (float64, bool, error) {
			vector := runs.Draw(random)
			if vector == nil {
				return 0, false, nil
			}
			return round(vector[0]), true, nil
		})
	}
}

// ermCells are those of Algorithm 4 for one covariate, d = 1: Laplace noise around p_min, with
// the rate n·Λ·ε/2. impl adds slightly more noise, as its p_min is not exact. Both tails
// have a constant likelihood ratio, and between them the loss is between those.
func ermCells(train [2]margins, eps *big.Rat) ([]audit.Cell, error) {
	scale := quo(whole(2), mul(eps, mul(lambda, whole(len(train[0])))))
	var low, high [2]*big.Rat
	for b, m := range train {
		min, err := impl.MinimizerOnLine(m.impl(), lambda)
		if err != nil {
			return nil, err
		}
		low[b], high[b] = min.Rats()
	}
	first, last := rat.Min(low[:]...), rat.Max(high[:]...)
	cuts := []*big.Rat{sub(onGrid(first, math.Floor), halfGrid), add(onGrid(last, math.Ceil), halfGrid)}
	cells := make([]audit.Cell, 3)
	for i := range cells {
		cells[i].Name = rangeName("#", cuts, halfGrid, i)
	}
	for b := range train {
		left, err0 := impl.LaplaceCells(low[b], scale, cuts)
		right, err1 := impl.LaplaceCells(high[b], scale, cuts)
		if err0 != nil || err1 != nil {
			return nil, fmt.Errorf("internal error: %w, %w", err0, err1)
		}
		// the further left the law is, the more is in the left tail
		cells[0].P[b] = interval.Interval{Lower: right[0].Lower, Upper: left[0].Upper}
		cells[2].P[b] = interval.Interval{Lower: left[2].Lower, Upper: right[2].Upper}
		cells[1].P[b] = complement(lawBits.Add(cells[0].P[b], cells[2].P[b]))
	}
	most := quo(sub(last, first), scale)
	cells[1] = cells[1].WithLoss(neg(most), most)
	return cells, nil
}

// onGrid returns a point of the grid next to x.
func onGrid(x *big.Rat, to func(float64) float64) *big.Rat {
	return new(big.Rat).SetFloat64(to(float(x)/grid) * grid)
}

// releaseTest is a database of Algorithm 5.
type releaseTest struct{ train, test margins }

func (r releaseTest) String() string {
	return fmt.Sprintf("train %s, test %s", text(r.train), text(r.test))
}

// releaseTestCase has a label change in the records for training, and in those for the
// test. The limit is about the mean error, so that ⊥ is neither rare nor certain.
func releaseTestCase(p Params) (*Case, error) {
	right := releaseTest{margins{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, margins{1, 1, 1, 1}}
	trained := releaseTest{margins{1, 1, 1, 1, 1, 1, 1, 1, 1, -1}, right.test}
	tested := releaseTest{right.train, margins{1, 1, 1, -1}}
	eps2 := quo(p.Eps, whole(2))
	released, refused, err := impl.ReleaseTestCharges(len(right.train), len(right.test), p.Eps, eps2,
		lambda, impl.ErrorSensitivity)
	if err != nil {
		return nil, err
	}
	_, number := released.Rats()
	_, bottom := refused.Rats()
	claim, parts := p.numberOrBottom(loss.Nats(number), loss.Nats(bottom))
	run := func(r releaseTest) program { return r.program(p, float(eps2), parts) }
	law := func(n [2]releaseTest) (audit.Law, error) { return refusalLaw(n, p.Eps, eps2, len(claim.Parts)-1) }
	return caseOf(claim, run, law, [2]releaseTest{right, trained}, [2]releaseTest{right, tested}), nil
}

// limit is t of Algorithm 5.
var limit = one

func (r releaseTest) program(p Params, eps2 float64, parts [2]string) program {
	eps1, lambda, limit := p.eps(), float(lambda), float(limit)
	return preparedProgram(parts, func() (impl.LogRegRuns, error) {
		return impl.NewLogRegRuns(r.train.impl(), r.test.impl(), eps1, eps2, lambda, limit)
	})
}

// refusalLaw has the probability of ⊥ and of all else. How the likelihood ratio varies with
// the parameter that is released is not part of it.
func refusalLaw(both [2]releaseTest, eps1, eps2 *big.Rat, bottom int) (audit.Law, error) {
	refused, released := audit.Cell{Name: `"⊥"`, Part: bottom}, audit.Cell{Name: "#"}
	for b, r := range both {
		scale, err := impl.ReleaseTestScale(len(r.train), len(r.test), lambda, impl.ErrorSensitivity)
		if err != nil {
			return audit.Law{}, err
		}
		refused.P[b], err = impl.RefusalProbability(impl.ReleaseTest{
			Train: r.train.impl(), Test: r.test.impl(), Eps1: eps1, Eps2: eps2, Lambda: lambda, Limit: limit,
			Scale: scale, Width: 1e-3,
		})
		if err != nil {
			return audit.Law{}, err
		}
		released.P[b] = complement(refused.P[b])
	}
	return audit.Law{Cells: []audit.Cell{refused, released}}, nil
}
