package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// boundOf returns a bound, or nil if it is infinite.
func boundOf(x float64) *report.UpperBound {
	if math.IsInf(x, 1) {
		return nil
	}
	return new(report.UpperBound(x))
}

// pointWriter writes the output of --json point by point: what it begins with, the points, why there are no more, and
// on what condition they hold. An error of writing is kept until the end: the odometer goes on.
type pointWriter struct {
	w   *bufio.Writer
	any bool // whether there was a point
}

func newPointWriter(w io.Writer, head report.Object) *pointWriter {
	p := &pointWriter{w: bufio.NewWriter(w)}
	p.w.Write(bytes.TrimSuffix(inJSON(head), []byte("}")))
	p.w.WriteString(`,"points":[`)
	return p
}

func (p *pointWriter) add(r ledger.Reading) {
	if p.any {
		p.w.WriteByte(',')
	}
	p.any = true
	v, eps := boundOf(r.V.Hi), boundOf(r.Eps)
	if v == nil || eps == nil {
		p.w.Write(inJSON(report.Object{"event", r.Events, "v", v, "eps", eps})) // null: infinite
		return
	}
	b := strconv.AppendInt(append(p.w.AvailableBuffer(), `{"event":`...), int64(r.Events), 10) // the same, at less cost
	b = v.AppendTo(append(b, `,"v":`...))
	b = eps.AppendTo(append(b, `,"eps":`...))
	p.w.Write(append(b, '}'))
}

// finish ends the object; end is why the ledger was not read to its end, and reading on what condition the points hold.
func (p *pointWriter) finish(end error, reading string) error {
	tail := report.Object{"error", nil, "reading", orNull(reading)}
	if end != nil {
		tail[1] = end.Error()
	}
	fmt.Fprintf(p.w, "],%s\n", bytes.TrimPrefix(inJSON(tail), []byte("{")))
	return p.w.Flush()
}

// reading says on what condition the readings hold, and why there may be none; nothing if on none.
func (r *running) reading() string {
	state, spent := r.odometer.State(), ""
	delta := state.Delta
	for _, part := range state.Parts {
		if part.Delta.Cmp(delta) > 0 {
			delta = part.Delta
		}
	}
	if delta.Sign() == 0 {
		return ""
	}
	if delta.Cmp(loss.OfRat(r.leak)) > 0 {
		spent = fmt.Sprintf("There is no ε (∞) once the δ of the mechanisms, %s by now, are more than their part of "+
			"δ, which is %s (see --leak). ", delta.Text(), report.Typed(r.leak))
	}
	return spent + "This holds if the mechanisms with a δ are probabilistically DP. What checkrr compose prints is " +
		"not, but (ε, δ)-DP: that is " +
		"probabilistically DP with any larger ε′ and the δ′ = δ(1 + e^(−ε′))/(1 − e^(ε − ε′))."
}

func inJSON(value any) []byte {
	text, err := json.Marshal(report.Doubles{Output: value})
	report.Must(err)
	return text
}

// maxSample is how many readings are kept at most; an even number.
const maxSample = 4096

// sample keeps some of many readings, evenly: all of them while they are few, then every second, every fourth, and so
// on.
type sample struct {
	seen, stride int
	kept         []ledger.Reading
}

// add counts a reading, which is made only if it is kept.
func (s *sample) add(read func() ledger.Reading) {
	s.stride = max(s.stride, 1)
	if s.seen%s.stride == 0 {
		if len(s.kept) == maxSample {
			for i := range maxSample / 2 {
				s.kept[i] = s.kept[2*i]
			}
			s.kept, s.stride = s.kept[:maxSample/2], 2*s.stride
		}
		s.kept = append(s.kept, read())
	}
	s.seen++
}

// with returns what is kept, and the last reading, if that is one of an event.
func (s *sample) with(last ledger.Reading) []ledger.Reading {
	if n := len(s.kept); last.Events == 0 || n > 0 && s.kept[n-1].Events == last.Events {
		return s.kept
	}
	return append(s.kept[:len(s.kept):len(s.kept)], last)
}

// maxPoints is how many events the table shows.
const maxPoints = 20

// counted says how many events there were.
func (r *running) counted() string {
	counted := report.Plural(r.odometer.State().Events-r.earlier, "event")
	if r.earlier > 0 {
		counted += fmt.Sprintf(" after %d earlier", r.earlier)
	}
	if r.o.state.isDry {
		counted += ", asked only"
	}
	return counted
}

func (r *running) writeTable(w io.Writer) {
	fmt.Fprintf(w, "Ledger  %s, rule %s, δ = %s\n\n", r.counted(), r.o.rule, r.o.delta.Text)
	t := report.NewTable("event", "V", "ε up to here").Right(1, 2, 3)
	points := r.sample.with(r.odometer.Read())
	for _, i := range report.Evenly(len(points), maxPoints) {
		p := points[i]
		t.Row(p.Events, shortAbove(p.V.Hi), shortAbove(p.Eps))
	}
	t.Write(w)
	if reading := r.reading(); reading != "" {
		fmt.Fprintln(w, "\n"+reading)
	}
}

// draw draws ε over V, where there is one.
func (r *running) draw(picture run.Plot, stderr io.Writer) error {
	var curve plotter.XYs
	for _, p := range r.sample.with(r.odometer.Read()) {
		if boundOf(p.V.Hi) != nil && boundOf(p.Eps) != nil {
			curve = append(curve, plotter.XY{X: p.V.Hi, Y: p.Eps})
		}
	}
	title := fmt.Sprintf("Odometer over %s, δ = %s", r.counted(), r.o.delta.Text)
	figure := report.NewFigure(title, "V, the sum of ε² so far", "ε spent so far")
	report.LabelEnds(figure)(r.o.rule, curve, report.Look{Color: report.RuleColor})
	figure.X.Min, figure.Y.Min = 0, 0
	figure.X.Tick.Marker, figure.Y.Tick.Marker = plot.DefaultTicks{}, plot.DefaultTicks{}
	return picture.Draw(stderr, figure)
}

// shortAbove shows the decimal that stands for a float64, rounded up to six digits.
func shortAbove(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	decimal, _, err := big.ParseFloat(report.Short(x, -1), 10, 200, big.ToNegativeInf)
	if err != nil || x == 0 {
		return "0"
	}
	return report.RoundTo(decimal, 6, true).String()
}
