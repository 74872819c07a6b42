package input

import (
	"fmt"
	"slices"
)

// hint says what to type instead of a key that papers and libraries have for DP-SGD.
type hint struct {
	key  string // which is the same by another name; empty if none is
	must string
}

const (
	asSampling = "be sampling in gaussian: {noise: …, sampling: …}, or as a flag --mech gaussian,noise=…,sampling=…"
	asNoise    = "be noise in gaussian: {noise: …, sampling: …}, or as a flag --mech gaussian,noise=…,sampling=…"
	asCount    = "be count of a mechanism, as in {gaussian: {noise: …, sampling: …}, count: …}, " +
		"or as a flag --mech gaussian,noise=…,count=…"
	asPoisson = "be Poisson sampling, as in gaussian: {noise: …, sampling: 256/60000}, " +
		"which has each record with that probability, independently: batches of a fixed size, and shuffling, have other privacy, which is not computed here"
	asSteps    = asCount + ": the number of steps, epochs × records / batch size"
	asMultiple = "be left out: noise is σ over that norm, the noise multiplier"
)

var hints = map[string]hint{
	"steps": {"count", asCount}, "num_steps": {"count", asCount}, "iterations": {"count", asCount},
	"epochs": {"", asSteps},

	"sigma": {"noise", asNoise}, "noise_multiplier": {"noise", asNoise},
	"max_grad_norm": {"", asMultiple}, "l2_norm_clip": {"", asMultiple}, "clip": {"", asMultiple},

	"q": {"sampling", asSampling}, "sample_rate": {"sampling", asSampling}, "sampling_rate": {"sampling", asSampling},
	"batch": {"", asPoisson}, "batch_size": {"", asPoisson}, "sample_size": {"", asPoisson},
	"dataset_size": {"", asPoisson}, "shuffle": {"", asPoisson},
}

// hinted says what to type instead of a key where mechanisms are given; empty if that is no more than another name of a
// key that is known there.
func hinted(key string, known []string) string {
	h, ok := hints[key]
	isKnown := func(key string) bool { return slices.Contains(known, key) }
	if !ok || isKnown(h.key) || !isKnown("sampling") && !isKnown("gaussian") && !isKnown("mechanisms") {
		return ""
	}
	return fmt.Sprintf("%s is given, must %s", key, h.must)
}
