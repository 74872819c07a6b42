package selection_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"checkrr/impl/noise"
	"checkrr/impl/selection"
)

// The best of many private runs, drawn from three candidates at random: its output is 3ε-DP if each run is ε-DP. The
// scores stand for those of private runs; for more than an example the source is noise.SecureSource().
func ExampleRandomStopping() {
	coins := noise.Coins{Source: rand.NewPCG(1, 2)}
	var candidates []selection.Candidate[string]
	for i, score := range []float64{0.71, 0.83, 0.79} {
		name := []string{"weak", "middling", "strong"}[i] + " regularization"
		candidates = append(candidates, func(context.Context) (selection.Scored[string], error) {
			return selection.Scored[string]{Output: name, Score: score}, nil
		})
	}
	oracle := func(ctx context.Context) (selection.Scored[selection.Chosen[string]], error) {
		return selection.Oracle(ctx, candidates, coins)
	}
	first := func(x, y selection.Chosen[string]) bool { return x.Candidate < y.Candidate }
	best, _, err := selection.RandomStopping(context.Background(), oracle, first, big.NewRat(1, 200), coins)
	fmt.Println(best.Output.Output, best.Score, err)
	// Output: middling regularization 0.83 <nil>
}
