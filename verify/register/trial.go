package register

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
)

// T is one run of a [Check], in the manner of [testing.T]: a check counts its cases
// with [T.Case] and ends itself with [T.Refute] or [T.Inconclusive].
type T struct {
	ctx            context.Context
	deep           bool
	domain         string
	cases          int
	at, place      place // of the last case, and where in it
	counterexample Sentence
	inconclusive   string
	ratio          float64 // the largest that [T.Close] was told, and where
	where          Sentence
}

// ended is what a check panics with to end itself.
type ended struct{}

// Context ends when the run has to.
func (t *T) Context() context.Context { return t.ctx }

// Domain says what the check goes through.
func (t *T) Domain(format string, args ...any) { t.domain = say(format, args...).String() }

// AlsoDomain says what the check goes through beside that.
func (t *T) AlsoDomain(format string, args ...any) {
	if t.domain != "" {
		t.domain += "; "
	}
	t.domain += say(format, args...).String()
}

// Size returns the size of a domain: the first in a normal run, the second in a deep one.
func (t *T) Size(normal, deep int) int {
	if t.deep {
		return deep
	}
	return normal
}

// Case counts one case, and ends the check if its time is up.
func (t *T) Case() { t.At("") }

// At is [T.Case] for a case that is told where it is told of: what refutes it, and how close it comes, follows.
func (t *T) At(format string, args ...any) {
	if t.ctx.Err() != nil {
		t.Inconclusive("interrupted in case %d", t.cases+1)
	}
	t.cases++
	t.at = place{format, args}
	t.place = t.at
}

// Overall ends the cases: what follows is told of all.
func (t *T) Overall() { t.at, t.place = place{}, place{} }

// In says where in the case that is told.
func (t *T) In(format string, args ...any) { t.place = t.at.and(", ", format, args) }

// Refute ends the check with a counterexample: numbers that anyone can recompute.
func (t *T) Refute(format string, args ...any) {
	t.counterexample = t.place.and(": ", format, args).say()
	panic(ended{})
}

// Close tells how close a case comes to the equality of a bound: ratio is what is bounded, divided by its bound.
// The largest ratio below infinity is reported, with its place.
func (t *T) Close(ratio float64, format string, args ...any) {
	if ratio > t.ratio && !math.IsInf(ratio, 1) {
		t.ratio, t.where = ratio, t.place.and(", ", format, args).say()
	}
}

// CloseTo is [T.Close] for x ≤ bound; a bound of 0 is passed over.
func (t *T) CloseTo(x, bound *big.Rat, format string, args ...any) {
	if bound.Sign() > 0 {
		ratio, _ := new(big.Rat).Quo(x, bound).Float64()
		t.Close(ratio, format, args...)
	}
}

// Require refutes what does not hold.
func (t *T) Require(holds bool, format string, args ...any) {
	if !holds {
		t.Refute(format, args...)
	}
}

// AtMost refutes that x ≤ bound, and tells how close it comes.
func (t *T) AtMost(x, bound *big.Rat, format string, args ...any) {
	t.Require(x.Cmp(bound) <= 0, format, args...)
	t.CloseTo(x, bound, "")
}

// Within is [T.AtMost] for a number in an interval, of which all must be above the bound to refute it.
func (t *T) Within(x interval.Interval, bound *big.Rat, format string, args ...any) {
	t.Require(!rat.IsAbove(x, bound), format, args...)
	const digits = 1e9 // in which equal cases do not differ
	t.Close(math.Round(x.Float().Lo/rat.Float64(bound)*digits)/digits, "")
}

// closest says how close a claim that holds came to equality.
func (t *T) closest(v Verdict) Sentence {
	if v != Holds || t.where.IsZero() {
		return Sentence{}
	}
	ratio := say("%.4g of the bound at ", t.ratio)
	return Sentence{ratio.Words + t.where.Words, append(ratio.Numbers, t.where.Numbers...)}
}

// Inconclusive ends the check without a verdict.
func (t *T) Inconclusive(format string, args ...any) {
	t.inconclusive = fmt.Sprintf(format, args...)
	panic(ended{})
}

// Must ends the check if something failed that has nothing to do with the statement.
func (t *T) Must(err error) {
	if err != nil {
		t.Inconclusive("%v", err)
	}
}

// run runs one check. What panics leaves it inconclusive: a wrong program is no verdict, nor the end of others.
func (t *T) run(check Check) {
	defer func() {
		r := recover()
		switch err, isError := r.(error); {
		case r == nil || r == ended{}:
		case isError && t.ctx.Err() != nil && errors.Is(err, t.ctx.Err()):
			t.inconclusive = fmt.Sprintf("interrupted in case %d", t.cases)
		default:
			t.inconclusive = fmt.Sprintf("the check crashed in case %d: %v, %s", t.cases, r, crashed(debug.Stack()))
		}
	}()
	check(t)
}

// crashed returns the place of a panic, from a stack: the first function that follows it of this module, or of that
// which the program is of.
func crashed(stack []byte) string {
	of := []string{strings.TrimSuffix(reflect.TypeFor[T]().PkgPath(), "verify/register"), "main."}
	if info, isKnown := debug.ReadBuildInfo(); isKnown && info.Main.Path != "" {
		of = append(of, info.Main.Path+"/", info.Main.Path+".")
	}
	_, after, _ := strings.Cut(string(stack), "\npanic(")
	for line := range strings.Lines(after) {
		isOf := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
		if line = strings.TrimSpace(line); slices.ContainsFunc(of, isOf) {
			return "in " + line[:max(0, strings.LastIndex(line, "("))]
		}
	}
	return "in an unknown place"
}

// verdict returns what came of it. A check without a single case decides nothing.
func (t *T) verdict() Verdict {
	switch {
	case !t.counterexample.IsZero():
		return Fails
	case t.inconclusive != "":
	case t.cases == 0:
		t.inconclusive = "the check went through no case"
	case t.ratio > 1+1e-9:
		t.inconclusive = fmt.Sprintf("internal error: the closest case is %.6g of a bound that holds, at %s",
			t.ratio, t.where)
	default:
		return Holds
	}
	return Inconclusive
}

// Random runs prop on n random cases, always the same ones. A case that is refuted is
// made smaller: as long as a smaller roll of the dice is refuted too, it is taken.
func (t *T) Random(seed uint64, n int, prop func(t *T, d Dice)) {
	d := Seeded(seed)
	for range n {
		t.Case()
		r := &tape{source: d}
		switch failure, inconclusive := t.try(prop, r); {
		case inconclusive != "":
			t.Inconclusive("%s", inconclusive)
		case !failure.IsZero():
			t.counterexample = t.shrink(prop, r.rolls, failure)
			panic(ended{})
		}
	}
}

// try returns the counterexample that prop finds with the dice d, or why it is inconclusive.
func (t *T) try(prop func(*T, Dice), d Dice) (failure Sentence, inconclusive string) {
	u := &T{ctx: t.ctx, deep: t.deep, cases: t.cases}
	u.run(func(u *T) { prop(u, d) })
	if u.ratio > t.ratio {
		t.ratio, t.where = u.ratio, u.where
	}
	return u.counterexample, u.inconclusive
}

// shrink makes a failure smaller roll by roll, until no roll can be. What is inconclusive is not smaller.
func (t *T) shrink(prop func(*T, Dice), rolls []int, failure Sentence) Sentence {
	for again := true; again && t.ctx.Err() == nil; {
		again = false
		for i := range rolls {
			for _, smaller := range []int{0, rolls[i] / 2, rolls[i] - 1} {
				if smaller < 0 || smaller >= rolls[i] {
					continue
				}
				kept := rolls[i]
				rolls[i] = smaller
				if found, _ := t.try(prop, &replay{rolls: rolls}); !found.IsZero() {
					failure, again = found, true
					break
				}
				rolls[i] = kept
			}
		}
	}
	return failure
}

// Must returns x. It is for calls in a check that fail only if the check is wrong, or if its time is up: [T]
// tells the two apart.
func Must[X any](x X, err error) X {
	if err != nil {
		panic(fmt.Errorf("internal error: %w", err))
	}
	return x
}

// All is several checks, one after the other. The last names the domain of all.
func All(checks ...Check) Check {
	return func(t *T) {
		for _, check := range checks {
			check(t)
		}
	}
}
