package selection_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"checkrr/impl"
	"checkrr/impl/noise"
	"checkrr/impl/selection"
)

// people are made up: y is 1 or −1, and x, of norm at most 1, leans to one side by it.
func people(n int) (all []impl.LabelledRecord) {
	r := rand.New(rand.NewPCG(2019, 0))
	for range n {
		y := float64(2*r.IntN(2) - 1)
		x := []float64{0.25*y + 0.25*r.NormFloat64(), 0.25 * r.NormFloat64(), 0.25 * r.NormFloat64()}
		if norm := math.Hypot(math.Hypot(x[0], x[1]), x[2]); norm > 1 {
			for i := range x {
				x[i] /= norm
			}
		}
		all = append(all, impl.LabelledRecord{X: x, Y: y})
	}
	return all
}

// The best of 20 regularization strengths for a private logistic regression. A run trains on one half of the people
// by output perturbation, and scores the model on the other half with Laplace noise. One person is in one of them
// only: a run is ε_1-DP.
func ExampleRandomStopping_tuning() {
	train, test := people(2000)[:1000], people(2000)[1000:]
	goal := selection.Goal{Eps: big.NewRat(1, 1), Reach: big.NewRat(1, 10), Fail: big.NewRat(1, 20),
		Slack: big.NewRat(1, 100)}
	plan, err := selection.PlanRandomStopping(goal)
	if err != nil {
		fmt.Println(err)
		return
	}

	random := noise.New([32]byte{7}) // for secrets, of a seed that nobody knows
	coins := noise.Coins{Source: rand.NewPCG(1, 2)}
	var candidates []selection.Candidate[[]float64]
	best := 0.0 // without privacy
	for _, strength := range []float64{1e-4, 2e-4, 3e-4, 5e-4, 7e-4, 1e-3, 2e-3, 3e-3, 5e-3, 7e-3, 0.01, 0.02, 0.03,
		0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 1} {
		exact, _, err := impl.Minimizer(train, strength)
		if err != nil {
			fmt.Println(err)
			return
		}
		right, _ := impl.Accuracy(exact, test)
		best = max(best, right)
		runs, err := impl.NewERMRuns(train, plan.Eps, strength)
		if err != nil {
			fmt.Println(err)
			return
		}
		candidates = append(candidates, func(context.Context) (selection.Scored[[]float64], error) {
			model := runs.Draw(random)
			right, err := impl.Accuracy(model, test)
			score := right + random.Laplace(1/(float64(len(test))*plan.Eps)) // one person moves it by 1/m
			return selection.Scored[[]float64]{Output: model, Score: min(1, max(0, score))}, err
		})
	}

	oracle := func(ctx context.Context) (selection.Scored[selection.Chosen[[]float64]], error) {
		return selection.Oracle(ctx, candidates, coins)
	}
	first := func(x, y selection.Chosen[[]float64]) bool { return x.Candidate < y.Candidate }
	selected, runs, err := selection.RandomStopping(context.Background(), oracle, first, plan.Gamma, coins)
	if err != nil {
		fmt.Println(err)
		return
	}
	right, _ := impl.Accuracy(selected.Output.Output, test)
	fmt.Printf("each run is %.4f-DP, the selection %.4f-DP\n", plan.Eps, plan.Loss.Upper)
	fmt.Printf("%d runs, %.0f on average\n", runs, plan.Runs.Upper)
	fmt.Printf("selected strength %d: right for %.1f %% of the other half, the best without privacy for %.1f %%\n",
		selected.Output.Candidate+1, 100*right, 100*best)
	// Output:
	// each run is 0.3360-DP, the selection 1.0000-DP
	// 381 runs, 171 on average
	// selected strength 20: right for 85.3 % of the other half, the best without privacy for 85.2 %
}
