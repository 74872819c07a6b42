package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	v2 "github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
)

// Regression is from where, and how far, the figures of a file of claims must not move.
type Regression struct {
	Line      int               // where it stands
	Baseline  string            // the name of a file from here
	Tolerance *big.Rat          // a share of the figure of the baseline
	Figures   map[string]string // of this file in the baseline, by the names of claims
	File      string            // as the baseline, which may have figures of others, calls this file
	Missing   error             // says that the baseline is yet to be written; nil if it is there
}

const regressionForm = "{baseline: claims.lock.json, tolerance: 1%}"

// regressionKeys are the keys of a regression.
var regressionKeys = []string{"baseline", "tolerance"}

// regression reads a regression of a file, and its baseline.
func (s source) regression(n ast.Node, file string, others named) *Regression {
	values := s.mapping("regression", regressionForm, n, regressionKeys)
	if values[0] == nil {
		s.fail(n, "regression has no baseline, must be of the form %s", regressionForm)
	}
	name := s.scalar("regression: baseline", values[0], "the name of a file")
	r := &Regression{Line: int(placeOf(n).line), Baseline: others.path(name), Tolerance: new(big.Rat)}
	if values[1] != nil {
		r.Tolerance = s.share("regression: tolerance", values[1])
	}
	r.File = nameFrom(r.Baseline, file)
	if name == "" || report.IsOpen(r.Baseline) {
		s.fail(values[0], "regression: baseline is %s, must be the name of a file", report.Quote(name))
	}
	f, err := others.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		r.Missing = s.fault(placeOf(values[0]), "regression: baseline is %s, which is not there; checkrr check "+
			"--update writes it, and runs programs", report.Quote(name))
		return r
	}
	if err != nil {
		s.fail(values[0], "%s", wrongName("regression: baseline", err))
	}
	defer f.Close()
	all, err := figuresOf(f)
	if err != nil {
		s.fail(values[0], "regression: baseline is %s, %s", report.Quote(name), err)
	}
	r.Figures = all[r.File]
	return r
}

// nameFrom is the name of a file from the folder of another one; standard input is -.
func nameFrom(other, file string) string {
	from, err := report.Place(other)
	to, wrong := report.Place(file)
	if err != nil || wrong != nil || file == "-" {
		return file
	}
	name, err := filepath.Rel(filepath.Dir(from), to)
	if err != nil { // on another drive
		return file
	}
	return filepath.ToSlash(name)
}

// Figures are those of claims by their names, of files by theirs.
type Figures map[string]map[string]string

// figuresOf reads the figures of a baseline.
func figuresOf(f io.Reader) (Figures, error) {
	var read map[string]map[string]*string // a text that is null would be read as an empty one
	err := v2.UnmarshalRead(io.LimitReader(f, int64(maxFileSize)), &read)
	isRight, all := err == nil && read != nil, Figures{}
	for file, figures := range read {
		isRight, all[file] = isRight && figures != nil, map[string]string{}
		for name, figure := range figures {
			if isRight = isRight && figure != nil; isRight {
				all[file][name] = *figure
			}
		}
	}
	if !isRight {
		return nil, errors.New(`must be a file with figures such as {"claims.yaml": {"training": "8.26e-06"}}: delete ` +
			"it, and checkrr check --update writes it")
	}
	return all, nil
}

// Now returns the figures that are in the baseline by now: none if it is not there.
func (r *Regression) Now() (Figures, error) {
	f, err := os.Open(r.Baseline)
	if errors.Is(err, fs.ErrNotExist) {
		return Figures{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	figures, err := figuresOf(f)
	if err != nil {
		err = fmt.Errorf("%s %w", report.Name(r.Baseline), err)
	}
	return figures, err
}

// IsGone reports whether a file that the baseline has figures of is not there; standard input always is. Of a baseline
// that is a link it is not known from which folder others name their files.
func (r *Regression) IsGone(file string) bool {
	from, err := report.Place(r.Baseline) // as [nameFrom] has it
	target, wrong := filepath.EvalSymlinks(from)
	if err != nil || wrong != nil || target != from || filepath.Base(file) == "-" {
		return false
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(from), filepath.FromSlash(file))
	}
	_, err = os.Stat(file)
	return errors.Is(err, fs.ErrNotExist)
}

// share reads a number that is at least 0, or one of percent.
func (s source) share(what string, n ast.Node) *big.Rat {
	typed := s.scalar(what, n, "a number such as 1% or 0.01")
	number, isPercent := strings.CutSuffix(typed, "%")
	r, err := ParseNumber(strings.TrimSpace(number))
	if err != nil || r.Sign() < 0 {
		s.fail(n, "%s is %s, must be at least 0, such as 1%% or 0.01", what, report.Quote(typed))
	}
	switch {
	case isPercent:
		r.Mul(r, big.NewRat(1, 100))
	case r.Cmp(big.NewRat(1, 1)) >= 0:
		s.fail(n, "%s is %s, must be less than 1, or have %%: did you mean %[2]s%%?", what, report.Quote(typed))
	}
	return r
}
