package main

import (
	"encoding/json"
	"io"
	"math"
	"math/big"
	"time"

	"checkrr/impl"
	"checkrr/impl/interval"
)

// schemaVersion changes when a program that reads the output has to.
const schemaVersion = 1

// optdelJSON is the output of checkrr optdel --json.
type optdelJSON struct {
	SchemaVersion int `json:"schema_version"`
	gateJSON
	OptDel       intervalJSON    `json:"optdel"`
	Lemma11      intervalJSON    `json:"lemma11"`
	Exact        string          `json:"exact,omitempty"`
	Lemma11Exact string          `json:"lemma11_exact,omitempty"`
	SingleStop   []stopJSON      `json:"single_stop"`
	StoppingRule []thresholdJSON `json:"stopping_rule"`
	Method       impl.Method     `json:"method"`
	Arithmetic   string          `json:"arithmetic,omitempty"`
	RelWidth     widthJSON       `json:"rel_width"`
	Seconds      float64         `json:"seconds"`
	Shortfall    string          `json:"shortfall,omitempty"`
}

// intervalJSON contains a real number.
type intervalJSON struct {
	Lower json.Number `json:"lower"`
	Upper json.Number `json:"upper"`
}

type stopJSON struct {
	After int          `json:"after"`
	Delta intervalJSON `json:"delta"`
}

type thresholdJSON struct {
	After       int      `json:"after"`
	LossAtLeast *float64 `json:"loss_at_least"` // null: never stop here
	Probability float64  `json:"probability"`
}

type widthJSON struct {
	Requested float64 `json:"requested"`
	Reached   float64 `json:"reached"`
}

// writeJSON prints the solution as one line.
func writeJSON(w io.Writer, p *problem, s *solution) error {
	out := optdelJSON{
		SchemaVersion: schemaVersion,
		gateJSON:      s.gate.json(s.verdict),
		OptDel:        toJSON(s.OptDel),
		Lemma11:       toJSON(s.Lemma11),
		Exact:         ratio(s.exact),
		Lemma11Exact:  ratio(s.lemma11Exact),
		SingleStop:    make([]stopJSON, len(s.SingleStop)),
		StoppingRule:  make([]thresholdJSON, len(s.Rule)),
		Method:        s.Method,
		Arithmetic:    s.Arithmetic,
		RelWidth:      widthJSON{s.requested, s.reached()},
		Seconds:       microseconds(s.elapsed),
		Shortfall:     s.Shortfall,
	}
	for i, delta := range s.SingleStop {
		out.SingleStop[i] = stopJSON{p.Stops[i].After, toJSON(delta)}
	}
	for i, t := range s.Rule {
		line := thresholdJSON{p.Stops[i].After, nil, t.Probability}
		if !math.IsInf(t.LossAtLeast, 1) {
			line.LossAtLeast = &t.LossAtLeast
		}
		out.StoppingRule[i] = line
	}
	return json.NewEncoder(w).Encode(out)
}

func toJSON(i interval.Interval) intervalJSON {
	return intervalJSON{json.Number(outward(i.Lower, false).String()), json.Number(outward(i.Upper, true).String())}
}

func ratio(r *big.Rat) string {
	if r == nil {
		return ""
	}
	return r.RatString()
}

// microseconds returns a time in seconds, to the microsecond.
func microseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

// reached is the relative width as a float64, which is not 0 unless the width is.
func (s *solution) reached() float64 {
	w := s.relWidth()
	x, _ := w.Float64()
	if x == 0 && w.Sign() > 0 {
		return math.SmallestNonzeroFloat64
	}
	return x
}
