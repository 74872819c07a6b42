package audit

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// trial is an audit of a mechanism of which the verdict is known.
type trial struct {
	claim   Claim
	pair    Pair
	samples int
	verdict Verdict // or "": any but that it is refuted
	bits    bool
	lowBits bool // there is a warning of last bits
	// the share of outputs that never repeat and are alike
	shapeless, atLeast float64
}

// run audits with α = 1e-3 and a fixed seed. Null hypothesis where nothing is to be found: the claim is true. Each is
// refuted with probability at most 0.001.
func (x trial) run(t *testing.T) {
	r := audited(t, x.claim, Options{Samples: x.samples, Alpha: 0.001, Seed: 1, Bits: x.bits}, x.pair)
	if x.verdict == "" && r.Verdict != Refuted {
		return
	}
	if r.Verdict != x.verdict || r.LowBits != x.lowBits || r.Shapeless < x.atLeast || r.Shapeless > x.shapeless {
		t.Fatalf("%s, last bits %v, shapeless %g, must be %+v; %+v", r.Verdict, r.LowBits, r.Shapeless, x, r.Witness)
	}
	if w := r.Witness; w != nil {
		// the event breaks the claim by the counts themselves
		h, _ := newHypothesis(x.claim)
		allowed, sum := h.delta*float64(w.Size), 0
		for i, k := range w.PartHits {
			allowed += h.weights[i] * float64(k)
			sum += k
		}
		if len(w.Event) == 0 || w.Hits[1] != sum || w.Hits[0] > w.Size || w.Size > r.Samples ||
			!(w.LogWealth >= w.Threshold) || float64(w.Hits[0]) <= allowed || r.Seen != nil {
			t.Errorf("witness is %+v", *w)
		}
		return
	}
	if delta, _ := x.claim.Delta.Float64(); r.Samples != x.samples || r.Seen == nil || r.Delta > delta {
		t.Errorf("%+v", *r)
	}
	for i, eps := range r.Eps {
		if eps > loss.Float64(x.claim.Parts[i].Eps)+1e-12 {
			t.Errorf("ε is at least %v", r.Eps)
		}
	}
}

func runTrials(t *testing.T, trials map[string]trial) {
	t.Parallel()
	for name, x := range trials {
		t.Run(name, func(t *testing.T) { t.Parallel(); x.run(t) })
	}
}

// claimed is (ε, δ)-DP.
func claimed(eps, delta float64) Claim {
	return DP(loss.Nats(new(big.Rat).SetFloat64(eps)), new(big.Rat).SetFloat64(delta))
}

// Each of these mechanisms breaks its claim and is caught.
func TestControl_WrongIsCaught(t *testing.T) {
	alternating := func(at float64) Sampler {
		return drawing(16, func(i int, dice *rand.Rand) float64 { return at*float64(1-i%2*2) + LaplaceOf(dice, 1) })
	}
	trials := map[string]trial{
		"0.8 of the noise":    {claim: nats(1), pair: laplacePair(0.8), samples: 300_000},
		"no noise":            {claim: nats(1), pair: laplacePair(1e-9), samples: 100},
		"a leak":              {claim: nats(1), pair: PairOf(leaky(0, 1e-3), leaky(1, 1e-3)), samples: 100_000},
		"a rare word":         {claim: nats(1), pair: PairOf(discrete(0.999, 0.001), discrete(1)), samples: 50_000},
		"the other direction": {claim: nats(1), pair: PairOf(discrete(1), discrete(0.999, 0.001)), samples: 100_000},
		"a little too much":   {claim: DP(exp2, rat.Of("0")), pair: response(2.2), samples: 100_000},
		"an edge":             {claim: nats(1), pair: PairOf(edged(0), edged(0.1)), samples: 5000},
		"δ is too small": {claim: claimed(1, 1e-3), pair: PairOf(leaky(0, 3e-3), leaky(1, 3e-3)),
			samples: 100_000},
		"only a sum tells": {claim: nats(1), pair: PairOf(alternating(0), alternating(0.4)), samples: 30_000},
		"one part":         {claim: partsClaim(2, 3), pair: partedPair([2]float64{2, 3.6}), samples: 100_000},
		// 1/8 in either
		"δ over both parts": {claim: Claim{partsClaim(2, 2).Parts, rat.Of("1/5")}, pair: partedPair([2]float64{3, 3}),
			samples: 20_000},
		"nonces of one input": {claim: nats(1), pair: PairOf(nonces(0), nonces(0.4)), samples: 3000, shapeless: 1},
	}
	for name, x := range trials {
		x.verdict = Refuted
		trials[name] = x
	}
	runTrials(t, trials)
}

// Where the claim is true it is not refuted, and bounds are below it.
func TestControl_RightPasses(t *testing.T) {
	trials := map[string]trial{
		"Laplace":         {claim: nats(1), pair: laplacePair(1), lowBits: true},
		"response":        {claim: DP(exp2, rat.Of("0")), pair: response(2)},
		"a leak within δ": {claim: claimed(1, 1./500), pair: PairOf(leaky(0, 2e-3), leaky(1, 2e-3)), lowBits: true},
		"δ of 1/4":        {claim: DP(exp2, rat.Of("1/4")), pair: response(3)},
		"δ of parts":      {claim: Claim{partsClaim(2, 2).Parts, rat.Of("1/4")}, pair: partedPair([2]float64{3, 3})},
		"parts":           {claim: partsClaim(2, 3), pair: partedPair([2]float64{2, 3})},
		"equal":           {claim: nats(0), pair: PairOf(discrete(0.3, 0.7), discrete(0.3, 0.7))},
		"vectors":         {claim: nats(1), pair: PairOf(vector(0, 8, 8), vector(1, 8, 8))},
		"exp, one way":    {claim: claimed(1, 1), pair: PairOf(edged(0), edged(1))},
	}
	for name, x := range trials {
		x.verdict, x.samples = NoViolation, 5000
		trials[name] = x
	}
	runTrials(t, trials)
}

// answer is 1 with probability 3/4, or 1/4 for the other input: ε is ln 3.
func answer(dice *rand.Rand, input int) int {
	if dice.IntN(4) == 0 {
		return 1 - input
	}
	return input
}

// What an object with one entry of another name every time has at its place, and what the names of entries begin
// with, tells the inputs apart: at (4/5, 0) it is refuted, and at (ln 3, 0), where the claim is tight, it is not.
func TestControl_Names(t *testing.T) {
	exp3 := DP(loss.Exp(big.NewRat(3, 1)), new(big.Rat))
	word := func(dice *rand.Rand, input int) string { return []string{"yes", "no"}[answer(dice, input)] }
	trials := map[string]trial{}
	for name, draw := range map[string]func(dice *rand.Rand, input int) string{
		"a number at another name": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`{"%016x":%g}`, dice.Uint64(), float64(answer(dice, input))+dice.Float64())
		},
		"a word at another name": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`{"%016x":"%s"}`, dice.Uint64(), word(dice, input))
		},
		"how a name among others begins": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`{"Time":null,"%c%016x":true,"zone":"here"}`, 'a'+answer(dice, input), dice.Uint64())
		},
		"a word in a name": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`[null,{"%016x %s":[]}]`, dice.Uint64(), word(dice, input))
		},
	} {
		on := func(input int) Sampler { return saying(func(dice *rand.Rand) string { return draw(dice, input) }) }
		pair := PairOf(on(0), on(1))
		trials[name] = trial{claim: nats(0.8), pair: pair, samples: 10_000, verdict: Refuted, shapeless: 1}
		trials[name+", tight"] = trial{claim: exp3, pair: pair, samples: AtLeast(3000, 10_000)}
	}
	runTrials(t, trials)
}

// nonces has texts as outputs, each of them another but for a share that is one of a few words.
func nonces(share float64) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		text := fmt.Sprintf("%016x", dice.Uint64())
		if dice.Float64() < share {
			text = fmt.Sprint(dice.IntN(4))
		}
		s.Group("", Text(text)).Add()
	})
}

// textPair has texts as outputs that never repeat.
func textPair(text func(dice *rand.Rand) string) Pair { return PairOf(saying(text), saying(text)) }

// someWords returns n words of so many.
func someWords(dice *rand.Rand, n, of int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf(`"w%dx"`, dice.IntN(of))
	}
	return strings.Join(words, ",")
}

// What never repeats and has nothing that is looked at is no reason to pass.
func TestControl_Shapeless(t *testing.T) {
	words := func(dice *rand.Rand) string { return "[" + someWords(dice, 4, 2000) + "]" }
	trials := map[string]trial{
		"all":     {pair: PairOf(nonces(0), nonces(0)), verdict: Shapeless, shapeless: 1, atLeast: 0.9},
		"a third": {pair: PairOf(nonces(2./3), nonces(2./3)), shapeless: 0.36, atLeast: 0.3},
		"none":    {pair: PairOf(nonces(1), nonces(1))},
		"a number inside": {pair: textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf(`"id=%016x; visitors %.2f today"`, dice.Uint64(), 10*dice.NormFloat64())
		}), shapeless: 0.05},
		"the same number inside": {pair: textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf(`"id=%016x; visitors 7.83 today"`, dice.Uint64())
		}), verdict: Shapeless, shapeless: 1, atLeast: 0.9},
		"rare words": {pair: textPair(words), shapeless: 0.05},
		"lengths of lists": {pair: textPair(func(dice *rand.Rand) string {
			return fmt.Sprintf(`["%016x"%s]`, dice.Uint64(), strings.Repeat(",null", dice.IntN(4)))
		})},
		"some of each": {pair: textPair(func(dice *rand.Rand) string {
			if dice.IntN(10) < 4 {
				return fmt.Sprintf(`"%016x"`, dice.Uint64())
			}
			return words(dice)
		}), shapeless: 0.45, atLeast: 0.35},
	}
	for name, x := range trials {
		if x.claim, x.samples = nats(1), 3000; x.verdict == "" {
			x.verdict = NoViolation
		}
		trials[name] = x
	}
	runTrials(t, trials)
}

// rounded adds Laplace noise of scale 1, as a multiple of 2^−20.
func rounded(at float64) Sampler {
	return drawing(0, func(_ int, dice *rand.Rand) float64 {
		return math.Ldexp(math.Round(math.Ldexp(at+LaplaceOf(dice, 1), 20)), -20)
	})
}

// The last bits of x + Laplace noise give x away (Mironov 2012): as reals there is a warning, and as float64 a
// violation. Multiples of 2^−20 have no such bits. Outputs that differ as the claim allows are no reason to warn of
// bits, whatever they are: numbers of one input only, constants, or hardly any two of one shape.
func TestControl_LowBits(t *testing.T) {
	mixed := func(share float64, number func(dice *rand.Rand) float64) Sampler {
		return saying(func(dice *rand.Rand) string {
			if dice.Float64() < share {
				return fmt.Sprint(number(dice))
			}
			return `"none"`
		})
	}
	constant := func(x float64) func(*rand.Rand) float64 { return func(*rand.Rand) float64 { return x } }
	coin := func(p float64) func(*rand.Rand) float64 {
		return func(dice *rand.Rand) float64 { return []float64{0.1, 0.75}[pick(dice, []float64{p, 1 - p})] }
	}
	object := func(share float64) Sampler {
		return saying(func(dice *rand.Rand) string {
			if dice.Float64() < share {
				return fmt.Sprint(coin(0.5)(dice))
			}
			return fmt.Sprintf(`{"%08x":1}`, dice.Uint32())
		})
	}
	noisy := func(at float64) Sampler {
		return mixed(0.5, func(dice *rand.Rand) float64 { return at + LaplaceOf(dice, 1) })
	}
	const odds, n = math.E / (1 + math.E), 10_000
	grid := PairOf(rounded(0), rounded(1))
	runTrials(t, map[string]trial{
		"float64, all bits": {claim: nats(1), pair: laplacePair(1), samples: 5000, bits: true, verdict: Refuted},
		"beside texts": {claim: nats(1), pair: PairOf(noisy(0), noisy(1)), samples: n,
			verdict: NoViolation, lowBits: true},
		"a grid":           {claim: nats(1), pair: grid, samples: 5000, verdict: NoViolation},
		"a grid, all bits": {claim: nats(1), pair: grid, samples: 5000, bits: true, verdict: NoViolation},
		"numbers of one input": {claim: claimed(1, 0.1001), samples: n, verdict: NoViolation,
			pair: PairOf(mixed(0.1, constant(7)), mixed(0, nil))},
		"numbers of the other": {claim: claimed(1, 0.3001), samples: n, verdict: NoViolation,
			pair: PairOf(mixed(0, nil), mixed(0.3, (*rand.Rand).ExpFloat64))},
		"constants": {claim: claimed(1, 1), pair: PairOf(mixed(1, constant(0.1)), mixed(1, constant(7))),
			samples: n, verdict: NoViolation},
		"as far as allowed": {claim: claimed(1.0001, 0), pair: PairOf(mixed(1, coin(odds)), mixed(1, coin(1-odds))),
			samples: n, verdict: NoViolation},
		"an object of many shapes": {claim: claimed(1.0001, 0), pair: PairOf(object(odds), object(1-odds)),
			samples: n, verdict: NoViolation},
	})
}
