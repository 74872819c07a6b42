package odp

import (
	"fmt"
	"slices"
	"strings"

	"checkrr/impl"
)

// records returns records with one covariate x = v and the label 1: for the logistic loss
// only v = y·x matters.
func records(v ...float64) []impl.LabelledRecord {
	var all []impl.LabelledRecord
	for _, x := range v {
		all = append(all, impl.LabelledRecord{X: []float64{x}, Y: 1})
	}
	return all
}

// repeated returns v, n times.
func repeated(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// recordsText writes the y·x of records, equal ones in a row as one.
func recordsText(all []impl.LabelledRecord) string {
	return inRuns(all, func(r impl.LabelledRecord) string { return vectorText(r.X, r.Y) })
}

// labelledText writes records as (x, y), equal ones in a row as one.
func labelledText(all []impl.LabelledRecord) string {
	return inRuns(all, func(r impl.LabelledRecord) string { return fmt.Sprintf("(%s, %g)", vectorText(r.X, 1), r.Y) })
}

// outputText writes an output of Algorithm 5.
func outputText(p []float64) string {
	if p == nil {
		return "⊥"
	}
	return vectorText(p, 1)
}

// vectorText writes y·x: a number as such, and otherwise (1, 2).
func vectorText(x []float64, y float64) string {
	var text []string
	for _, c := range x {
		text = append(text, fmt.Sprintf("%g", y*c+0)) // + 0: no −0
	}
	if len(text) == 1 {
		return text[0]
	}
	return "(" + strings.Join(text, ", ") + ")"
}

// inRuns writes 1, 1, 2 as 2 × 1, 2.
func inRuns(all []impl.LabelledRecord, write func(impl.LabelledRecord) string) string {
	var text []string
	for len(all) > 0 {
		n, this := 1, write(all[0])
		for n < len(all) && write(all[n]) == this {
			n++
		}
		if n > 1 {
			this = fmt.Sprintf("%d × %s", n, this)
		}
		text, all = append(text, this), all[n:]
	}
	return strings.Join(text, ", ")
}

// labelled is what [labelledText] writes, when it is written.
type labelled []impl.LabelledRecord

func (l labelled) String() string { return labelledText(l) }
