// Package certificate reads, writes and checks certificate files: problems with bounds that are claimed for
// them, and the hints with which [certify.Check] finds these again. docs/certificate.md describes the form.
package certificate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/internal/exact"
)

// Claim is what a certificate file says of one problem: bounds, and how to find them again.
type Claim struct {
	Problem    certify.Problem
	Hints      certify.Hints // with windows and thresholds
	OptDel     Range
	Lemma11    *Range  // nil if nothing is said about it
	SingleStop []Range // one a stop; nil if nothing is said about them
	Limits
}

// Limits are what a claim says of OptDel besides.
type Limits struct {
	AtMost   *big.Rat // what its upper end does not exceed; nil if nothing is said
	MoreThan *big.Rat // what its lower end exceeds; nil if nothing is said
}

// IsBounded reports whether a claim says that OptDel is less than 1, which it never exceeds.
func (c *Claim) IsBounded() bool {
	one := big.NewRat(1, 1)
	return c.OptDel.Upper.Cmp(one) < 0 || c.AtMost != nil && c.AtMost.Cmp(one) < 0
}

// Range is an interval as it is written: Lower ≤ number ≤ Upper.
type Range struct{ Lower, Upper *big.Rat }

// New checks a problem again, from the hints that found its bounds alone, and states what that proves; a
// [*Failure] says that it does not prove the limits. It keeps the problem and the limits, which must not change.
func New(ctx context.Context, found *certify.Bounds, limits Limits) (*Claim, error) {
	if found == nil {
		return nil, errors.New("found is nil, must be bounds of certify.Check")
	}
	h := found.Hints
	h.Floor, h.Thresholds, h.Need, h.Progress = 0, nil, certify.Both, nil
	if h.Lower != nil && h.Lower.Windows == nil { // every loss is a node of Upper
		h.Lower = nil
	}
	if h.Lower != nil { // without what was given up, where little more than rounding is left
		h.Upper.Windows = found.Useful
	}
	for i := range found.Problem.Stops {
		loss := math.Inf(1)
		if i < len(found.Rule) {
			loss = found.Rule[i].LossAtLeast
		}
		h.Thresholds = append(h.Thresholds, loss)
	}
	x := &Claim{Problem: found.Problem, Hints: h, Limits: limits}
	b, err := x.check(ctx)
	if err != nil {
		return nil, err
	}
	x.OptDel, x.Lemma11 = newRange(b.OptDel), new(newRange(b.Lemma11))
	for _, s := range b.SingleStop {
		x.SingleStop = append(x.SingleStop, newRange(s))
	}
	v := new(verifier)
	v.limits(limits, exactly(b.OptDel))
	return x, v.error()
}

// check computes the bounds. Without another lattice for lower ends they are sought on that for
// upper ends, with its windows.
func (c *Claim) check(ctx context.Context) (*certify.Bounds, error) {
	h := c.Hints
	if h.Bits == 0 && h.Lower == nil {
		h.Lower = &h.Upper
	}
	return certify.Check(ctx, c.Problem, h)
}

// Failure is the first inequality of a claim that is not certified.
type Failure struct {
	Number    string   // such as "optdel upper"
	Stated    *big.Rat // what the claim says
	Certified *big.Rat // what is proved
	IsFalse   bool     // whether what is proved also shows that the claim is wrong
}

// Error says what is stated, and what is certified.
func (f *Failure) Error() string {
	stated := text(f.Stated)
	if len(stated) > 400 {
		stated = new(big.Float).SetRat(f.Stated).Text('g', 20) + "…"
	}
	return fmt.Sprintf("%s is stated as %s, certified is %s", f.Number, stated, f.certified())
}

// certified shows what is certified with as many digits as tell it from what is stated.
func (f *Failure) certified() string {
	const prec = 1024
	x, stated := new(big.Float).SetPrec(prec).SetRat(f.Certified), new(big.Float).SetPrec(prec).SetRat(f.Stated)
	apart := new(big.Float).Sub(x, stated)
	switch apart.Sign() {
	case 0:
		return map[int]string{-1: "a little less", 0: "just that", 1: "a little more"}[f.Certified.Cmp(f.Stated)]
	case -1:
		apart.Neg(apart)
	}
	shown := ""
	for digits := 6; digits < 300; digits++ {
		shown = x.Text('g', digits)
		off, _, _ := big.ParseFloat(shown, 10, prec, big.ToNearestEven)
		off.Sub(off, x)
		if off.Abs(off).Mul(off, big.NewFloat(10)).Cmp(apart) <= 0 {
			break
		}
	}
	r, _ := new(big.Rat).SetString(shown)
	return text(r)
}

// Verify runs [certify.Check] again, from the claim alone, and returns nil if all that is claimed is
// certified, a [*Failure] if something is not, and another error if that could not be found out.
func (c *Claim) Verify(ctx context.Context) error {
	if err := c.complete(); err != nil {
		return err
	}
	b, err := c.check(ctx)
	if err != nil {
		return err
	}
	var singles []Range
	for _, x := range b.SingleStop {
		singles = append(singles, exactly(x))
	}
	return c.compare(exactly(b.OptDel), exactly(b.Lemma11), singles)
}

// compare returns the first failure of what is claimed.
func (c *Claim) compare(optDel, lemma11 Range, singles []Range) error {
	v := new(verifier)
	if len(c.SingleStop) > len(singles) {
		return fmt.Errorf("there are %d single_stop, must be at most %d", len(c.SingleStop), len(singles))
	}
	v.within("optdel", c.OptDel, optDel)
	if c.Lemma11 != nil {
		v.within("lemma11", *c.Lemma11, lemma11)
	}
	for i, x := range c.SingleStop {
		v.within(fmt.Sprintf("single_stop %d", i+1), x, singles[i])
	}
	v.limits(c.Limits, optDel)
	return v.error()
}

// complete returns an error for a claim that does not state OptDel, as [New] and [Read] do.
func (c *Claim) complete() error {
	if c == nil {
		return errors.New("the claim is nil, must be given")
	}
	for _, end := range []*big.Rat{c.OptDel.Lower, c.OptDel.Upper} {
		if end == nil {
			return errors.New("a claim has no OptDel, must have both ends of it")
		}
	}
	return nil
}

// VerifyExact is Verify for the numbers themselves, as [exact.OptDel] finds them, instead of bounds; it
// returns OptDel.
func (c *Claim) VerifyExact(ctx context.Context) (*big.Rat, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	optDel, singles, err := exact.OptDel(ctx, c.Problem)
	if err != nil {
		return nil, err
	}
	sum, known := new(big.Rat), []Range(nil)
	for _, x := range singles {
		sum.Add(sum, x)
		known = append(known, Range{x, x})
	}
	return optDel, c.compare(Range{optDel, optDel}, Range{sum, sum}, known)
}

// verifier notes the first inequality that fails.
type verifier struct{ failure *Failure }

func (v *verifier) require(holds bool, number string, stated, certified *big.Rat, isFalse bool) {
	if !holds && v.failure == nil {
		v.failure = &Failure{number, stated, certified, isFalse}
	}
}

// within requires that what is stated contains what is certified.
func (v *verifier) within(number string, stated, certified Range) {
	v.require(stated.Lower.Cmp(certified.Lower) <= 0, number+" lower", stated.Lower, certified.Lower,
		stated.Lower.Cmp(certified.Upper) > 0)
	v.require(stated.Upper.Cmp(certified.Upper) >= 0, number+" upper", stated.Upper, certified.Upper,
		stated.Upper.Cmp(certified.Lower) < 0)
}

func (v *verifier) limits(l Limits, optDel Range) {
	if l.AtMost != nil {
		v.require(optDel.Upper.Cmp(l.AtMost) <= 0, "at_most", l.AtMost, optDel.Upper, optDel.Lower.Cmp(l.AtMost) > 0)
	}
	if l.MoreThan != nil {
		v.require(optDel.Lower.Cmp(l.MoreThan) > 0, "more_than", l.MoreThan, optDel.Lower,
			optDel.Upper.Cmp(l.MoreThan) <= 0)
	}
}

func (v *verifier) error() error {
	if v.failure == nil {
		return nil
	}
	return v.failure
}
