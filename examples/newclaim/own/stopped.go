package own

import (
	"fmt"
	"strings"

	"checkrr/impl"
	"checkrr/verify/conjecture"
	"checkrr/verify/register"
)

// stopped are the claims about pipelines that may stop early.
func stopped() register.Checks {
	return register.Checks{
		"OWN-L3": register.Checked(register.With(neverMore, conjecture.Equal),
			register.NearMiss("nor do they if charges grow", register.With(neverMore, conjecture.Nondecreasing))),
	}
}

// neverMore: no pipeline with such charges needs a larger δ than it needs if it always runs to its end.
func neverMore(t *register.T, charges conjecture.Charges) {
	s := conjecture.Search{Domain: conjecture.DefaultDomain(), Seed: 1, Pipelines: t.Size(20, 5000)}
	s.Charges = charges
	t.Domain("up to %d of the pipelines with %s charges", s.Pipelines, string(charges))
	f, err := s.Refute(t.Context(), register.Must(conjecture.Parse("optdel <= compose")))
	t.Must(err)
	for range f.Tried {
		t.Case()
	}
	if f.Refuted {
		t.Refute("%s: OptDel is %.4g, compose %.4g", shown(f.Pipeline), f.Left.Float().Lo, f.Right.Float().Hi)
	}
}

// shown is a pipeline as numbers that anyone can recompute.
func shown(p impl.Pipeline) string {
	var says []string
	for _, m := range p.Mechanisms {
		says = append(says, fmt.Sprintf("%d times ε = %s", m.Count, m.Eps.Value.RatString()))
	}
	for _, s := range p.Stops {
		says = append(says, fmt.Sprintf("after %d E = %s", s.After, s.Eps.Value.RatString()))
	}
	return strings.Join(says, ", ")
}
