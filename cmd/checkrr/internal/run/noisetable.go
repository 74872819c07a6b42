package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// writeTable prints the noise for a person.
func (n *amount) writeTable(w io.Writer) {
	label := "Noise"
	for _, same := range alike(n.entries()) {
		of := ""
		if len(n.Pipeline.Mechanisms) > 1 {
			of = fmt.Sprintf(" in %s (%s)", placesOf(same), same[0].Kind)
		}
		fmt.Fprintf(w, "%-9s %s%s is enough, %s\n", label, same[0].Noise, of, n.below(same[0]))
		label = ""
	}
	if slices.ContainsFunc(n.Pipeline.Mechanisms, isSampled) {
		fmt.Fprintf(w, "%-9s with Poisson sampling, as in the file\n", label)
	}
	fmt.Fprintf(w, "%-9s for neighbours that differ by %s\n", label, n.problem.ShownNeighbours().Says())
	writeLosses(w, n.problem)
	lower, upper := report.Agreement(n.Result.OptDel)
	fmt.Fprintf(w, "OptDel    between %s and %s, at most δ = %s\n", lower, upper, report.Typed(n.delta))
	stops := n.Pipeline.Stops
	if n.eps != nil {
		fmt.Fprintf(w, "Charge    ε = %s after %d\n", report.Typed(n.eps), stops[n.stop].After)
	}
	fmt.Fprintf(w, "Shape     %s\n", n.shape)
	writePipeline(w, stops)
	fmt.Fprintf(w, "Method    %s in %s, %s, %s\n\n", n.Result.Method, n.Result.Arithmetic,
		report.Plural(n.Trials, "trial"), report.Duration(n.elapsed))
	n.writeStops(w, len(stops), []any{"stop after", "charge E"}, func(i int) []any {
		if n.shape == impl.Given {
			return []any{stops[i].After, report.Clip(n.problem.Charges[i], 24)}
		}
		return []any{stops[i].After, chargeCell(stops[i].Eps.Rat())}
	})
}

// noiseJSON is the noise of an entry that is enough, in JSON.
type noiseJSON struct {
	noiseEntry
	NotEnough *report.Number `json:"not_enough"` // null if no less is known, or none is taken
}

// below says which noise is not enough.
func (n *amount) below(e noiseJSON) string {
	switch {
	case e.NotEnough != nil:
		if len(n.Pipeline.Stops) > 1 && n.shape != impl.Given {
			return e.NotEnough.String() + " is not, with this shape"
		}
		return e.NotEnough.String() + " is not"
	case n.Shortfall != "":
		return "whether less is, is not known"
	}
	return "and checkrr takes no less: less may be enough, too"
}

// alike returns entries with the same noise together.
func alike(entries []noiseJSON) (all [][]noiseJSON) {
	for _, e := range entries {
		i := slices.IndexFunc(all, func(same []noiseJSON) bool {
			x, y := same[0].NotEnough, e.NotEnough
			return same[0].Kind == e.Kind && same[0].Noise == e.Noise && (x == nil) == (y == nil) && (x == nil || *x == *y)
		})
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], e)
	}
	return all
}

// placesOf says which entries of the file these are, but for some in the middle if there are many.
func placesOf(entries []noiseJSON) string {
	if len(entries) == 1 {
		return fmt.Sprintf("mechanism %d", entries[0].Mechanism)
	}
	var places []string
	for _, e := range entries {
		places = append(places, fmt.Sprint(e.Mechanism))
	}
	if n := len(places); n > 5 {
		places = []string{places[0], places[1], "…", places[n-1]}
	}
	return "mechanisms " + strings.Join(places, ", ")
}

// entries returns the noise of each entry that has some.
func (n *amount) entries() (entries []noiseJSON) {
	for _, enough := range noiseOf(n.problem, n.Pipeline.Mechanisms) {
		e := noiseJSON{noiseEntry: enough}
		if n.TooLittle != nil {
			e.NotEnough = new(report.Down.Rat(n.problem.TypedScale(n.TooLittle[e.Mechanism-1].Additive)))
		}
		entries = append(entries, e)
	}
	return entries
}

// amountJSON is the output of checkrr noise --json.
type amountJSON struct {
	SchemaVersion int                 `json:"schema_version"`
	Delta         report.Number       `json:"delta"`
	Eps           *report.Number      `json:"eps"` // null, as after, if the charges are given
	After         *int                `json:"after"`
	Shape         impl.Shape          `json:"shape"`
	Neighbours    input.Neighbours    `json:"neighbours,omitempty"` // that noise is for
	Noise         []noiseJSON         `json:"noise"`
	Losses        []lossFile          `json:"losses,omitempty"`
	RelWidth      *float64            `json:"rel_width"` // null if nothing is known that is not enough
	Schedule      []chargedStopJSON   `json:"schedule"`
	OptDel        report.IntervalJSON `json:"optdel"`
	Trials        int                 `json:"trials"`
	Method        impl.Method         `json:"method"`
	Arithmetic    string              `json:"arithmetic"`
	Seconds       float64             `json:"seconds"`
	Shortfall     string              `json:"shortfall,omitempty"`
}

type chargedStopJSON struct {
	After  int            `json:"after"`
	Eps    *report.Number `json:"eps,omitempty"`
	ExpEps *report.Number `json:"exp_eps,omitempty"` // for eps, if a charge is given so
}

func (n *amount) toJSON() amountJSON {
	out := amountJSON{
		SchemaVersion: report.SchemaVersion,
		Delta:         report.Up.Rat(n.delta), Eps: report.Up.OrNull(n.eps), Shape: n.shape,
		Neighbours: n.problem.ShownNeighbours(),
		Noise:      n.entries(), Losses: lossFiles(n.problem), OptDel: report.ToJSON(n.Result.OptDel), Trials: n.Trials,
		Method: n.Result.Method, Arithmetic: n.Result.Arithmetic, Seconds: report.Microseconds(n.elapsed),
		Shortfall: n.Shortfall,
	}
	if n.eps != nil {
		out.After = &n.Pipeline.Stops[n.stop].After
	}
	if n.TooLittle != nil {
		width := n.NoiseDesign.RelWidth()
		out.RelWidth = &width
	}
	for _, s := range n.Pipeline.Stops {
		stop := chargedStopJSON{After: s.After}
		if x := report.Up.OrNull(s.Eps.Rat()); s.Eps.Log {
			stop.ExpEps = x
		} else {
			stop.Eps = x
		}
		out.Schedule = append(out.Schedule, stop)
	}
	return out
}
