package input

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
)

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
	c.HasNoise = r.values["noise"] != nil
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
	c.Args, c.Found = []string{"challenge"}, []string{"worst_delta", "upper"}
	c.flagOf(r, "menu", "menu", r.values["menu"], strings.Join(menu, ";"))
	r.must("rule", "one such as sum or adaptive")
	r.budget(c)
	c.flags(r, "rule", "rounds", "leak", "lambda", "target_eps", "gamma", "v0", "size")
}

// budget adds a budget {eps: 3, delta: 1e-5}.
func (r *claimReader) budget(c *Claim) {
	const form = "{eps: 3, delta: 1e-5}"
	v := r.fields("budget", form, "eps", "exp_eps", "delta")
	if len(v) == 0 {
		r.fail(r.values["budget"], "%s: budget is empty, must be of the form %s", r.at, form)
	}
	var says []string
	for _, key := range slices.Sorted(maps.Keys(v)) {
		_, typed := r.number(r.at+": budget: "+key, v[key])
		says = append(says, key+"="+typed)
	}
	c.flagOf(r, "budget", "budget", r.values["budget"], strings.Join(says, ","))
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
			given := strings.Join(ends, ":")
			c.flagOf(r, key, "over: "+key, over[key], given)
			stands := c.keys[key]
			stands.given, stands.typed = report.Quote(given), "["+strings.Join(ends, ", ")+"]"
			c.keys[key] = stands
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
