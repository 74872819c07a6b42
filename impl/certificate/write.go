package certificate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"

	"checkrr/impl/certify"
)

// Ends is a [Range] in a file.
type Ends struct {
	Lower string `json:"lower"`
	Upper string `json:"upper"`
}

// Ends returns the ends as they are written: as decimals, or as ratios.
func (r Range) Ends() Ends { return Ends{text(r.Lower), text(r.Upper)} }

// The form of a file: see docs/certificate.md.
type (
	fileJSON struct {
		SchemaVersion int         `json:"schema_version"`
		Claims        []claimJSON `json:"claims"`
	}
	claimJSON struct {
		Problem    problemJSON `json:"problem"`
		Proof      proofJSON   `json:"proof"`
		OptDel     Ends        `json:"optdel"`
		Lemma11    *Ends       `json:"lemma11,omitempty"`
		SingleStop []Ends      `json:"single_stop,omitempty"`
		AtMost     string      `json:"at_most,omitempty"`
		MoreThan   string      `json:"more_than,omitempty"`
	}
	problemJSON struct {
		Mechanisms []mechanismJSON `json:"mechanisms"`
		Stops      []stopJSON      `json:"stops"`
	}
	numberJSON struct {
		Eps    string `json:"eps,omitempty"`
		ExpEps string `json:"exp_eps,omitempty"`
	}
	mechanismJSON struct {
		numberJSON
		Delta    string       `json:"delta,omitempty"`
		Range    *numberJSON  `json:"bounded_range,omitempty"`
		Law      [][2]string  `json:"law,omitempty"`
		Noise    *noiseJSON   `json:"noise,omitempty"`
		Losses   [][2]string  `json:"losses,omitempty"`
		Reversed *bool        `json:"reversed,omitempty"`
		Sampled  *sampledJSON `json:"sampled,omitempty"`
		Count    int          `json:"count"`
	}
	sampledJSON struct {
		Rate       string          `json:"rate"`
		Mechanisms []mechanismJSON `json:"mechanisms"`
		Added      bool            `json:"added"`
	}
	noiseJSON struct {
		Law      certify.Noise `json:"law"`
		Scale    string        `json:"scale"`
		Square   string        `json:"square,omitempty"`
		Sampling string        `json:"sampling"`
		Adds     [][2]string   `json:"adds,omitempty"`
		Group    int           `json:"group,omitempty"`
		MaxBatch int           `json:"max_batch,omitempty"`
		Records  int           `json:"records,omitempty"`
		Replaced bool          `json:"replaced,omitempty"`
		Added    bool          `json:"added"`
	}
	stopJSON struct {
		After int `json:"after"`
		numberJSON
	}
	proofJSON struct {
		Method     string       `json:"method"`
		Bits       uint         `json:"bits,omitempty"`
		Cut        *float64     `json:"cut,omitempty"`
		Tops       []*string    `json:"tops,omitempty"`
		Tilts      []float64    `json:"tilts,omitempty"`
		Steeper    int          `json:"steeper,omitempty"`
		Upper      *latticeJSON `json:"upper,omitempty"`
		Lower      *latticeJSON `json:"lower,omitempty"`
		Thresholds []*float64   `json:"thresholds"`
	}
	latticeJSON struct {
		Unit    numberJSON `json:"unit"`
		Windows [][2]int   `json:"windows"`
	}
)

// The methods of a proof.
const (
	methodLattice = "lattice" // every loss is a node
	methodGrid    = "grid"    // losses between nodes
	methodStates  = "states"  // every loss is a state
)

// Write writes claims as a certificate file, of which there must be one.
func Write(w io.Writer, claims ...*Claim) error {
	if w == nil {
		return errors.New("w is nil, must be given")
	}
	if len(claims) == 0 {
		return errors.New("there are no claims, must be at least 1")
	}
	f := fileJSON{SchemaVersion: schemaVersion}
	for i, c := range claims {
		if err := c.complete(); err != nil {
			return fmt.Errorf("claim %d: %w", i+1, err)
		}
		f.Claims = append(f.Claims, c.json())
	}
	return json.NewEncoder(w).Encode(f)
}

// schemaVersion changes when a program that reads such a file has to.
const schemaVersion = 1

func (c *Claim) json() claimJSON {
	out := claimJSON{Proof: jsonProof(&c.Hints), OptDel: c.OptDel.Ends()}
	for _, m := range c.Problem.Mechanisms {
		out.Problem.Mechanisms = append(out.Problem.Mechanisms, jsonMechanism(m))
	}
	for _, s := range c.Problem.Stops {
		out.Problem.Stops = append(out.Problem.Stops, jsonStop(s))
	}
	if c.Lemma11 != nil {
		out.Lemma11 = new(c.Lemma11.Ends())
	}
	for _, x := range c.SingleStop {
		out.SingleStop = append(out.SingleStop, x.Ends())
	}
	if c.AtMost != nil {
		out.AtMost = text(c.AtMost)
	}
	if c.MoreThan != nil {
		out.MoreThan = text(c.MoreThan)
	}
	return out
}

func jsonStop(s certify.Stop) stopJSON { return stopJSON{s.After, jsonNumber(s.Eps)} }

func jsonMechanism(m certify.Mechanism) mechanismJSON {
	if a := m.Additive; a != nil {
		law := a.Noise
		if law == certify.GDP { // which is that
			law = certify.Gaussian
		}
		x := noiseJSON{law, text(a.Scale), "", text(a.Sampling), texts(a.Adds), a.Group, a.MaxBatch, a.Records, a.Replaced,
			a.Added}
		if a.Square != nil {
			x.Square = text(a.Square)
		}
		return mechanismJSON{Noise: &x, Count: m.Count}
	}
	if l := m.Losses; l != nil {
		return mechanismJSON{Losses: texts(l.List()), Reversed: new(l.IsReversed()), Count: m.Count}
	}
	if s := m.Sampled; s != nil {
		in := sampledJSON{Rate: text(s.Rate), Added: s.Added}
		for _, x := range s.Mechanisms() {
			in.Mechanisms = append(in.Mechanisms, jsonMechanism(x))
		}
		return mechanismJSON{Sampled: &in, Count: m.Count}
	}
	if m.IsRange {
		return mechanismJSON{Range: new(jsonNumber(m.Eps)), Count: m.Count}
	}
	if m.Law == nil {
		return mechanismJSON{numberJSON: jsonNumber(m.Eps), Delta: text(m.Delta), Count: m.Count}
	}
	return mechanismJSON{Law: texts(m.Law), Count: m.Count}
}

func texts(pairs [][2]*big.Rat) (out [][2]string) {
	for _, x := range pairs {
		first := text(new(big.Rat).Abs(x[0]))
		if x[0].Sign() < 0 {
			first = "-" + first
		}
		out = append(out, [2]string{first, text(x[1])})
	}
	return out
}

func jsonNumber(x certify.Number) numberJSON {
	if x.Log {
		return numberJSON{ExpEps: text(x.Value)}
	}
	return numberJSON{Eps: text(x.Value)}
}

func jsonLattice(l *certify.Lattice) *latticeJSON {
	if l == nil {
		return nil
	}
	out := &latticeJSON{Unit: jsonNumber(l.Unit)}
	for _, w := range l.Windows {
		out.Windows = append(out.Windows, [2]int{w.Lo, w.Hi})
	}
	return out
}

func jsonProof(h *certify.Hints) proofJSON {
	out := proofJSON{Method: methodStates, Bits: h.Bits}
	if h.Bits == 0 {
		out = proofJSON{Method: methodLattice, Cut: &h.Cut, Upper: jsonLattice(&h.Upper), Lower: jsonLattice(h.Lower)}
		if h.Lower != nil {
			out.Method = methodGrid
		}
	}
	out.Tilts, out.Steeper = h.Tilts, h.Steeper
	for _, top := range h.NodeZero {
		if top == nil {
			out.Tops = append(out.Tops, nil)
		} else {
			out.Tops = append(out.Tops, new(text(top)))
		}
	}
	for _, loss := range h.Thresholds {
		if math.IsInf(loss, 1) {
			out.Thresholds = append(out.Thresholds, nil)
		} else {
			out.Thresholds = append(out.Thresholds, &loss)
		}
	}
	return out
}
