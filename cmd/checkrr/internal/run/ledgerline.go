package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// ledgerLine is the stop after which a pipeline ended, if its line of a ledger is asked for.
type ledgerLine struct {
	typed string
	stop  int // its index
}

// AddTo adds the flag.
func (l *ledgerLine) AddTo(f *pflag.FlagSet) {
	f.StringVar(&l.typed, "ledger", "",
		"print the line for checkrr account of a run that stopped there, such as `after=700`, and nothing else")
}

// isWanted reports whether the line is asked for.
func (l *ledgerLine) isWanted() bool { return l.typed != "" }

// check refuses the flag beside --json.
func (l *ledgerLine) check(isJSON bool) error {
	switch {
	case !l.isWanted():
		return nil
	case isJSON:
		return errors.New("--ledger and --json are both given, must be one of them: the line is JSON")
	}
	return nil
}

// find finds the stop, and refuses what is none.
func (l *ledgerLine) find(p *input.Problem) error {
	if !l.isWanted() {
		return nil
	}
	var err error
	l.stop, err = stopAt("--ledger", l.typed, p)
	return err
}

// writeLedgerLine writes the event: every stop is a part that costs what is charged there, all of them share δ, and
// what was observed is at which stop the run ended. An accountant admits it if the worst part fits, and charges the one
// that was observed. plain, unless nil, is an ε for which the pipeline is (ε, δ)-DP as a whole.
func (s *solved) writeLedgerLine(w io.Writer, stops []impl.Stop, delta string, plain *big.Rat, note string) {
	var parts []string
	for i, stop := range stops {
		eps := chargeCell(stop.Eps.Rat())
		if stop.Eps.Log {
			eps = `{"exp_eps": ` + numberJSON(report.Typed(stop.Eps.Rat())) + "}"
		}
		parts = append(parts, quoteJSON("after "+s.problem.StopName(i))+": "+eps)
	}
	more := ""
	if s.problem.Neighbours != input.AddOrRemove {
		text, err := json.Marshal(s.problem.Neighbours)
		report.Must(err)
		more = fmt.Sprintf(`"neighbours": %s, `, text)
	}
	if plain != nil {
		more += fmt.Sprintf(`"dp": {"eps": %s, "delta": %s}, `, chargeCell(plain), numberJSON(delta))
		note += "; dp is not probabilistic DP: not for checkrr odometer"
	}
	observed := quoteJSON("after " + s.problem.StopName(s.o.Ledger.stop))
	fmt.Fprintf(w, `{"mechanism": %s, "parts": {%s}, "delta": %s, "observed": %s, %s"note": %s}`+"\n",
		quoteJSON(s.name), strings.Join(parts, ", "), numberJSON(delta), observed, more, quoteJSON(note))
}

// numberJSON returns a number as an event has it: a ratio is a string.
func numberJSON(text string) string {
	if strings.Contains(text, "/") {
		return quoteJSON(text)
	}
	return text
}

func quoteJSON(text string) string {
	b, err := json.Marshal(text)
	report.Must(err)
	return string(b)
}

// nameOf returns the name of a pipeline in a ledger: that of its file.
func nameOf(args []string) string {
	if len(args) == 0 || args[0] == "-" {
		return "pipeline"
	}
	base := filepath.Base(args[0])
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if input.CheckLabel(name) != nil {
		return "pipeline"
	}
	return name
}
