package command

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
)

// plannedAudit is an audit of a file that is shown, and not made.
type plannedAudit struct {
	*input.AuditFile
	name    string
	timeout time.Duration
	alpha   *big.Rat
	limits  audit.Options
}

// showFile reads and checks a file, and shows what would be run. It starts nothing.
func (a app) showFile(ctx context.Context, flags *pflag.FlagSet, o auditOptions, name string,
	limits audit.Options) error {
	f, err := a.readAudit(ctx, o, name)
	if err != nil {
		return err
	}
	o.takeBudget(flags, f, &limits)
	p := &plannedAudit{f, input.NameOf(name), o.timeout, o.alpha.Value, limits}
	return a.Write("", o.json, p.toJSON, p.write)
}

// write prints the plan for a person.
func (p *plannedAudit) write(w io.Writer) {
	line := linesTo(w)
	if p.Law == nil {
		folder := "the working directory"
		if p.Dir != "" {
			folder = report.Quote(p.Dir)
		}
		line("Command", "%s", strings.Join(p.words(), " "))
		line("Folder", "%s", folder)
	}
	shown := &audited{subject: &subject{name: p.name, claim: p.Claim, charges: p.Charges, delta: p.Delta}}
	line("Claim", "%s is %s", report.Name(p.name), shown.claimed())
	budget := fmt.Sprintf("%d samples, %v, alpha %s, memory %d MiB", p.limits.Samples, p.timeout,
		report.Typed(p.alpha), p.limits.Memory>>20)
	switch {
	case p.Law != nil:
		line("Law", "of %s, as given: there is no program", report.Plural(len(p.Law.Cells), "output"))
	case p.Search != nil:
		line("Inputs", "searched for: lists of %d to %d of %s", p.Search.Shortest, p.Search.Longest,
			report.Plural(len(p.Search.Values), "value"))
		line("Budget", "%s", budget)
	case p.Noise != nil:
		line("Inputs", "%s of neighbours, on every value of the noise", report.Plural(len(p.Neighbours), "pair"))
		line("Budget", "%v", p.timeout)
	default:
		line("Inputs", "%s of neighbours", report.Plural(len(p.Neighbours), "pair"))
		line("Budget", "%s", budget)
	}
	line("", "checked only: nothing was run")
}

// words returns the command so that a shell would take it for the same words.
func (p *plannedAudit) words() []string {
	words := slices.Clone(p.Command)
	for i, word := range words {
		if word == "" || strings.ContainsFunc(word,
			func(r rune) bool { return !strings.ContainsRune(plainInShells, r) }) {
			words[i] = strconv.Quote(word)
		}
	}
	return words
}

// plainInShells is what needs no quotes.
const plainInShells = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%"

// toJSON is the output of checkrr audit --no-run --json.
func (p *plannedAudit) toJSON() report.Object {
	return report.Output(
		"subject", p.name,
		"command", p.Command,
		"folder", p.Dir, // "" is the working directory
		"claim", claimedJSON(p.Claim, report.Up),
		"pairs", len(p.Neighbours), // 0 if they are searched for
		"max_samples", p.limits.Samples,
		"max_seconds", report.Microseconds(p.timeout),
		"alpha", report.Up.Rat(p.alpha),
		"max_bytes", p.limits.Memory,
	)
}
