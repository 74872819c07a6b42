package odp

import (
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/register"
)

// auditAlpha is the probability with which an audit refutes a claim that is true. There are
// few of them, and their seeds are fixed: a false alarm would be there in every run.
const auditAlpha = 1e-6

// audited draws outputs of a built-in mechanism by the programs of some rooms, and looks for a
// violation of its claim of ODP, after another check has named its domain.
func audited(name string, p mechanisms.Params, packages ...string) register.Check {
	return func(t *register.T) {
		n := t.Size(40_000, 1_000_000)
		t.AlsoDomain("audits of %d outputs on each input, α = %g", n, auditAlpha)
		m, err := mechanisms.Find(name)
		t.Must(err)
		p.Claim = "odp"
		for _, p.Implementation = range packages {
			t.Case()
			c, err := m.Make(p)
			t.Must(err)
			r, err := audit.Run(t.Context(), c.Claim, c.Pairs, audit.Options{Samples: n, Alpha: auditAlpha, Seed: 1})
			t.Must(err)
			switch r.Verdict {
			case audit.Refuted:
				w := r.Witness
				t.Refute("%s of %s, %d outputs on %s and on %s: %d and %d of them are in %s and in %d other sets of outputs; the "+
					"claim is refuted at α = %g",
					name, p.Implementation, w.Size, w.Inputs[0], w.Inputs[1], w.Hits[0], w.Hits[1], w.Event[0], len(w.Event)-1,
					auditAlpha)
			case audit.TooSmall:
				t.Undecided("%d outputs are too few to see anything", r.Samples)
			}
		}
	}
}
