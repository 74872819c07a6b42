package input

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
)

// hint is what was meant by a key that papers and libraries have for DP-SGD.
type hint struct {
	key string // as it is called here; empty if there is nothing like it
	why string // what to know about it
}

const onlyPoisson = "each record is in a sample with the same probability, independently (Poisson sampling); " +
	fixedBatches + ", and cost several times as much; " + shuffledEpochs

// shuffledForm is how shuffled epochs are written in a file.
const shuffledForm = "{gaussian: {noise: 1.1}, count: 30}"

const shuffledEpochs = "shuffled epochs are written " + shuffledForm + ", one step for each epoch: " +
	"see docs/guide/dpsgd.md#shuffled-epochs"

// fixedForm is how batches of a fixed size are written in a file.
const fixedForm = "sampling: {batch: 256, records: 60000}"

const fixedBatches = "batches of a fixed size, drawn anew for every step, are written " + fixedForm

// written is a text with that as one of flags, if it is for these.
func written(text string, isFlag bool) string {
	return strings.NewReplacer(
		fixedForm, example(isFlag, fixedForm, "gaussian,noise=1,sampling=1,max_batch=256,records=60000"),
		shuffledForm, example(isFlag, shuffledForm, "gaussian,noise=1.1,count=30"),
	).Replace(text)
}

// Keys of batches.
const (
	maxBatch   = "max_batch" // the most records that are left of a sample
	recordsKey = "records"
)

var (
	asNoise    = hint{key: "noise_multiplier"}
	asCount    = hint{key: "count"}
	asEpochs   = hint{key: "epochs"}
	asRecords  = hint{key: "records"}
	asRate     = hint{"sample_rate", onlyPoisson}
	asBatch    = hint{"batch", onlyPoisson}
	asPoisson  = hint{why: onlyPoisson}
	asMultiple = hint{why: "noise is σ over that norm, the noise multiplier"}
	asOnce     = hint{why: onceOnly}
	asColumn   = hint{columnKey, "that of one record; of a matrix whose columns differ, one of which no beginning is " +
		"shorter than that of another"}
)

// hints are by plain keys.
var hints = map[string]hint{
	"steps": asCount, "numsteps": asCount, "iterations": asCount, "epochs": asEpochs, "numepochs": asEpochs,

	"sigma": asNoise, "noisemultiplier": asNoise,
	"maxgradnorm": asMultiple, "l2normclip": asMultiple, "clip": asMultiple,

	"q": asRate, "samplerate": asRate, "samplingrate": asRate, "samplingprobability": asRate,
	"batch": asBatch, "batchsize": asBatch, "minibatch": asBatch, "minibatchsize": asBatch,
	"records": asRecords, "datasetsize": asRecords, "samplesize": asRecords, "numrecords": asRecords,
	"columns": asColumn, "matrix": asColumn, "strategy": asColumn, "participations": asOnce, "minseparation": asOnce,

	"shuffle": asPoisson, "shuffled": asPoisson, "shuffling": asPoisson, "poisson": asPoisson,
	"poissonsampling": asPoisson,
}

// plainKey is a key without what libraries differ in: Batch-Size, batch_size and batchSize are one.
func plainKey(key string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
}

// hinted says what to type instead of a key that is unknown where mechanisms are given; empty if nobody knows it.
func hinted(key string, known []string, isFlag bool) string {
	h, ok := hints[plainKey(key)]
	isKnown := func(key string) bool { return slices.Contains(known, key) }
	if !ok && (isNoiseKey(key) || key == bandsKey) {
		h, ok = hint{key: key}, true
	}
	isInside := isKnown("sampling")
	if !ok || isKnown(key) || !isInside && !isKnown("gaussian") && !isKnown("mechanisms") {
		return ""
	}
	text := key + " is given, must be "
	switch {
	case h == asPoisson:
		text += "left out where samples are Poisson"
	case h.key == "":
		text += "left out"
	case isInside && slices.Contains(ofGaussian, key):
		text += "in gaussian: it is not known with other noise"
	case isInside && (isNoiseKey(key) || h == asNoise && !isKnown(h.key)):
		text += known[0]
	case isKnown(h.key):
		text += h.key
	case h == asCount:
		text += "count beside the noise, as in " + example(isFlag,
			"{gaussian: {noise: 1, sampling: 0.01}, count: 2000}", "gaussian,noise=1,sampling=0.01,count=2000")
	default:
		if text = key + " is given, must stand in a mechanism with noise, as in "; h.key != key {
			text = key + " is given, must be " + h.key + " in a mechanism with noise, as in "
		}
		text += example(isFlag, "gaussian: {noise_multiplier: 1.1, batch: 256, records: 60000, epochs: 30}",
			"gaussian,noise_multiplier=1.1,batch=256,records=60000,epochs=30")
	}
	if h.why != "" {
		text += ": " + written(h.why, isFlag)
	}
	return text
}

// unknownField is the error of a field with an unknown key.
func unknownField(f Field, known []string) error {
	if text := hinted(f.Key, known, f.at == position{}); text != "" {
		if plainKey(f.Key) == "poissonsampling" && strings.EqualFold(f.Value, "false") {
			text = f.Key + " is false: " + written(shuffledEpochs, f.at == position{})
		}
		return &entryError{f.at, text}
	}
	return &entryError{f.at, unknownKey(f.Key, known)}
}

// ofGaussian are keys of Gaussian noise alone.
var ofGaussian = []string{adds, maxBatch, bandsKey, columnKey}

// example is one in a file, or of the flag for mechanisms.
func example(isFlag bool, inFile, asFlag string) string {
	if isFlag {
		return "--mech " + asFlag
	}
	return inFile
}

// isNoiseKey reports whether a key is one of noise.
func isNoiseKey(key string) bool {
	return slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(noiseKeys[kind], key) })
}

// keysOf are the keys of noise of a kind, here and in libraries.
func keysOf(kind string) []string {
	return slices.DeleteFunc(slices.Concat(noiseKeys[kind], trainingKeys), func(key string) bool {
		return key == asNoise.key && kind == "laplace" || key == bandsKey && kind != "gaussian"
	})
}

// asProbability is what sampling must be.
const asProbability = "a probability such as 256/60000, with which each record is in a sample, independently"

// trainingKeys are keys of noise that libraries for DP-SGD have.
var trainingKeys = []string{"noise_multiplier", "sample_rate", "batch", "records", "epochs", "steps_per_epoch",
	bandsKey}

// training is what the keys of a library say of how often noise is added.
type training struct {
	steps    int   // in all; 0 if that is not said
	said     Field // by what
	perEpoch int   // steps of one; 0 if that is not said
	records  int   // of the training data; 0 if that is not said
	bands    int   // of the noise; 0 if that is not said
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
		if g.Key != "count" && !slices.Contains(keysOf(f.Key), g.Key) { // of which more is said
			return nil, t, unknownField(g, keysOf(f.Key))
		}
		switch g.Key {
		case "noise_multiplier":
			g.Key, g.typed = "noise", g.Key
		case "sample_rate":
			g.Key, g.typed = "sampling", g.Key
		case "batch", "records", "epochs", "steps_per_epoch", bandsKey:
			if _, isTwice := given[g.Key]; isTwice {
				return nil, t, &entryError{g.at, g.Key + " is given twice"}
			}
			given[g.Key] = g
			continue
		}
		fields = append(fields, g)
	}
	fields, isFixed, err := f.fixed(fields, given)
	if err != nil {
		return nil, t, err
	}
	numbers, err := numbersOf(given)
	if err == nil && !isFixed {
		fields, err = f.withSampling(fields, given, numbers)
	}
	if err == nil {
		t, err = trainingOf(given["epochs"], numbers)
	}
	if t.bands = numbers[bandsKey]; t.bands > 1 && err == nil {
		err = inRounds(fields, given[bandsKey], t.bands)
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

// stepsOf returns a number of mechanisms, also of those that are written in epochs.
func (p *Problem) stepsOf(f Field) (int, error) {
	n, isEpochs := f.epochs()
	if !isEpochs {
		n, err := f.count()
		if err != nil && strings.Contains(f.Value, anEpoch) {
			err = f.fault(fmt.Errorf("is %s, must be a whole number of mechanisms, or of epochs, as in epoch, epoch 5 or "+
				"10 epochs", report.Quote(f.Value)))
		}
		return n, err
	}
	var says string
	switch epochs := slices.Sorted(maps.Keys(p.epochs)); {
	case len(epochs) == 0 || len(epochs) == 1 && epochs[0] == noEpoch:
		says = "no mechanism has batch and records, or steps_per_epoch"
	case epochs[0] <= noEpoch:
		says = "there are mechanisms beside whole epochs; add epochs where they are missing, or write the steps and " +
			"metrics of an epoch, as in every: 236"
	case len(epochs) > 1:
		says = "mechanisms have epochs of several lengths"
	case n > maxSteps/epochs[0]:
		says = fmt.Sprintf("there are more than %d steps", maxSteps)
	default:
		p.epoch = epochs[0]
		return n * p.epoch, nil
	}
	return 0, f.fault(fmt.Errorf("is %s, must be a number: %s", f.Value, says))
}

// maxSteps is more than a pipeline may have.
const maxSteps = 1 << 30

// fixed returns the fields of noise of which sampling is {batch, records}, if it is: all records are in the sample, and
// so many are left of them. What is given of batches is added to given.
func (f Field) fixed(fields []Field, given map[string]Field) (all []Field, isFixed bool, err error) {
	i := slices.IndexFunc(fields, func(g Field) bool { return g.Key == "sampling" && g.inner != nil })
	if i < 0 {
		return fields, false, nil
	}
	sampling, inside := fields[i], map[string]Field{}
	for _, g := range sampling.inner {
		_, isTwice := inside[g.Key]
		switch {
		case isTwice:
			return nil, false, &entryError{g.at, "sampling: " + g.Key + " is given twice"}
		case g.Key != "batch" && g.Key != recordsKey:
			return nil, false, &entryError{g.at, "sampling: " + unknownKey(g.Key, []string{"batch", recordsKey})}
		}
		inside[g.Key] = g
	}
	switch {
	case f.Key != "gaussian":
		return nil, false, &entryError{sampling.at, fmt.Sprintf("%s: sampling is a batch of a fixed size, must be a "+
			"probability: such batches are known for gaussian noise", f.Key)}
	case len(inside) < 2:
		return nil, false, &entryError{sampling.at, "sampling must have batch and records, as in " + fixedForm}
	}
	for _, key := range []string{"batch", recordsKey} {
		if g, isTwice := given[key]; isTwice {
			return nil, false, g.fault(errors.New("is given beside sampling, must be only in there"))
		}
		given[key] = inside[key]
	}
	if g := slices.IndexFunc(fields, func(g Field) bool { return g.Key == maxBatch }); g >= 0 {
		return nil, false, fields[g].fault(errors.New("is given, must be without a batch of a fixed size"))
	}
	numbers, err := numbersOf(given)
	if err != nil {
		return nil, false, err
	}
	if batch := inside["batch"]; numbers["batch"] > numbers[recordsKey] {
		return nil, false, batch.fault(fmt.Errorf("is %d, must be at most records, %d", numbers["batch"],
			numbers[recordsKey]))
	}
	fields[i] = Field{Key: "sampling", Value: "1", at: sampling.at}
	if numbers["batch"] < numbers[recordsKey] {
		fields = append(fields, Field{Key: maxBatch, Value: inside["batch"].Value, at: inside["batch"].at, typed: "batch"},
			Field{Key: recordsKey, Value: inside[recordsKey].Value, at: inside[recordsKey].at})
	}
	return fields, true, nil
}

// withSampling adds sampling where it follows from batch and records, which must be given together.
func (f Field) withSampling(fields []Field, given map[string]Field, numbers map[string]int) ([]Field, error) {
	batch, hasBatch := given["batch"]
	records, hasRecords := given["records"]
	has := func(key string) bool { return slices.ContainsFunc(fields, func(g Field) bool { return g.Key == key }) }
	isCut := has(maxBatch)
	if isCut && hasRecords {
		fields = append(fields, Field{Key: recordsKey, Value: records.Value, at: records.at})
	}
	switch i := slices.IndexFunc(fields, func(g Field) bool { return g.Key == maxBatch }); {
	case isCut && !hasRecords:
		return nil, fields[i].fault(errors.New("is given, must be with records, the number of all"))
	case isCut && !hasBatch && !has("sampling"):
		return nil, fields[i].fault(errors.New("is given, must be with the sample rate, or with batch: it is what is " +
			"left of larger samples"))
	case !hasBatch && (isCut || !hasRecords):
		return fields, nil
	case !hasBatch:
		return nil, records.fault(errors.New("is given, must be with batch, the mean number of records in a Poisson " +
			"sample"))
	case !hasRecords:
		return nil, batch.fault(errors.New("is given, must be with records, the number of all: each is in a Poisson " +
			"sample with probability batch/records, independently; " + written(fixedBatches, batch.at == position{})))
	case numbers["batch"] > numbers["records"]:
		return nil, batch.fault(fmt.Errorf("is %d, must be at most records, %d", numbers["batch"], numbers["records"]))
	case has("sampling"):
		return nil, batch.fault(errors.New("is given beside the sample rate, must be only one of them"))
	}
	rate := big.NewRat(int64(numbers["batch"]), int64(numbers["records"])).RatString()
	return append(fields, Field{Key: "sampling", Value: rate, at: batch.at, typed: "batch"}), nil
}

// checkAlone refuses a count beside what says how many steps there are.
func (t training) checkAlone(fields []Field) error {
	if i := slices.IndexFunc(fields, func(g Field) bool { return g.Key == "count" }); i >= 0 {
		return fields[i].fault(fmt.Errorf("is given beside %s, must be only one of them", t.said.Key))
	}
	return nil
}
