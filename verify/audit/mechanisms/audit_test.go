package mechanisms

import (
	"math/big"
	"testing"

	"checkrr/verify/audit"
)

// suiteAlpha is shared by all audits in this file: the probability that any of them refutes
// a true claim, if the seeds were new.
const suiteAlpha = 1e-4

// Null hypothesis: the claim is true. Sample: 4000 outputs for each input of every third mechanism, with -full 20,000
// of all. Level: suiteAlpha for all together. Power: every audit says what it would have seen, and it must be
// something.
func TestStatistical_RightOnesPass(t *testing.T) {
	t.Parallel()
	for i, m := range All() {
		if !m.Right() || i%3 > 0 && !*full {
			continue
		}
		for _, claim := range m.Claims {
			c := made(t, m.Name, Params{Claim: claim})
			r, err := audit.Run(t.Context(), c.Claim, c.Pairs,
				audit.Options{Samples: atLeast(4000, 20_000), Alpha: suiteAlpha / 100, Seed: 1})
			if err != nil || r.Verdict != audit.NoViolation {
				t.Errorf("%s, %s: %+v, %v", m.Name, claim, r, err)
				continue
			}
			if !(r.Seen.Delta < c.delta()+0.05) {
				t.Errorf("%s, %s: a leak is seen from %g only", m.Name, claim, r.Seen.Delta)
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
