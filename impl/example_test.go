package impl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// A hundred steps of ε = 0.1 that may stop half way.
func ExampleOptDel() {
	p := impl.Pipeline{
		Mechanisms: []impl.Mechanism{{Eps: loss.Nats(big.NewRat(1, 10)), Delta: new(big.Rat), Count: 100}},
		Stops: []impl.Stop{
			{After: 50, Eps: loss.Nats(big.NewRat(5, 2))},
			{After: 100, Eps: loss.Nats(big.NewRat(4, 1))},
		},
	}
	r, err := impl.OptDel(context.Background(), p, impl.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("δ = %.3g, where Lemma 11 needs %.3g\n", r.OptDel.Float().Hi, r.Lemma11.Float().Hi)
	for i, line := range r.Rule {
		fmt.Printf("worst: stop after %d if the loss is at least %.2f\n", p.Stops[i].After, line.LossAtLeast)
	}
	// Output:
	// δ = 0.000115, where Lemma 11 needs 0.000125
	// worst: stop after 50 if the loss is at least 2.60
	// worst: stop after 100 if the loss is at least 4.00
}

// What the stops may be charged if δ is to be one in a million.
func ExampleDesignSchedule() {
	p := impl.Pipeline{
		Mechanisms: []impl.Mechanism{{Eps: loss.Nats(big.NewRat(1, 10)), Delta: new(big.Rat), Count: 100}},
		Stops:      []impl.Stop{{After: 50}, {After: 100}}, // charges are not used
	}
	s, err := impl.DesignSchedule(context.Background(), p, big.NewRat(1, 1_000_000), impl.ScheduleOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, charge := range s.Charges() {
		fmt.Printf("after %d: %s\n", s.Pipeline.Stops[i].After, charge.FloatString(4))
	}
	// Output:
	// after 50: 3.2580
	// after 100: 4.9151
}

// How much noise 100 steps of the Gaussian mechanism need if they may stop half way, and the end is to be charged 2.
func ExampleDesignNoise() {
	step := &certify.Additive{Noise: certify.Gaussian, Scale: big.NewRat(10, 1), Sampling: big.NewRat(1, 1)}
	p := impl.Pipeline{
		Mechanisms: []impl.Mechanism{{Additive: step, Count: 100}}, // the search starts at its noise
		Stops:      []impl.Stop{{After: 50}, {After: 100}},         // charges are not used
	}
	d, err := impl.DesignNoise(context.Background(), p, big.NewRat(2, 1), big.NewRat(1, 1_000_000), impl.NoiseOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("σ = %s\n", d.Pipeline.Mechanisms[0].Additive.Scale.FloatString(1))
	for _, stop := range d.Pipeline.Stops {
		fmt.Printf("after %d: %s\n", stop.After, stop.Eps.Rat().FloatString(2))
	}
	// Output:
	// σ = 22.9
	// after 50: 1.37
	// after 100: 2.00
}

// A budget that several callers share: a mechanism is reserved at its worst before it runs, and charged for what was
// seen.
func ExampleFilterRun_Reserve() {
	budget, err := impl.NewBudget(loss.Nats(big.NewRat(1, 1)), new(big.Rat))
	if err != nil {
		fmt.Println(err)
		return
	}
	sparse := impl.Guarantee{
		Parts: []impl.Part{
			{Name: "nothing", Eps: loss.Nats(big.NewRat(1, 8))},
			{Name: "found", Eps: loss.Nats(big.NewRat(5, 8))},
		},
		Delta: new(big.Rat),
	}
	first, err := budget.Reserve("", sparse) // on all of the data
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := budget.Reserve("", sparse); err != nil {
		fmt.Println("another one has to wait: at most", budget.Read().Fits, "fits")
	}
	if err := first.Commit("nothing"); err != nil { // after its run
		fmt.Println(err)
	}
	fmt.Println("now", budget.Read().Fits, "fits")
	north, err := budget.Reserve("north", sparse) // on a part of the data
	if err == nil {
		err = north.Commit("found")
	}
	for _, part := range []string{"north", "south"} {
		spent, fits := budget.ReadOn(part)
		fmt.Println(part, "has spent", spent.Eps, "and", fits, "fits", err)
	}
	// Output:
	// another one has to wait: at most 0.375 fits
	// now 0.875 fits
	// north has spent 3/4 and 0.25 fits <nil>
	// south has spent 1/8 and 0.875 fits <nil>
}

// A budget that outlives its program: the state is stored before a mechanism runs, and again after the commit. Here the
// program is killed in between; the next one goes on from what is stored, where the mechanism is charged at its worst.
func ExampleFilterRun_State() {
	eps, zero := loss.Nats(big.NewRat(1, 1)), new(big.Rat)
	budget, err := impl.NewBudget(eps, zero)
	if err != nil {
		fmt.Println(err)
		return
	}
	worst := impl.Guarantee{Parts: []impl.Part{{Name: "found", Eps: loss.Nats(big.NewRat(5, 8))}}, Delta: zero}
	if _, err := budget.Reserve("", worst); err != nil {
		fmt.Println(err)
		return
	}
	stored, err := json.Marshal(budget.State()) // then the mechanism may run
	if err != nil {
		fmt.Println(err)
		return
	}
	var state impl.FilterState
	next, err := impl.NewBudget(eps, zero)
	if err := errors.Join(err, json.Unmarshal(stored, &state)); err != nil {
		fmt.Println(err)
		return
	}
	err = next.Resume(state)
	fmt.Println(next.Read().Fits, "fits", err)
	// Output: 0.375 fits <nil>
}

// The best of many private runs, drawn from three candidates at random: its output is 3ε-DP if each run is ε-DP. The
// scores stand for those of private runs; for more than an example the source is impl.SecureSource().
func ExampleRandomStopping() {
	coins := impl.Coins{Source: rand.NewPCG(1, 2)}
	var candidates []impl.Candidate[string]
	for i, score := range []float64{0.71, 0.83, 0.79} {
		name := []string{"weak", "middling", "strong"}[i] + " regularization"
		candidates = append(candidates, func(context.Context) (impl.Scored[string], error) {
			return impl.Scored[string]{Output: name, Score: score}, nil
		})
	}
	oracle := func(ctx context.Context) (impl.Scored[impl.Chosen[string]], error) {
		return impl.Oracle(ctx, candidates, coins)
	}
	first := func(x, y impl.Chosen[string]) bool { return x.Candidate < y.Candidate }
	best, _, err := impl.RandomStopping(context.Background(), oracle, first, big.NewRat(1, 200), coins)
	fmt.Println(best.Output.Output, best.Score, err)
	// Output: middling regularization 0.83 <nil>
}
