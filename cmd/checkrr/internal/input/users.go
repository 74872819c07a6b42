package input

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// adds is the key of what a user adds, in units of the most that noise is given for, at random.
const adds = "adds"

// mostAmounts bounds how many amounts are read.
const mostAmounts = 128

// amounts reads what is added: a list of [amount, probability], or as a flag 0:0.2+1:0.8. It returns them in order,
// without those that are impossible.
func (f Field) amounts() (all [][2]*big.Rat, err error) {
	entries := f.outputs
	if entries == nil && f.at == (position{}) {
		for i, part := range strings.Split(f.Value, "+") {
			amount, probability, found := strings.Cut(part, ":")
			if !found {
				return nil, fmt.Errorf("adds: amount %d is %s, must be of the form amount:probability, as in "+
					"adds=0:0.2+1:0.6+2:0.2", i+1, report.Quote(part))
			}
			entries = append(entries, output{of: [2]string{strings.TrimSpace(amount), strings.TrimSpace(probability)}})
		}
	}
	if entries == nil {
		return nil, f.fault(fmt.Errorf("is %s, must be a list of [amount, probability], as in [[0, 0.2], [1, 0.8]]",
			report.Quote(f.Value)))
	}
	if len(entries) > mostAmounts {
		return nil, f.fault(fmt.Errorf("has %d amounts, must have at most %d", len(entries), mostAmounts))
	}
	sum := new(big.Rat)
	for i, e := range entries {
		x := [2]*big.Rat{}
		for j, text := range e.of {
			what := [2]string{"amount", "the probability of amount"}[j]
			if x[j], err = ParseNumber(text); err != nil {
				return nil, &entryError{e.at, fmt.Sprintf("adds: %s %d %v", what, i+1, err)}
			}
			if x[j].Sign() < 0 {
				return nil, &entryError{e.at, fmt.Sprintf("adds: %s %d is %s, must be at least 0", what, i+1,
					report.Quote(text))}
			}
		}
		at, isTwice := slices.BinarySearchFunc(all, x[0], func(y [2]*big.Rat, amount *big.Rat) int {
			return y[0].Cmp(amount)
		})
		if isTwice {
			return nil, &entryError{e.at, fmt.Sprintf("adds: the amount %s is given twice", report.Quote(e.of[0]))}
		}
		if x[1].Sign() > 0 {
			all = slices.Insert(all, at, x)
		}
		sum.Add(sum, x[1])
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		return nil, f.fault(fmt.Errorf("has probabilities with the sum %s, must be exactly 1", report.Typed(sum)))
	}
	return all, nil
}

// The μ of Gaussian differential privacy for which there is noise.
var (
	leastMu = big.NewRat(1, 1_000_000_000)
	mostMu  = big.NewRat(500, 1)
)

// gdp reads μ: no mechanism that is μ-GDP tells more than Gaussian noise of scale 1/μ.
func (f Field) gdp() (*certify.Additive, error) {
	mu, err := f.Number()
	if err != nil {
		return nil, err
	}
	if mu.Cmp(leastMu) < 0 || mu.Cmp(mostMu) > 0 {
		return nil, f.fault(fmt.Errorf("is %s, must be between 1e-9 and 500", report.Quote(f.Value)))
	}
	return &certify.Additive{Noise: certify.GDP, Scale: mu.Inv(mu), Sampling: big.NewRat(1, 1)}, nil
}

// law returns the probabilities of all outputs.
func (f Field) law() (law impl.Law, err error) {
	if f.outputs == nil {
		return nil, f.fault(fmt.Errorf("is %s, must be a list of [P, Q]: a law is given in a problem file, such as "+
			"examples/law.yaml", report.Quote(f.Value)))
	}
	law = impl.Law{}
	for i, o := range f.outputs {
		var pair [2]*big.Rat
		for b, text := range o.of {
			if pair[b], err = ParseNumber(text); err != nil {
				return nil, &entryError{o.at, fmt.Sprintf("law: output %d: %v", i+1, err)}
			}
		}
		law = append(law, pair)
	}
	return law, nil
}

// forGroup returns what a mechanism is for neighbours that differ by a group of k records, all of which are added, or
// all removed: what is given for groups is left as it is, noise is that around what all of them contribute, and one
// that is (ε, 0)-DP for a record is (kε, 0)-DP for k of them.
func (d *mechanisms) forGroup(m impl.Mechanism, fields []Field) (impl.Mechanism, error) {
	field := func(key string) (f Field, isGiven bool) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
		if i < 0 {
			return Field{}, false
		}
		return fields[i], true
	}
	k := d.neighbours.Group
	of := fmt.Sprintf("{%s: %d}", group, k)
	if f, isGiven := field(group); isGiven {
		n, err := f.count()
		switch {
		case err != nil:
			return m, err
		case m.HasNoise():
			return m, f.fault(fmt.Errorf("is given, must be left out beside %s: what noise hides of a group is "+
				"computed", m.Additive.Noise))
		case k == 0 && n != 1:
			return m, f.fault(fmt.Errorf("is given, must be with neighbours: {%s: %s}", group, report.Quote(f.Value)))
		case n != max(1, k):
			return m, f.fault(fmt.Errorf("is %s, must be %d, as neighbours has it", report.Quote(f.Value), k))
		}
		return m, nil
	}
	if k == 0 {
		return m, nil
	}
	given := fmt.Sprintf("say %s: %d beside it if it is", group, k)
	switch {
	case m.Additive != nil:
		f, _ := field(string(m.Additive.Noise))
		m.Additive.Group = k
		if rule := m.Additive.Fault(); rule != "" {
			return m, &entryError{f.at, fmt.Sprintf("%s: with neighbours: %s: %s", f.Key, of, rule)}
		}
	case m.Law != nil || m.Losses != nil:
		f, _ := field(m.Kind())
		return m, f.fault(fmt.Errorf("is given for a record, must be for groups of %d with neighbours: %s: %s", k, of,
			given))
	case m.Delta.Sign() > 0:
		f, isGiven := field("delta")
		if !isGiven { // of losses that are all infinite
			f, _ = field("losses")
		}
		return m, f.fault(fmt.Errorf("is %s, must be 0, or given for groups of %d with neighbours: %s: %s",
			report.Quote(f.Value), k, of, given))
	case m.Eps.Log && k*(m.Eps.Rat().Num().BitLen()+m.Eps.Rat().Denom().BitLen()) > mostPowerBits:
		f, _ := field("exp_eps")
		return m, f.fault(fmt.Errorf("must have a power of %d with at most %d bits, with neighbours: %s", k,
			mostPowerBits, of))
	default:
		m.Eps = times(m.Eps, k)
	}
	return m, nil
}

// mostPowerBits bounds e^ε of a group.
const mostPowerBits = 1 << 20

// times returns k·ε; what is no ε stays what it is.
func times(eps loss.Epsilon, k int) loss.Epsilon {
	x := eps.Rat()
	if _, rule := loss.Fault(eps); rule != "" {
		return eps
	}
	if !eps.Log {
		return loss.Nats(new(big.Rat).Mul(x, new(big.Rat).SetInt64(int64(k))))
	}
	power := func(n *big.Int) *big.Int { return new(big.Int).Exp(n, big.NewInt(int64(k)), nil) }
	return loss.Exp(new(big.Rat).SetFrac(power(x.Num()), power(x.Denom())))
}
