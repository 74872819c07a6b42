package command

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
)

const (
	down  = report.Down
	up    = report.Up
	near  = report.Near
	plain = report.Side(9) // measured, counted, or a parameter in double precision
)

// sides says for the numbers of --json on which side of the exact number the double is, by the ends of their places:
// the keys from the object of the output on. The longest one counts.
var sides = byPlace(map[report.Side]string{
	down: `lower budget.eps budget.delta remaining.eps remaining.delta fits.eps mean_eps_at_least
		loss_at_least loss.least not_enough sampling plans.eps plans.delta theorem.eps theorem.delta search.reach
		excluded.points.eps excluded.points.delta eps_at_least.eps delta_at_least`,
	up: `upper eps exp_eps delta alpha lemma11_eps single_stop_eps plain_dp_eps mean_eps loss.most noise adds
		infinite_under_p infinite_under_q rel_width.reached plans.limit theorem.limit search.runs theorem.runs
		points.v`,
	near: `weight gamma lambda points.x seed parameters.delta_bound parameters.delta_leak parameters.gamma
		parameters.target_eps parameters.v0 parameters.size`,
	plain: `seen.power seen.delta seen.eps.eps seen.eps.event_probability seen.eps.delta log_alone log_wealth
		log_threshold log_factor share kept_share shapeless_share hits second_hits_by_part outputs round places features
		features_left_out max_bytes max_seconds max_samples schema_version seconds requested rel_width probability
		contribution after count group mechanism mechanisms stops events event line trials rounds plays.parts candidates
		candidate thresholds charges.runs plays.mechanism score pairs proved samples cases parameters.queries
		parameters.candidates parameters.optimal parameters.cutoff`,
})

// byPlace returns the side of each place.
func byPlace(places map[report.Side]string) map[string]report.Side {
	all := map[string]report.Side{}
	for side, names := range places {
		for name := range strings.FieldsSeq(names) {
			all[name] = side
		}
	}
	return all
}

// sideOf returns the side of a number.
func sideOf(place []string) (s report.Side, ok bool) {
	for i := range place {
		if s, ok := sides[strings.Join(place[i:], ".")]; ok {
			return s, true
		}
	}
	return 0, false
}

// boundOnly are the places of bounds in double precision: the decimal is on the side of the double, too.
var boundOnly = regexp.MustCompile(`^(points\.(v|eps)|mean_eps_at_least|rates\.(lower|upper))$|` +
	`excluded\.points|loss_at_least|infinite_under|rel_width\.reached|sampled\.(eps_at_least\.eps|delta_at_least)`)

// notOurs is what is passed on from the author of a program.
var notOurs = regexp.MustCompile(`^selected\.(input|output)(\.|$)`)

// TestDoublesOfAllCommands reads what commands print with a parser that knows nothing but doubles: each one is on the
// side of the exact number that is declared for it, and the next one is not; so is the decimal, for who keeps it.
func TestDoublesOfAllCommands(t *testing.T) {
	t.Parallel()
	seen, texts := map[string]bool{}, goldenJSON(t)
	for _, r := range withJSON(t) {
		code, stdout, stderr := checkrr(r.Stdin, r.Args...)
		if code == exitSchema {
			t.Errorf("%s: %s", r, stderr)
		}
		texts[r.String()] = []byte(stdout)
	}
	for r, text := range texts {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var output any
		if err := d.Decode(&output); err != nil {
			t.Errorf("%s: %v", r, err)
			continue
		}
		c := doubleChecker{t, r, seen, false}
		c.check(nil, output)
		version := output.(map[string]any)["schema_version"]
		if version != json.Number(strconv.Itoa(report.SchemaVersion)) {
			t.Errorf("%s: schema_version is %v", r, version)
		}
	}
	for ending := range sides {
		if !seen[ending] {
			t.Errorf("%s is declared, and no command prints it", ending)
		}
	}
}

// withJSON returns commands, each of which with another kind of output than those of the golden files.
func withJSON(t *testing.T) (rs []recording) {
	certified := filepath.Join(t.TempDir(), "proof.json")
	write(t, certified, string(proof(t, "dpsgd")))
	ledger := "account ../../../examples/ledger.jsonl --json "
	for _, args := range []string{
		"optdel ../../../examples/tiny.yaml --json --exact --lemma11-with basic --at-most 1/2",
		"optdel ../../../examples/losses.yaml --json --rel-width 1e-3",
		"compose --mech eps=0.1,delta=1e-9,count=100 --delta 1e-7 --compare --json",
		"compose --mech exp_eps=3/2,count=3 --exp-eps 7/3 --json",
		"compose --mech eps=1/3,count=20 --eps 1/7 --json",
		"schedule ../../../examples/tiny.yaml --delta 1/10 --json",
		"schedule ../../../examples/steps.yaml --delta 1e-5 --shape optimal --json",
		ledger + "--compare --budget eps=3,delta=1e-5", ledger + "--budget eps=2,delta=1e-5",
		ledger + "--budget exp_eps=27,delta=1/3000 --rule odp-advanced",
		"odometer ../../../examples/ledger.jsonl --json --delta 1e-5 --rule stitched",
		"challenge --rule sum --budget eps=2,delta=0.1 --menu exp_eps=9/8,delta=0.01 --rounds 9 --json",
		"challenge --rule adaptive --budget eps=1,delta=1e-3 --menu eps=0.1;eps=0.2,delta=1e-4 --rounds 20 --json",
		"challenge --rule sum --budget eps=1,delta=2e-6 --menu eps=0.1|0.2;eps=0.1|0.2,delta=2e-6 --rounds 6 --json",
		"accuracy exponential --eps 1 --candidates 8 --optimal 2 --json",
		"select --budget eps=1,delta=1e-6 --candidates 5 --all-runs 1e-5 --json",
		"select --budget eps=1,delta=1e-6 --candidates 5 --method pipeline --search 0.9 --thresholds 2 --json",
		"audit --builtin toy --method sampled --samples 2000 --seed 18446744073709551615 --json",
		"audit ../../../examples/audit-law.yaml --json",
		"audit --builtin leak --method sampled --samples 3000 --alpha 1/3000 --json",
		"audit ../../../examples/audit-right.yaml --no-run --json",
		"audit --builtin laplace --noise 0.5 --method sampled --samples 2e3 --full --json",
		"certify --json " + certified, "reproduce selection --out " + t.TempDir() + " --json", "version --json",
		"verify --json ODP-D1", "verify --json PSC-D1.1",
	} {
		rs = append(rs, recording{Args: strings.Fields(args), Stdin: one})
	}
	noisy := "mechanisms: [{gaussian: {noise: 1.1, sampling: 1/30}, count: 20}]\n" +
		"stops: [{after: 10, exp_eps: 4/3}, {after: 20, eps: 0.7}]"
	for args, stdin := range map[string]string{
		"noise - --delta 1e-5 --shape given --rel-width 0.1 --json": noisy, "schedule - --delta 1e-5 --json": noisy,
		"optdel - --rel-width 1e-3 --json": noisy,
		"compose - --delta 1e-3 --json":    "mechanisms: [{gaussian: {noise: 2, adds: [[0.1, 1/3], [1, 2/3]]}}]",
		"audit - --json":                   auditOf("reveal", "{eps: 1}", "{exp_eps: 1e9999, delta: 1e-9999}"),
		"select - --seed 9007199254740993 --json": "command: [mechanism, reveal]\n" +
			"candidates: [{output: 1, score: 0.1}, {output: [0.10000000000000000001], score: 0.7}]\n" +
			"budget: {eps: 1, delta: 1e-6}\nrun: {eps: 0.3, delta: 1e-9}\nmethod: random-stop\ntarget: 0.9",
	} {
		rs = append(rs, recording{Args: strings.Fields(args), Stdin: stdin})
	}
	return rs
}

type doubleChecker struct {
	*testing.T
	command string
	seen    map[string]bool // the endings of places
	refuted bool            // what the value is about
}

// check checks all numbers of a value at a place.
func (c doubleChecker) check(place []string, value any) {
	if notOurs.MatchString(strings.Join(place, ".")) {
		return
	}
	switch value := value.(type) {
	case []any:
		for _, x := range value {
			c.check(place, x)
		}
	case map[string]any:
		if verdict, hasVerdict := value["verdict"]; hasVerdict {
			c.refuted = verdict == "refuted"
		}
		for key, x := range value {
			here := append(place[:len(place):len(place)], key)
			c.check(here, x)
			number, isNumber := x.(json.Number)
			exact, hasExact := value[key+"_exact"]
			if isNumber || x == nil && hasExact {
				c.number(here, number.String(), exact)
			}
			if name, isExact := strings.CutSuffix(key, "_exact"); isExact && value[name] == nil {
				if _, isThere := value[name]; !isThere {
					c.Errorf("%s: there is %s, and no %s", c.command, key, name)
				}
			}
		}
	case json.Number:
		c.declared(place)
	}
}

// declared returns the side of a number.
func (c doubleChecker) declared(place []string) report.Side {
	for i := range place {
		c.seen[strings.Join(place[i:], ".")] = true
	}
	if slices.Contains(place, "claim") || slices.Contains(place, "claimed_delta") { // a verdict is of the double, too
		return map[bool]report.Side{true: down, false: up}[c.refuted]
	}
	s, ok := sideOf(place)
	if !ok {
		c.Errorf("%s: no side is declared for %v", c.command, place)
	}
	return s
}

// number checks a number with what is said to be its exact value, nil if nothing is.
func (c doubleChecker) number(place []string, token string, exact any) {
	s := c.declared(place)
	if boundOnly.MatchString(strings.Join(place, ".")) && exact == nil && token != "" {
		d, _ := strconv.ParseFloat(token, 64)
		exact = new(big.Rat).SetFloat64(d).RatString()
	}
	text, isText := exact.(string)
	if !isText || s == plain {
		if isText {
			c.near(place, token, text)
		}
		return
	}
	d, err := strconv.ParseFloat(token, 64)
	if err != nil {
		d = math.Inf(int(s)) // null: it is beyond all doubles
	}
	if s == near {
		c.near(place, token, text)
		return
	}
	x := ratsOf(text)
	outside := func(r *big.Rat) bool { return r.Cmp(x.farther(s))*int(s) < 0 }
	if !math.IsInf(d, 0) && (outside(new(big.Rat).SetFloat64(d)) || outside(ratOf(token))) {
		c.Errorf("%s: %v is %s, of %s: the wrong side", c.command, place, token, text)
	}
	if inner := math.Nextafter(d, -math.Inf(int(s))); new(big.Rat).SetFloat64(inner).Cmp(x.nearer(s))*int(s) >= 0 {
		c.Errorf("%s: %v is %s, of %s: %v is nearer", c.command, place, token, text, inner)
	}
}

// near checks that a number is the nearest double.
func (c doubleChecker) near(place []string, token, exact string) {
	d, err := strconv.ParseFloat(token, 64)
	if want, _ := ratOf(exact).Float64(); err != nil || d != want {
		c.Errorf("%s: %v is %s, of %s", c.command, place, token, exact)
	}
}

// enclosed is a number between two ratios.
type enclosed [2]*big.Rat

func (x enclosed) farther(s report.Side) *big.Rat { return x[map[report.Side]int{down: 0, up: 1}[s]] }
func (x enclosed) nearer(s report.Side) *big.Rat  { return x[map[report.Side]int{down: 1, up: 0}[s]] }

var logarithm = regexp.MustCompile(`^(?:(.*) \+ )?ln\((.*)\)$`)

// ratsOf reads an exact number: a decimal, a ratio, or one with a logarithm.
func ratsOf(text string) enclosed {
	parts := logarithm.FindStringSubmatch(text)
	if parts == nil {
		return enclosed{ratOf(text), ratOf(text)}
	}
	n := interval.Precision(300)
	x := n.Log(ratOf(parts[2]))
	if parts[1] != "" {
		x = n.Add(x, n.Rat(ratOf(parts[1])))
	}
	lower, upper := x.Rats()
	return enclosed{lower, upper}
}
