package conjecture

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// design is a pipeline in a few numbers, between which a search can climb. Claims that are made of sums over stops
// break where there are many stops with about the same δ: charges are so many standard deviations above the mean loss.
type design struct {
	mechanisms, stops int
	eps               [2]float64 // of the first and the other mechanisms
	share             float64    // of the first mechanisms
	delta             float64
	first             float64 // where the first stop is, as a part of all mechanisms
	bend              float64 // more than 1 where stops are denser at the end, less than 1 at the beginning
	deviations        float64 // of charges above the mean loss
	level             float64 // 1, or the part of that which charges are: where ε is large, the loss hardly deviates
	tilt              float64 // by how much more at the last stop
	jitter            float64 // by how much more at every second stop, if charges may fall
}

// zeros is one in how many draws is the end of a range that is 0.
const zeros = 4

// random draws a design of a domain, on logarithmic scales.
func (d Domain) random(r *rand.Rand) design {
	between := func(ends [2]*big.Rat) float64 {
		low, _ := ends[0].Float64()
		high, _ := ends[1].Float64()
		switch {
		case low == 0 && r.IntN(zeros) == 0, high == 0:
			return 0
		case low == 0:
			low = 1e-12 * high
		}
		return low * math.Pow(high/low, r.Float64())
	}
	whole := func(ends [2]int) int {
		return int(math.Round(float64(ends[0]) * math.Pow(float64(ends[1])/float64(ends[0]), math.Sqrt(r.Float64()))))
	}
	x := design{
		mechanisms: whole(d.Mechanisms), stops: whole(d.Stops), eps: [2]float64{between(d.Eps), between(d.Eps)},
		delta: between(d.Delta), first: r.Float64() * r.Float64(), bend: math.Exp(r.NormFloat64() / 2),
		deviations: 7 * r.Float64(), tilt: r.NormFloat64() / 2, jitter: max(0, r.NormFloat64()), level: 1,
	}
	if r.IntN(2) == 0 {
		x.share = r.Float64()
	}
	if r.IntN(4) == 0 {
		x.level = r.Float64()
	}
	return x
}

// near changes some of the numbers of a design a little.
func (x design) near(r *rand.Rand, step float64) design {
	scaled := func(v float64) float64 { return v * math.Exp(step*r.NormFloat64()) }
	switch r.IntN(8) {
	case 0:
		x.mechanisms = max(1, int(math.Round(scaled(float64(x.mechanisms)))))
	case 1:
		x.stops = max(1, int(math.Round(scaled(float64(x.stops)))))
	case 2:
		x.eps = [2]float64{scaled(x.eps[0]), scaled(x.eps[1])}
	case 3:
		x.first, x.bend = min(1, scaled(x.first+1e-3)), scaled(x.bend)
	case 4:
		x.deviations += 2 * step * r.NormFloat64()
	case 5:
		x.tilt, x.jitter = x.tilt+step*r.NormFloat64(), max(0, x.jitter+step*r.NormFloat64())
	case 6:
		x.share, x.delta = min(1, max(0, x.share+step*r.NormFloat64())), scaled(x.delta)
	case 7:
		x.level = min(1, max(0, x.level+step*r.NormFloat64()))
	}
	return x
}

// pipeline is what a design stands for in a domain, with numbers of few digits.
func (x design) pipeline(d Domain) impl.Pipeline {
	k := min(max(x.mechanisms, d.Mechanisms[0], d.Stops[0]), d.Mechanisms[1])
	n := min(max(x.stops, d.Stops[0]), d.Stops[1], k)
	firsts := int(math.Round(x.share * float64(k)))
	var p impl.Pipeline
	for i, count := range []int{firsts, k - firsts} {
		if count > 0 {
			p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Count: count, Eps: loss.Nats(within(x.eps[i], 2, d.Eps)),
				Delta: within(x.delta, 2, d.Delta)})
		}
	}
	for i, after := range x.places(k, n) {
		part := float64(i+1) / float64(n)
		deviations := x.deviations + x.tilt*(part-1)
		if d.Charges == Any && i%2 == 0 {
			deviations += x.jitter
		}
		mean, deviation := moments(p.Mechanisms, after)
		charge := rounded(x.level*max(0, mean+deviations*deviation), 4)
		p.Stops = append(p.Stops, impl.Stop{After: after, Eps: loss.Nats(charge)})
	}
	d.order(p.Stops)
	return p
}

// places are those of n stops among k mechanisms, the last at the end.
func (x design) places(k, n int) (places []int) {
	first := 1 + x.first*float64(k-n)
	for i := range n {
		part := 1.0
		if n > 1 {
			part = math.Pow(float64(i)/float64(n-1), 1/x.bend)
		}
		place := int(math.Round(first + part*(float64(k)-first)))
		if i > 0 {
			place = max(place, places[i-1]+1)
		}
		places = append(places, min(place, k-(n-1-i)))
	}
	return places
}

// order makes charges what the domain wants them to be.
func (d Domain) order(stops []impl.Stop) {
	for i := range stops {
		switch {
		case d.Charges == Equal:
			stops[i].Eps = stops[len(stops)-1].Eps
		case d.Charges == Nondecreasing && i > 0 && stops[i].Eps.Value.Cmp(stops[i-1].Eps.Value) < 0:
			stops[i].Eps = stops[i-1].Eps
		}
	}
}

// moments are the mean and the standard deviation of the loss of so many mechanisms under P.
func moments(mechanisms []impl.Mechanism, after int) (mean, deviation float64) {
	variance := 0.0
	for _, m := range mechanisms {
		count := float64(min(after, m.Count))
		eps, _ := m.Eps.Value.Float64()
		drift := math.Tanh(eps / 2)
		mean += count * eps * drift
		variance += count * eps * eps * (1 - drift*drift)
		after -= min(after, m.Count)
	}
	return mean, math.Sqrt(variance)
}

// within is x with so many digits, if these are in an interval, and otherwise its nearest end.
func within(x float64, digits int, ends [2]*big.Rat) *big.Rat {
	r := rounded(x, digits)
	switch {
	case r.Cmp(ends[0]) < 0:
		return ends[0]
	case r.Cmp(ends[1]) > 0:
		return ends[1]
	}
	return r
}

// rounded is the decimal with so many digits that is nearest to x.
func rounded(x float64, digits int) *big.Rat {
	if x-x != 0 { // infinite: more than a charge may be
		x = math.MaxFloat64
	}
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'e', digits-1, 64))
	return r
}
