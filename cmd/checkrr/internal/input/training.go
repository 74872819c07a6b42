package input

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
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

// trainingKeys are keys of noise that libraries for DP-SGD have.
var trainingKeys = []string{"noise_multiplier", "sample_rate", "batch", "records", "epochs", "steps_per_epoch"}

// training is what the keys of a library say of how often noise is added.
type training struct {
	steps    int   // in all; 0 if that is not said
	said     Field // by what
	perEpoch int   // steps of one; 0 if that is not said
	records  int   // of the training data; 0 if that is not said
}

// asTrained returns the fields of noise with the keys that libraries for DP-SGD have by their names here, with sampling
// = batch/records, and the number of steps: epochs times those of one, which are records/batch, rounded up, if they are
// not given.
func (f Field) asTrained() (fields []Field, t training, err error) {
	if f.inner == nil {
		return nil, t, nil
	}
	fields, given := []Field{}, map[string]Field{}
	for _, g := range f.inner {
		switch g.Key {
		case "noise_multiplier":
			g.Key, g.typed = "noise", g.Key
		case "sample_rate":
			g.Key, g.typed = "sampling", g.Key
		case "batch", "records", "epochs", "steps_per_epoch":
			if _, isTwice := given[g.Key]; isTwice {
				return nil, t, &entryError{g.at, g.Key + " is given twice"}
			}
			given[g.Key] = g
			continue
		}
		fields = append(fields, g)
	}
	numbers, err := numbersOf(given)
	if err == nil {
		fields, err = f.sampled(fields, given, numbers)
	}
	if err == nil {
		t, err = trainingOf(given["epochs"], numbers)
	}
	return fields, t, err
}

// numbersOf returns the values of fields, which are at least 1.
func numbersOf(given map[string]Field) (map[string]int, error) {
	numbers := map[string]int{}
	for _, key := range trainingKeys {
		g, isGiven := given[key]
		if !isGiven {
			continue
		}
		n, err := g.count()
		if err == nil && n < 1 {
			err = g.fault(fmt.Errorf("is %d, must be at least 1", n))
		}
		if err != nil {
			return nil, err
		}
		numbers[key] = n
	}
	return numbers, nil
}

// trainingOf returns how many steps there are in all, if epochs are given, and in an epoch, and how many records.
func trainingOf(epochs Field, numbers map[string]int) (t training, err error) {
	t.perEpoch, t.records = numbers["steps_per_epoch"], numbers["records"]
	if batch := numbers["batch"]; t.perEpoch == 0 && batch > 0 {
		t.perEpoch = (numbers["records"] + batch - 1) / batch
	}
	switch n := numbers["epochs"]; {
	case n == 0:
	case t.perEpoch == 0:
		return t, epochs.fault(errors.New("is given, must be with batch and records, or with steps_per_epoch"))
	case n > maxSteps/t.perEpoch:
		return t, epochs.fault(fmt.Errorf("is %d, too many steps", n))
	default:
		t.steps, t.said = n*t.perEpoch, epochs
	}
	return t, nil
}

// What epochs of a mechanism are beside how many steps they have.
const (
	noEpoch     = 0  // it has none
	partOfEpoch = -1 // it ends inside of one
)

// epochOf returns how many steps an epoch of a mechanism has, which ends with one, or noEpoch or partOfEpoch.
func (t training) epochOf(count int) int {
	if t.perEpoch > 0 && count%t.perEpoch != 0 {
		return partOfEpoch
	}
	return t.perEpoch
}

// stepsOf returns a number of mechanisms: for every: epoch, how many that stands for.
func (p *Problem) stepsOf(f Field) (int, error) {
	if !f.isEpoch() {
		return f.count()
	}
	var says string
	switch epochs := slices.Sorted(maps.Keys(p.epochs)); {
	case len(epochs) == 0 || len(epochs) == 1 && epochs[0] == noEpoch:
		says = "no mechanism has batch and records, or steps_per_epoch"
	case epochs[0] <= noEpoch:
		says = "there are mechanisms beside whole epochs"
	case len(epochs) > 1:
		says = "mechanisms have epochs of several lengths"
	default:
		return epochs[0], nil
	}
	return 0, f.fault(errors.New("is epoch, must be a number: " + says))
}

// maxSteps is more than a pipeline may have.
const maxSteps = 1 << 30

// sampled adds sampling where it follows from batch and records, which must be given together.
func (f Field) sampled(fields []Field, given map[string]Field, numbers map[string]int) ([]Field, error) {
	batch, hasBatch := given["batch"]
	records, hasRecords := given["records"]
	switch {
	case !hasBatch && !hasRecords:
		return fields, nil
	case !hasBatch && slices.ContainsFunc(fields, f.isHinted):
		return fields, nil // as with batch_size, of which is said what to type
	case !hasBatch:
		return nil, records.fault(errors.New("is given, must be with batch, the mean number of records in a Poisson " +
			"sample"))
	case !hasRecords:
		return nil, batch.fault(errors.New("is given, must be with records, the number of all: each is in a Poisson " +
			"sample with probability batch/records, independently; batches of a fixed size have other privacy, which " +
			"is not computed here"))
	case numbers["batch"] > numbers["records"]:
		return nil, batch.fault(fmt.Errorf("is %d, must be at most records, %d", numbers["batch"], numbers["records"]))
	case slices.ContainsFunc(fields, func(g Field) bool { return g.Key == "sampling" }):
		return nil, batch.fault(errors.New("is given beside the sample rate, must be only one of them"))
	}
	rate := big.NewRat(int64(numbers["batch"]), int64(numbers["records"])).RatString()
	return append(fields, Field{Key: "sampling", Value: rate, at: batch.at, typed: "batch"}), nil
}

// isHinted reports whether f has a key inside of it of which is said what to type instead.
func (f Field) isHinted(inner Field) bool { return hinted(inner.Key, noiseKeys[f.Key], false) != "" }

// checkAlone refuses a count beside what says how many steps there are.
func (t training) checkAlone(fields []Field) error {
	if i := slices.IndexFunc(fields, func(g Field) bool { return g.Key == "count" }); i >= 0 {
		return fields[i].fault(fmt.Errorf("is given beside %s, must be only one of them", t.said.Key))
	}
	return nil
}
