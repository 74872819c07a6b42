package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// writeTable prints the noise for a person.
func (n *amount) writeTable(w io.Writer) {
	label := "Noise"
	for _, same := range alike(n.entries()) {
		of := ""
		if len(n.Pipeline.Mechanisms) > 1 {
			of = fmt.Sprintf(" in %s (%s)", placesOf(same), same[0].kind)
		}
		fmt.Fprintf(w, "%-9s %s%s is enough, %s\n", label, same[0].noise, of, n.below(same[0]))
		label = ""
	}
	if slices.ContainsFunc(n.Pipeline.Mechanisms, isSampled) {
		fmt.Fprintf(w, "%-9s with Poisson sampling, as in the file\n", label)
	}
	fmt.Fprintf(w, "%-9s for neighbours that differ by %s\n", label, n.problem.ShownNeighbours().Says())
	if hasBound(n.problem) {
		fmt.Fprintf(w, "%-9s %s\n", label, onlyBound)
	}
	writeLosses(w, n.problem)
	lower, upper := report.Agreement(n.Result.OptDel)
	fmt.Fprintf(w, "OptDel    between %s and %s, at most δ = %s\n", lower, upper, report.Typed(n.delta))
	stops := n.Pipeline.Stops
	if n.eps != nil {
		fmt.Fprintf(w, "Charge    ε = %s %s\n", report.Typed(n.eps), n.problem.StopPlace(n.at))
	}
	if n.plain != nil {
		fmt.Fprintf(w, "Plain DP  ε = %s with this noise, wherever the run stops\n", chargeCell(n.plain))
	}
	writeCaveats(w, n.caveats())
	fmt.Fprintf(w, "Shape     %s\n", n.shape)
	writePipeline(w, stops)
	if n.shape != impl.Given {
		fmt.Fprintf(w, "Mean E    %s\n", chargeCell(n.exactMean()))
	}
	fmt.Fprintf(w, "Method    %s in %s, %s, %s\n\n", n.Result.Method, n.Result.Arithmetic,
		report.Plural(n.Trials, "trial"), report.Duration(n.elapsed))
	n.writeStops(w, len(stops), []any{"stop after", "charge E"}, func(i int) []any {
		if n.shape == impl.Given {
			return []any{n.problem.StopName(i), report.Clip(n.problem.Charges[i], 24)}
		}
		return []any{n.problem.StopName(i), chargeCell(stops[i].Eps.Rat())}
	})
}

// below says which noise is not enough.
func (n *amount) below(e noiseEntry) string {
	switch {
	case e.notEnough != nil:
		if len(n.Pipeline.Stops) > 1 && n.shape != impl.Given {
			return e.notEnough.String() + " is not, with this shape"
		}
		return e.notEnough.String() + " is not"
	case n.Shortfall != "":
		return "whether less is, is not known"
	}
	return "and checkrr takes no less: less may be enough, too"
}

// alike returns entries with the same noise together.
func alike(entries []noiseEntry) (all [][]noiseEntry) {
	for _, e := range entries {
		i := slices.IndexFunc(all, func(same []noiseEntry) bool {
			x, y := same[0].notEnough, e.notEnough
			return same[0].kind == e.kind && same[0].noise == e.noise && (x == nil) == (y == nil) &&
				(x == nil || *x == *y)
		})
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], e)
	}
	return all
}

// placesOf says which entries of the file these are, but for some in the middle if there are many.
func placesOf(entries []noiseEntry) string {
	if len(entries) == 1 {
		return fmt.Sprintf("mechanism %d", entries[0].place)
	}
	var places []string
	for _, e := range entries {
		places = append(places, fmt.Sprint(e.place))
	}
	if n := len(places); n > 5 {
		places = []string{places[0], places[1], "…", places[n-1]}
	}
	return "mechanisms " + strings.Join(places, ", ")
}

// entries returns the noise of each entry that has some.
func (n *amount) entries() []noiseEntry {
	entries := noiseOf(n.problem, n.Pipeline.Mechanisms)
	for i, e := range entries {
		if n.TooLittle != nil {
			entries[i].notEnough = new(report.Down.Rat(n.problem.TypedScale(n.TooLittle[e.place-1].Additive)))
		}
	}
	return entries
}

// toJSON is the output of --json.
func (n *amount) toJSON() report.Object {
	var noise, stops []report.Object
	for _, e := range n.entries() {
		noise = append(noise, append(e.toJSON(), "not_enough", e.notEnough))
	}
	for i, s := range n.Pipeline.Stops {
		key := map[bool]string{false: "eps?", true: "exp_eps?"}[s.Eps.Log]
		stops = append(stops, report.Object{"after", s.After, "label?", n.problem.Label(i), key,
			report.Up.OrNull(s.Eps.Rat())})
	}
	var after, width any // null if the charges are given, and if nothing is known that is not enough
	if n.eps != nil {
		after = n.Pipeline.Stops[n.at].After
	}
	if n.TooLittle != nil {
		width = n.NoiseDesign.RelWidth()
	}
	return report.Output(
		"delta", report.Up.Rat(n.delta),
		"eps", report.Up.OrNull(n.eps), // null, as after
		"after", after,
		"shape", n.shape,
		"neighbours?", n.problem.ShownNeighbours(), // that noise is for
		"noise", noise,
		"losses?", lossesJSON(n.problem),
		"rel_width", width,
		"plain_dp_eps?", report.Up.OrNull(n.plain),
		"schedule", stops,
		"optdel", report.ToJSON(n.Result.OptDel),
		"trials", n.Trials,
		"method", n.Result.Method,
		"arithmetic", n.Result.Arithmetic,
		"seconds", report.Microseconds(n.elapsed),
		"shortfall?", n.Shortfall,
		"caveats?", n.caveats(),
	)
}
