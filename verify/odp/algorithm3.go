package odp

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// questions are mechanisms and criteria that write down what they are asked.
type questions struct {
	points     []int
	mechanisms []func(s []int, x int) int
	criteria   []func(s []int) bool
	x          int
	asked      []string
	want       []int    // the output
	wantAsked  []string // and what leads to it
}

// randomQuestions rolls up to 6 mechanisms with outputs 0 to 3, and stopping points.
func randomQuestions(d register.Dice) *questions {
	total := 1 + d.Roll(6)
	q := &questions{points: []int{total}}
	for k := total - 1; k >= 1; k-- {
		if d.Roll(2) == 0 {
			q.points = slices.Insert(q.points, 0, k)
		}
	}
	var outputs []int
	var stops []bool
	for k := range total {
		outputs, stops = append(outputs, d.Roll(4)), append(stops, d.Roll(3) == 1)
		q.mechanisms = append(q.mechanisms, func(s []int, x int) int {
			q.asked = append(q.asked, fmt.Sprint("M", k+1, s, x))
			return (outputs[k] + x + len(s)) % 4
		})
	}
	for _, k := range q.points[:len(q.points)-1] {
		q.criteria = append(q.criteria, func(s []int) bool {
			q.asked = append(q.asked, fmt.Sprint("h", k, s))
			return stops[k-1] == (s[len(s)-1]%2 == 0)
		})
	}
	q.x = d.Roll(3)
	q.answer(outputs, stops)
	return q
}

// answer notes what Algorithm 3 gives and asks, by the answers: the shortest of the outputs at which a criterion
// is 1, or all of them.
func (q *questions) answer(outputs []int, stops []bool) {
	for k, output := range outputs {
		q.wantAsked = append(q.wantAsked, fmt.Sprint("M", k+1, q.want, q.x))
		q.want = append(q.want, (output+q.x+k)%4)
		if k+1 < len(outputs) && slices.Contains(q.points, k+1) {
			q.wantAsked = append(q.wantAsked, fmt.Sprint("h", k+1, q.want))
			if stops[k] == (q.want[k]%2 == 0) {
				return
			}
		}
	}
}

// areAsked refutes that a program for Algorithm 3 asks and gives what it should.
func (q *questions) areAsked(t *register.T, name string, run func() []int) {
	q.asked = nil
	got := run()
	t.Require(slices.Equal(got, q.want) && slices.Equal(q.asked, q.wantAsked),
		"stopping points %v: %v after %v, and %s %v after %v", q.points, q.want, q.wantAsked, name, got, q.asked)
}

// sameIteration checks that spec, and impl with questions as changed, ask and give what they should; and that the law
// of the output under all criteria is that of the tree of outputs, with the stops of a variant.
func sameIteration(t *register.T, change func(q *questions), of changed) {
	n := t.Size(1000, 20000)
	t.Domain("%d random runs of up to 6 mechanisms with any stopping points; the laws of M_iter for k = (1, 2), "+
		"(1, 3) and (1, 2, 3), one pipeline of (e^ε, δ) = (2, 0), (7/2, 0) each, and (1, 2) of (3/2, 1/10), (1, 1/2), "+
		"all deterministic criteria", n)
	t.Random(3, n, func(t *register.T, d register.Dice) {
		q := randomQuestions(d)
		q.areAsked(t, "as printed", func() []int { return spec.Iterate(q.points, q.mechanisms, q.criteria, q.x) })
		change(q)
		q.areAsked(t, "by the program", func() []int {
			return register.Must(impl.Iterate(q.points, q.mechanisms, q.criteria, q.x))
		})
	})
	var pipelines []finite.Pipeline // the charges do not matter
	for _, points := range [][]int{{1, 2}, {1, 3}, {1, 2, 3}} {
		pipelines = append(pipelines, unequalAt(points))
	}
	for _, p := range append(pipelines, finite.Pipeline{Mechanisms: leaking, Stops: pipelines[0].Stops}) {
		for h := range finite.Criteria(finite.Deterministic, p.Early(p.Responses())) {
			t.Case()
			want, got := of(p).Run(h).Possible(), p.Responses().Law(h).Possible()
			t.Require(got.Equal(want), "%v; %v: %v, in the tree %v", p, h, want, got)
		}
	}
}

// postProcess are the statements on functions of the outputs of M_iter.
func postProcess() register.Checks {
	return register.Checks{
		"ODP-L14": checked(with(postProcessing, processing{}),
			alsoFails(register.ProofStep, "the proof's step: M with each deterministic function that f can turn out "+
				"to be is (𝒫, ℰ, δ)-ODP if M with f is", with(postProcessing, processing{given: true})),
			near("it is kept if M_2 depends on the output before it",
				with(postProcessing, processing{dependent: true})),
			near("it is kept if the criteria of M, after two outputs or more, read the last one as it is",
				with(postProcessing, processing{lastAsItIs: true}))),
	}
}

// processing is a variant of ODP-L14.
type processing struct {
	lastAsItIs bool // the criteria of M read the last of two outputs or more as it is, not f of it
	dependent  bool // M_2 depends on the output before
	given      bool // M is claimed to keep its guarantee for one of the functions that f can turn out to be
}

// postProcessing checks that M_iter with f_k ∘ M_k needs no more δ than M_iter with M_k
// and the criteria composed with f, for deterministic f and for the toss of a coin between two.
func postProcessing(t *register.T, claim processing) {
	steps := []int{t.Size(331, 3), t.Size(6421, 21), t.Size(240007, 1601)}
	t.Domain("two mechanisms over 2 outputs with probabilities in 1/2 (%s) and in 1/4 (%s), functions f_1, "+
		"and f_2 that depends on f_1's output, and one of those or the one with a for b and b for a, with probability "+
		"1/2 each; three mechanisms (%s); a stop after each, all deterministic criteria, e^ℰ in {1, 3/2, 3}",
		finite.Share(steps[0]), finite.Share(steps[1]), finite.Share(steps[2]))
	check := func(trees iter.Seq[finite.Tree], k, step int) {
		n := 0
		for c := range trees {
			for f := range finite.Processings(k) {
				if n%step == 0 {
					t.Case()
					processed{c, []int{1, 2, 3}[:k], f}.check(t, claim)
				}
				n++
			}
		}
	}
	for i, d := range []int{2, 4} {
		mechanisms := slices.Collect(finite.PairsOf(finite.Laws(2, d)))
		trees := independent(mechanisms, 2)
		if claim.dependent {
			trees = finite.Trees(mechanisms, "b", "a", "")
		}
		check(trees, 2, steps[i])
	}
	check(independent(telling()[3:], 3), 3, steps[2])
}

// independent yields the trees of k of the mechanisms that do not depend on each other. The last one changes fastest.
func independent(mechanisms []finite.Pair, k int) iter.Seq[finite.Tree] {
	return func(yield func(finite.Tree) bool) {
		for run := range finite.Tuples(mechanisms, k) {
			slices.Reverse(run)
			if !yield(finite.Independent(run...)) {
				return
			}
		}
	}
}

// processed are mechanisms, with stops at the points, and functions of their outputs.
type processed struct {
	mechanisms finite.Tree
	points     []int
	f          finite.Processing
}

func (x processed) check(t *register.T, claim processing) {
	other, same := exchanged(x.f), unchanged(x.f)
	// after all outputs but none
	for h := range finite.Criteria(finite.Deterministic, slices.Sorted(maps.Keys(x.mechanisms))[1:]) {
		before, after := x.law(t, claim.inner(h, x.f), same), x.law(t, h, x.f)
		either := mixed(rat.Half, before, x.law(t, claim.inner(h, other), same))
		eitherAfter := mixed(rat.Half, after, x.law(t, h, other))
		if claim.given {
			eitherAfter = before
		}
		for p := range finite.Charged(nil, x.points...) {
			x.keeps(t, p, h, before, after, "")
			x.keeps(t, p, h, either, eitherAfter, ", or that with a and b exchanged, each with probability 1/2")
		}
	}
}

// keeps refutes that M' needs no more δ than M.
func (x processed) keeps(t *register.T, p finite.Pipeline, h finite.Criterion, before, after finite.Pair, or string) {
	have, need := before.DeltaBothWays(p.ExpE), after.DeltaBothWays(p.ExpE)
	t.Require(need.Cmp(have) <= 0, "%v; %v%s; %v; %v: M needs δ = %s, M' needs δ = %s",
		x.mechanisms, x.f, or, h, p, have, need)
	if have.Sign() > 0 && !after.Equal(before) {
		t.Close(rat.Float64(rat.Quo(need, have)), "%v; %v; %v; %v", x.mechanisms, x.f, h, p)
	}
}

// inner returns the criterion of M: h ∘ f, or a wrong one.
func (c processing) inner(h finite.Criterion, f finite.Processing) finite.Criterion {
	inner := finite.Criterion{}
	for s := range h {
		v := f.Of(s)
		if n := len(s) - 1; c.lastAsItIs && n > 0 {
			v = v[:n] + s[n:]
		}
		inner[s] = h[v]
	}
	return inner
}

// law returns the law of the output of M_iter, as spec runs it on every tape of outputs of M_1, M_2, …; with
// f_k ∘ M_k for M_k. It must be that of the tree.
func (x processed) law(t *register.T, h finite.Criterion, f finite.Processing) finite.Pair {
	tree, out := f.Apply(x.mechanisms), finite.Pair{{}, {}}
	criteria := slices.Repeat([]func([]string) bool{func(s []string) bool { return h[strings.Join(s, "")].Sign() > 0 }},
		len(x.points)-1)
	for tape := range finite.Tuples([]string{"a", "b"}, len(x.points)) {
		var mechanisms []func(s []string, b int) string
		for k := range tape {
			mechanisms = append(mechanisms, func(s []string, _ int) string { return f[strings.Join(s, "")][tape[k]] })
		}
		for b := range out {
			out[b].Add(strings.Join(spec.Iterate(x.points, mechanisms, criteria, b), ""), x.probability(b, tape, f))
		}
	}
	want := tree.Law(h).Possible()
	t.Require(out.Possible().Equal(want), "%v; %v; %v: M_iter has the law %v, the tree %v",
		x.mechanisms, f, h, out, want)
	return out
}

// probability returns the probability of a tape: M_k gets the outputs before it, which are those of f.
func (x processed) probability(b int, tape []string, f finite.Processing) *big.Rat {
	pr, earlier := rat.One, ""
	for _, output := range tape {
		pr = rat.Mul(pr, x.mechanisms[earlier][b].Pr(output))
		earlier += f[earlier][output]
	}
	return pr
}

// unchanged are the functions that leave outputs as they are, where f has some.
func unchanged(f finite.Processing) finite.Processing {
	same := finite.Processing{}
	for v := range f {
		same[v] = map[string]string{"a": "a", "b": "b"}
	}
	return same
}

// exchanged returns f with a for b and b for a, in its own outputs and in those that it depends on.
func exchanged(f finite.Processing) finite.Processing {
	other := map[string]string{"a": "b", "b": "a"}
	out := finite.Processing{}
	for v, g := range f {
		w := strings.Map(func(r rune) rune { return rune(other[string(r)][0]) }, v)
		out[w] = map[string]string{"a": other[g["a"]], "b": other[g["b"]]}
	}
	return out
}
