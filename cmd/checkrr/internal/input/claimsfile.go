package input

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
)

// ClaimsFile is what a file of claims says.
type ClaimsFile struct {
	Claims     []Claim
	Regression *Regression // nil if there is none
}

// Claim is a claim of a file, as the command that checks it.
type Claim struct {
	Name  string
	Kind  string   // the key that only claims of its kind have
	Line  int      // where it stands
	Args  []string // of checkrr: the command, its flags, and behind -- what it is about
	File  string   // that it names, if it does
	Found []string // the keys, one in another, under which the JSON of that command has what was found
	Limit string   // what that must be at most, as typed, if there is such a number
	Wrong error    // why what it says cannot be checked

	keys map[string]flagKey // of the flags
	of   flagKey            // of its kind, or the key with the file that it names

	HasNoise bool // whether a program is run on all that its noise can be, and draws none
	MayRun   bool // whether that command runs a program, unless --no-run is given or there is a law

	inside *inline
}

// flagKey is the key that the value of a flag stands under.
type flagKey struct {
	source
	at   position
	what string

	given, typed string // what messages quote, and what stands there in place of it
}

// Flags in messages, how messages about the value of one begin, and places behind the names of files.
var (
	flagName  = regexp.MustCompile(`--[a-z0-9-]+`)
	aboutFlag = regexp.MustCompile(`^--([a-z0-9-]+)([:,]?) `)
	place     = regexp.MustCompile(`^:[0-9]+:[0-9]+: `)
)

// Fault is what a program said about a claim, in the words of the claim: with keys for flags, and errors with places.
func (c Claim) Fault(program, said string, isError bool) string {
	samples := map[bool]string{true: "raise samples", false: "raise budget: {samples: …}"}[c.Kind == "builtin"]
	lines := strings.Split(strings.Replace(said, "draw more with --samples", samples, 1), "\n")
	for i, line := range lines {
		text, isOwn := strings.CutPrefix(line, program+": ")
		switch {
		case isOwn && isError && !strings.HasPrefix(text, "warning: "):
			lines[i] = c.placed(text)
		case isOwn:
			lines[i] = program + ": " + c.withKeys(text)
		case isError && strings.HasPrefix(line, c.of.name): // what stands in the claim itself
			rest := line[len(c.of.name):]
			if at := place.FindString(rest); at != "" {
				lines[i] = c.of.name + at + c.of.what + " " + rest[len(at):]
			}
		}
	}
	return strings.Join(lines, "\n")
}

// placed puts the place before an error: that of the key which has the value of a flag, or that of the claim's kind.
func (c Claim) placed(text string) string {
	key, of := c.of, " "
	if flag := aboutFlag.FindStringSubmatch(text); flag != nil && c.keys[flag[1]].what != "" {
		key = c.keys[flag[1]]
		text = strings.Replace(text[len(flag[0]):], key.given, key.typed, 1)
		if flag[2] != "" {
			of = ": "
		}
	}
	return key.fault(key.at, "%s%s%s", key.what, of, c.withKeys(text)).Error()
}

// withKeys has keys for flags.
func (c Claim) withKeys(text string) string {
	return flagName.ReplaceAllStringFunc(text, func(flag string) string {
		if key := c.keys[flag[2:]].what; key != "" {
			return strings.TrimPrefix(key, c.of.what+" ")
		}
		return flag
	})
}

// maxClaims is how many claims a file may have.
const maxClaims = 10_000

const claimExample = "{name: training, pipeline: steps.yaml, optdel: {at_most: 1e-5}}"

// claimsForm is what a file of claims looks like.
var claimsForm = form{
	name:     "a file of claims",
	keys:     "claims",
	size:     maxFileSize,
	depth:    32,
	row:      256,
	entries:  6 * maxEntries,
	manyKeys: "too many keys without a list or brackets between them, must be at most 256",
	long:     "the file is too long",
	nested:   "a list directly inside a list, must be in brackets, such as [[1, 2], [3]]",
	others:   ": of several files name only those, such as privacy/claims*.yaml",
}

// ReadClaims reads a file of claims, or standard input if its name is "-".
//
// Files that claims name must be in its folder, unless they are allowed to be outside. The error has the faults of the
// file: see [Faults]. What is wrong with the values of a claim is noted in that.
func ReadClaims(name string, in *Inputs, allowOutside bool) (read ClaimsFile, err error) {
	f, shown, err := OpenInput(name, in)
	if err != nil {
		return read, err
	}
	defer f.Close()
	s := source{shown, claimsForm}
	err = s.read(f, func(root ast.Node) {
		names := map[string]bool{}
		others := named{inputs: in, folder: folderOf(name, f), allowOutside: allowOutside}
		claims, regression := s.claims(root)
		var all faultList
		each := func(read func()) {
			var fault error
			func() {
				defer caught(&fault)
				read()
			}()
			if fault != nil && len(all) < mostFaults {
				all = append(all, fault)
			}
		}
		for i, entry := range claims {
			r := &claimReader{source: s, file: name, others: others, node: entry}
			r.at = fmt.Sprintf("claim %d", i+1)
			each(func() {
				c := r.claim()
				c.inside = &inline{s, r.others.folder, r.pairs}
				if names[c.Name] {
					s.fail(r.values["name"], "%s: another claim has this name", r.at)
				}
				names[c.Name] = true
				read.Claims = append(read.Claims, c)
			})
		}
		if regression != nil {
			each(func() { read.Regression = s.regression(regression, name, others) })
		}
		if all != nil {
			panic(failure{all})
		}
	})
	return read, err
}

// mostFaults is how many faults of a file of claims are told.
const mostFaults = 100

// faultList is the faults of a file of claims, a line each.
type faultList []error

func (f faultList) Error() string { return errors.Join(f...).Error() }

// Unwrap returns them.
func (f faultList) Unwrap() []error { return f }

// Faults are those of an error of [ReadClaims]; otherwise the error alone, or none if there is none.
func Faults(err error) []error {
	switch several := err.(type) {
	case nil:
		return nil
	case faultList:
		return several
	}
	return []error{err}
}

// Together is the error that has these [Faults].
func Together(several []error) error { return faultList(several) }

// claimsKeys are the keys of a file of claims.
var claimsKeys = []string{"claims", "regression"}

// claims returns the entries of a file, and what it says of a baseline, if it does.
func (s source) claims(root ast.Node) (claims []ast.Node, regression ast.Node) {
	values := s.keys(root, claimsKeys)
	if values[0] == nil {
		s.fail(root, "claims is missing, must be a list such as [%s]", claimExample)
	}
	return s.list("claims", values[0], maxClaims), values[1]
}

// claimReader reads one claim.
type claimReader struct {
	source
	file   string
	others named // the files that it names
	node   ast.Node
	at     string // what errors are about
	pairs  []*ast.MappingValueNode
	values map[string]ast.Node
}

// claim reads the claim.
func (r *claimReader) claim() (c Claim) {
	pairs, ok := pairsOf(r.node)
	if !ok {
		r.fail(r.node, "%s is %s, must be of a form such as %s", r.at, kindOf(r.node), claimExample)
	}
	r.pairs = pairs
	has := func(key string) bool {
		return slices.ContainsFunc(pairs, func(p *ast.MappingValueNode) bool { return keyOf(p) == key })
	}
	var keys []string
	for _, kind := range claimKinds {
		if keys = append(keys, kind.key); !has(kind.key) {
			continue
		}
		known := []string{"name", kind.key}
		for _, key := range kind.may {
			if key != kind.key { // which is a key of audits, too
				known = append(known, key)
			}
		}
		for _, other := range claimKinds {
			if other.key != kind.key && has(other.key) && !slices.Contains(kind.may, other.key) {
				r.fail(r.node, "%s: both %s and %s are given, must be one of them, which say what is claimed", r.at, kind.key,
					other.key)
			}
		}
		r.values = map[string]ast.Node{}
		for i, value := range r.keyed(r.at, pairs, known) {
			if value != nil {
				r.values[known[i]] = value
			}
		}
		c.Name = r.scalar(r.at+": name", r.must("name", "any text"), "a text")
		if c.Name == "" {
			r.fail(r.values["name"], "%s: name is empty, must have at least one character", r.at)
		}
		if report.Name(c.Name) != c.Name {
			r.fail(r.values["name"], "%s: name is %s, must be a text of characters that can be seen", r.at,
				report.Name(c.Name))
		}
		r.at = "claim " + report.Quote(c.Name)
		c.Kind, c.Line = kind.key, int(placeOf(r.node).line)
		c.of = flagKey{source: r.source, at: placeOf(r.values[kind.key]), what: r.at + ":"}
		r.check(kind, &c)
		return c
	}
	for _, p := range pairs {
		if name, _ := scalarOf(p.Value); keyOf(p) == "name" && name != "" {
			r.at = "claim " + report.Quote(name)
		}
	}
	for _, p := range pairs {
		isKnown := func(kind claimKind) bool { return slices.Contains(kind.may, keyOf(p)) }
		if keyOf(p) != "name" && !slices.ContainsFunc(claimKinds, isKnown) {
			r.fail(p.Key, "%s: %s", r.at, unknownKey(keyOf(p), keys))
		}
	}
	r.fail(r.node, "%s has none of the keys %s, which say what is claimed", r.at, strings.Join(keys, ", "))
	return c
}

// check reads the values of a claim.
func (r *claimReader) check(kind claimKind, c *Claim) {
	defer caught(&c.Wrong)
	kind.check(r, c)
	if strings.Contains(strings.Join(c.Args, ""), "\x00") {
		r.fail(r.node, "%s: it has a zero byte, which is in no arguments of programs", r.at)
	}
	namesFiles := slices.Contains([]string{"optdel", "schedule", "compose", "audit"}, c.Args[0])
	if namesFiles && r.others.allowOutside && kind.key != "builtin" {
		c.Args = slices.Insert(c.Args, 1, "--allow-outside")
	}
}

// must returns the value of a key that there must be.
func (r *claimReader) must(key, form string) ast.Node {
	value := r.values[key]
	if value == nil {
		r.fail(r.node, "%s: %s is missing, must be %s", r.at, key, form)
	}
	return value
}

// fields returns the values of a mapping.
func (r *claimReader) fields(key, form string, known ...string) map[string]ast.Node {
	values := map[string]ast.Node{}
	for i, value := range r.mapping(r.at+": "+key, form, r.must(key, "of the form "+form), known) {
		if value != nil {
			values[known[i]] = value
		}
	}
	return values
}

// flag adds a flag with the text of a scalar, if there is one; whoever checks the claim reads it.
func (c *Claim) flag(r *claimReader, name, key string, value ast.Node) {
	if value == nil { // messages may name it all the same
		c.stands(r, name, key, c.of.at)
		return
	}
	typed := r.scalar(r.at+": "+key, value, "a number or a word")
	c.flagOf(r, name, key, value, typed)
}

// flagOf adds a flag whose value a key stands for.
func (c *Claim) flagOf(r *claimReader, name, key string, value ast.Node, text string) {
	c.Args = append(c.Args, "--"+name+"="+text)
	c.stands(r, name, key, placeOf(value))
}

// stands notes that a key stands for a flag: messages about the flag are about the key.
func (c *Claim) stands(r *claimReader, flag, key string, at position) {
	if c.keys == nil {
		c.keys = map[string]flagKey{}
	}
	c.keys[flag] = flagKey{source: r.source, at: at, what: r.at + ": " + key}
}

// flags adds the flags that have the names of keys.
func (c *Claim) flags(r *claimReader, keys ...string) {
	for _, key := range keys {
		c.flag(r, strings.ReplaceAll(key, "_", "-"), key, r.values[key])
	}
}

// path is the name of a file from here.
func (r *claimReader) path(c *Claim, key string) string {
	value := r.must(key, "the name of a file")
	typed := r.scalar(r.at+": "+key, value, "the name of a file")
	name := r.others.path(typed)
	if _, claim := ClaimOf(name); claim != "" || name == "-" || report.IsOpen(name) {
		r.fail(value, "%s: %s is %s, must be the name of a file", r.at, key, report.Quote(typed))
	}
	f, err := r.others.openRegular(typed, name)
	if refused, ok := errors.AsType[*nameError](err); ok { // else whoever reads it says what is wrong
		r.fail(value, "%s: %s %s", r.at, key, refused)
	}
	if err == nil {
		f.Close()
	}
	c.File, c.of.at = name, placeOf(value)
	return name
}

// about sets what the command of a claim is about.
func (c *Claim) about(operands ...string) { c.Args = append(append(c.Args, "--"), operands...) }

// within names this claim where the name of a file is asked for.
func (r *claimReader) within(name string) string {
	if r.file == "-" || report.IsOpen(r.file) {
		r.fail(r.node, "%s: what stands in the claim itself is read from a file, must not be from what is open "+
			"already", r.at)
	}
	whole := r.file + "#" + name
	if file, claim := ClaimOf(whole); file != r.file || claim != name {
		r.fail(r.values["name"], "%s: %s has another meaning, too: a file is called so, or in part", r.at,
			report.Quote(whole))
	}
	return whole
}
