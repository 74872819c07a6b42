package run

import (
	"fmt"
	"io"
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// From where on a guarantee says little. With ε = 10 an output may be 22,000 times as likely.
var (
	largeEps   = big.NewFloat(10)
	largeDelta = big.NewFloat(0.01)
)

// caveats say why (ε, δ)-DP says little of a program that has so many records, or 0 if that is not known, if it does.
// The ε is that of a place, such as " (after 10)", if there are several.
func caveats(eps interval.Interval, place string, delta *big.Float, records int) (all []string) {
	published := new(big.Float).Mul(delta, big.NewFloat(float64(records))) // if each is with probability δ
	switch {
	case delta.Cmp(big.NewFloat(1)) >= 0:
		all = append(all, "this δ says nothing: every program is (0, 1)-DP")
	case delta.Cmp(largeDelta) >= 0:
		all = append(all, "this δ says little: all data may be published with this probability")
	case published.Cmp(big.NewFloat(1)) >= 0:
		const says = "this δ says little for %d records: one of them may be published each time"
		all = append(all, fmt.Sprintf(says, records))
	}
	if eps.Upper.Cmp(largeEps) >= 0 {
		all = append(all, fmt.Sprintf("ε = %s%s says little: an output may be e^ε times as likely with another record",
			report.RoundUp(eps), place))
	}
	return all
}

// stopCaveats are those of the largest charge, with the stop, and of a δ.
func (s *solved) stopCaveats(stops []impl.Stop, delta *big.Float) []string {
	i, eps := largestCharge(stops)
	place := ""
	if len(stops) > 1 {
		place = fmt.Sprintf(" (after %s)", s.problem.StopName(i))
	}
	return caveats(eps, place, delta, s.problem.Records)
}

// largestCharge is that of all stops, at the first stop that has it.
func largestCharge(stops []impl.Stop) (at int, largest interval.Interval) {
	largest = interval.Wide.Int(0)
	for i, stop := range stops {
		if eps := loss.Enclose(stop.Eps, interval.Wide); eps.Upper.Cmp(largest.Upper) > 0 {
			at, largest = i, eps
		}
	}
	return at, largest
}

// writeCaveats prints them, one a line.
func writeCaveats(w io.Writer, all []string) {
	for _, text := range all {
		fmt.Fprintf(w, "Beware    %s\n", text)
	}
}
