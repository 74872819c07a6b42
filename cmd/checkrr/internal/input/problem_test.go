package input

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/impl/loss"
)

func parse(text string) (*Problem, error) {
	return decodeProblem("p.yaml", named{}, strings.NewReader(text), ChargedStops)
}

// describe prints a pipeline with its numbers as ratios.
func describe(p impl.Pipeline) string {
	name := func(e loss.Epsilon) string {
		if e.Log {
			return "ln " + e.Rat().RatString()
		}
		return e.Rat().RatString()
	}
	var b strings.Builder
	for _, m := range p.Mechanisms {
		fmt.Fprintf(&b, "%d x (%s, %s); ", m.Count, name(m.Eps), m.Delta.RatString())
	}
	for _, s := range p.Stops {
		fmt.Fprintf(&b, "stop %d (%s); ", s.After, name(s.Eps))
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestProblem(t *testing.T) {
	t.Parallel()
	const want = "100 x (1/10, 1/1000000); 1 x (ln 3/2, 1/100); stop 50 (5/2); stop 101 (ln 20)"
	tests := map[string]string{
		"flow": `
mechanisms:
  - {eps: 0.1, delta: 1e-6, count: 100}     # a comment
  - {exp_eps: 3/2, delta: 1/100}
stops:
  - {after: 50, eps: 2.5}
  - {after: 101, exp_eps: 20}
`,
		"block": `---
# stops first: the order of the keys is free
stops:
- after: 50
  eps: 2.5
- exp_eps: 20
  after: 101

mechanisms:
- delta: .000001
  count: 100

  eps: +1/10
- exp_eps: "3/2"
  delta: '0.01'
...
`,
		"json": `{"mechanisms":[{"eps":0.1,"delta":1e-06,"count":100},{"exp_eps":"3/2","delta":"1/100"}],
	"stops":[{"after":50,"eps":2.5},{"after":101,"exp_eps":20}]}`,
		"windows": "\uFEFFmechanisms:\r\n- {eps: 1E-1, delta: 1.0e-6, count: +100}\r\n- {exp_eps: 1.5, delta: 1/100, count: 1}\r\nstops: [{after: 050, eps: 2.50}, {after: 101, exp_eps: 20.}]\r\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(p.Pipeline); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestProblemCharges(t *testing.T) {
	t.Parallel()
	p, err := parse("mechanisms: [{eps: 1, count: 4}]\nstops: [{after: 1, eps: 2.50}, {after: 2, eps: 1/3}, {after: 3, exp_eps: 20}, {after: 4, exp_eps: 3/2}]")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.Charges, " "), "2.50 1/3 ln 20 ln(3/2)"; got != want {
		t.Errorf("charges are %s, want %s", got, want)
	}
}

// problemErrors are faulty files and what is said about them.
var problemErrors = []struct{ text, want string }{
	// no problem at all
	{"", "1:1: the file is empty, must have the keys mechanisms and stops"},
	{"# nothing\n", "1:1: the file is empty, must have the keys mechanisms and stops"},
	{"---\n", "1:1: the file is empty, must have the keys mechanisms and stops"},
	{"null", "1:1: the file is empty, must have the keys mechanisms and stops"},
	{"- 1", "1:1: the file is a list, must have the keys mechanisms and stops"},
	{"eps", "1:1: the file is eps, must have the keys mechanisms and stops"},
	{"{}", "1:1: mechanisms is missing, must be a list such as [{eps: 0.1, count: 10}]"},
	{"\x00\x01", "1:1: byte 0x00 does not belong here, a problem file is plain UTF-8 text"},
	{"mechanisms:\n  - \xff", "2:5: byte 0xff does not belong here, a problem file is plain UTF-8 text"},
	{"é: \x1b[0m", "1:4: byte 0x1b does not belong here, a problem file is plain UTF-8 text"},
	// not in the strict subset of YAML
	{"mechanisms: &x [{eps: 1}]", "1:13: an anchor (&) is not supported, write the value out"},
	{"mechanisms: *x", "1:13: an alias (*) is not supported, write the value out"},
	{"mechanisms: !!seq []", "1:13: a tag (!) is not supported, write the value out"},
	{"<<: {stops: []}", "1:1: a merge key (<<) is not supported, write the value out"},
	{"mechanisms: |\n  x", "1:13: a block text (|) is not supported, write the value out"},
	{"mechanisms: >\n  x", "1:13: a block text (>) is not supported, write the value out"},
	{"%YAML 1.2\n---\n", "1:1: a directive (%) is not supported, write the value out"},
	{"? mechanisms\n: []", "1:1: a key marked by ? is not supported, write the value out"},
	{"mechanisms: []\n---\nstops: []", "2:1: a second document, must be only one"},
	{"mechanisms: []\n...\nstops: []", "3:1: a second document, must be only one"},
	{"mechanisms:\n  - {eps: 1\n     2}", "3:6: ',' or '}' must be specified"},
	{"mechanisms:\n  - eps: 1\n     2", "2:10: \"1 2\" runs over the end of the line"},
	{"mechanisms:\n  - {eps: '1\n     2'}", "2:11: \"1 2\" runs over the end of the line"},
	{strings.Repeat("[", 100_000), "1:6: nested too deeply"},
	{"a: " + strings.Repeat("{a: ", 100_000), "1:24: nested too deeply"},
	{strings.Repeat("- ", 100_000), "1:3: a list directly inside a list does not belong here"},
	{strings.Repeat("a: 1\n", 100_000), "17:2: too many keys, an entry has at most 8"},
	{strings.Repeat("a: []\n", 100_000), "17:2: too many keys, an entry has at most 8"},
	{"a:\n" + strings.Repeat("  a:\n  - 1\n", 100_000), "34:4: too many keys, an entry has at most 8"},
	{"x: [\n" + strings.Repeat("a: 1\nb: [1,2]\n", 100_000), "18:2: too many keys, an entry has at most 8"},
	{"mechanisms:\n\t- {eps: 1}", "2:1: the line begins with a tab, must be indented with spaces"},
	{"mechanisms: [{eps: 1}", "1:13: sequence end token ']' not found"},
	{"mechanisms: 'x", "1:13: could not find end character of single-quoted text"},
	{"mechanisms: mechanisms: 1", "1:13: mapping value is not allowed in this context"},
	// keys
	{"mechanism: []", "1:1: unknown key mechanism, must be one of mechanisms, stops, neighbours; did you mean mechanisms?"},
	{"mechanisms: [{eps: 1}]\nextra: 1", "2:1: unknown key extra, must be one of mechanisms, stops, neighbours"},
	{"mechanisms: [{eps: 1}]\nmechanisms: [{eps: 1}]", "2:1: mechanisms is given twice"},
	{"mechanisms: [{eps: 1}]", "1:1: stops is missing, must be a list such as [{after: 10, eps: 1}]"},
	{"# c\n\nstops: [{eps: 1, after: 1}]", "3:1: mechanisms is missing, must be a list such as [{eps: 0.1, count: 10}]"},
	{"mechanisms: [{epsilon: 1}]\nstops: []", "1:24: mechanism 1: unknown key epsilon, must be one of eps, exp_eps, delta, count, law, losses, gaussian, laplace, discrete_gaussian; did you mean eps?"},
	{"mechanisms: [{eps: 1, Delta: 1}]\nstops: []", "1:30: mechanism 1: unknown key Delta, must be one of eps, exp_eps, delta, count, law, losses, gaussian, laplace, discrete_gaussian; did you mean delta?"},
	{"mechanisms: [{eps: 1, steps: 5}]\nstops: []", "1:30: mechanism 1: unknown key steps, must be one of eps, exp_eps, delta, count, law, losses, gaussian, laplace, discrete_gaussian; did you mean count?"},
	{"mechanisms: [{gaussian: {noise: 1}, batch: 256}]\nstops: []", "1:44: mechanism 1: batch is given, must be Poisson sampling, as in gaussian: {noise: …, sampling: 256/60000}, which has each record with that probability, independently: batches of a fixed size, and shuffling, have other privacy, which is not computed here"},
	{"mechanisms: [{gaussian: {noise: 1, max_grad_norm: 1}}]\nstops: []", "1:51: mechanism 1: max_grad_norm is given, must be left out: noise is σ over that norm, the noise multiplier"},
	{"mechanisms: [{gaussian: {noise: 1, epochs: 3}}]\nstops: []", "1:44: mechanism 1: epochs is given, must be count of a mechanism, as in {gaussian: {noise: …, sampling: …}, count: …}: the number of steps, epochs × records / batch size"},
	{"mechanisms: [{gaussian: {noise: 1}}]\nstops: []\nsigma: 2", "3:1: sigma is given, must be noise, as in gaussian: {noise: …, sampling: …}"},
	{"mechanisms: [{gaussian: {sigma: 1}}]\nstops: []", "1:33: mechanism 1: unknown key sigma, must be one of noise, sampling; did you mean noise?"},
	{"mechanisms: [{gaussian: {noise: 1, sample_rate: 1}}]\nstops: []", "1:49: mechanism 1: sample_rate is given, must be Poisson sampling, as in gaussian: {noise: …, sampling: 256/60000}, which has each record with that probability, independently: batches of a fixed size, and shuffling, have other privacy, which is not computed here"},
	{"mechanisms: [{gaussian: {noise: 1}, q: 1}]\nstops: []", "1:40: mechanism 1: q is given, must be Poisson sampling, as in gaussian: {noise: …, sampling: 256/60000}, which has each record with that probability, independently: batches of a fixed size, and shuffling, have other privacy, which is not computed here"},
	{"mechanisms: [{eps: 1, \"\": 1}]\nstops: []", "1:27: mechanism 1: unknown key \"\", must be one of eps, exp_eps, delta, count, law, losses, gaussian, laplace, discrete_gaussian"},
	{"mechanisms: [{eps: 1, eps: 1}]\nstops: []", "1:28: mechanism 1: eps is given twice"},
	{"mechanisms: [{eps: 1, exp_eps: 2}]\nstops: []", "1:32: mechanism 1: both eps and exp_eps are given, must be only one of them"},
	{"mechanisms:\n  - {eps: 1}\n  - {delta: 1}\nstops: []", "3:5: mechanism 2: eps is missing, must have eps or exp_eps, or one of law, losses, discrete_gaussian, gaussian, laplace"},
	{"mechanisms:\n  - eps: 1\n  - delta: 1\n    count: 2\nstops: []", "3:5: mechanism 2: eps is missing, must have eps or exp_eps, or one of law, losses, discrete_gaussian, gaussian, laplace"},
	{"mechanisms: [{}]\nstops: []", "1:14: mechanism 1: eps is missing, must have eps or exp_eps, or one of law, losses, discrete_gaussian, gaussian, laplace"},
	{"mechanisms: [{eps: 1}]\nstops:\n  - eps: 1", "3:5: stop 1: after is missing, must have after or every"},
	{"mechanisms: [{eps: 1}]\nstops:\n  - after: 1", "3:5: stop 1: eps is missing, must have eps or exp_eps; checkrr schedule finds charges for a δ"},
	{"mechanisms: [{eps: 1}]\nstops:\n  - {after: 1, eps: 1, delta: 0}", "3:31: stop 1: unknown key delta, must be one of after, every, from, to, eps, exp_eps, weight"},
	// kinds of values
	{"mechanisms: 1\nstops: []", "1:13: mechanisms is 1, must be a list such as [{eps: 0.1, count: 10}]"},
	{"mechanisms:\nstops: []", "1:12: mechanisms is empty, must be a list such as [{eps: 0.1, count: 10}]"},
	{"mechanisms: {eps: 1}\nstops: []", "1:13: mechanisms is a mapping, must be a list such as [{eps: 0.1, count: 10}]"},
	{"mechanisms: [{eps: 1}]\nstops: {after: 1, eps: 1}", "2:8: stops is a mapping, must be a list such as [{after: 10, eps: 1}]"},
	{"mechanisms: [1]\nstops: []", "1:14: mechanism 1: is 1, must be of a form such as {eps: 0.1, count: 10}"},
	{"mechanisms:\n  -\nstops: []", "2:4: mechanism 1: is empty, must be of a form such as {eps: 0.1, count: 10}"},
	{"mechanisms: [[]]\nstops: []", "1:14: mechanism 1: is a list, must be of a form such as {eps: 0.1, count: 10}"},
	{"mechanisms: [{eps: }]\nstops: []", "1:15: mechanism 1: eps is empty, must be a number"},
	{"mechanisms: [{eps}]\nstops: []", "1:15: mechanism 1: eps is empty, must be a number"},
	{"mechanisms: [{eps: ~}]\nstops: []", "1:15: mechanism 1: eps is empty, must be a number"},
	{"mechanisms: [{eps: [1]}]\nstops: []", "1:15: mechanism 1: eps is a list, must be a number"},
	{"mechanisms:\n  - eps:\n      a: 1\nstops: []", "2:5: mechanism 1: eps is a mapping, must be a number"},
	{"mechanisms: [{Law: [[1, 1]]}]\nstops: []", "1:20: mechanism 1: unknown key Law, must be one of eps, exp_eps, delta, count, law, losses, gaussian, laplace, discrete_gaussian; did you mean law?"},
	{"mechanisms: [{law: [[1]]}]\nstops: []", "1:21: mechanism 1: law: output 1 is a list of 1, must be a list of two probabilities, [P, Q]"},
	{"mechanisms: [{law: [1]}]\nstops: []", "1:21: mechanism 1: law: output 1 is 1, must be a list of two probabilities, [P, Q]"},
	// losses and neighbours
	{"mechanisms: [{delta: 0, losses: none.csv}]\nstops: []", "1:22: mechanism 1: both losses and delta are given, must be losses and count, or the others"},
	{"mechanisms: [{losses: {}}]\nstops: []", "1:15: mechanism 1: losses is a mapping, must be the name of a file"},
	{"mechanisms: [{losses: ''}]\nstops: []", "1:23: mechanism 1: losses is empty, must be the name of a file with lines of the form loss,mass"},
	{"neighbours: 1\nmechanisms: []\nstops: []", "1:13: neighbours is 1, must be one of add-or-remove, replace"},
	{"neighbours: [replace]\nmechanisms: []\nstops: []", "1:13: neighbours is a list, must be one of add-or-remove, replace"},
	{"neighbours: replace\nmechanisms: [{gaussian: {noise: 1, sampling: 0.5}}]\nstops: []", "2:46: mechanism 1: gaussian: sampling is 0.5, must be 1 with neighbours: replace"},
	{"mechanisms: [{discrete_gaussian: {noise: 1}}]\nstops: []\nneighbours: replace", "1:34: mechanism 1: discrete_gaussian is given, must be gaussian or laplace with neighbours: replace"},
	// numbers
	{"mechanisms: [{eps: abc}]\nstops: []", "1:20: mechanism 1: eps is abc, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: 0x10}]\nstops: []", "1:20: mechanism 1: eps is 0x10, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: 0o17}]\nstops: []", "1:20: mechanism 1: eps is 0o17, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: 1_000}]\nstops: []", "1:20: mechanism 1: eps is 1_000, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: .inf}]\nstops: []", "1:20: mechanism 1: eps is .inf, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: .nan}]\nstops: []", "1:20: mechanism 1: eps is .nan, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: NaN}]\nstops: []", "1:20: mechanism 1: eps is NaN, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: true}]\nstops: []", "1:20: mechanism 1: eps is true, must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: ''}]\nstops: []", "1:20: mechanism 1: eps is \"\", must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"},
	{"mechanisms: [{eps: 1, delta: 1/0}]\nstops: []", "1:30: mechanism 1: delta is 1/0, must have a denominator other than 0"},
	{"mechanisms: [{eps: 1e1000000000}]\nstops: []", "1:20: mechanism 1: eps has the exponent 1000000000, must have one between -10000 and 10000"},
	{"mechanisms: [{eps: 1, count: 1.5}]\nstops: []", "1:30: mechanism 1: count is 1.5, must be a whole number such as 100"},
	{"mechanisms: [{eps: 1}]\nstops: [{after: x, eps: 1}]", "2:17: stop 1: after is x, must be a whole number such as 100"},
	// rules about values and order
	{"mechanisms: []\nstops: [{after: 1, eps: 1}]", "1:13: mechanisms: there are none, must be at least one"},
	{"mechanisms: [{eps: 1}]\nstops: []", "2:8: stops: there are none, must be at least one"},
	{"mechanisms:\n  - {eps: 1}\n  - {eps: 1, delta: 1.5}\nstops: [{after: 2, eps: 1}]", "3:21: mechanism 2: delta is 1.5, must be between 0 and 1"},
	{"mechanisms: [{eps: 1, delta: -1e-9}]\nstops: [{after: 1, eps: 1}]", "1:30: mechanism 1: delta is -1e-09, must be between 0 and 1"},
	{"mechanisms: [{eps: -1}]\nstops: [{after: 1, eps: 1}]", "1:20: mechanism 1: eps is -1, must be at least 0"},
	{"mechanisms: [{exp_eps: 1/2}]\nstops: [{after: 1, eps: 1}]", "1:24: mechanism 1: exp_eps is 0.5, must be at least 1"},
	{"mechanisms: [{eps: 1, count: 0}]\nstops: [{after: 1, eps: 1}]", "1:30: mechanism 1: count is 0, must be at least 1"},
	{"mechanisms: [{eps: 1, count: 1000000000}]\nstops: [{after: 1, eps: 1}]", "1:30: mechanism 1: count is 1000000000, a pipeline must have at most 10000000 mechanisms in all"},
	{"mechanisms: [{eps: 1, count: 9000000}, {eps: 1, count: 9000000}]\nstops: [{after: 1, eps: 1}]", "1:56: mechanism 2: count is 9000000, a pipeline must have at most 10000000 mechanisms in all"},
	{"mechanisms: [{eps: 1, count: 9}]\nstops:\n- {after: 0, eps: 1}", "3:11: stop 1: after is 0, must be at least 1"},
	{"mechanisms: [{eps: 1, count: 9}]\nstops:\n- {after: 5, eps: 1}\n- {after: 5, eps: 1}", "4:11: stop 2: after is 5, must be more than 5, the stop before it"},
	{"mechanisms: [{eps: 1, count: 9}]\nstops:\n- {after: 10, eps: 1}", "3:11: stop 1: after is 10, must be at most 9, the number of mechanisms"},
	{"mechanisms: [{eps: 1, count: 9}]\nstops:\n- {after: 8, eps: 1}", "3:11: stop 1: after is 8, the last stop must be the end of the pipeline, 9"},
	{"mechanisms: [{eps: 1, count: 9}]\nstops:\n- {after: 9, eps: -1}", "3:19: stop 1: eps is -1, must be at least 0"},
}

func TestProblemErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range problemErrors {
		p, err := parse(tt.text)
		if err == nil {
			t.Errorf("%.60q is read as %s, want the error %s", tt.text, describe(p.Pipeline), tt.want)
			continue
		}
		if got := strings.TrimPrefix(err.Error(), "p.yaml:"); got != strings.Join(strings.Fields(tt.want), " ") {
			t.Errorf("%.60q\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// TestProblemLimits checks that each limit is reached and not passed.
func TestProblemLimits(t *testing.T) {
	defer func(entries int, bits int64) { maxEntries, maxBits = entries, bits }(maxEntries, maxBits)
	maxEntries, maxBits = 100, 50*33_250 // 1e-9999 takes 33,218 bits
	entries := func(n int, entry string) string { return "mechanisms:\n" + strings.Repeat(entry, n) }
	var stops, oneMore strings.Builder
	for i := range maxEntries + 1 {
		fmt.Fprintf(&stops, "- {after: %d, eps: 1}\n", i)
		fmt.Fprintf(&oneMore, "- {after: %d, eps: 1}\n", i+1)
	}
	_, hundredStops, _ := strings.Cut(stops.String(), "\n")

	tests := []struct{ name, text, want string }{
		{"entries", entries(100, "- {eps: 1}\n") + "stops:\n" + hundredStops, ""},
		{"mechanism", entries(101, "- {eps: 1}\n") + "stops:\n" + hundredStops, "102:3: mechanisms has 101 entries, must have at most 100"},
		{"stop", entries(100, "- {eps: 1, count: 9}\n") + "stops:\n" + oneMore.String(), "203:3: stops has 101 entries, must have at most 100"},
		{"many", entries(1000, "- {eps: 1}\n"), "302:1: the file is too long, must have at most 100 mechanisms and as many stops"},
		{"punctuation", strings.Repeat("[", maxMarks+1), "1:3000001: the file is too long, must have at most 100 mechanisms and as many stops"},
		{"size", strings.Repeat(" ", maxFileSize-3) + "{}\n", "mechanisms is missing, must be a list such as [{eps: 0.1, count: 10}]"},
		{"sizeAndOne", strings.Repeat(" ", maxFileSize-3) + "{}\n\n", "1:1: the file is too large, must be at most 16 MiB"},
		{"numbers", entries(49, "- {eps: 1e-9999}\n") + "stops: [{after: 49, eps: 1e-9999}]", ""},
		{"number", entries(52, "- {eps: 1e-9999}\n") + "stops: []", "52:3: mechanism 51: the numbers up to here take more than 0 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(tt.text)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestProblemSize checks that a file of 100,000 lines is read with less than 1200 MB, of which not all are needed at once.
func TestProblemSize(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a large file")
	}
	var b strings.Builder
	b.WriteString("mechanisms:\n")
	for i := range maxEntries {
		fmt.Fprintf(&b, "  - {eps: 0.%05d, delta: 1e-6, count: 2}\n", i+1)
	}
	b.WriteString("stops:\n  - {after: 200000, eps: 3}\n")
	text := b.String()

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := parse(text)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Mechanisms) != maxEntries {
		t.Errorf("read %d mechanisms, want %d", len(p.Mechanisms), maxEntries)
	}
	if all := after.TotalAlloc - before.TotalAlloc; all > 1200<<20 {
		t.Errorf("%d MB were allocated for %d MB of text, want at most 1200", all>>20, len(text)>>20)
	}
}

func TestReadProblemFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		if name := filepath.Base(file); strings.HasPrefix(name, "audit-") || name == "tune.yaml" {
			continue // other kinds
		}
		if _, err := ReadProblem(file, nil, ChargedStops, false); err != nil {
			t.Error(err)
		}
	}
	if _, err := ReadProblem(filepath.Join(t.TempDir(), "none"), nil, ChargedStops, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

// FuzzProblem checks that any text is read as a pipeline that validates, or
// refused in one line with a place.
func FuzzProblem(f *testing.F) {
	for _, tt := range problemErrors {
		if len(tt.text) < 1000 {
			f.Add(tt.text)
		}
	}
	f.Add("mechanisms:\n  - {eps: 0.1, delta: 1e-6, count: 100}\nstops:\n  - {after: 100, eps: 2}\n")
	f.Add("stops: [{after: 2, exp_eps: 3/2}]\nmechanisms:\n- eps: '1'\n- exp_eps: \"2\"\n  delta: 1/3\n")
	f.Add("mechanisms:\n- repeat: 3\n  mechanisms: [{eps: 1, count: 2}, {law: [[1, 1]]}]\nstops: [{every: 3, eps: 1}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parse(text)
		if err != nil {
			checkFault(t, text, err)
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q is read as an invalid pipeline: %v", text, err)
		}
		if len(p.Charges) != len(p.Stops) {
			t.Errorf("%q has %d charges for %d stops", text, len(p.Charges), len(p.Stops))
		}
	})
}

// checkFault checks that an error is one line and stands inside the file.
func checkFault(t *testing.T, text string, err error) {
	t.Helper()
	var fault *FileError
	if !errors.As(err, &fault) {
		t.Fatalf("%q: error without a place: %v", text, err)
	}
	lines := 1 + int32(strings.Count(text, "\n")+strings.Count(text, "\r"))
	if fault.at.line < 1 || fault.at.line > lines || fault.at.column < 1 || fault.at.column > int32(len(text))+1 {
		t.Errorf("%q: the place of %q is not in the file", text, err)
	}
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("%q: the error %q has several lines", text, err)
	}
}

// TestHints: each key of DP-SGD that a problem does not have is answered with what to type instead, wherever it stands.
func TestHints(t *testing.T) {
	t.Parallel()
	for key, h := range hints {
		must, _, _ := strings.Cut(h.must, "%s")
		for _, known := range [][]string{mechanismKeys, noiseKeys["gaussian"], noiseKeys["laplace"], {"mechanisms", "stops"}} {
			if text := unknownKey(key, known); !strings.HasPrefix(text, key+" is given, must "+must) && !strings.HasSuffix(text, "did you mean "+h.key+"?") {
				t.Errorf("%s among %v: %s", key, known, text)
			}
		}
		if text := unknownKey(key, stopKeys); !strings.HasPrefix(text, "unknown key ") {
			t.Errorf("%s of a stop: %s", key, text)
		}
	}
}

// Whoever has batches of a fixed size, or shuffles, is told that there is Poisson sampling only, in the words of where it was typed.
func TestHints_Poisson(t *testing.T) {
	t.Parallel()
	const stops = ", stops: [{after: 1, eps: 1}]}"
	for _, key := range []string{"sample_rate", "batch_size", "batch", "minibatch", "shuffle", "shuffled", "batch-size", "Batch", "batchSize"} {
		for form, kind := range map[string]string{
			"{mechanisms: [{gaussian: {noise: 1, KEY: 1}}]":          "gaussian: {noise",
			"{mechanisms: [{laplace: {KEY: {size: 256}, scale: 1}}]": "laplace: {scale",
			"{mechanisms: [{gaussian: {noise: 1}, KEY: [1]}]":        "gaussian: {noise",
			"{mechanisms: [{gaussian: {noise: 1}, KEY: {size: 1}}]":  "gaussian: {noise",
			"{mechanisms: [{gaussian: {noise: 1}}], KEY: true":       "gaussian: {noise",
		} {
			text := strings.ReplaceAll(form, "KEY", key) + stops
			_, err := parse(text)
			want := key + " is given, must be Poisson sampling, as in " + kind + ": …, sampling: 256/60000}, which has"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
		for _, text := range []string{"gaussian,noise=1,KEY=0.01", "gaussian,noise=1,KEY", "gaussian,KEY,noise=1", "eps=1,KEY=256", "eps=1,KEY", "KEY", "laplace,scale=1,KEY"} {
			kind := map[bool]string{false: "gaussian,noise", true: "laplace,scale"}[strings.HasPrefix(text, "laplace")]
			text = strings.ReplaceAll(text, "KEY", key)
			_, err := ProblemOfFlags([]string{text}, nil, nil, NoStops)
			want := "--mech 1: " + key + " is given, must be Poisson sampling, as in --mech " + kind + "=…,sampling=256/60000, which has"
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("--mech %s: %v, want %s", text, err, want)
			}
		}
	}
	for value, shown := range map[string]string{"poisson": "sampling is poisson, must be a decimal", "{batch: 256}": "sampling is a mapping, must be a", "[1, 2]": "sampling is a list, must be a"} {
		text := "{mechanisms: [{gaussian: {noise: 1, sampling: " + value + "}}]" + stops
		_, err := parse(text)
		if err == nil || !strings.Contains(err.Error(), shown) || !strings.Contains(err.Error(), " a probability such as 256/60000") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ProblemOfFlags([]string{"gaussian,noise=1,sampling=poisson"}, nil, nil, NoStops); err == nil || !strings.Contains(err.Error(), "; it is a probability such as 256/60000") {
		t.Error(err)
	}
}
