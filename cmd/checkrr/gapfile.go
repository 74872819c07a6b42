package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/verify/gap"
)

// kind is the mechanism of a problem file, in the file's words.
type kind struct {
	impl.Mechanism
	text       string
	neighbours input.Neighbours // that noise is for; empty if there is none
	problem    *input.Problem
}

// kind reads the one entry of mechanisms of the file.
func (o gapOptions) kind(ctx context.Context, args []string, in *input.Inputs) (*kind, error) {
	if o.isTyped("eps") {
		return nil, fmt.Errorf("the mechanisms come from %s or from --eps, not from both", report.Quote(args[0]))
	}
	if w, ok := gap.Find(o.over); ok && w.OfEps {
		names := slices.DeleteFunc(sweepNames(), func(name string) bool { w, _ := gap.Find(name); return w.OfEps })
		return nil, fmt.Errorf("--over is %s, must be one of %s with a problem file, which says what the mechanisms are", o.over, strings.Join(names, ", "))
	}
	p, err := reading(ctx, o.timeout, func() (*input.Problem, error) {
		return input.ReadProblem(args[0], in, input.NoStops, o.allowOutside)
	})
	if err != nil {
		return nil, err
	}
	if len(p.Mechanisms) > 1 {
		return nil, p.Broken(&impl.InputError{List: "mechanisms", Index: 1, Rule: "is one more, must be only one entry: gap compares pipelines of equal mechanisms"})
	}
	m := p.Mechanisms[0]
	return &kind{Mechanism: m, text: mechanismYAML(p, m, "."), neighbours: p.ShownNeighbours(), problem: p}, nil
}

// setting returns base with mechanisms of the kind, as many as the file says or the flag.
func (k *kind) setting(base gap.Setting, o gapOptions) (gap.Setting, error) {
	base.Eps, base.Spread, base.Order, base.Mechanism = nil, nil, "", &k.Mechanism
	if o.isTyped("mechanisms") {
		return base, nil
	}
	base.Mechanisms = k.Count
	if broken, ok := errors.AsType[*gap.SettingError](base.Check()); ok && broken.Field == "mechanisms" {
		return base, k.problem.Broken(&impl.InputError{List: "mechanisms", Index: 0, Field: "count", Rule: broken.Rule})
	}
	return base, nil
}
