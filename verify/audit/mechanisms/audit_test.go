package mechanisms

import (
	"math/big"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

// suiteAlpha is shared by all audits in this file: the probability that any of them refutes
// a true claim, if the seeds were new.
const suiteAlpha = 1e-4

// implementationsOf returns the rooms whose program for a mechanism is audited; "" if there is only one. That of spec
// has the same law as that of impl, by [TestPair_SameLaw].
func implementationsOf(m Mechanism) []string {
	switch {
	case m.defaults.Implementation == "":
		return []string{""}
	case *full:
		return []string{"impl", "spec"}
	}
	return []string{"impl"}
}

// sizeFor is smaller for spec's slow programs.
func sizeFor(m Mechanism, implementation string) int {
	if implementation == "spec" && (m.Name == "erm" || m.Name == "logreg-test") {
		return 3000
	}
	return atLeast(4000, 20_000)
}

// Null hypothesis: the claim is true. Sample: 4000 outputs for each input of every third mechanism, with -full 20,000
// (3000 of the two slow programs) of all. Level: suiteAlpha for all together. Power: every audit says what it
// would have seen, and it must be something.
func TestStatistical_RightOnesPass(t *testing.T) {
	t.Parallel()
	for i, m := range All() {
		if !m.Right() || i%3 > 0 && !*full {
			continue
		}
		for _, claim := range m.Claims {
			for _, implementation := range implementationsOf(m) {
				c := made(t, m.Name, Params{Claim: claim, Implementation: implementation})
				r, err := audit.Run(t.Context(), c.Claim, c.Pairs,
					audit.Options{Samples: sizeFor(m, implementation), Alpha: suiteAlpha / 100, Seed: 1})
				if err != nil || r.Verdict != audit.NoViolation {
					t.Errorf("%s, %s, %s: %+v, %v", m.Name, claim, implementation, r, err)
					continue
				}
				if !(r.Seen.Delta < c.delta()+0.05) {
					t.Errorf("%s, %s, %s: a leak is seen from %g only", m.Name, claim, implementation, r.Seen.Delta)
				}
			}
		}
	}
}

func (c Case) delta() float64 { return float(c.Claim.Delta) }

// needs is how many samples it takes to refute a wrong claim, if they are more than 20,000.
var needs = map[string]int{
	"leak": 1e6, "svt-roth": 2e5, "svt-uncharged": 1e6, "odp-composition-observed": 3e5, "svt-lee-clifton": 5e4,
	"gaussian-classical": 1e6, "gaussian-variance": 3e5, "gaussian-printed": 3e5, "numeric-sparse-reused": 3e6,
}

// shows has the parameters with which samples show what is wrong, if those of the catalogue need a law.
var shows = map[string]Params{"gaussian-classical": {Eps: whole(6), Delta: big.NewRat(3, 10)}}

// The wrong ones are refuted, laplace-float by its last bits; those that take many samples only with -full, as
// [TestCatalogue] refutes them by their laws.
func TestControl_WrongOnesAreRefuted(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		if m.Right() || needs[m.Name] > 50_000 && !*full {
			continue
		}
		c := made(t, m.Name, shows[m.Name])
		o := audit.Options{Samples: max(20_000, needs[m.Name]), Alpha: suiteAlpha, Seed: 1, Bits: m.Bits}
		r, err := audit.Run(t.Context(), c.Claim, c.Pairs, o)
		if err != nil || r.Verdict != audit.Refuted {
			t.Errorf("%s: %+v, %v", m.Name, r, err)
		}
	}
}

// sameLaw is the claim that inputs make no difference.
var sameLaw = audit.DP(loss.Nats(new(big.Rat)), new(big.Rat))

// Null hypothesis: the programs of spec and impl have the same law. That is the claim that
// one “mechanism”, which runs the one on its first input and the other on its second, is
// (0, 0)-DP. Sample, level and power as above, of every second mechanism; the power is checked by the control.
func TestPair_SameLaw(t *testing.T) {
	t.Parallel()
	for i, m := range All() {
		if m.defaults.Implementation == "" || (!m.Right() || i%2 > 0) && !*full {
			continue // wrong ones have the programs of right ones
		}
		inSpec := made(t, m.Name, Params{Implementation: "spec"})
		var pairs []audit.Pair
		for i, p := range made(t, m.Name, Params{}).Pairs {
			if i > 0 && !*full {
				break
			}
			for input := range 2 {
				pairs = append(pairs, audit.Pair{
					Inputs:   [2]string{"impl on " + p.Inputs[input], "spec on " + p.Inputs[input]},
					Samplers: [2]audit.Sampler{p.Samplers[input], inSpec.Pairs[i].Samplers[input]},
				})
			}
		}
		r, err := audit.Run(t.Context(), sameLaw, pairs,
			audit.Options{Samples: sizeFor(m, "spec"), Alpha: suiteAlpha / 100, Seed: 2})
		if err != nil || r.Verdict != audit.NoViolation {
			t.Errorf("%s: %+v, %+v, %v", m.Name, r, r.Witness, err)
			continue
		}
		if most := 1200 / float64(sizeFor(m, "spec")); !(r.Seen.Delta < most) {
			t.Errorf("%s: an output of one program only is seen from %g on, must be less than %g",
				m.Name, r.Seen.Delta, most)
		}
	}
}

// Float64 noise leaves most outputs to one input, which the last bits tell; noise on whole numbers that is drawn
// exactly leaves all of them to both. Null hypothesis for the latter, sample and level as above.
func TestControl_FloatOrExact(t *testing.T) {
	t.Parallel()
	for _, eps := range []*big.Rat{big.NewRat(1, 10), whole(4)} {
		for name, want := range map[string]audit.Verdict{"laplace-float": audit.Refuted,
			"discrete-laplace": audit.NoViolation, "discrete-gaussian": audit.NoViolation} {
			c := made(t, name, Params{Eps: eps})
			r, err := audit.Run(t.Context(), c.Claim, c.Pairs,
				audit.Options{Samples: 20_000, Alpha: suiteAlpha / 100, Seed: 3, Bits: true})
			if err != nil || r.Verdict != want || r.LowBits {
				t.Errorf("%s, ε = %s: %+v, %v, must be %q", name, eps.RatString(), r, err, want)
			}
			if found := find(t, name, Params{Eps: eps}); found.refuted != (want == audit.Refuted) {
				t.Errorf("%s, ε = %s: by law it is refuted: %v", name, eps.RatString(), found.refuted)
			}
		}
	}
}

// The same test tells laws apart that differ in their noise, by a fifth, or by a half
// where it shows less.
func TestControl_OtherLaw(t *testing.T) {
	for name, noise := range map[string]*big.Rat{
		"laplace": big.NewRat(4, 5), "histogram": big.NewRat(4, 5), "noisy-max": big.NewRat(4, 5),
		"above-threshold": big.NewRat(4, 5), "svt": big.NewRat(1, 2), "sparse": big.NewRat(1, 2),
	} {
		if name != "laplace" && name != "svt" && !*full {
			continue
		}
		less := made(t, name, Params{Noise: noise})
		var pairs []audit.Pair
		for i, p := range made(t, name, Params{}).Pairs {
			pairs = append(pairs, audit.Pair{Samplers: [2]audit.Sampler{p.Samplers[1], less.Pairs[i].Samplers[1]}})
		}
		o := audit.Options{Samples: 50_000, Alpha: suiteAlpha / 100, Seed: 2}
		r, err := audit.Run(t.Context(), sameLaw, pairs, o)
		if err != nil || r.Verdict != audit.Refuted {
			t.Errorf("%s with less noise is not told apart: %+v, %v", name, r, err)
		}
	}
}
