package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/audit/program"
)

// subject is what is audited.
type subject struct {
	name     string
	source   string // of a built-in mechanism, as are settings
	settings []mechanisms.Setting
	claim    audit.Claim
	charges  []string // ε of every part as typed
	delta    string   // as typed
	pairs    []audit.Pair
	search   *audit.Search // instead of pairs
	bits     bool          // what is wrong is in the last bits of numbers
	laws     func(context.Context) ([]audit.Law, error)
	onlyLaws bool   // there is nothing to sample
	kill     func() // at once; close is still to be called
	close    func() error
}

// takeBudget takes the limits of a file, unless a flag is given.
func (o *auditOptions) takeBudget(flags *pflag.FlagSet, f *input.AuditFile, limits *audit.Options) {
	if !flags.Changed("samples") {
		limits.Samples = f.Budget.Samples
	}
	if !flags.Changed("alpha") {
		limits.Alpha, o.alpha = below(f.Budget.Alpha), run.Number{Text: report.Typed(f.Budget.Alpha),
			Value: f.Budget.Alpha}
	}
	if !flags.Changed("timeout") {
		o.timeout = f.Budget.Time
	}
	if !flags.Changed("memory") {
		limits.Memory = f.Budget.Memory
	}
	limits.Bits = limits.Bits || f.Bits
}

// readAudit reads a file in the time that there is, which may be a pipe.
func (a app) readAudit(ctx context.Context, o auditOptions, name string) (*input.AuditFile, error) {
	ctx, stop := run.Limited(ctx, o.timeout)
	defer stop()
	return run.Reading(ctx, o.timeout, func() (*input.AuditFile, error) {
		f, err := input.ReadAudit(name, a.Inputs, o.allowOutside)
		if err != nil {
			return nil, err
		}
		return f, o.checkSeen(f.Claim)
	})
}

// checkSeen refuses an ε to be seen that violates nothing.
func (o auditOptions) checkSeen(c audit.Claim) error {
	for _, p := range c.Parts {
		see, eps := o.seeEps.Value, loss.Enclose(p.Eps, interval.Wide).Upper
		if see != nil && interval.Wide.Rat(see).Lower.Cmp(eps) <= 0 {
			return fmt.Errorf("--see-eps is %s, must be more than the ε of the claim", report.Quote(o.seeEps.Text))
		}
	}
	return nil
}

// subjectOf reads a file and starts its program, if it has one.
func (a app) subjectOf(ctx context.Context, flags *pflag.FlagSet, o *auditOptions, name string,
	limits *audit.Options) (*subject, error) {
	f, err := a.readAudit(ctx, *o, name)
	if err != nil {
		return nil, err
	}
	o.takeBudget(flags, f, limits)
	s := &subject{name: input.NameOf(name), claim: f.Claim, charges: f.Charges, delta: f.Delta, kill: func() {},
		close: func() error { return nil }}
	if f.Law != nil {
		s.laws = func(context.Context) ([]audit.Law, error) { return []audit.Law{*f.Law}, nil }
	}
	s.onlyLaws = f.Law != nil || f.Noise != nil
	switch {
	case s.onlyLaws && o.method == "sampled":
		return nil, errors.New("--method is sampled, must be exact for a file with law or noise: nothing is drawn")
	case !s.onlyLaws && o.method == "exact":
		return nil, errors.New("--method is exact, must be sampled for a program: the law of its outputs is not known")
	case f.Law != nil:
		return s, nil
	}
	p, err := program.Start(f.Command, f.Dir, program.Patience(f.Patience), program.Memory(limits.Memory))
	if err != nil {
		return nil, err
	}
	on := func(input json.RawMessage) audit.Sampler { return p.On(input, !f.Claim.IsDP()) }
	s.kill, s.close = p.Kill, p.Close
	if f.Noise != nil {
		s.laws = func(ctx context.Context) ([]audit.Law, error) { return lawsOf(ctx, p, f) }
		return s, nil
	}
	if f.Search != nil {
		s.search = &audit.Search{Grammar: *f.Search, On: on}
		return s, nil
	}
	for _, n := range f.Neighbours {
		s.pairs = append(s.pairs, audit.Pair{
			Inputs:   [2]string{string(n[0]), string(n[1])},
			Samplers: [2]audit.Sampler{on(n[0]), on(n[1])},
		})
	}
	return s, nil
}

// lawsOf runs a program on all that its noise can be.
func lawsOf(ctx context.Context, p *program.Program, f *input.AuditFile) ([]audit.Law, error) {
	var laws []audit.Law
	for _, pair := range f.Neighbours {
		law, err := p.Law(ctx, f.Claim, pair, *f.Noise)
		if err != nil {
			return nil, err
		}
		laws = append(laws, law)
	}
	return laws, nil
}

// builtinFlags choose a built-in mechanism and its parameters.
type builtinFlags struct {
	builtin, claim    string
	eps, delta, noise run.Number
	c, queries        int
}

func (b *builtinFlags) addTo(f *pflag.FlagSet) {
	f.StringVar(&b.builtin, "builtin", "", "audit the built-in mechanism `NAME`")
	f.StringVar(&b.claim, "claim", "", "`C` is dp or odp: what is claimed of it")
	b.eps.AddTo(f, "eps", "", "`E` of the claim, such as 1 or 1/2", nil)
	b.delta.AddTo(f, "delta", "", "`D` of the claim, such as 1e-6", nil)
	whole(&b.c).addTo(f, "c", 0, "`C` queries can be above the threshold before the mechanism ends")
	whole(&b.queries).addTo(f, "queries", 0, "`N` queries, counts or rounds")
	b.noise.AddTo(f, "noise", "", "factor `F` on the scale of the noise: 1 is right", nil)
}

// subject returns the built-in mechanism.
func (b builtinFlags) subject() (*subject, error) {
	p := mechanisms.Params{Claim: b.claim, Eps: b.eps.Value, Delta: b.delta.Value, Noise: b.noise.Value, C: b.c,
		Queries: b.queries}
	m, err := mechanisms.Find(b.builtin)
	if err != nil {
		return nil, didYouMean(fmt.Errorf("--builtin: %w", err), b.builtin, builtinNames())
	}
	c, err := m.Make(p)
	if err != nil {
		return nil, err
	}
	s := &subject{
		name: m.Name, source: m.Source, settings: c.Settings, claim: c.Claim, delta: report.Typed(c.Claim.Delta),
		pairs: c.Pairs, bits: m.Bits, laws: c.Laws, kill: func() {}, close: func() error { return nil },
	}
	for _, part := range c.Claim.Parts {
		charge := report.Typed(part.Eps.Rat())
		if part.Eps.Log {
			charge = input.Field{Key: "exp_eps", Value: charge}.Charge()
		}
		s.charges = append(s.charges, charge)
	}
	return s, nil
}

func builtinNames() []string {
	return report.Names(mechanisms.All(), func(m mechanisms.Mechanism) string { return m.Name })
}
