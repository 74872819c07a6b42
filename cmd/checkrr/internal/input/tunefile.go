package input

import (
	"encoding/json"
	"io"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit/program"
)

// TuneFile is a selection among the runs of an outside program, and what they may spend.
type TuneFile struct {
	Command     []string
	Dir         string            // where it runs; "" is the working directory
	Candidates  []json.RawMessage // the inputs of the program
	Budget, Run Spending          // of the selection, and of each run
	Method      string            // such as random-stop
	Threshold   *float64          // of the score; nil if there is none

	Target, Fail, Slack *big.Rat // in (0, 1); nil for the default

	Patience time.Duration // for a run
}

// Spending is an ε and a δ.
type Spending struct{ Eps, Delta *big.Rat }

const maxCandidates = 100_000

// tuneForm is what such a file looks like, with inputs of any form.
var tuneForm = func() form {
	f := auditForm
	f.name, f.keys = "a file of candidates", "command, candidates, budget and run"
	return f
}()

// ReadTune reads the file of candidates name, or standard input if that is "-", for one of some methods,
// of which the first needs a threshold.
func ReadTune(name string, in *Inputs, methods []string) (*TuneFile, error) {
	f, shown, err := OpenInput(name, in)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := decodeTune(shown, f, methods)
	if err != nil {
		return nil, err
	}
	t.Dir = folderOf(name, f) // so that the command can name files next to it
	return t, nil
}

func decodeTune(name string, r io.Reader, methods []string) (*TuneFile, error) {
	d := &tuneDecoder{source{name, tuneForm}, methods, TuneFile{Method: methods[1], Patience: program.DefaultPatience}}
	if err := d.read(r, d.tune); err != nil {
		return nil, err
	}
	return &d.file, nil
}

// tuneDecoder reads one file of candidates.
type tuneDecoder struct {
	source
	methods []string
	file    TuneFile
}

var tuneKeys = []string{"command", "candidates", "budget", "run", "method", "threshold", "target", "fail", "slack",
	"patience"}

// tune reads the whole file.
func (d *tuneDecoder) tune(root ast.Node) {
	values := d.keys(root, tuneKeys)
	for i, example := range []string{"a list such as [python3, tune.py]", "a list of inputs, one for each candidate",
		spendingForm, spendingForm} {
		if values[i] == nil {
			d.fail(root, "%s is missing, must be %s", tuneKeys[i], example)
		}
	}
	for i, value := range values {
		if value != nil {
			d.key(tuneKeys[i], value)
		}
	}
	switch needs := d.file.Method == d.methods[0]; {
	case needs && d.file.Threshold == nil:
		d.fail(root, "threshold is missing, must be a score for the method %s", d.file.Method)
	case !needs && d.file.Threshold != nil:
		d.fail(values[5], "threshold is given, but not used by the method %s, only by %s", d.file.Method, d.methods[0])
	}
}

// key reads the value of a key.
func (d *tuneDecoder) key(key string, n ast.Node) {
	f := &d.file
	switch key {
	case "command":
		f.Command = d.words(key, n)
	case "candidates":
		for i, entry := range d.list(key, n, maxCandidates) {
			f.Candidates = append(f.Candidates, d.jsonOf("candidate "+strconv.Itoa(i+1), entry))
		}
	case "budget":
		f.Budget = d.spending(key, n)
	case "run":
		f.Run = d.spending(key, n)
	case "method":
		f.Method = d.word(key, n, d.methods)
	case "threshold":
		r, typed := d.number(key, n)
		x, _ := r.Float64()
		if f.Threshold = &x; math.IsInf(x, 0) {
			d.fail(n, "threshold is %s, must be at most 1.8e308", report.Quote(typed))
		}
	case "target":
		f.Target, _ = d.number(key, n, Between0And1)
	case "fail":
		f.Fail, _ = d.number(key, n, Between0And1)
	case "slack":
		f.Slack, _ = d.number(key, n, Between0And1)
	case "patience":
		f.Patience = d.seconds(key, n)
	}
}

const spendingForm = "{eps: 0.3, delta: 1e-9}, of which delta may be left out"

// spending reads {eps: …, delta: …}.
func (d *tuneDecoder) spending(what string, n ast.Node) Spending {
	values := d.mapping(what, spendingForm, n, []string{"eps", "delta"})
	if values[0] == nil {
		d.fail(n, "%s: eps is missing, must be greater than 0", what)
	}
	s := Spending{Delta: new(big.Rat)}
	s.Eps, _ = d.number(what+": eps", values[0], Positive)
	if values[1] != nil {
		s.Delta, _ = d.number(what+": delta", values[1], below1)
	}
	return s
}

var below1 = ruleOfNumber("at least 0 and less than 1", func(x *big.Rat) bool {
	return x.Sign() >= 0 && x.Cmp(ratOne) < 0
})
