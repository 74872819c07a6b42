package impl_test

import (
	"context"
	"fmt"
	"math/big"

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

// The ε of 100 steps of the Gaussian mechanism that always run to their end.
func ExampleOptComp() {
	step := &certify.Additive{Noise: certify.Gaussian, Scale: big.NewRat(10, 1), Sampling: big.NewRat(1, 1)}
	mechanisms := []impl.Mechanism{{Additive: step, Count: 100}}
	c, err := impl.OptComp(context.Background(), mechanisms, big.NewRat(1, 1_000_000), impl.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ε = %.4g\n", c.Eps.Float().Hi)
	// Output:
	// ε = 4.887
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
