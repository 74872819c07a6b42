package input

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
	"checkrr/verify/audit/program"
)

// AuditFile is what is claimed of an outside program, and how it is audited.
type AuditFile struct {
	Command    []string
	Dir        string               // where it runs; "" is the working directory
	Neighbours [][2]json.RawMessage // none if they are searched for
	Search     *audit.Grammar       // nil if they are not
	Claim      audit.Claim
	Charges    []string // ε of every part as typed, in nats
	Delta      string   // as typed
	Budget     AuditBudget
	Bits       bool          // numbers are looked at bit by bit
	Patience   time.Duration // for a reply
	// Law is that of the outputs, if it is written out: there is no program then. Noise is what
	// the program is run on instead of drawing noise, if it is given.
	Law   *audit.Law
	Noise *audit.Source[json.RawMessage]
}

// AuditBudget bounds an audit.
type AuditBudget struct {
	Samples int           // outputs drawn per input of a pair
	Time    time.Duration // of all
	Alpha   *big.Rat      // probability that a true claim is refuted
	Memory  int64         // in bytes
}

// Limits on an audit file.
const (
	maxPairs   = 1000
	maxWords   = 1000 // of the command
	MaxSamples = 1_000_000_000
	maxSeconds = 86_400
)

// auditForm is what an audit file looks like, with inputs of any form.
var auditForm = form{
	name:     "an audit file",
	keys:     "command, neighbours and claim, or law and claim",
	size:     1 << 20,
	depth:    32,
	row:      256,
	entries:  200_000,
	manyKeys: "too many keys without a list or brackets between them, must be at most 256",
	long:     "the file is too long, must have at most 200000 dashes and brackets",
	nested:   "a list directly inside a list, must be in brackets, such as [[1, 2], [3]]",
}

// ReadAudit reads the audit file name, or standard input if that is "-", or of FILE#CLAIM what stands in a claim.
//
// Files that it names must be in its folder, unless they are allowed to be outside.
func ReadAudit(name string, in *Inputs, allowOutside bool) (*AuditFile, error) {
	return readRoot(name, in, auditForm, auditOf, func(s source, folder string, read reading) (*AuditFile, error) {
		return decodeAudit(s, named{inputs: in, folder: folder, allowOutside: allowOutside}, read)
	})
}

// decodeAudit reads an audit, whose root read gives to a function, that names other files, which are next to it. Every
// fault of the text is reported with its place.
func decodeAudit(s source, others named, read reading) (*AuditFile, error) {
	d := &auditDecoder{source: s, named: others, file: AuditFile{
		Budget:   AuditBudget{1e6, time.Minute, big.NewRat(1, 1000), audit.DefaultMemory},
		Patience: program.DefaultPatience,
		Dir:      others.folder, // so that the command can name files next to it
	}}
	if err := read(d.audit); err != nil {
		return nil, err
	}
	return &d.file, nil
}

// auditDecoder reads one audit file.
type auditDecoder struct {
	source
	named
	file  AuditFile
	table *lawTable // nil if there is none
}

var auditKeys = []string{"command", "neighbours", "search", "claim", "budget", "numbers", "patience", "law", "noise"}

// audit reads the whole file.
func (d *auditDecoder) audit(root ast.Node) {
	values := d.keys(root, auditKeys)
	d.checkKeys(root, values)
	readers := []func(ast.Node){d.command, d.neighbours, d.search, d.claim, d.budget, d.numbers, d.patience, d.law,
		d.noise}
	for i, value := range values {
		if value != nil {
			readers[i](value)
		}
	}
	if d.table == nil {
		return
	}
	if n := len(d.file.Neighbours); n > 1 {
		d.fail(values[1], "neighbours has %d pairs, must have one: the law is that of one pair", n)
	}
	d.makeLaw()
}

// checkKeys refuses files without what must be there, and with what does not go together.
func (d *auditDecoder) checkKeys(root ast.Node, values []ast.Node) {
	command, neighbours, search, claim, law, noise := values[0], values[1], values[2], values[3], values[7], values[8]
	switch {
	case law != nil:
		for _, i := range []int{0, 2, 4, 5, 6, 8} {
			if values[i] != nil {
				d.fail(values[i], "both law and %s are given, must be only one of them", auditKeys[i])
			}
		}
	case command == nil:
		d.fail(root, "command is missing, must be a list such as [python3, mechanism.py]")
	case neighbours == nil && search == nil:
		d.fail(root, "neighbours is missing, must be a list of {x: …, x2: …}; or search must be there")
	case neighbours != nil && search != nil:
		d.fail(search, "both neighbours and search are given, must be only one of them")
	case noise != nil && search != nil:
		d.fail(search, "both noise and search are given, must be noise and neighbours")
	}
	if claim == nil {
		d.fail(root, "claim is missing, must be of the form %s", claimForm)
	}
}

func (d *auditDecoder) command(n ast.Node) {
	d.file.Command = d.words("command", n)
	for _, word := range d.file.Command { // the program, and the files that it is given
		if output := d.inputs.noted(d.inputs.WrittenAs(d.path(word))); output != "" {
			d.fail(n, "command has %s, must be a file other than %s", report.Quote(word), output)
		}
	}
}

// neighbours reads a list of {x: …, x2: …}.
func (d *auditDecoder) neighbours(n ast.Node) {
	keys := []string{"x", "x2"}
	for i, entry := range d.list("neighbours", n, maxPairs) {
		what := fmt.Sprintf("neighbours %d", i+1)
		var pair [2]json.RawMessage
		values := d.mapping(what, "{x: …, x2: …}", entry, keys)
		for i, key := range keys {
			if values[i] == nil {
				d.fail(entry, "%s: %s is missing, must have x and x2", what, key)
			}
			pair[i] = d.jsonOf(what+": "+key, values[i])
		}
		if sameJSON(pair[0], pair[1]) {
			d.fail(entry, "%s: x and x2 are the same, must differ", what)
		}
		d.file.Neighbours = append(d.file.Neighbours, pair)
	}
}

const budgetForm = "{samples: 1e6, seconds: 60, alpha: 1e-3, memory: 1 GiB}"

func (d *auditDecoder) budget(n ast.Node) {
	b := &d.file.Budget
	values := d.mapping("budget", budgetForm, n, []string{"samples", "seconds", "alpha", "memory"})
	if values[0] != nil {
		b.Samples = d.whole("budget: samples", values[0], 1, MaxSamples)
	}
	if values[1] != nil {
		b.Time = d.seconds("budget: seconds", values[1])
	}
	if values[2] != nil {
		b.Alpha, _ = d.number("budget: alpha", values[2], Alpha)
	}
	if values[3] != nil {
		b.Memory = d.memory("budget: memory", values[3])
	}
}

func (d *auditDecoder) numbers(n ast.Node) {
	d.file.Bits = d.word("numbers", n, []string{"real", "bits"}) == "bits"
}

func (d *auditDecoder) patience(n ast.Node) { d.file.Patience = d.seconds("patience", n) }

const maxParts = 200

const claimForm = "{eps: 1, delta: 1e-6} or {parts: {a: 1, b: 2}, delta: 1e-6}"

// claim reads {eps: …, delta: …}, with exp_eps or parts in place of eps. Without δ, that is 0.
func (d *auditDecoder) claim(n ast.Node) {
	known := []string{"eps", "exp_eps", "parts", "delta"}
	values := d.mapping("claim", claimForm, n, known)
	given := -1
	for i, key := range known[:3] {
		switch {
		case values[i] == nil:
		case given < 0:
			given = i
		default:
			d.fail(values[i], "claim: both %s and %s are given, must be only one of them", known[given], key)
		}
	}
	switch given {
	case -1:
		d.fail(n, "claim: eps is missing, must have eps, exp_eps or parts")
	case 2:
		d.parts(values[2])
	default:
		d.part("", "claim: "+known[given], known[given], values[given])
	}
	d.file.Claim.Delta, d.file.Delta = new(big.Rat), "0"
	if values[3] != nil {
		d.file.Claim.Delta, d.file.Delta = d.number("claim: delta", values[3], Probability)
	}
}

// parts reads the ε of every part: a number, or {eps: …} or {exp_eps: …}.
func (d *auditDecoder) parts(n ast.Node) {
	pairs, ok := pairsOf(n)
	switch {
	case !ok:
		d.fail(n, "claim: parts is %s, must be of the form {a: 1, b: 2}", kindOf(n))
	case len(pairs) == 0:
		d.fail(n, "claim: parts is empty, must have at least one")
	case len(pairs) > maxParts:
		d.fail(n, "claim: parts has %d entries, must have at most %d", len(pairs), maxParts)
	}
	for _, pair := range pairs {
		name := keyOf(pair)
		switch {
		case name == "":
			d.fail(pair.Key, "claim: a part has an empty name, must have at least one character")
		case slices.ContainsFunc(d.file.Claim.Parts, func(p audit.Part) bool { return p.Name == name }):
			d.fail(pair.Key, "claim: part %s is given twice", report.Quote(name))
		}
		d.namedPart(name, pair.Value)
	}
}

// namedPart reads the ε of a part.
func (d *auditDecoder) namedPart(name string, n ast.Node) {
	what := "claim: part " + report.Quote(name)
	if _, ok := pairsOf(n); !ok {
		d.part(name, what, "eps", n)
		return
	}
	values := d.mapping(what, "", n, partKeys)
	i := slices.IndexFunc(values, func(v ast.Node) bool { return v != nil })
	if i < 0 || values[1-i] != nil {
		d.fail(n, "%s: must have either eps or exp_eps", what)
	}
	d.part(name, what+": "+partKeys[i], partKeys[i], values[i])
}

// The rules of an ε, which is at most one of which e^ε can be computed, and of e^ε.
var (
	claimedEps = ruleOfNumber("between 0 and 1e6", within(new(big.Rat), big.NewRat(1e6, 1)))
	claimedExp = ruleOfNumber("at least 1", func(x *big.Rat) bool { return x.Cmp(ratOne) >= 0 })
)

// part adds a part with the value of eps or exp_eps to the claim.
func (d *auditDecoder) part(name, what, key string, n ast.Node) {
	rule := map[string]Rule{"eps": claimedEps, "exp_eps": claimedExp}[key]
	r, typed := d.number(what, n, rule)
	d.file.Claim.Parts = append(d.file.Claim.Parts, audit.Part{Name: name, Eps: epsilonOf(key, r)})
	d.file.Charges = append(d.file.Charges, Field{Key: key, Value: typed}.Charge())
}

// relations are what can be meant by neighbours.
var relations = []string{string(audit.Replace), string(audit.Add), string(audit.Shift)}

const searchForm = "{values: [0, 1], length: [1, 5], neighbours: replace}"

func (d *auditDecoder) search(n ast.Node) {
	known := []string{"values", "length", "neighbours"}
	values := d.mapping("search", searchForm, n, known)
	for i, key := range known {
		if values[i] == nil {
			d.fail(n, "search: %s is missing, must be of the form %s", key, searchForm)
		}
	}
	s := &audit.Grammar{}
	d.values(s, values[0])
	d.length(s, values[1])
	s.Relation = audit.Relation(d.word("search: neighbours", values[2], relations))
	switch {
	case s.Relation == audit.Replace && len(s.Values) < 2:
		d.fail(n, "search: values has one entry, must have at least two for neighbours: replace")
	case s.Relation == audit.Add && s.Shortest == s.Longest:
		d.fail(n, "search: length is [%d, %d], must rise for neighbours: add", s.Shortest, s.Longest)
	}
	if err := s.Validate(); err != nil {
		d.fail(n, "search: %v", err)
	}
	d.file.Search = s
}

// values reads the values of a search: different numbers.
func (d *auditDecoder) values(s *audit.Grammar, n ast.Node) {
	for _, entry := range d.list("search: values", n, audit.MaxValues) {
		value := d.jsonOf("search: values", entry)
		if !plainNumber.Match(value) {
			d.fail(entry, "search: values has %s, must have numbers only", report.Quote(string(value)))
		}
		if slices.ContainsFunc(s.Values, func(v json.RawMessage) bool { return sameJSON(v, value) }) {
			d.fail(entry, "search: values has %s twice, must have it once", report.Quote(string(value)))
		}
		s.Values = append(s.Values, value)
	}
}

// length reads the shortest and the longest length of inputs.
func (d *auditDecoder) length(s *audit.Grammar, n ast.Node) {
	entries := d.list("search: length", n, 2)
	if len(entries) != 2 {
		d.fail(n, "search: length has 1 entry, must be of the form [shortest, longest]")
	}
	s.Shortest = d.whole("search: length", entries[0], 0, audit.MaxLength)
	s.Longest = d.whole("search: length", entries[1], 1, audit.MaxLength)
	if s.Shortest > s.Longest {
		d.fail(n, "search: length is [%d, %d], must not fall", s.Shortest, s.Longest)
	}
}
