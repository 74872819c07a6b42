package input

import "testing"

// TestTraining: keys of libraries for DP-SGD are other spellings, and stops after epochs have their names.
func TestTraining(t *testing.T) {
	t.Parallel()
	p, err := parse(`{mechanisms: [{gaussian: {noise_multiplier: 1.1, batch: 256, records: 60000, epochs: 3}}],
		stops: [{every: epoch, to: 470, eps: 1}, {after: 705, label: the end, eps: 2}]}`)
	if err != nil {
		t.Fatal(err)
	}
	same, err := parse(`{mechanisms: [{gaussian: {noise: 1.1, sample_rate: 256/60000, steps_per_epoch: 235, epochs: 3}}],
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
