package input

import (
	"errors"
	"fmt"
	"maps"
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

	keys map[string]flagKey // of the flags

	MayRun bool // whether that command runs a program, unless --no-run is given or there is a law

	inside *inline
}

// flagKey is the key that the value of a flag stands under.
type flagKey struct {
	source
	at   position
	what string
}

// aboutFlag is how messages about the value of a flag begin.
var aboutFlag = regexp.MustCompile(`^checkrr: --([a-z0-9-]+)(:?) `)

// Fault is a message of the command of a claim in the words of the claim: it has keys, and no flags.
func (c Claim) Fault(message string) string {
	samples := map[bool]string{true: "raise samples", false: "raise budget: {samples: …}"}[c.Kind == "builtin"]
	message = strings.Replace(message, "draw more with --samples", samples, 1)
	flag := aboutFlag.FindStringSubmatch(message)
	if flag == nil || c.keys[flag[1]].what == "" {
		return message
	}
	key := c.keys[flag[1]]
	text, further, _ := strings.Cut(message[len(flag[0]):], "\n")
	return strings.TrimSpace(key.fault(key.at, "%s%s %s", key.what, flag[2], text).Error() + "\n" + further)
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
// Files that claims name must be in its folder, unless they are allowed to be outside. The error has a fault of each
// claim that is wrong: see [Faults].
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
			each(func() { read.Regression = s.regression(regression, others) })
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

// claimKind is a kind of claims: the key that only they have, which others they may have, and the command that checks
// them.
type claimKind struct {
	key   string
	may   []string
	check func(r *claimReader, c *Claim)
}

var claimKinds = []claimKind{
	{"optdel", []string{"pipeline"}, (*claimReader).optdel},
	{"schedule", []string{"pipeline"}, (*claimReader).schedule},
	{"compose", []string{"pipeline"}, (*claimReader).compose},
	{"builtin", []string{"claim", "eps", "delta", "c", "queries", "noise", "samples", "seed", "must_see"},
		(*claimReader).builtin},
	{"audit", []string{"seed", "must_see"}, (*claimReader).audited},
	{"command", append(slices.Clone(auditKeys), "seed", "must_see"), (*claimReader).audited},
	{"law", auditKeys, (*claimReader).audited},
	{"ledger", []string{"budget", "rule", "leak", "lambda"}, (*claimReader).ledger},
	{"menu", []string{"rule", "budget", "rounds", "leak", "lambda", "target_eps", "gamma", "v0", "size"},
		(*claimReader).challenge},
	{"statements", nil, (*claimReader).statements},
	{"inequality", []string{"over", "search"}, (*claimReader).inequality},
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
		r.values = map[string]ast.Node{}
		for i, value := range r.keyed(r.at, pairs, known) {
			if value != nil {
				r.values[known[i]] = value
			}
		}
		c.Name = r.scalar(r.at+": name", r.must("name", "any text"), "a text")
		if c.Name == "" || report.Name(c.Name) != c.Name {
			r.fail(r.values["name"], "%s: name is %s, must be a text of characters that can be seen", r.at,
				report.Name(c.Name))
		}
		r.at = "claim " + report.Quote(c.Name)
		c.Kind, c.Line = kind.key, int(placeOf(r.node).line)
		kind.check(r, &c)
		namesFiles := slices.Contains([]string{"optdel", "schedule", "compose", "audit"}, c.Args[0])
		if namesFiles && r.others.allowOutside && kind.key != "builtin" {
			c.Args = slices.Insert(c.Args, 1, "--allow-outside")
		}
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
	if value != nil {
		what := r.at + ": " + key
		c.Args = append(c.Args, "--"+name+"="+r.scalar(what, value, "a number or a word"))
		if c.keys == nil {
			c.keys = map[string]flagKey{}
		}
		c.keys[name] = flagKey{r.source, placeOf(value), what}
	}
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
	c.File = name
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

// pipeline is the name of a problem file, or of this claim if the problem stands in it.
func (r *claimReader) pipeline(c *Claim) string {
	problem := r.must("pipeline", "the name of a file, or of the form {mechanisms: […], stops: […]}")
	if _, isInside := pairsOf(problem); isInside {
		return r.within(c.Name)
	}
	return r.path(c, "pipeline")
}

func (r *claimReader) optdel(c *Claim) {
	v := r.fields("optdel", "{at_most: 1e-5}", "at_most")
	c.Args, c.Found = []string{"optdel"}, []string{"optdel", "upper"}
	r.limit(c, "at-most", "optdel", v["at_most"])
	c.about(r.pipeline(c))
}

// limit adds the flag with the value of at_most, which there must be.
func (r *claimReader) limit(c *Claim, flag, what string, n ast.Node) {
	kind, _, _ := strings.Cut(what, ":")
	if n == nil {
		r.fail(r.must(kind, ""), "%s: %s has no at_most, must be of the form {at_most: 1e-5}", r.at, kind)
	}
	c.flag(r, flag, what+": at_most", n)
	c.Limit, _ = scalarOf(n)
}

func (r *claimReader) compose(c *Claim) {
	v := r.fields("compose", "{delta: 1e-6, eps: {at_most: 3}}", "delta", "eps")
	c.Args = []string{"compose"}
	given, sought := "delta", "eps"
	if _, isSought := pairsOf(v["delta"]); isSought {
		given, sought = sought, given
	}
	if v[given] == nil || v[sought] == nil {
		r.fail(r.values["compose"], "%s: compose must be of the form {delta: 1e-6, eps: {at_most: 3}}, or the reverse",
			r.at)
	}
	c.flag(r, given, "compose: "+given, v[given])
	most := r.mapping(r.at+": compose: "+sought, "{at_most: 3}", v[sought], []string{"at_most"})[0]
	r.limit(c, "at-most", "compose: "+sought, most)
	c.Found = []string{sought, "upper"}
	c.about(r.pipeline(c))
}

func (r *claimReader) schedule(c *Claim) {
	const form = "{delta: 1e-6, mean_eps: {at_most: 2.4}} or {delta: 1e-6, at: epoch 7, eps: {at_most: 0.9}}"
	v := r.fields("schedule", form, "delta", "shape", "mean_eps", "at", "eps")
	sought, flag := "mean_eps", "mean-at-most"
	hasMean, hasOne := v["mean_eps"] != nil, v["eps"] != nil
	if hasOne {
		sought, flag = "eps", "eps-at-most"
	}
	if v["delta"] == nil || hasMean == hasOne || hasMean && v["at"] != nil {
		r.fail(r.values["schedule"], "%s: schedule must be of the form %s", r.at, form)
	}
	c.Args, c.Found = []string{"schedule"}, []string{sought}
	for _, key := range []string{"delta", "shape", "at"} {
		c.flag(r, key, "schedule: "+key, v[key])
	}
	most := r.mapping(r.at+": schedule: "+sought, "{at_most: 2.4}", v[sought], []string{"at_most"})[0]
	r.limit(c, flag, "schedule: "+sought, most)
	c.about(r.pipeline(c))
}

func (r *claimReader) builtin(c *Claim) {
	c.Args, c.Found = []string{"audit", "--timeout=0"}, []string{"verdict"}
	c.flags(r, "builtin", "claim", "eps", "delta", "c", "queries", "noise", "samples", "seed")
	r.mustSee(c)
}

// audited is the claim of an audit file, or of what stands in place of one in the claim itself.
func (r *claimReader) audited(c *Claim) {
	c.Args, c.Found, c.MayRun = []string{"audit", "--timeout=0"}, []string{"verdict"}, true
	c.flags(r, "seed")
	r.mustSee(c)
	budget, _ := pairsOf(r.values["budget"])
	for _, p := range budget {
		if keyOf(p) == "seconds" {
			r.fail(p.Key, "%s: budget: seconds is given, must not be in a claim: audits of claims are limited by "+
				"samples, never by time", r.at)
		}
	}
	if r.values["audit"] != nil {
		c.about(r.path(c, "audit"))
	} else {
		c.about(r.within(c.Name))
	}
}

// mustSee reads which ε an audit must have been able to see.
func (r *claimReader) mustSee(c *Claim) {
	const form = "{eps: 1.3}"
	switch seen := r.values["must_see"]; {
	case seen == nil:
	case r.fields("must_see", form, "eps")["eps"] == nil:
		r.fail(seen, "%s: must_see has no eps, must be of the form %s", r.at, form)
	default:
		c.flag(r, "see-eps", "must_see: eps", r.fields("must_see", form, "eps")["eps"])
	}
}

func (r *claimReader) ledger(c *Claim) {
	c.Args, c.Found = []string{"account"}, []string{"spent", "eps"}
	r.budget(c)
	c.flags(r, "rule", "leak", "lambda")
	c.about(r.path(c, "ledger"))
}

func (r *claimReader) challenge(c *Claim) {
	var menu []string
	for i, m := range r.list(r.at+": menu", r.must("menu", "a list"), maxEntries) {
		at := fmt.Sprintf("%s: menu %d", r.at, i+1)
		text := r.scalar(at, m, "a mechanism such as 'eps=0.1,delta=1e-4'")
		if strings.Contains(text, ";") {
			r.fail(m, "%s is %s, must be one mechanism", at, report.Quote(text))
		}
		menu = append(menu, text)
	}
	c.Args, c.Found = []string{"challenge", "--menu=" + strings.Join(menu, ";")}, []string{"worst_delta", "upper"}
	r.budget(c)
	c.flags(r, "rule", "rounds", "leak", "lambda", "target_eps", "gamma", "v0", "size")
}

// budget adds a budget {eps: 3, delta: 1e-5}.
func (r *claimReader) budget(c *Claim) {
	v := r.fields("budget", "{eps: 3, delta: 1e-5}", "eps", "exp_eps", "delta")
	var says []string
	for _, key := range slices.Sorted(maps.Keys(v)) {
		_, typed := r.number(r.at+": budget: "+key, v[key])
		says = append(says, key+"="+typed)
	}
	c.Args = append(c.Args, "--budget="+strings.Join(says, ","))
}

func (r *claimReader) statements(c *Claim) {
	var ids []string
	for i, id := range r.list(r.at+": statements", r.must("statements", "a list"), maxEntries) {
		ids = append(ids, r.scalar(fmt.Sprintf("%s: statement %d", r.at, i+1), id, "the number of a statement"))
	}
	c.Args = []string{"verify"}
	c.about(ids...)
}

func (r *claimReader) inequality(c *Claim) {
	text := r.scalar(r.at+": inequality", r.values["inequality"], "a text")
	c.Args, c.Found = []string{"refute"}, []string{"verdict"}
	if r.values["over"] != nil {
		ranges := []string{"mechanisms", "stops", "eps", "delta"}
		over := r.fields("over", "{mechanisms: [1, 500], eps: [0.01, 1]}", append(ranges, "charges")...)
		for _, key := range ranges {
			if over[key] == nil {
				continue
			}
			if _, isList := over[key].(*ast.SequenceNode); !isList {
				r.fail(over[key], "%s: over: %s is %s, must be [LEAST, MOST], such as %s", r.at, key, kindOf(over[key]),
					map[bool]string{true: "[2, 200]", false: "[0.01, 1]"}[key == "mechanisms" || key == "stops"])
			}
			var ends []string
			for _, end := range r.list(r.at+": over: "+key, over[key], 2) {
				_, typed := r.number(r.at+": over: "+key, end)
				ends = append(ends, typed)
			}
			c.Args = append(c.Args, "--"+key+"="+strings.Join(ends, ":"))
		}
		c.flag(r, "charges", "over: charges", over["charges"])
	}
	if r.values["search"] != nil {
		search := r.fields("search", "{seed: 1, pipelines: 5000}", "seed", "pipelines")
		c.flag(r, "seed", "search: seed", search["seed"])
		c.flag(r, "pipelines", "search: pipelines", search["pipelines"])
	}
	c.about(text)
}
