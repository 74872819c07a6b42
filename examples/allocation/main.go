// Allocation writes the privacy losses of an epoch with random allocation as a file for checkrr:
//
//	go run ./examples/allocation -noise 1 -steps 235 > epoch.csv
//
// An epoch has so many steps, every record takes part in one of them, which is drawn at random ("balls in bins"), and a
// step adds Gaussian noise to the sum over its records. With that file, {losses: epoch.csv, count: 30} in a problem
// file are 30 epochs, after each of which the run may stop. docs/dominating-pairs.md has the proof.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"os"

	"gonum.org/v1/gonum/dsp/fourier"
)

func main() {
	noise := flag.Float64("noise", 1, "the noise multiplier σ")
	steps := flag.Int("steps", 100, "the steps of an epoch")
	flag.Parse()
	const least, most, few, many = 0.7, 100, 10, 100_000 // what the grids below are made for
	if !(*noise >= least && *noise <= most) || *steps < few || *steps > many || flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "allocation: -noise must be from %g to %d, -steps from %d to %d\n", least, most, few, many)
		os.Exit(2)
	}
	if err := epoch(*noise, *steps).write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "allocation:", err)
		os.Exit(2)
	}
}

// grid is the law of a ratio of probabilities P/Q under Q: entry i of mass is at i·unit. What it lacks of the mean 1
// counts as lost.
type grid struct {
	unit    float64
	mass    []float64
	rounded float64 // a share of P that rounding may have taken away
}

// epoch returns the law of the mean of as many ratios of a single step as there are steps.
func epoch(noise float64, steps int) grid {
	const fine, most = 100, 1 << 22 // nodes in the deviation of the ratio of a step, and in all
	const lost = 7.5                // deviations, above which a step is as good as lost: 3e-14
	largest := math.Exp(lost/noise + 1/(2*noise*noise))
	deviation := math.Sqrt(math.Expm1(1 / (noise * noise)))
	top := largest + float64(steps) + lost*deviation*math.Sqrt(float64(steps))
	nodes := most
	for nodes > 2 && float64(nodes/2) > top*fine/deviation {
		nodes /= 2
	}
	unit := top / float64(nodes)

	sums := fourier.NewFFT(nodes)
	law := sums.Coefficients(nil, step(noise, unit, nodes))
	for i, c := range law {
		law[i] = cmplx.Pow(c, complex(float64(steps), 0))
	}
	g := grid{unit: unit / float64(steps), mass: sums.Sequence(nil, law)}
	for i, m := range g.mass {
		m /= float64(nodes)
		if m < 0 { // as rounding is as large everywhere, this tells how large it is
			g.rounded -= 4 * m * float64(i) * g.unit
		}
		g.mass[i] = max(0, m)
	}
	return g
}

// step returns the law of the ratio of a step: where the record takes part its sum is 1, and 0 without it. What is
// between two nodes goes to both, with its mean kept.
func step(noise, unit float64, nodes int) []float64 {
	mass := make([]float64, nodes)
	from := math.Inf(-1)
	for i := range nodes - 1 {
		to := noise*math.Log(float64(i+1)*unit) + 1/(2*noise)
		q, p := between(from, to), between(from-1/noise, to-1/noise)
		up := min(max(0, p/unit-float64(i)*q), q)
		mass[i] += q - up
		mass[i+1] += up
		from = to
	}
	return mass
}

// between returns the probability that a standard normal is there.
func between(from, to float64) float64 {
	if from > 0 {
		from, to = -to, -from // where no digits are lost
	}
	return (math.Erfc(-to/math.Sqrt2) - math.Erfc(-from/math.Sqrt2)) / 2
}

// write writes lines loss,mass with the masses under P, for losses that are multiples of a thousandth. What is between
// two of them goes to both, as in step.
func (g grid) write(to io.Writer) error {
	const perNat = 1000
	lowest := int(math.Floor(perNat * math.Log(g.unit)))
	ratio := func(node int) float64 { return math.Exp(float64(lowest+node) / perNat) }
	var mass []float64 // under Q
	for i, q := range g.mass {
		at := float64(i) * g.unit
		if q*at < 1e-30 {
			continue // and is lost
		}
		node := int(math.Floor(perNat*math.Log(at))) - lowest
		mass = append(mass, make([]float64, max(0, node+2-len(mass)))...)
		up := min(max(0, (at-ratio(node))/(ratio(node+1)-ratio(node))), 1)
		mass[node] += q * (1 - up)
		mass[node+1] += q * up
	}
	sum := g.rounded
	for node, q := range mass {
		sum += q * ratio(node)
	}
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "loss,mass")
	for node, q := range mass {
		if q > 0 {
			fmt.Fprintf(w, "%.3f,%.17g\n", float64(lowest+node)/perNat, q*ratio(node)/max(1, sum))
		}
	}
	fmt.Fprintf(w, "inf,%.3g\n", g.rounded)
	return w.Flush()
}
