package input

import (
	"slices"
	"strings"
)

// hint says what to type instead of a key that papers and libraries have for DP-SGD.
type hint struct {
	key  string // which is the same by another name; empty if none is
	must string // with %s for what is typed, if there is such a thing
	as   typing
}

// typing is how something is typed.
type typing struct{ inFile, asFlag string }

var (
	typedNoise    = typing{"gaussian: {noise: …, sampling: …}", "--mech gaussian,noise=…,sampling=…"}
	typedCount    = typing{"{gaussian: {noise: …, sampling: …}, count: …}", "--mech gaussian,noise=…,count=…"}
	typedSampling = typing{"gaussian: {noise: …, sampling: 256/60000}", "--mech gaussian,noise=…,sampling=256/60000"}

	asNoise   = hint{"noise", "be noise, as in %s", typedNoise}
	asCount   = hint{"count", "be count of a mechanism, as in %s", typedCount}
	asSteps   = hint{"", asCount.must + ": the number of steps, epochs × records / batch size", typedCount}
	asPoisson = hint{"", "be Poisson sampling, as in %s, which has each record with that probability, independently: " +
		"batches of a fixed size, and shuffling, have other privacy, which is not computed here", typedSampling}
	asMultiple = hint{"", "be left out: noise is σ over that norm, the noise multiplier", typing{}}
)

// hints are by plain keys.
var hints = map[string]hint{
	"steps": asCount, "numsteps": asCount, "iterations": asCount, "epochs": asSteps,

	"sigma": asNoise, "noisemultiplier": asNoise,
	"maxgradnorm": asMultiple, "l2normclip": asMultiple, "clip": asMultiple,

	"q": asPoisson, "samplerate": asPoisson, "samplingrate": asPoisson, "samplingprobability": asPoisson,
	"samplesize": asPoisson,
	"batch":      asPoisson, "batchsize": asPoisson, "minibatch": asPoisson, "minibatchsize": asPoisson,
	"datasetsize": asPoisson,
	"shuffle":     asPoisson, "shuffled": asPoisson, "shuffling": asPoisson, "poisson": asPoisson,
}

// plainKey is a key without what libraries differ in: Batch-Size, batch_size and batchSize are one.
func plainKey(key string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
}

// hinted says what to type instead of a key where mechanisms are given; empty if that is no more than another name of a
// key that is known there.
func hinted(key string, known []string, isFlag bool) string {
	h, ok := hints[plainKey(key)]
	isKnown := func(key string) bool { return slices.Contains(known, key) }
	if !ok || isKnown(h.key) || !isKnown("sampling") && !isKnown("gaussian") && !isKnown("mechanisms") {
		return ""
	}
	as := h.as.inFile
	if isFlag {
		as = h.as.asFlag
	}
	if isKnown("scale") && h.key != "noise" {
		as = strings.NewReplacer("gaussian", "laplace", "noise", "scale").Replace(as)
	}
	return key + " is given, must " + strings.Replace(h.must, "%s", as, 1)
}

// asProbability is what sampling must be.
const asProbability = "a probability such as 256/60000, with which each record is in a sample, independently"
