package input

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// describe prints a pipeline with its numbers as ratios.
func describe(p impl.Pipeline) string {
	name := func(e loss.Epsilon) string {
		if e.Log {
			return "ln " + e.Rat().RatString()
		}
		return e.Rat().RatString()
	}
	var b strings.Builder
	for _, m := range p.Mechanisms {
		fmt.Fprintf(&b, "%d x (%s, %s); ", m.Count, name(m.Eps), m.Delta.RatString())
	}
	for _, s := range p.Stops {
		fmt.Fprintf(&b, "stop %d (%s); ", s.After, name(s.Eps))
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestProblem(t *testing.T) {
	t.Parallel()
	const want = "100 x (1/10, 1/1000000); 1 x (ln 3/2, 1/100); stop 50 (5/2); stop 101 (ln 20)"
	tests := map[string]string{
		"flow": `
mechanisms:
  - {eps: 0.1, delta: 1e-6, count: 100}     # a comment
  - {exp_eps: 3/2, delta: 1/100}
stops:
  - {after: 50, eps: 2.5}
  - {after: 101, exp_eps: 20}
`,
		"block": `---
# stops first: the order of the keys is free
stops:
- after: 50
  eps: 2.5
- exp_eps: 20
  after: 101

mechanisms:
- delta: .000001
  count: 100

  eps: +1/10
- exp_eps: "3/2"
  delta: '0.01'
...
`,
		"json": `{"mechanisms":[{"eps":0.1,"delta":1e-06,"count":100},{"exp_eps":"3/2","delta":"1/100"}],
	"stops":[{"after":50,"eps":2.5},{"after":101,"exp_eps":20}]}`,
		"windows": "\uFEFFmechanisms:\r\n- {eps: 1E-1, delta: 1.0e-6, count: +100}\r\n- {exp_eps: 1.5, delta: 1/100, " +
			"count: 1}\r\nstops: [{after: 050, eps: 2.50}, {after: 101, exp_eps: 20.}]\r\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(p.Pipeline); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestProblemCharges(t *testing.T) {
	t.Parallel()
	p, err := parse("mechanisms: [{eps: 1, count: 4}]\nstops: [{after: 1, eps: 2.50}, {after: 2, eps: 1/3}, {after: " +
		"3, exp_eps: 20}, {after: 4, exp_eps: 3/2}]")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.Charges, " "), "2.50 1/3 ln 20 ln(3/2)"; got != want {
		t.Errorf("charges are %s, want %s", got, want)
	}
}

// TestProblemSize checks that a file of 10,000 lines is read with less than 120 MB, of which not all are needed at
// once.
func TestProblemSize(t *testing.T) {
	var b strings.Builder
	b.WriteString("mechanisms:\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "  - {eps: 0.%05d, delta: 1e-6, count: 2}\n", i+1)
	}
	b.WriteString("stops:\n  - {after: 20000, eps: 3}\n")
	text := b.String()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := parse(text)
	runtime.ReadMemStats(&after)
	if all := after.TotalAlloc - before.TotalAlloc; err != nil || all > 120<<20 {
		t.Errorf("%v, %d MB were allocated for %d KB of text, want at most 120", err, all>>20, len(text)>>10)
	}
}

// FuzzProblem checks that any text is read as a pipeline that validates, or
// refused in one line with a place.
func FuzzProblem(f *testing.F) {
	seed(f, "problem", "mechanisms:\n  - {eps: 0.1, delta: 1e-6, count: 100}\nstops:\n  - {after: 100, eps: 2}\n",
		"stops: [{after: 2, exp_eps: 3/2}]\nmechanisms:\n- eps: '1'\n- exp_eps: \"2\"\n  delta: 1/3\n",
		"mechanisms:\n- repeat: 3\n  mechanisms: [{eps: 1, count: 2}, {law: [[1, 1]]}]\nstops: [{every: 3, eps: 1}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parse(text)
		if err != nil {
			checkFault(t, text, err)
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q is read as an invalid pipeline: %v", text, err)
		}
		if len(p.Charges) != len(p.Stops) {
			t.Errorf("%q has %d charges for %d stops", text, len(p.Charges), len(p.Stops))
		}
	})
}

// TestHints: each key of DP-SGD that a problem does not have is answered with what to type instead, wherever it stands.
func TestHints(t *testing.T) {
	t.Parallel()
	for key, h := range hints {
		places := [][]string{mechanismKeys, keysOf("gaussian"), keysOf("laplace"), {"mechanisms", "stops"}}
		for _, known := range places {
			text, must := unknownKey(key, known), cmp.Or(h.key, "left out")
			if h == asNoise && slices.Contains(known, "scale") && !slices.Contains(known, h.key) {
				must = "scale"
			}
			if key == h.key {
				must = "stand in a mechanism with noise"
			} else {
				must = "be " + must
			}
			if !slices.Contains(known, key) && !strings.HasPrefix(text, key+" is given, must "+must) {
				t.Errorf("%s among %v: %s", key, known, text)
			}
		}
		if text := unknownKey(key, stopKeys); !strings.HasPrefix(text, "unknown key ") {
			t.Errorf("%s of a stop: %s", key, text)
		}
	}
}

// Whoever has batches of a fixed size, or shuffles, is told that there is Poisson sampling only, in the words of where
// it was typed.
func TestHints_Poisson(t *testing.T) {
	t.Parallel()
	const stops = ", stops: [{after: 1, eps: 1}]}"
	for _, key := range []string{"batch_size", "minibatch", "shuffle", "shuffled", "batch-size", "Batch", "batchSize"} {
		for _, form := range []string{"{mechanisms: [{gaussian: {noise: 1, KEY: 1}}]",
			"{mechanisms: [{gaussian: {KEY: 256, records: 60000, epochs: 30}}]",
			"{mechanisms: [{laplace: {KEY: {size: 256}, scale: 1}}]", "{mechanisms: [{gaussian: {noise: 1}, KEY: [1]}]",
			"{mechanisms: [{gaussian: {noise: 1}, KEY: {size: 1}}]", "{mechanisms: [{gaussian: {noise: 1}}], KEY: true",
		} {
			text := strings.ReplaceAll(form, "KEY", key) + stops
			if _, err := parse(text); err == nil || !strings.Contains(err.Error(), key+" is given, must ") ||
				!strings.HasSuffix(err.Error(), onlyPoisson) || strings.Contains(err.Error(), "--mech") {
				t.Errorf("%s: %v", text, err)
			}
		}
		for _, text := range []string{"gaussian,noise=1,KEY=0.01", "gaussian,noise=1,KEY", "gaussian,KEY,noise=1",
			"eps=1,KEY=256", "eps=1,KEY", "KEY", "laplace,scale=1,KEY"} {
			text = strings.ReplaceAll(text, "KEY", key)
			_, err := ProblemOfFlags([]string{text}, nil, nil, NoStops)
			if want := "--mech 1: " + key + " is given, must "; err == nil || !strings.HasPrefix(err.Error(), want) ||
				!strings.HasSuffix(err.Error(), written(onlyPoisson, true)) || strings.Contains(err.Error(), "{") {
				t.Errorf("--mech %s: %v, want %s", text, err, want)
			}
		}
	}
	for value, shown := range map[string]string{"poisson": "sampling is poisson, must be a decimal",
		"[1, 2]": "sampling is a list, must be a"} {
		text := "{mechanisms: [{gaussian: {noise: 1, sampling: " + value + "}}]" + stops
		_, err := parse(text)
		if err == nil || !strings.Contains(err.Error(), shown) ||
			!strings.Contains(err.Error(), " a probability such as 256/60000") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ProblemOfFlags([]string{"gaussian,noise=1,sampling=poisson"}, nil, nil, NoStops); err == nil ||
		!strings.Contains(err.Error(), "; it is a probability such as 256/60000") {
		t.Error(err)
	}
}

// TestTraining: keys of libraries for DP-SGD are other spellings, and stops after epochs have their names.
func TestTraining(t *testing.T) {
	t.Parallel()
	p, err := parse(`{mechanisms: [{gaussian: {noise_multiplier: 1.1, batch: 256, records: 60000, epochs: 3}}],
		stops: [{every: epoch, to: 470, eps: 1}, {after: 705, label: the end, eps: 2}]}`)
	if err != nil {
		t.Fatal(err)
	}
	same, err := parse(`{
		mechanisms: [{gaussian: {noise: 1.1, sample_rate: 256/60000, steps_per_epoch: 235, epochs: 3}}],
		stops: [{every: 235, to: 470, label: epoch, eps: 1}, {after: 705, label: the end, eps: 2}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []*Problem{p, same} {
		m := q.Mechanisms[0]
		if m.Count != 705 || m.Additive.Scale.RatString() != "11/10" || m.Additive.Sampling.RatString() != "8/1875" {
			t.Errorf("%d of %v", m.Count, *m.Additive)
		}
		if len(q.Labels) != 3 || q.Labels[0] != "epoch 1" || q.Labels[1] != "epoch 2" || q.Labels[2] != "the end" {
			t.Errorf("labels are %q", q.Labels)
		}
	}
}
