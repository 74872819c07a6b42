package input

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// addStop reads {after, eps or exp_eps, weight}, with the charge as typed; or every, from and to for after.
func (p *Problem) addStop(fields []Field, wanted Demand) error {
	err := CheckKeys(fields, stopKeys, wanted == ChargedStops)
	if errors.Is(err, errNoEps) {
		return &entryError{text: errNoEps.text + "; checkrr schedule finds charges for a δ"}
	}
	if err != nil {
		return err
	}
	places, err := p.placesOf(fields)
	if fault, isRule := errors.AsType[*entryError](err); isRule {
		return &entryError{fault.at, p.alsoInEpochs(fault.text)}
	}
	if err != nil {
		return err
	}
	var s impl.Stop
	var charge string
	var label, place Field
	every := 0 // how many mechanisms are between stops that are numbered
	weight := big.NewRat(1, 1)
	for _, f := range fields {
		var err error
		switch f.Key {
		case "eps", "exp_eps":
			s.Eps, err = f.Epsilon()
			charge = f.Charge()
		case "weight":
			weight, err = f.weight()
		case "label":
			label = f
		case "after", "every":
			place = f
			every, err = p.stepsOf(f)
		}
		if err != nil {
			return err
		}
	}
	if wanted == WeightedStops {
		p.HasUnusedCharges = p.HasUnusedCharges || charge != ""
		s.Eps, charge = loss.Nats(new(big.Rat)), ""
	}
	if n, isEpochs := place.epochs(); isEpochs && label.Key == "" {
		label.Value, every = anEpoch, every/n
	} else if place.Key == "after" {
		every = 0
	}
	if label.Key != "" {
		if err := checkStopLabel(label.Value); err != nil {
			return label.fault(err)
		}
	}
	for _, s.After = range places {
		p.Labels = append(p.Labels, labelAt(label.Value, s.After, places[0], every))
		p.Weights = append(p.Weights, weight)
		p.Stops = append(p.Stops, s)
		p.Charges = append(p.Charges, charge)
	}
	return nil
}

// stopAtEnd makes the end the only stop.
func (p *Problem) stopAtEnd() {
	p.Pipeline, p.Labels = impl.OneStop(p.Mechanisms), nil
	p.Weights, p.Charges = []*big.Rat{big.NewRat(1, 1)}, []string{""}
}

// checkStopLabel refuses what does not fit into a line of a table.
func checkStopLabel(text string) error {
	const most = 40 // characters
	if err := CheckLabel(text); err != nil {
		return err
	}
	if utf8.RuneCountInString(text) > most ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("is %s, must have at most %d characters, which are printed", report.Quote(text), most)
	}
	if strings.Contains(" "+text+" ", "  ") { // as between the columns of a table
		return fmt.Errorf("is %s, must have single spaces only, between words", report.Quote(text))
	}
	return nil
}

// anEpoch is the value of every that stands for the steps of an epoch.
const anEpoch = "epoch"

// inEpochs is how numbers of mechanisms are written in epochs.
var inEpochs = regexp.MustCompile(`^(?:epoch|epoch ([1-9][0-9]{0,8})|([1-9][0-9]{0,8}) epochs?)$`)

// epochs returns of how many epochs f is the steps, if it is written so.
func (f Field) epochs() (n int, isEpochs bool) {
	m := inEpochs.FindStringSubmatch(f.Value)
	if m == nil {
		return 0, false
	}
	n, _ = strconv.Atoi(cmp.Or(m[1], m[2], "1"))
	return n, true
}

// labelAt returns what a stop is called: by the label of its entry or, if that is for every so many mechanisms, by that
// and a number: how many times so many have run or, if the first stop is elsewhere, which of these stops it is. The
// stop at the end has none if it is none of them.
func labelAt(label string, place, first, every int) string {
	switch {
	case label == "" || every == 0:
		return label
	case (place-first)%every != 0:
		return ""
	case first%every != 0:
		place += every - first
	}
	return fmt.Sprint(label, " ", place/every)
}

// placesOf returns the places of stops that an entry stands for: after, or every so many mechanisms from the first such
// place on, or from and to others. Without to the last one is the end of the pipeline.
func (p *Problem) placesOf(fields []Field) (places []int, err error) {
	given, at := map[string]int{}, map[string]position{}
	for _, f := range fields {
		switch f.Key {
		case "after", "every", "from", "to":
			if given[f.Key], err = p.stepsOf(f); err != nil {
				return nil, err
			}
			at[f.Key] = f.at
			if f.Key != "after" && given[f.Key] < 1 {
				return nil, &entryError{f.at, fmt.Sprintf("%s is %d, must be at least 1", f.Key, given[f.Key])}
			}
		}
	}
	p.lastTo = 0
	after, isOne := given["after"]
	every, isSeveral := given["every"]
	_, hasFrom := given["from"]
	_, hasTo := given["to"]
	switch {
	case p.end > 0:
		return nil, &entryError{text: fmt.Sprintf("comes after the end, %d, where every has put a stop already: must "+
			"be left out, or every must have a to", p.end)}
	case isOne && isSeveral:
		return nil, &entryError{text: "both after and every are given, must be only one of them"}
	case !isSeveral && (hasFrom || hasTo):
		return nil, &entryError{text: "every is missing, must come with from and to"}
	case !isOne && !isSeveral:
		return nil, &entryError{text: "after is missing, must have after or every"}
	case isOne:
		return []int{after}, nil
	}
	end, isSound := p.mechanismCount()
	if !isSound {
		return []int{1}, nil // as [Problem.check] will say
	}
	for _, f := range fields {
		if n, isEpochs := f.epochs(); f.Key == "every" && isEpochs && given["from"]%(every/n) != 0 {
			return nil, &entryError{at["from"], fmt.Sprintf("from is %d, must be the end of an epoch, a multiple of %d",
				given["from"], every/n)}
		}
	}
	from, to := cmp.Or(given["from"], every), cmp.Or(given["to"], end)
	fault := func(key, format string, args ...any) error {
		return &entryError{at[key], fmt.Sprintf("%s is %d", key, given[key]) + fmt.Sprintf(format, args...)}
	}
	const number = "the number of mechanisms"
	switch {
	case every > end:
		return nil, fault("every", ", must be at most %d, %s", end, number)
	case to > end:
		return nil, fault("to", ", must be at most %d, %s", end, number)
	case from > end:
		return nil, fault("from", ", must be at most %d, %s", end, number)
	case from > to && hasFrom:
		return nil, fault("from", ", must be at most %d, where to is", to)
	case from > to:
		return nil, fault("to", ", must be at least %d, the first stop of every", from)
	case len(p.Stops) > 0 && from <= p.Stops[len(p.Stops)-1].After:
		key, has := "from", ""
		if !hasFrom {
			key, has = "every", ", without a from its first stop"
		}
		return nil, fault(key, "%s, must be more than %d, the stop before it", has, p.Stops[len(p.Stops)-1].After)
	case (to-from)/every >= maxEntries:
		return nil, fault("every", ": there are more than %d stops, which is too many", maxEntries)
	}
	for k := from; k <= to; k += every {
		places = append(places, k)
	}
	if !hasTo && places[len(places)-1] < end {
		places = append(places, end)
	}
	p.lastTo = given["to"]
	if places[len(places)-1] == end {
		p.end = end
	}
	return places, nil
}

// aPlace is a number of mechanisms in a message, or what is none.
var aPlace = regexp.MustCompile(`"[^"]*"|multiple of [0-9]+|[0-9]+( stops)?`)

// alsoInEpochs says of numbers of mechanisms which epochs they are, where stops are written so.
func (p *Problem) alsoInEpochs(message string) string {
	return aPlace.ReplaceAllStringFunc(message, func(text string) string {
		n, err := strconv.Atoi(text)
		if err != nil || p.epoch == 0 || n%p.epoch != 0 {
			return text
		}
		return fmt.Sprintf("%d (%s %d)", n, anEpoch, n/p.epoch)
	})
}

// inWordsOfTo says of a to in the last entry, rather than of the stop that it leads to, that it is not the end.
func (p *Problem) inWordsOfTo(e *impl.InputError) *impl.InputError {
	end, isSound := p.mechanismCount()
	last := len(p.Stops) - 1
	if !isSound || p.lastTo == 0 || e.List != "stops" || e.Index != last || e.Field != "after" || last > 0 &&
		p.Stops[last].After <= p.Stops[last-1].After {
		return e
	}
	return &impl.InputError{List: e.List, Index: last, Field: "to",
		Rule: fmt.Sprintf("is %d, and the last stop must be the end of the pipeline, %d: leave to out, or add a "+
			"stop there", p.lastTo, end)}
}

// mechanismCount returns how many mechanisms there are, and whether that is a number that a pipeline may have.
func (p *Problem) mechanismCount() (end int, isSound bool) {
	for _, m := range p.Mechanisms {
		if m.Count < 1 || m.Count > impl.MaxMechanisms-end {
			return 0, false
		}
		end += m.Count
	}
	return end, true
}

func (f Field) weight() (*big.Rat, error) {
	w, err := ParseNumber(f.Value)
	if err == nil && (w.Sign() < 0 || w.Cmp(maxWeight) > 0 || w.Sign() > 0 && w.Cmp(minWeight) < 0) {
		err = fmt.Errorf("is %s, must be 0, or between 1e-12 and 1e12", report.Quote(f.Value))
	}
	return w, f.fault(err)
}

// Limits that keep sums of weights finite, and more than 0.
var minWeight, maxWeight = report.Scaled(big.NewInt(1), -12), report.Scaled(big.NewInt(1), 12)
