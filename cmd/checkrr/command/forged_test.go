package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

// forgeable are the mechanisms and stops of problem files with certificates that both checkers check at once, one for
// each kind of mechanism and proof.
var forgeable = map[string][2]string{
	"lattice": {"{eps: 0.1, delta: 1e-3, count: 6}", "{after: 3, eps: 0.1}, {after: 6, eps: 0.2}"},
	"grid":    {"{eps: 0.3, delta: 1e-3}, {eps: 0.2718}", "{after: 1, eps: 0.1}, {after: 2, eps: 0.2}"},
	"states":  {"{exp_eps: 3, delta: 0.01}, {eps: 0.2718}", "{after: 1, eps: 0.1}, {after: 2, exp_eps: 3/2}"},
	"law":     {"{law: [[0.5, 0.3], [0.5, 0.7]], count: 2}", "{after: 1, eps: 0.1}, {after: 2, eps: 0.2}"},
	"losses":  {"{losses: l.csv, count: 2}", "{after: 2, eps: 0.1}"},
	"sampled": {"{sampled: {rate: 0.1, mechanisms: [{gaussian: {noise: 2}}, {eps: 0.2}]}, count: 4}",
		"{after: 2, eps: 0.1}, {after: 4, eps: 0.2}"},
	"batches": {"{gaussian: {noise: 2, sampling: 0.4, max_batch: 2, records: 5}, count: 4}",
		"{after: 2, eps: 0.1}, {after: 4, eps: 0.2}"},
	"replaced": {"{gaussian: {noise: 2, sampling: {batch: 2, records: 5}}, count: 4}",
		"{after: 2, eps: 0.1}, {after: 4, eps: 0.2}]\nneighbours: replace #"},
	"columns": {"{gaussian: {noise: 2, column: [1, 0.5, 1/3, 1/4]}}", "{after: 2, eps: 0.1}, {after: 4, eps: 0.2}"},
	"noise":   {"{gaussian: {noise: 2, sampling: 0.1}, count: 4}", "{after: 2, eps: 0.1}, {after: 4, eps: 0.2}"},
}

// alsoForgeable are those that checkers in Python do not know.
var alsoForgeable = map[string][2]string{
	"users": {"{gaussian: {noise: 2, sampling: 0.3, adds: [[0, 0.2], [1, 0.6], [2, 0.2]]}, count: 4}",
		"{after: 2, eps: 0.1}, {after: 4, eps: 0.2}"},
	"groups": {"{gaussian: {noise: 2, sampling: 0.1}, count: 4}",
		"{after: 2, eps: 0.1}, {after: 4, eps: 0.2}]\nneighbours: {group: 2} #"},
	"gdp":   {"{gdp: 0.5, count: 2}, {gaussian: {noise: 3}}", "{after: 2, eps: 0.1}, {after: 3, eps: 0.2}"},
	"bands": {"{gaussian: {noise: 2, sampling: 0.1, bands: 3}, count: 5}", "{after: 2, eps: 0.1}, {after: 5, eps: 0.2}"},
	"range": {"{bounded_range: 0.5}, {bounded_range: 0.3, count: 2}", "{after: 1, eps: 0.1}, {after: 3, eps: 0.2}"},
}

// forgeableProof returns the certificate of one of them.
func forgeableProof(t *testing.T, name string) []byte {
	t.Helper()
	dir, method := t.TempDir(), "auto"
	if name == "grid" {
		method = "bracket"
	}
	problem, kind := filepath.Join(dir, "problem.yaml"), forgeable[name]
	if kind[0] == "" {
		kind = alsoForgeable[name]
	}
	write(t, problem, fmt.Sprintf("mechanisms: [%s]\nstops: [%s]\n", kind[0], kind[1]))
	write(t, filepath.Join(dir, "l.csv"), "0.5,1/2\n-0.7,1/4\n0.1,1/8")
	return certificateOf(t, "optdel", problem, "--method", method, "--rel-width", "0.1", "--at-most", "0.9")
}

// oddValues are JSON, or nearly, that may stand where a number or something else is wanted.
var oddValues = append(strings.Fields(`
	NaN Infinity -Infinity 1e400 -1e400 1e-400 1.0 1e0 1E0 -0 -1 0 1 2 007 +5 .5 5. 0x10 1_0
	1073741824 1073741825 4000000000 9007199254740993 123456789012345678901234567890
	true false null [] {} [[]] [null] [0,0] [1,2,3] {"eps":"1"} '1' 1,1 /**/1
	"" "0" "1" "-1" "1/2" "2/1" "1/0" "1/00" "-1/2" "00.50" "1e1" "1e+1" "1e01" "1e-000001" "1E1" "1e" "e1" "1e1/2"
	"1/2e1" "1e100001" "1e999999999" "1e-999999999" "1e99999999999999999999" "1_0" "+5" "5\n" "5." ".5" "0x1" "0b1"
	"inf" "nan" "NaN" "١٢" "１" "\u0661" "\u0031" "\ud800" "\ud83d\ude00" "²" "½" "\u0000"
	"gaussian" "lattice" "grid" "states"`),
	`1 1`, `" 5 "`, "\"\x01\"", "\"\xff\"", strings.Repeat("9", 5000), `"`+strings.Repeat("7", 5000)+`"`,
	`"`+strings.Repeat("0", 100_001)+`"`, `"0.`+strings.Repeat("3", 5000)+`"`,
	strings.Repeat("[", 50)+strings.Repeat("]", 50), strings.Repeat("[", 100_000),
	strings.Repeat(`{"a":`, 3000)+"1"+strings.Repeat("}", 3000))

// forger makes texts that may be no certificate any more.
type forger struct {
	*rand.Rand
	text string
}

var (
	keyPattern    = regexp.MustCompile(`"[a-z_0-9]+":`)
	digitPattern  = regexp.MustCompile(`[0-9]`)
	numberPattern = regexp.MustCompile(`"[0-9][0-9./e+-]*"`)
)

// at returns where one of all matches begins, and ends.
func (f forger) at(pattern *regexp.Regexp) (from, to int) {
	all := pattern.FindAllStringIndex(f.text, -1)
	match := all[f.IntN(len(all))]
	return match[0], match[1]
}

// digit changes one digit.
func (f forger) digit() string {
	from, to := f.at(digitPattern)
	return f.text[:from] + fmt.Sprint(f.IntN(10)) + f.text[to:]
}

// number makes a number, as it stands in quotes, a little larger or less.
func (f forger) number() string {
	from, to := f.at(numberPattern)
	r, ok := new(big.Rat).SetString(f.text[from+1 : to-1])
	if !ok {
		return f.text
	}
	by := []*big.Rat{big.NewRat(9, 10), big.NewRat(99, 100), big.NewRat(101, 100), big.NewRat(11, 10)}[f.IntN(4)]
	return f.text[:from+1] + r.Mul(r, by).RatString() + f.text[to-1:]
}

// key doubles or renames a key.
func (f forger) key() string {
	from, to := f.at(keyPattern)
	key := f.text[from:to]
	others := []string{key + "0," + key, key + `"1",` + key, strings.ToUpper(key), `"x":`, `"\u0061":`, `"ſ":`,
		strings.Replace(key, `"`, `" `, 1), key + key, ""}
	return f.text[:from] + others[f.IntN(len(others))] + f.text[to:]
}

// bytes changes the file as a whole.
func (f forger) bytes() string {
	n := f.IntN(len(f.text))
	all := []string{f.text[:n], f.text[:n] + f.text[n+1:], "\ufeff" + f.text, f.text + "x", f.text + f.text,
		f.text + "\x00", "[" + f.text + "]", " \r\n\t" + f.text, "", "null", "1", "\"", "{}"}
	for _, between := range []string{"\x00", "\xff", ",", "\v"} {
		all = append(all, f.text[:n]+between+f.text[n:])
	}
	return all[f.IntN(len(all))]
}

// value puts an odd value somewhere, or removes what is there.
func (f forger) value(t *testing.T) string {
	const placeholder = "placeholder"
	d := json.NewDecoder(strings.NewReader(f.text))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	var changes []func()
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case object:
			for _, key := range slices.Sorted(maps.Keys(x)) {
				y := x[key]
				changes = append(changes, func() { x[key] = placeholder }, func() { x[key] = placeholder },
					func() { delete(x, key) })
				walk(y)
			}
		case []any:
			for i, y := range x {
				changes = append(changes, func() { x[i] = placeholder })
				walk(y)
			}
		}
	}
	walk(root)
	changes[f.IntN(len(changes))]()
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(text), `"`+placeholder+`"`, oddValues[f.IntN(len(oddValues))], 1)
}

// forged returns many texts for each certificate of some kinds.
func forged(t *testing.T, each int, kinds map[string][2]string) (texts [][]byte) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		f := forger{rand.New(rand.NewPCG(1, uint64(len(name)))), string(forgeableProof(t, name))}
		for i := range each {
			value := func() string { return f.value(t) }
			how := []func() string{f.digit, f.number, value, f.key, f.number, f.number, value, f.bytes}[i%8]
			texts = append(texts, []byte(how()))
		}
	}
	return texts
}

// mayBe reports whether examples/certify.py may exit with a code where checkrr certify exits with another one: with 3
// for noise, losses and samples, which it does not know, unless the file is faulty, and with 0 for what is not proved
// by no more than rounding, as it has more digits.
func mayBe(t *testing.T, text []byte, python, code int) bool {
	claims, err := certificate.Read(bytes.NewReader(text))
	if err != nil {
		return false
	}
	if python == exitInconclusive {
		return isNoisy.Match(text) && code != exitUsage
	}
	for _, c := range claims {
		if failure, ok := errors.AsType[*certificate.Failure](c.Verify(t.Context())); ok {
			apart := new(big.Rat).Sub(failure.Stated, failure.Certified)
			most := new(big.Rat).Mul(failure.Certified, big.NewRat(1, 1e9))
			return python == exitOK && code == exitRefuted && !failure.IsFalse && apart.Abs(apart).Cmp(most) <= 0
		}
	}
	return false
}

// TestForged: whatever a file says, both checkers have the same verdict.
func TestForged(t *testing.T) {
	t.Parallel()
	each, codes := 32, map[int]int{}
	if *full {
		each = 150
	}
	texts := forged(t, each, forgeable)
	for i, python := range inPython(t, texts) {
		code, out := certifyText(texts[i])
		codes[code]++
		if code != python && !mayBe(t, texts[i], python, code) {
			t.Errorf("%d: exit code %d, in Python %d: %.2000s", i, code, python, texts[i])
		}
		if strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) || len(out) > 2000 {
			t.Errorf("%d: %.4000q", i, out)
		}
	}
	if least := each / 3; codes[exitRefuted] < least || codes[exitOK] < least || codes[exitUsage] < least {
		t.Errorf("exit codes %v, must be at least %d of each", codes, each/3)
	}
}

// TestForged_StayTrue: what checkrr certify accepts, though it was changed, is true: [certify.Check] with a lattice of
// the test's own finds ends that do not contradict it. Nearly all others that are changed are refused.
func TestForged_StayTrue(t *testing.T) {
	t.Parallel()
	each := 8
	if *full {
		each = 100
	}
	refused, accepted := 0, 0
	for _, text := range append(forged(t, each, forgeable), forged(t, each, alsoForgeable)...) {
		if code, _ := certifyText(text); code != exitOK {
			refused++
			continue
		}
		accepted++
		claims, err := certificate.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			unit := certify.Lattice{Unit: certify.Number{Value: big.NewRat(1, 173)}}
			b, err := certify.Check(t.Context(), c.Problem,
				certify.Hints{Upper: unit, Lower: &unit, Floor: 1e-20, NodeZero: c.Hints.NodeZero})
			if err != nil {
				t.Fatalf("%v: %.2000s", err, text)
			}
			isOff := func(lower, upper *big.Rat, found certify.Interval) bool {
				low, _ := found.Lower.Rat(nil)
				high, _ := found.Upper.Rat(nil)
				return lower != nil && lower.Cmp(high) > 0 || upper != nil && upper.Cmp(low) < 0
			}
			isFalse := isOff(c.OptDel.Lower, c.OptDel.Upper, b.OptDel) || isOff(c.MoreThan, c.AtMost, b.OptDel)
			for i, x := range c.SingleStop {
				isFalse = isFalse || isOff(x.Lower, x.Upper, b.SingleStop[i])
			}
			if isFalse {
				t.Errorf("δ is between %.9g and %.9g: %.2000s", b.OptDel.Lower, b.OptDel.Upper, text)
			}
		}
	}
	t.Logf("%d refused, %d accepted", refused, accepted)
	if refused < accepted {
		t.Errorf("%d are refused, and %d accepted", refused, accepted)
	}
}

// TestCertify_LongNumbers: limits with many digits are shown with few.
func TestCertify_LongNumbers(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("3", 5000)
	text := regexp.MustCompile(`"at_most":"[^"]*"`).ReplaceAll(forgeableProof(t, "states"),
		[]byte(`"at_most":"0.9`+digits+`","more_than":"0.00000`+digits+`"`))
	if code, out := certifyText(text); code != exitOK || len(out) > 500 {
		t.Errorf("exit code %d: %.1000s", code, out)
	}
}

// TestCertify_Large: certificates that ask for much memory, or time, do not get it in Python, and get a verdict.
func TestCertify_Large(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("with -full only: takes seconds")
	}
	of := func(mechanisms, after, lower string) string {
		return `{"schema_version":1,"claims":[{"problem":{"mechanisms":[` + mechanisms + `],"stops":[{"after":` +
			after + `,"eps":"1"}]},` +
			`"proof":{"method":"states","bits":64,"thresholds":[null]},"optdel":{"lower":"` + lower +
			`","upper":"1"}}]}`
	}
	one := `{"eps":"0.1","delta":"0","count":1}`
	onLattice := func(unit, low string) string {
		return strings.Replace(of(one, "1", "0"), `"method":"states","bits":64`,
			`"method":"lattice","cut":0,"upper":{"unit":{"eps":"`+unit+`"},"windows":[[`+low+`,0]]}`, 1)
	}
	rng, long, primes, n := rand.New(rand.NewPCG(1, 1)), []string{}, []string{}, 0
	for range 40 {
		digits := make([]byte, 20_000)
		for i := range digits {
			digits[i] = '0' + byte(rng.IntN(10))
		}
		long = append(long, `{"eps":"0.`+string(digits)+`","delta":"0","count":1}`)
	}
	for p := int64(2); p < 180; p++ {
		if big.NewInt(p).ProbablyPrime(0) {
			primes, n = append(primes, fmt.Sprintf(`{"exp_eps":"%d","delta":"0","count":2}`, p)), n+2
		}
	}
	var texts [][]byte
	var want []int
	for _, x := range []struct {
		text string
		code int
	}{
		{"[" + strings.Repeat("[],", 1<<22) + "[]]", exitUsage},
		{strings.Repeat("[", 1<<20), exitUsage},
		{strings.Repeat(" ", 1<<26) + "1", exitUsage},
		{strings.Replace(of(one, "1", "0"), `"bits":64`, `"bits":4000000000`, 1), exitUsage},
		{of(`{"eps":"1e1000000000","delta":"0","count":1}`, "1", "0"), exitUsage},
		{of(strings.Join(long, ","), "40", "0"), exitInconclusive},
		{of(strings.Join(primes, ","), fmt.Sprint(n), "0"), exitInconclusive},
		{of(one, "1", "1e-100000"), exitInconclusive},
		{of(`{"eps":"0","delta":"0.999999","count":1073741824}`, "1073741824", "0"), exitOK},
		{of(`{"eps":"0.1","delta":"0","count":2000000}`, "2000000", "0"), exitInconclusive},
		{of(`{"eps":"0.1","delta":"0","count":1073741824}`, "1073741824", "0"), exitUsage},
		{onLattice("0.2", "-33554431"), exitOK},
		{onLattice("1e-100000", "-5"), exitUsage},
		{onLattice("2e-8", "-5"), exitOK},
		{onLattice("1e-9", "-5"), exitUsage},
		{onLattice("1e-10", "-5"), exitUsage},
	} {
		texts, want = append(texts, []byte(x.text)), append(want, x.code)
	}
	for i, code := range inPython(t, texts) {
		if code != want[i] {
			t.Errorf("%d: exit code %d, want %d: %.300s", i, code, want[i], texts[i])
		}
	}
}

// TestForged_OtherOrder: a claim for the other order of neighbours that bounds nothing does not count.
func TestForged_OtherOrder(t *testing.T) {
	t.Parallel()
	text := forgeableProof(t, "law")
	claims := text[:bytes.LastIndex(text, []byte(`"optdel":`))]
	texts, want := [][]byte{text}, []int{exitOK}
	for bound, code := range map[string]int{
		`{"lower":"0","upper":"1"}`:                  exitInconclusive,
		`{"lower":"0.1","upper":"1"},"at_most":"1"`:  exitInconclusive,
		`{"lower":"0","upper":"7"},"at_most":"3/2"`:  exitInconclusive,
		`{"lower":"0","upper":"1"},"at_most":"0.9"`:  exitOK,
		`{"lower":"0","upper":"0.95"}`:               exitOK,
		`{"lower":"0","upper":"0.95"},"at_most":"2"`: exitOK,
	} {
		texts, want = append(texts, slices.Concat(claims, []byte(`"optdel":`+bound+`}]}`))), append(want, code)
	}
	inBoth(t, texts, want)
	if codes := inPython(t, texts[:2], "--one-order"); slices.Max(codes) != exitOK {
		t.Errorf("exit codes %v in Python, with --one-order", codes)
	}
}

// inBoth requires exit codes of both checkers.
func inBoth(t *testing.T, texts [][]byte, want []int) {
	t.Helper()
	for i, python := range inPython(t, texts) {
		if code, out := certifyText(texts[i]); code != want[i] || python != want[i] {
			t.Errorf("%d: exit code %d, in Python %d, want %d: %s%.1500s", i, code, python, want[i], out, texts[i])
		}
	}
}

// TestForged_Lattices: both checkers refuse the same lattices.
func TestForged_Lattices(t *testing.T) {
	t.Parallel()
	of := func(mechanism, windows, unit string) []byte {
		return []byte(`{"schema_version":1,"claims":[{"problem":{"mechanisms":[` + mechanism +
			`],"stops":[{"after":3,"eps":"0.2"}]},` +
			`"proof":{"method":"lattice","cut":0,"upper":{"unit":{` + unit + `},"windows":[` + windows +
			`]},"thresholds":[null]},"optdel":{"lower":"0","upper":"1"}}]}`)
	}
	plain, law := `{"eps":"0.1","delta":"0","count":3}`, `{"law":[["0.5","0.5"],["0.3","0.2"],["0.2","0.3"]],"count":3}`
	inBoth(t, [][]byte{
		of(plain, "[-5,0]", `"eps":"0.2"`),
		of(plain, "[-5,0]", `"eps":"1"`),
		of(plain, "[-5,0]", `"eps":"1.0000000000000000000000000000000001"`),
		of(plain, "[-5,0]", `"eps":"1.`+strings.Repeat("0", 400)+`1"`),
		of(plain, "[-5,0]", `"exp_eps":"2.72"`),
		of(plain, "[-5,0]", `"exp_eps":"2.7"`),
		of(plain, "[-5,0]", `"eps":"1e-100"`),
		of(plain, "[-5,0]", `"eps":"1e-279"`),
		of(plain, "[-33554431,0]", `"eps":"0.1"`),
		of(law, "[-1,0],[-1,0],[-1,0]", `"eps":"1/20000000"`),
		of(law, "[-1,0],[-1,0],[-1,0]", `"eps":"1/2000"`),
	}, []int{exitOK, exitOK, exitUsage, exitUsage, exitUsage, exitOK, exitUsage, exitUsage, exitOK, exitUsage, exitOK})
}

// TestPython_Output: examples/certify.py says what both orders of neighbours prove together, and where it cannot say
// that, its exit code is not that of a refuted claim.
func TestPython_Output(t *testing.T) {
	t.Parallel()
	inPython(t, nil) // or skip
	if runtime.GOOS != "linux" {
		t.Skip("there is no /dev/full")
	}
	whole := forgeableProof(t, "law")
	oneOrder := string(whole[:bytes.LastIndex(whole, []byte(`"optdel":`))]) + `"optdel":{"lower":"0","upper":"1"}}]}`
	together := regexp.MustCompile(`\nTogether: OptDel for neighbours in both orders is between 0\.\d+ and 0\.\d+, ` +
		`by claims 1 and 2\n$`)
	file := filepath.Join(t.TempDir(), "proof.json")
	for _, tt := range []struct {
		text, to string
		code     int
		isSaid   bool
	}{
		{string(whole), "", exitOK, true},
		{string(whole), ">/dev/full", exitUsage, false},
		{string(whole), ">&-", exitUsage, false},
		{`{}`, "2>/dev/full", exitUsage, false},
		{"", "2>&-", exitUsage, false}, // no such file
		{oneOrder, "2>/dev/full", exitInconclusive, false},
	} {
		_ = os.Remove(file)
		if tt.text != "" {
			write(t, file, tt.text)
		}
		out, err := exec.Command("sh", "-c", `python3 -B ../../../examples/certify.py "$0" `+tt.to, file).Output()
		code := exitOK
		if exit, isExit := errors.AsType[*exec.ExitError](err); isExit {
			code = exit.ExitCode()
		}
		if code != tt.code || together.Match(out) != tt.isSaid || len(out) > 0 != tt.isSaid {
			t.Errorf("%.20q %s: exit code %d, want %d, %s", tt.text, tt.to, code, tt.code, out)
		}
	}
}

// TestCompose_ProvesWhatItPrints: the charges of a certificate are the ends of ε that --json has, or tighter.
func TestCompose_ProvesWhatItPrints(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "proof.json")
	for i := range 36 {
		mechanism := fmt.Sprintf("eps=0.%d,count=%d", 3+7*i, 9+5*i)
		code, stdout, stderr := checkrr("", "compose", "--mech", mechanism, "--delta", "0.03", "--json",
			"--certificate", file)
		if code != exitOK {
			t.Fatal(mechanism, stderr)
		}
		claims, err := certificate.Read(strings.NewReader(contents(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			end, side := "upper", 1
			if c.MoreThan != nil {
				end, side = "lower", -1
			}
			shown := regexp.MustCompile(`"eps":{[^}]*"` + end + `":([^,}]*)`).FindStringSubmatch(stdout)
			printed, ok := new(big.Rat).SetString(shown[1])
			if charge := c.Problem.Stops[0].Eps.Value; !ok || printed.Cmp(charge)*side < 0 {
				t.Errorf("%s: %s end is %s, and %s is proved", mechanism, end, shown[1], charge.FloatString(20))
			}
		}
	}
}
