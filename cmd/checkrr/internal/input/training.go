package input

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// trainingKeys are keys of noise that libraries for DP-SGD have.
var trainingKeys = []string{"noise_multiplier", "sample_rate", "batch", "records", "epochs", "steps_per_epoch"}

// training is what the keys of a library say of how often noise is added.
type training struct {
	steps    int   // in all; 0 if that is not said
	said     Field // by what
	perEpoch int   // steps of one; 0 if that is not said
}

// asTrained returns the fields of noise with the keys that libraries for DP-SGD have by their names here: with sampling = batch/records, and the number of steps:
// epochs times those of one, which are records/batch, rounded up, if they are not given.
func (f Field) asTrained() (_ []Field, t training, err error) {
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
	numbers := map[string]int{}
	for key, g := range given {
		n, err := g.count()
		if err == nil && n < 1 {
			err = g.fault(fmt.Errorf("is %d, must be at least 1", n))
		}
		if err != nil {
			return nil, t, err
		}
		numbers[key] = n
	}
	if fields, err = f.sampled(fields, given, numbers); err != nil {
		return nil, t, err
	}
	perEpoch := numbers["steps_per_epoch"]
	if perEpoch == 0 && numbers["batch"] > 0 {
		perEpoch = (numbers["records"] + numbers["batch"] - 1) / numbers["batch"]
	}
	if epochs, isGiven := given["epochs"]; isGiven {
		if perEpoch == 0 {
			return nil, t, epochs.fault(fmt.Errorf("is given, must be with batch and records, or with steps_per_epoch"))
		}
		if numbers["epochs"] > maxSteps/perEpoch {
			return nil, t, epochs.fault(fmt.Errorf("is %d, too many steps", numbers["epochs"]))
		}
		t = training{steps: numbers["epochs"] * perEpoch, said: epochs}
	}
	t.perEpoch = perEpoch
	return fields, t, nil
}

// What is known of epochs beside how many steps they have.
const (
	noEpoch     = 0  // no mechanism has any
	manyEpochs  = -1 // mechanisms have epochs of several lengths
	mixedEpochs = -2 // there are mechanisms beside whole epochs
)

// sawEpoch notes how many steps an epoch of a mechanism has, 0 if that is not said.
func (d *mechanisms) sawEpoch(steps, count int) {
	isWhole := steps > 0 && count%steps == 0
	switch {
	case !d.hasSome && isWhole:
		d.epoch = steps
	case steps > 0 && d.epoch > 0 && d.epoch != steps:
		d.epoch = manyEpochs
	case !isWhole && (d.epoch > 0 || steps > 0) || isWhole && d.epoch == noEpoch:
		d.epoch = mixedEpochs
	}
	d.hasSome = true
}

// stepsOf returns how many steps every epoch stands for.
func (p *Problem) stepsOf(f Field) (int, error) {
	switch p.epoch {
	case noEpoch:
		return 0, f.fault(errors.New("is epoch, must be a number: no mechanism has batch and records, or steps_per_epoch"))
	case mixedEpochs:
		return 0, f.fault(errors.New("is epoch, must be a number: there are mechanisms beside whole epochs"))
	case manyEpochs:
		return 0, f.fault(errors.New("is epoch, must be a number: mechanisms have epochs of several lengths"))
	}
	return p.epoch, nil
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
	case !hasBatch && slices.ContainsFunc(fields, func(g Field) bool { return hinted(g.Key, noiseKeys[f.Key], false) != "" }):
		return fields, nil // as with batch_size, of which is said what to type
	case !hasBatch:
		return nil, records.fault(fmt.Errorf("is given, must be with batch, the mean number of records in a Poisson sample"))
	case !hasRecords:
		return nil, batch.fault(fmt.Errorf("is given, must be with records, the number of all: each is in a Poisson sample with probability batch/records, " +
			"independently; batches of a fixed size have other privacy, which is not computed here"))
	case numbers["batch"] > numbers["records"]:
		return nil, batch.fault(fmt.Errorf("is %d, must be at most records, %d", numbers["batch"], numbers["records"]))
	case slices.ContainsFunc(fields, func(g Field) bool { return g.Key == "sampling" }):
		return nil, batch.fault(fmt.Errorf("is given beside the sample rate, must be only one of them"))
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
