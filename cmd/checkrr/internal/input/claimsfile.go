package input

import (
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
)

// Claim is a claim of a file, as the command that checks it.
type Claim struct {
	Name  string
	Line  int      // where it stands
	Args  []string // of checkrr
	Found []string // the keys, one in another, under which the JSON of that command has what was found
	Most  *big.Rat // what that must not exceed; nil if the exit code of the command says whether the claim holds
	Typed string   // as it was typed
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
}

// ReadClaims reads a file of claims, or standard input if its name is "-".
func ReadClaims(name string, in *Inputs) (claims []Claim, err error) {
	f, shown, err := OpenInput(name, in)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := source{shown, claimsForm}
	err = s.read(f, func(root ast.Node) {
		names := map[string]bool{}
		for i, entry := range s.claims(root) {
			r := &claimReader{source: s, file: name, folder: folderOf(name, f), node: entry}
			r.at = fmt.Sprintf("claim %d", i+1)
			c := r.claim()
			if names[c.Name] {
				s.fail(r.values["name"], "%s: another claim has this name", r.at)
			}
			names[c.Name] = true
			claims = append(claims, c)
		}
	})
	return claims, err
}

// claims returns the entries of a file.
func (s source) claims(root ast.Node) []ast.Node {
	list := s.keys(root, []string{"claims"})[0]
	if list == nil {
		s.fail(root, "claims is missing, must be a list such as [%s]", claimExample)
	}
	return s.list("claims", list, maxClaims)
}

// claimReader reads one claim.
type claimReader struct {
	source
	file   string
	folder string // that names of files are relative to
	node   ast.Node
	at     string // what errors are about
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
	{"audit", []string{"seed", "must_see"}, (*claimReader).auditFile},
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
	has := func(key string) bool {
		return slices.ContainsFunc(pairs, func(p *ast.MappingValueNode) bool { return keyOf(p) == key })
	}
	var keys []string
	for _, kind := range claimKinds {
		if keys = append(keys, kind.key); !has(kind.key) {
			continue
		}
		known := append([]string{"name", kind.key}, kind.may...)
		r.values = map[string]ast.Node{}
		for i, value := range r.keyed(r.at, pairs, known) {
			if value != nil {
				r.values[known[i]] = value
			}
		}
		c.Name = r.scalar(r.at+": name", r.must("name", "any text"), "a text")
		r.at = "claim " + report.Quote(c.Name)
		c.Line = int(placeOf(r.node).line)
		kind.check(r, &c)
		return c
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
func (c *Claim) flag(r *claimReader, name string, value ast.Node) {
	if value != nil {
		c.Args = append(c.Args, "--"+name+"="+r.scalar(r.at+": "+name, value, "a number or a word"))
	}
}

// flags adds the flags that have the names of keys.
func (c *Claim) flags(r *claimReader, keys ...string) {
	for _, key := range keys {
		c.flag(r, strings.ReplaceAll(key, "_", "-"), r.values[key])
	}
}

// path is the name of a file from here.
func (r *claimReader) path(key string) string {
	name := r.scalar(r.at+": "+key, r.must(key, "the name of a file"), "the name of a file")
	if !filepath.IsAbs(name) {
		name = report.Join(r.folder, name)
	}
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return name
}

// within names this claim where the name of a file is asked for.
func (r *claimReader) within(name string) string {
	if r.file == "-" {
		r.fail(r.node, "%s: what stands in the claim itself is read from a file, must not be from standard input", r.at)
	}
	return r.file + "#" + name
}

// pipeline is the name of a problem file, or of this claim if the problem stands in it.
func (r *claimReader) pipeline(c *Claim) string {
	problem := r.must("pipeline", "the name of a file, or of the form {mechanisms: […], stops: […]}")
	if _, isInside := pairsOf(problem); isInside {
		return r.within(c.Name)
	}
	return r.path("pipeline")
}

func (r *claimReader) optdel(c *Claim) {
	v := r.fields("optdel", "{at_most: 1e-5}", "at_most")
	c.Args, c.Found = []string{"optdel", r.pipeline(c)}, []string{"optdel", "upper"}
	c.flag(r, "at-most", r.limit("optdel", v["at_most"]))
}

// limit is the value of at_most, which there must be.
func (r *claimReader) limit(what string, n ast.Node) ast.Node {
	if n == nil {
		r.fail(r.must(what, ""), "%s: %s has no at_most, must be of the form {at_most: 1e-5}", r.at, what)
	}
	return n
}

func (r *claimReader) compose(c *Claim) {
	v := r.fields("compose", "{delta: 1e-6, eps: {at_most: 3}}", "delta", "eps")
	c.Args = []string{"compose", r.pipeline(c)}
	given, sought := "delta", "eps"
	if _, isSought := pairsOf(v["delta"]); isSought {
		given, sought = sought, given
	}
	if v[given] == nil || v[sought] == nil {
		r.fail(r.values["compose"], "%s: compose must be of the form {delta: 1e-6, eps: {at_most: 3}}, or the reverse",
			r.at)
	}
	c.flag(r, given, v[given])
	most := r.mapping(r.at+": compose: "+sought, "{at_most: 3}", v[sought], []string{"at_most"})[0]
	c.flag(r, "at-most", r.limit("compose", most))
	c.Found = []string{sought, "upper"}
}

func (r *claimReader) schedule(c *Claim) {
	const form = "{delta: 1e-6, mean_eps: {at_most: 2.4}}"
	v := r.fields("schedule", form, "delta", "shape", "mean_eps")
	if v["delta"] == nil || v["mean_eps"] == nil {
		r.fail(r.values["schedule"], "%s: schedule must be of the form %s", r.at, form)
	}
	c.Args, c.Found = []string{"schedule", r.pipeline(c)}, []string{"mean_eps"}
	c.flag(r, "delta", v["delta"])
	c.flag(r, "shape", v["shape"])
	most := r.mapping(r.at+": schedule: mean_eps", "{at_most: 2.4}", v["mean_eps"], []string{"at_most"})[0]
	c.Most, c.Typed = r.number(r.at+": schedule: mean_eps: at_most", r.limit("schedule", most), From0)
}

func (r *claimReader) builtin(c *Claim) {
	c.Args, c.Found = []string{"audit", "--timeout=0"}, []string{"verdict"}
	c.flags(r, "builtin", "claim", "eps", "delta", "c", "queries", "noise", "samples", "seed")
	r.mustSee(c)
}

func (r *claimReader) auditFile(c *Claim) {
	c.Args, c.Found = []string{"audit", r.path("audit"), "--timeout=0"}, []string{"verdict"}
	c.flags(r, "seed")
	r.mustSee(c)
}

// audited is the claim of an audit file that stands in the claim itself.
func (r *claimReader) audited(c *Claim) {
	c.Args, c.Found = []string{"audit", r.within(c.Name), "--timeout=0"}, []string{"verdict"}
	c.flags(r, "seed")
	r.mustSee(c)
}

// mustSee reads which ε an audit must have been able to see.
func (r *claimReader) mustSee(c *Claim) {
	if r.values["must_see"] != nil {
		c.flag(r, "see-eps", r.fields("must_see", "{eps: 1.3}", "eps")["eps"])
	}
}

func (r *claimReader) ledger(c *Claim) {
	c.Args, c.Found = []string{"account", r.path("ledger")}, []string{"spent", "eps"}
	r.budget(c)
	c.flags(r, "rule", "leak", "lambda")
}

func (r *claimReader) challenge(c *Claim) {
	var menu []string
	for i, m := range r.list(r.at+": menu", r.must("menu", "a list"), maxEntries) {
		at := fmt.Sprintf("%s: menu %d", r.at, i+1)
		menu = append(menu, r.scalar(at, m, "a mechanism such as 'eps=0.1,delta=1e-4'"))
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
		says = append(says, key+"="+r.scalar(r.at+": budget: "+key, v[key], "a number"))
	}
	c.Args = append(c.Args, "--budget="+strings.Join(says, ","))
}

func (r *claimReader) statements(c *Claim) {
	c.Args = []string{"verify"}
	for i, id := range r.list(r.at+": statements", r.must("statements", "a list"), maxEntries) {
		c.Args = append(c.Args, r.scalar(fmt.Sprintf("%s: statement %d", r.at, i+1), id, "the number of a statement"))
	}
}

func (r *claimReader) inequality(c *Claim) {
	text := r.scalar(r.at+": inequality", r.values["inequality"], "a text")
	c.Args, c.Found = []string{"refute", text}, []string{"verdict"}
	if r.values["over"] != nil {
		ranges := []string{"mechanisms", "stops", "eps", "delta"}
		over := r.fields("over", "{mechanisms: [1, 500], eps: [0.01, 1]}", append(ranges, "charges")...)
		for _, key := range ranges {
			if over[key] == nil {
				continue
			}
			var ends []string
			for _, end := range r.list(r.at+": over: "+key, over[key], 2) {
				ends = append(ends, r.scalar(r.at+": over: "+key, end, "a number"))
			}
			c.Args = append(c.Args, "--"+key+"="+strings.Join(ends, ":"))
		}
		c.flag(r, "charges", over["charges"])
	}
	if r.values["search"] != nil {
		search := r.fields("search", "{seed: 1, pipelines: 5000}", "seed", "pipelines")
		c.flag(r, "seed", search["seed"])
		c.flag(r, "pipelines", search["pipelines"])
	}
}

// claimOf splits a name FILE#CLAIM of what stands in a claim, unless that is the name of a file.
func claimOf(name string) (file, claim string) {
	file, claim, _ = strings.Cut(name, "#")
	if _, err := os.Lstat(name); claim == "" || err == nil {
		return name, ""
	}
	return file, claim
}

// readIn reads a file or, with claim, what a claim of a file of claims has under some of its keys.
func (s source) readIn(r io.Reader, claim string, within func(pairs []*ast.MappingValueNode) ast.Node,
	use func(ast.Node)) error {
	if claim == "" {
		return s.read(r, use)
	}
	s.form = claimsForm
	return s.read(r, func(root ast.Node) {
		for _, entry := range s.claims(root) {
			pairs, _ := pairsOf(entry)
			for _, pair := range pairs {
				if text, _ := scalarOf(pair.Value); keyOf(pair) == "name" && text == claim {
					inside := within(pairs)
					if inside == nil {
						s.fail(entry, "claim %s has nothing of this kind", report.Quote(claim))
					}
					use(inside)
					return
				}
			}
		}
		s.fail(root, "there is no claim %s", report.Quote(claim))
	})
}

// pipelineOf is the problem of a claim.
func pipelineOf(pairs []*ast.MappingValueNode) ast.Node {
	for _, pair := range pairs {
		if _, isInside := pairsOf(pair.Value); isInside && keyOf(pair) == "pipeline" {
			return pair.Value
		}
	}
	return nil
}

// auditOf is the audit of a claim: a mapping with those of its keys that an audit file has.
func auditOf(pairs []*ast.MappingValueNode) ast.Node {
	audit := &ast.MappingNode{}
	for _, pair := range pairs {
		if slices.Contains(auditKeys, keyOf(pair)) {
			audit.Values = append(audit.Values, pair)
		}
	}
	if len(audit.Values) == 0 {
		return nil
	}
	return audit
}
