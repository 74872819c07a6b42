package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// replayOf replays a ledger that is called l; no budget if that is empty.
func replayOf(t testing.TB, budget, text string) *replay {
	t.Helper()
	r, err := newReplay(accountOptions{budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	r.replayAll(input.NewLedger("l", strings.NewReader(text)), 0, io.Discard)
	return r
}

func TestLedger(t *testing.T) {
	t.Parallel()
	const want = "2 events, ε = 13/10 + ln(3/2), δ = 1/1000, without ODP ε = 8/5 + ln(3/2)"
	tests := map[string]string{
		"plain": `{"mechanism": "svt", "parts": {"few": 0.3, "many": 0.6}, "delta": 1e-3, "observed": "few"}
{"mechanism": "rr", "parts": {"all": {"exp_eps": "3/2"}}, "observed": "all", "note": "", "delta": 0,` +
			` "time": "2026-11-02T10:00:00.5+01:00"}
{"mechanism": "count", "parts": {"all": {"eps": 1}}, "delta": 0, "observed": "all"}
`,
		"order of keys, blank lines, no end of line": "\n  \t\n" +
			`{"observed": "few", "delta": "1/1000", "parts": {"many": "3/5", "few": "0.30"}, "mechanism": "svt"}` +
			"\n\n\r\n" +
			`{"delta":0.0,"note":"\n","observed":"all","parts":{"all":{"exp_eps":1.5}},"mechanism":"rr"}` + "\n" +
			`   {"mechanism":"count","parts":{"all":10e-1},"delta":0,"observed":"all"}   `,
		"windows, escapes": "\uFEFF" + `{"mechanism": "\u0073vt", "parts": {"f\u0065w": 3e-1, "many": "3/5"}, ` +
			`"delta": 1E-03, "observed": "few"}` + "\r\n" +
			`{"mechanism": "rr", "parts": {"\ud83d\ude00": {"exp_eps": "1.50"}}, "delta": 0, "observed": "😀"}` +
			"\r\n" +
			`{"mechanism": "count", "parts": {"all": 1.000}, "delta": -0, "observed": "all"}` + "\r\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			r := replayOf(t, "", text)
			if r.end != nil {
				t.Fatal(r.end)
			}
			s := r.most()
			got := fmt.Sprintf("%d events, ε = %v, δ = %v, without ODP ε = %v", s.Events-1, s.ODP.Eps, s.ODP.Delta,
				s.WithoutODP.Eps)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// one is an event.
const one = `{"mechanism": "m", "parts": {"x": 1}, "delta": 0, "observed": "x"}`

// faultyLedgers returns ledgers with a fault, and what is said about them: those of testdata/faults, and what is no
// text.
func faultyLedgers(t testing.TB) (all [][2]string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/faults/ledger.txtar")
	if err != nil || len(archive.Files) < 50 {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		all = append(all, [2]string{string(f.Data), f.Name})
	}
	return append(all, [][2]string{
		{"\x00\x00\n", `1:1: the event is "\x00\x00", must be a JSON object`},
		{`{"mechanism": "a` + "\xff" + `"}` + "\n", "1:17: there is a byte that is not UTF-8, must be text in UTF-8"},
		{strings.Repeat(" ", 1<<20) + one, "1:1: the line is longer than 1 MiB"},
		{one + "\u00a0\n", "1:67: the line goes on after the event, must hold one event only"},
		{"\u00a0\n", `1:1: the event is "\u00a0", must be a JSON object`},
		{parts("{\"a\tb\": 1}"),
			`1:32: the string has a control character, must have an escape such as \n or \t instead`},
	}...)
}

func parts(text string) string { return strings.Replace(one, `{"x": 1}`, text, 1) + "\n" }
func TestLedgerErrors(t *testing.T) {
	t.Parallel()
	for _, x := range faultyLedgers(t) {
		text, want := x[0], x[1]
		for _, budget := range []string{"", "eps=1e289,delta=1"} {
			r := replayOf(t, budget, text)
			isCounted := strings.HasPrefix(want, "2:") && text[0] != '\n'
			if r.end == nil || r.end.Error() != "l:"+want || r.refused != nil || (r.events() == 1) != isCounted {
				t.Errorf("%.80q: %d events are counted\ngot  %v\nwant l:%s", text, r.events(), r.end, want)
			}
		}
	}
}

// TestLedgerSpeaksPlainly changes every character of an event, and never finds the words
// of the JSON library in what is said about it.
func TestLedgerSpeaksPlainly(t *testing.T) {
	t.Parallel()
	text := []rune(parts(`{"few": 15e-1, "many": {"exp_eps": "3/2"}}`))
	for i := range text {
		for j, c := range "{}[]:,\"\\xN0-.\t\x00\uFFFD" {
			if !*full && (i+j)%3 > 0 {
				continue
			}
			changed := slices.Clone(text)
			changed[i] = c
			r := replayOf(t, "", string(changed)+one)
			if r.end == nil {
				continue
			}
			for _, word := range []string{"invalid", "expecting", "surrogate", "missing value", "token", "not JSON"} {
				if strings.Contains(r.end.Error(), word) {
					t.Errorf("%s: %v", string(changed), r.end)
				}
			}
		}
	}
}

// TestLedgerCutOff cuts the last line anywhere: that is always noticed.
func TestLedgerCutOff(t *testing.T) {
	t.Parallel()
	cutOff := regexp.MustCompile(`^[^:]+:2:[0-9]+: the file ends inside an event$`)
	last := `{"mechanism": "é\u00e9", "parts": {"few": 15e-1, "many": {"exp_eps": "3/2"}}, "delta": 15e-7, ` +
		`"observed": "few", "time": "2026-11-02T10:00:00Z"}`
	for n := 1; n < len(last); n++ {
		r := replayOf(t, "eps=100,delta=1e-5", one+"\n"+last[:n])
		if !cutOff.MatchString(fmt.Sprint(r.end)) {
			t.Errorf("%s: %v", last[:n], r.end)
		}
		if r.events() != 1 {
			t.Errorf("%s: %d events are counted", last[:n], r.events())
		}
	}
	if r := replayOf(t, "", one+"\n"+last); r.end != nil || r.events() != 2 {
		t.Errorf("whole: %v, %d events", r.end, r.events())
	}
}

// brokenReader fails after the text.
type brokenReader struct{ text io.Reader }

func (b brokenReader) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if err == io.EOF {
		err = errors.New("the disk is broken")
	}
	return n, err
}

func TestTallyStaysSmall(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range ledger.MaxTallied + 50 {
		fmt.Fprintln(&b, strings.Replace(one, `"m"`, fmt.Sprintf(`"m%d"`, i), 1))
	}
	r := replayOf(t, "", b.String()+one+"\n"+strings.Replace(one, `"m"`, `"m7"`, 1))
	if len(r.mechanisms.Named) != ledger.MaxTallied || r.mechanisms.Others.Events != 51 ||
		r.mechanisms.Named["m7"].Events != 2 {
		t.Errorf("%d names, %d others", len(r.mechanisms.Named), r.mechanisms.Others.Events)
	}
	if names := r.mechanisms.ByEps(); names[0] != "m7" || names[1] != "m0" {
		t.Errorf("names are %v", names[:2])
	}
}

// FuzzLedger replays any text: without a panic, and the total is that of adding up, in
// ratios, what encoding/json reads on the lines that were counted.
func FuzzLedger(f *testing.F) {
	for _, x := range faultyLedgers(f) {
		if len(x[0]) < 1000 {
			f.Add(x[0], "eps=1")
		}
	}
	f.Add(string(manyEvents(9)), "eps=2,delta=1e-12")
	f.Add(parts(`{"x": {"exp_eps": "3/2"}}`)+one, "exp_eps=5/2")
	f.Fuzz(func(t *testing.T, text, budget string) {
		r, err := newReplay(accountOptions{budget: budget})
		if err != nil {
			r, _ = newReplay(accountOptions{})
		}
		r.replayAll(input.NewLedger("l", strings.NewReader(text)), 0, io.Discard)
		if eps := r.most().ODP.Eps; !eps.IsRounded() && r.partitionsJSON() == nil {
			if want := naiveSum(t, text, r.events()); eps.String() != want {
				t.Errorf("spent %v, want %s", eps, want)
			}
		}
		if r.run != nil && !r.most().ODP.Within(r.budget()) {
			t.Errorf("spent %v of %v", r.most().ODP, r.budget())
		}
		r.writeTable(io.Discard)
		if _, err := json.Marshal(report.Doubles{Output: r.toJSON()}); err != nil {
			t.Error(err)
		}
	})
}

// naiveSum adds up the first events of a ledger.
func naiveSum(t *testing.T, text string, events int) string {
	nats, exp := new(big.Rat), big.NewRat(1, 1)
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		if events == 0 {
			break
		}
		if len(bytes.TrimSpace([]byte(line))) == 0 {
			continue
		}
		events--
		var e struct {
			Observed string
			Parts    map[string]any
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch eps := e.Parts[e.Observed].(type) {
		case map[string]any:
			if x, ok := eps["exp_eps"]; ok {
				exp.Mul(exp, ratOf(x))
			} else {
				nats.Add(nats, ratOf(eps["eps"]))
			}
		default:
			nats.Add(nats, ratOf(eps))
		}
	}
	switch isOne := exp.Cmp(big.NewRat(1, 1)) == 0; {
	case isOne:
		return nats.RatString()
	case nats.Sign() == 0:
		return "ln(" + exp.RatString() + ")"
	}
	return nats.RatString() + " + ln(" + exp.RatString() + ")"
}

// ratOf returns a number, or a string that holds a decimal or a ratio, whose parts may begin with zeros, a sign or a
// point.
func ratOf(x any) *big.Rat {
	num, den, isRatio := strings.Cut(fmt.Sprint(x), "/")
	if isRatio {
		return new(big.Rat).Quo(ratOf(num), ratOf(den))
	}
	digits := strings.TrimLeft(num, "+-")
	r, ok := new(big.Rat).SetString(num[:len(num)-len(digits)] + "0" + digits)
	if !ok {
		panic("no number: " + num)
	}
	return r
}

// manyEvents is a ledger of n events.
func manyEvents(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		at := fmt.Sprintf(`"time": "2026-11-%02dT%02d:%02d:00Z"`, i%28+1, i%24, i%60)
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, `{"mechanism": "svt", "parts": {"few": 0.3, "many": 1}, "delta": 1e-12, "observed": `+
				`"few", %s, "note": "run %d"}`, at, i)
		case 1:
			fmt.Fprintf(&b, `{"mechanism": "iqr%d", "parts": {"value": 0.4, "⊥": 0.2}, "delta": 2e-12, "observed": `+
				`"⊥", %s}`, i%50, at)
		case 2:
			fmt.Fprintf(&b, `{"mechanism": "count", "parts": {"all": 0.%016d}, "delta": 0, "observed": "all", %s}`,
				i*7919, at)
		case 3:
			fmt.Fprintf(&b, `{"mechanism": "training", "parts": {"after 50": 0.6, "after 100": 0.9, "after 200": `+
				`1.25}, "delta": 2.01e-13, "observed": "after 100", %s}`, at)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// BenchmarkLedgerAgainstScan replays a ledger, and scans its lines with the same JSON
// library and nothing else: what no account can be faster than.
func BenchmarkLedgerAgainstScan(b *testing.B) {
	const n = 10_000
	text := manyEvents(n)
	var ratios, replays []float64
	for len(ratios) < 5 || b.Loop() {
		start := time.Now()
		replayAll(b, text, n)
		replayed := time.Since(start)
		start = time.Now()
		scanAll(b, text, n)
		ratios = append(ratios, replayed.Seconds()/time.Since(start).Seconds())
		replays = append(replays, n/replayed.Seconds())
	}
	slices.Sort(ratios)
	slices.Sort(replays)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(replays[len(replays)/2], "events/s")
	b.ReportMetric(0, "ns/op")
}

func replayAll(b *testing.B, text []byte, n int) {
	r, err := newReplay(accountOptions{budget: "eps=1e9,delta=1"})
	if err != nil {
		b.Fatal(err)
	}
	r.replayAll(input.NewLedger("b", bytes.NewReader(text)), 0, io.Discard)
	if r.end != nil || r.events() != n {
		b.Fatal(r.end, r.events())
	}
}

func scanAll(b *testing.B, text []byte, n int) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for i := 0; ; i++ {
		if err := d.SkipValue(); err == io.EOF && i == n {
			return
		} else if err != nil {
			b.Fatal(err, i)
		}
	}
}

// BenchmarkLedger is one event of a ledger, from its line to what is kept of it, by each rule.
func BenchmarkLedger(b *testing.B) {
	const n = 10_000
	text := manyEvents(n)
	for _, command := range []string{
		"account", "account --budget eps=1e9,delta=1", "account --budget eps=1e5,delta=1e-2 --rule adaptive",
		"account --budget eps=1e5,delta=1e-2 --rule zcdp", "account --budget eps=1e5,delta=1e-2 --rule odp-advanced",
		"odometer --delta 1e-2 --rule filter", "odometer --delta 1e-2 --rule mixture", "odometer --delta 1e-2 --rule " +
			"stitched",
		"odometer --delta 1e-2 --rule rogers --size 1000", "odometer --delta 1e-2 --rule best",
	} {
		b.Run(command, func(b *testing.B) {
			b.ReportAllocs()
			events := 0
			for ; b.Loop(); events += n {
				var stderr bytes.Buffer
				if code := execute(append(strings.Fields(command), "--json", "-"), bytes.NewReader(text), io.Discard,
					&stderr); code != exitOK {
					b.Fatal(stderr.String())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// TestExampleLedger_DP: the "dp" of the training in examples/ledger.jsonl is probabilistic DP, and better than its
// worst part: it follows from what its note says.
func TestExampleLedger_DP(t *testing.T) {
	t.Parallel()
	text := contents(t, "../../../examples/ledger.jsonl")
	l := input.NewLedger("ledger.jsonl", strings.NewReader(text))
	var e *input.Event
	var err error
	for e == nil || e.Guarantee.DP == nil {
		if e, err = l.Next(); err != nil {
			t.Fatal(err)
		}
	}
	_, stdout, _ := checkrr("", strings.Fields("compose --mech eps=0.015,count=200 --delta 5e-9 --json")...)
	composed := readJSON[struct{ Eps struct{ Upper float64 } }](t, stdout)
	const fromDelta = 5e-9
	eps, delta := e.Guarantee.AsPDP()
	claimed, _ := delta.Float64()
	known := func(from float64) float64 {
		return fromDelta * (1 + math.Exp(-loss.Float64(eps))) / -math.Expm1(from-loss.Float64(eps))
	}
	if from := composed.Eps.Upper; from > 1.1013 || known(1.1013) > claimed || known(from) < 0.9*claimed {
		t.Errorf("(%g, %g)-DP is (%v, %g)-probabilistically DP, %g is claimed", from, fromDelta, eps, known(from),
			claimed)
	}
	if loss.Float64(eps) >= loss.Float64(e.Guarantee.Worst()) {
		t.Errorf("dp is %v, the worst part %v", eps, e.Guarantee.Worst())
	}
	for _, said := range []string{"compose --mech eps=0.015,count=200 --delta 5e-9 prints 1.1013",
		"(1.1013, 5e-9)-DP is (1.16, 1.16e-7)-probabilistically DP"} {
		if !strings.Contains(text, said) {
			t.Errorf("the note does not have %q", said)
		}
	}
}
