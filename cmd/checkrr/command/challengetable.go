package command

import (
	"fmt"
	"io"
	"math/big"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// remembered is what the rule remembers, in a few words.
func (c *contest) remembered(memory any) string {
	name := "V = "
	if c.o.rule == "sum" {
		name = "Σε = "
	}
	switch memory := memory.(type) {
	case ledger.Sums:
		return name + memory.String()
	case fmt.Stringer:
		return memory.String()
	}
	return fmt.Sprint(memory)
}

// played is a mechanism, as typed, and of one with parts in which the loss goes up and down.
func (c *contest) played(p ledger.Play) string {
	if p.Parts == nil {
		return c.names[p.Choice]
	}
	parts := c.parts[p.Choice].Parts
	eps := func(i int) string { return report.Short(loss.Float64(parts[p.Parts[i]].Eps), 6) }
	return fmt.Sprintf("%s: +%s or −%s", c.names[p.Choice], eps(0), eps(1))
}

// maxPlays is how many lines of the adversary the table shows.
const maxPlays = 20

func (c *contest) writeTable(w io.Writer) {
	fmt.Fprintf(w, "Verdict  %s: %s\n", c.verdict, c.reason())
	fmt.Fprintf(w, "Worst    %s\n", report.Between(c.result.Worst))
	fmt.Fprintf(w, "Claimed  %s\n", report.Typed(c.delta))
	fmt.Fprintf(w, "Rule     %s, --budget %s%s\n", c.o.rule, c.o.budget, c.split())
	fmt.Fprintf(w, "Menu     %s, %s, %s\n", strings.Join(c.names, "; "), report.Plural(c.o.rounds, "round"),
		report.Duration(c.elapsed))
	plays := c.result.Adversary
	if len(plays) == 0 {
		fmt.Fprintln(w, "\nThe worst adversary stops at once: nothing can be gained.")
		return
	}
	fmt.Fprintln(w)
	t := report.NewTable("round", "the rule remembers", "loss so far", "plays").Right(1)
	unit := loss.Float64(c.result.Unit)
	for _, p := range plays[:min(len(plays), maxPlays)] {
		at := "∞"
		if !p.Infinite {
			at = report.Short(float64(p.Least)*unit, 6)
			if p.Most > p.Least {
				at += " to " + report.Short(float64(p.Most)*unit, 6)
			}
		}
		t.Row(p.Round, c.remembered(p.Memory), at, c.played(p))
	}
	t.Write(w)
	if len(plays) > maxPlays || !c.result.Complete {
		fmt.Fprintln(w, "\nMore lines were left out: --json shows up to 1000.")
	}
	fmt.Fprintln(w, "\nElsewhere this adversary stops.")
}

// reason says what the verdict is about.
func (c *contest) reason() string {
	relation := map[run.Verdict]string{run.Holds: "is at most", run.Refuted: "is more than",
		run.Inconclusive: "may or may not be at most"}[c.verdict]
	return c.sought() + " " + relation + " what is claimed"
}

// split says how δ is.
func (c *contest) split() string {
	if c.leak == nil {
		return ""
	}
	return fmt.Sprintf(", δ″ = %s for the mechanisms' own", report.Typed(c.leak))
}

// multiples returns the range from one multiple of an ε to another.
func multiples(of loss.Epsilon, least, most int) report.Object {
	const prec = interval.Precision(128)
	end := func(s report.Side, k int) report.Number {
		if !of.Log {
			return s.Rat(new(big.Rat).Mul(of.Rat(), big.NewRat(int64(k), 1)))
		}
		x := prec.Mul(loss.Enclose(of, prec), prec.Int(int64(k)))
		return s.Float(map[report.Side]*big.Float{report.Down: x.Lower, report.Up: x.Upper}[s])
	}
	return report.Object{"least", end(report.Down, least), "most", end(report.Up, most)}
}

// toJSON is the output of --json.
func (c *contest) toJSON() report.Object {
	plays := []report.Object{}
	for _, p := range c.result.Adversary {
		var so report.Object // null: infinite
		if !p.Infinite {
			so = multiples(c.result.Unit, p.Least, p.Most)
		}
		plays = append(plays, report.Object{"round", p.Round, "remembered", c.remembered(p.Memory), // by the rule
			"loss", so, "mechanism", p.Choice, // of the menu, from 0
			"parts?", p.Parts}) // where the loss is +ε and where −ε, from 0; of a menu with parts
	}
	return report.Output(
		"rule", c.o.rule,
		"claimed_delta", claimSide(c.verdict == run.Refuted).Rat(c.delta),
		"worst_delta", report.ToJSON(c.result.Worst),
		"verdict", c.verdict,
		"adversary", report.Object{"complete", c.result.Complete, "plays", plays}, // whether these are all of its plays
		"budget", c.o.budget, // this and the rest as typed
		"menu", c.names,
		"rounds", c.o.rounds,
		"seconds", report.Microseconds(c.elapsed),
	)
}
