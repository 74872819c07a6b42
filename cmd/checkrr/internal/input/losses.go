package input

import (
	"errors"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/certify"
)

// Limits on a file of losses, lower in some tests.
var (
	maxLossFile = 64 << 20 // bytes
	maxLossBits = 1 << 28  // of all numbers together
	maxLosses   = certify.MaxLosses
)

// lossFiles are the files of losses that a problem names, each of which is read once.
type lossFiles struct {
	named
	known map[string]*certify.Losses
}

// read returns what is in a file, and its name from here; nil if all of it is lost.
func (f *lossFiles) read(name string) (l *certify.Losses, path string, err error) {
	path = f.path(name)
	if l, isKnown := f.known[path]; isKnown {
		return l, path, nil
	}
	file, err := f.open(name)
	if err != nil {
		return nil, path, err
	}
	defer file.Close()
	if l, err = decodeLosses(path, file); err != nil {
		return nil, path, err
	}
	f.known[path] = l
	return l, path, nil
}

// lossLine is a line of such a file.
type lossLine struct {
	loss, mass *big.Rat // no loss for an infinite one
	at         position // of the mass
}

// bits returns the size of the numbers.
func (l lossLine) bits() (n int) {
	for _, x := range []*big.Rat{l.loss, l.mass} {
		if x != nil {
			n += x.Num().BitLen() + x.Denom().BitLen()
		}
	}
	return n
}

// decodeLosses reads lines "loss,mass", and "inf,mass" for P-mass where Q = 0. Losses may come in any order, and more
// than once; P-mass that is missing from 1 counts as lost. What is behind # is a comment, and the first line may be the
// header loss,mass. It returns nil if all P-mass is lost.
func decodeLosses(name string, r io.Reader) (l *certify.Losses, err error) {
	defer caught(&err)
	s := source{name: name}
	all, err := s.text(r, maxLossFile)
	if err != nil {
		return nil, err
	}
	var lines []lossLine
	count, bits, isFirst, at := 0, 0, true, position{0, 1}
	for text := range strings.SplitSeq(all, "\n") {
		at.line++
		text, _, _ = strings.Cut(strings.TrimSuffix(text, "\r"), "#")
		isBlank := strings.TrimSpace(text) == ""
		if isBlank || isFirst && isHeader(text) {
			isFirst = isFirst && isBlank
			continue
		}
		if isFirst && !strings.ContainsAny(text, "0123456789") {
			s.failAt(at, "the first line is %s, must be the header loss,mass, or numbers",
				showCell(strings.TrimSpace(text)))
		}
		isFirst = false
		line := s.lossLine(text, at.line)
		count++
		switch bits += line.bits(); {
		case count > maxLosses:
			s.failAt(at, "this is loss %d, must be at most %d", count, maxLosses)
		case bits > maxLossBits:
			s.failAt(at, "the numbers up to here take more than %d MiB", maxLossBits>>23)
		}
		if line.mass.Sign() > 0 {
			lines = append(lines, line)
		}
	}
	return s.lossesOf(lines), nil
}

func isHeader(text string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(text), ""), "loss,mass")
}

// lossLine reads a line.
func (s source) lossLine(text string, number int32) (line lossLine) {
	parts := strings.Split(text, ",")
	if len(parts) != 2 {
		s.failAt(position{number, 1}, "the line is %s, must be of the form loss,mass",
			showCell(strings.TrimSpace(text)))
	}
	at := func(before string, part string) position { // of the first letter of a part
		blanks := len(part) - len(strings.TrimLeft(part, " \t"))
		return position{number, int32(utf8.RuneCountInString(before)+blanks) + 1}
	}
	cell := func(name, text string, at position) *big.Rat {
		x, err := parseCell(strings.TrimSpace(text))
		if err != nil {
			s.failAt(at, "%s %s", name, err)
		}
		return x
	}
	if !isInfinite(strings.TrimSpace(parts[0])) {
		line.loss = cell("loss", parts[0], at("", parts[0]))
		if x, _ := line.loss.Float64(); math.Abs(x) > certify.MaxLoss {
			s.failAt(at("", parts[0]), "loss is %s, must be between -%d and %[2]d, or inf",
				report.Quote(strings.TrimSpace(parts[0])), certify.MaxLoss)
		}
	}
	line.at = at(parts[0]+",", parts[1])
	if line.mass = cell("mass", parts[1], line.at); line.mass.Sign() < 0 {
		s.failAt(line.at, "mass is %s, must be at least 0", report.Quote(strings.TrimSpace(parts[1])))
	}
	return line
}

func isInfinite(loss string) bool {
	loss = strings.TrimPrefix(loss, "+")
	return strings.EqualFold(loss, "inf") || strings.EqualFold(loss, "infinity")
}

// lossesOf returns what the lines of a file say together.
func (s source) lossesOf(lines []lossLine) *certify.Losses {
	start := position{1, 1}
	var masses []*big.Rat
	var list [][2]*big.Rat
	for _, line := range lines {
		masses = append(masses, line.mass)
		if line.loss != nil {
			list = append(list, [2]*big.Rat{line.loss, line.mass})
		}
	}
	slices.SortStableFunc(list, func(x, y [2]*big.Rat) int { return x[0].Cmp(y[0]) })
	list = together(list)
	if len(masses) == 0 {
		s.failAt(start, "there are no losses with a mass above 0, must be at least one, as lines of the form loss,mass")
	}
	sum, denom, err := certify.SumOf(masses)
	if err != nil {
		s.failAt(start, "%s", err)
	}
	if excess := sum.Sub(sum, denom); excess.Sign() > 0 {
		more := new(big.Float).Quo(new(big.Float).SetInt(excess), new(big.Float).SetInt(denom))
		list = withoutLeast(list, new(big.Rat).SetFrac(excess, denom))
		if more.Cmp(big.NewFloat(certify.MostExcess)) > 0 {
			s.failAt(passing(lines, func(lossLine) float64 { return 1 }),
				"the masses up to here sum to more than 1, all of them to 1 + about %.3g: must be at most 1", more)
		}
	}
	if len(list) == 0 {
		return nil
	}
	l, err := certify.NewLosses(list)
	if _, isExcess := errors.AsType[*certify.ExcessError](err); isExcess {
		s.failAt(passing(lines, massUnderQ), "%s (a loss is ln P/Q, and a mass that of P)", err)
	}
	if err != nil {
		s.failAt(start, "%s", err)
	}
	return l
}

// massUnderQ is what the mass of a line is multiplied by to be that under Q.
func massUnderQ(line lossLine) float64 {
	if line.loss == nil {
		return 0
	}
	x, _ := line.loss.Float64()
	return math.Exp(-x)
}

// together returns losses that are the same as one.
func together(list [][2]*big.Rat) (all [][2]*big.Rat) {
	for _, x := range list {
		if n := len(all); n > 0 && all[n-1][0].Cmp(x[0]) == 0 {
			all[n-1][1] = new(big.Rat).Add(all[n-1][1], x[1])
			continue
		}
		all = append(all, x)
	}
	return all
}

// withoutLeast takes a little too much mass off the least losses. Every pair of laws that masses above 1 dominate is
// dominated by what is left: see docs/dominating-pairs.md.
func withoutLeast(list [][2]*big.Rat, excess *big.Rat) [][2]*big.Rat {
	for len(list) > 0 && excess.Sign() > 0 {
		if list[0][1].Cmp(excess) > 0 {
			list[0][1] = new(big.Rat).Sub(list[0][1], excess)
			break
		}
		excess = new(big.Rat).Sub(excess, list[0][1])
		list = list[1:]
	}
	return list
}

// passing returns the place of the mass with which the sum of masses times weights is more than 1, or of the last one.
func passing(lines []lossLine, weight func(lossLine) float64) (at position) {
	sum := 0.0
	for _, line := range lines {
		x, _ := line.mass.Float64()
		at = line.at
		if sum += x * weight(line); sum > 1+certify.MostExcess/2 {
			break
		}
	}
	return at
}

// losses returns what the file says that a field names; nil if all of it is lost.
func (d *mechanisms) losses(f Field) (*certify.Losses, error) {
	if f.Value == "" {
		return nil, f.fault(errors.New("is empty, must be the name of a file with lines of the form loss,mass"))
	}
	l, path, err := d.files.read(f.Value)
	if _, isFault := errors.AsType[*FileError](err); isFault {
		return nil, err
	}
	if err != nil {
		return nil, &entryError{f.at, wrongName("losses", err)}
	}
	if l == nil {
		if !slices.Contains(d.lost, path) {
			d.lost = append(d.lost, path)
		}
		return nil, nil
	}
	d.paths[l] = path
	return l, nil
}
