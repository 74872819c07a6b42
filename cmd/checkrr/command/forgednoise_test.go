package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"checkrr/impl/certificate"
)

// noisy returns certificates of mechanisms that examples/certify.py does not know.
func noisy(t *testing.T) (texts map[string][]byte) {
	texts = map[string][]byte{}
	for name := range forgeable {
		if text := forgeableProof(t, name); isNoisy.Match(text) {
			texts[name] = text
		}
	}
	return texts
}

var isNoisy = regexp.MustCompile(`"(noise|losses|sampled)"`)

// forgeries change a claim of a file so that it is wrong.
var forgeries = map[string]func(claim object){
	"less than OptDel": func(claim object) {
		claim["optdel"] = object{"lower": "0", "upper": scaled(claim, "optdel", "lower", 98, 100)}
	},
	"more than OptDel": func(claim object) {
		claim["optdel"] = object{"lower": scaled(claim, "optdel", "upper", 102, 100), "upper": "1"}
	},
	"less than Lemma 11": func(claim object) {
		claim["lemma11"] = object{"lower": "0", "upper": scaled(claim, "lemma11", "lower", 98, 100)}
	},
	"at most": func(claim object) { claim["at_most"] = scaled(claim, "optdel", "lower", 98, 100) },
	"more":    func(claim object) { claim["more_than"] = scaled(claim, "optdel", "upper", 102, 100) },
	"another count": func(claim object) {
		problem := claim["problem"].(object)
		for list, key := range map[string]string{"mechanisms": "count", "stops": "after"} {
			entries := problem[list].([]any)
			last := entries[len(entries)-1].(object)
			n, _ := last[key].(json.Number).Int64()
			last[key] = n + 4
		}
	},
}

// scaled returns an end of what a claim states, as so many parts of it.
func scaled(claim object, key, end string, parts, of int64) string {
	x, _ := new(big.Rat).SetString(claim[key].(object)[end].(string))
	return x.Mul(x, big.NewRat(parts, of)).RatString()
}

// forgedClaims returns a certificate with a forgery in the claim with the largest OptDel.
func forgedClaims(t *testing.T, text []byte, forge func(claim object)) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var file object
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	lower := func(x any) *big.Rat {
		r, _ := new(big.Rat).SetString(scaled(x.(object), "optdel", "lower", 1, 1))
		return r
	}
	claims := file["claims"].([]any)
	forge(slices.MaxFunc(claims, func(x, y any) int { return lower(x).Cmp(lower(y)) }).(object))
	forged, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return forged
}

// TestNoise_Python: examples/certify_noise.py proves what checkrr writes, and refutes what is a little wrong.
func TestNoise_Python(t *testing.T) {
	t.Parallel()
	var texts [][]byte
	var want []int
	var names []string
	add := func(name string, text []byte, code int) {
		names, texts, want = append(names, name), append(texts, text), append(want, code)
	}
	proofs := noisy(t)
	for name, text := range proofs {
		add(name, text, exitOK)
		for how, forge := range forgeries {
			if name == "noise" || *full || how == "less than OptDel" {
				add(name+", "+how, forgedClaims(t, text, forge), exitRefuted)
			}
		}
	}
	text := string(proofs["noise"])
	add("another noise", []byte(strings.ReplaceAll(text, `"scale":"2"`, `"scale":"2.02"`)), exitRefuted)
	add("another order", []byte(strings.NewReplacer("false", "true", "true", "false").Replace(text)), exitRefuted)
	for i, code := range byProgram(t, "certify_noise", texts) {
		if own, out := certifyText(texts[i]); code != want[i] || own != want[i] {
			t.Errorf("%s: exit code %d, in Python %d, want %d: %s", names[i], own, code, want[i], out)
		}
	}
}

// TestNoise_PythonRefuses: neither checker takes for a certificate what is said of noise and cannot be, nor what is
// above 0 for 0; and ranges are no fault in Python, which does not know them.
func TestNoise_PythonRefuses(t *testing.T) {
	t.Parallel()
	var texts [][]byte
	var want [][2]int // in Python, and here
	proof := string(forgeableProof(t, "noise"))
	for _, law := range []string{
		`"discrete_gaussian","group":2`, `"laplace","group":2`, `"discrete_gaussian","adds":[["2","1"]]`,
		`"laplace","adds":[["1","1"]]`, `"gaussian","adds":[["2","0.1"],["1","0.9"]]`,
		`"gaussian","adds":[["1","0.5"],["1","0.5"]]`, `"gaussian","adds":[["1","1"],["2","0"]]`,
		`"gaussian","adds":[["0","1"]]`, `"gaussian","group":1001`, `"gdp"`, `"gaussian","adds":[["1001","1"]]`,
		`"gaussian","adds":[["1e-9","0.5"],["1","0.5"]]`, `"gaussian","adds":[["0","0.999999999"],["1","1e-9"]]`,
		`"gaussian","group":128`, `"gaussian","adds":[["1","1/3"],["2","1/3"],["3","1/3"]],"group":8`,
		`"gaussian","adds":[["1.` + strings.Repeat("3", 1300) + `","1"]]`,
	} {
		text := strings.ReplaceAll(proof, `"law":"gaussian"`, `"law":`+law)
		texts, want = append(texts, []byte(text)), append(want, [2]int{exitUsage, exitUsage})
	}
	text := regexp.MustCompile(`"unit":{"eps":"[^"]*"}`).ReplaceAllString(proof, `"unit":{"eps":"0"}`)
	texts, want = append(texts, []byte(text)), append(want, [2]int{exitUsage, exitUsage})
	for _, tiny := range [][3]string{ // OptDel of about 1e-70 and 1e-48, which 64 digits do not tell from 0
		{"0.1", "1e-70", "0.2"}, {"100000000000000000", "0", "99999999999999999." + strings.Repeat("9", 48)},
	} {
		text := fmt.Sprintf(`{"schema_version":1,"claims":[{"problem":{"mechanisms":[{"eps":%q,"delta":%q,"count":1}],`+
			`"stops":[{"after":1,"eps":%q}]},"proof":{"method":"states","bits":64,"thresholds":[null]},`+
			`"optdel":{"lower":"0","upper":"0"}}]}`, tiny[0], tiny[1], tiny[2])
		texts, want = append(texts, []byte(text)), append(want, [2]int{exitInconclusive, exitRefuted})
	}
	problem := filepath.Join(t.TempDir(), "problem.yaml")
	write(t, problem, "mechanisms: [{gaussian: {noise: 2}, count: 2}, {bounded_range: 0.4, count: 2}]\n"+
		"stops: [{after: 4, eps: 0.5}]\n")
	texts = append(texts, certificateOf(t, "optdel", problem, "--rel-width", "0.1"))
	want = append(want, [2]int{exitInconclusive, exitOK})
	for i, code := range byProgram(t, "certify_noise", texts) {
		if own, out := certifyText(texts[i]); [2]int{code, own} != want[i] {
			t.Errorf("%d: exit code in Python %d, here %d, want %d: %.1000s", i, code, own, want[i], out)
		}
	}
}

// TestForged_Noise: whatever a file says of noise, no checker refutes what the other one proves.
func TestForged_Noise(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("with -full only: takes a minute")
	}
	const each = 4
	codes := map[[2]int]int{}
	var texts [][]byte
	for _, text := range forged(t, 8*each, forgeable) {
		if isNoisy.Match(text) {
			texts = append(texts, text)
		}
	}
	for i, python := range byProgram(t, "certify_noise", texts) {
		code, out := certifyText(texts[i])
		codes[[2]int{code, python}]++
		if !mayDiffer(t, texts[i], python, code) {
			t.Errorf("%d: exit code %d, in Python %d: %s%.2000s", i, code, python, out, texts[i])
		}
	}
	for _, code := range []int{exitOK, exitRefuted, exitUsage} {
		if codes[[2]int{code, code}] < each {
			t.Errorf("exit codes %v, must be at least %d of each", slices.Collect(maps.Keys(codes)), each)
		}
	}
}

// mayDiffer reports whether examples/certify_noise.py may exit with a code where checkrr certify exits with another
// one: it may not know, and prove, or refute, what is not proved by what the file has for a proof.
func mayDiffer(t *testing.T, text []byte, python, code int) bool {
	if python == code || python == exitInconclusive && code != exitUsage {
		return true
	}
	claims, err := certificate.Read(bytes.NewReader(text))
	if err != nil || code != exitRefuted || python == exitUsage {
		return false
	}
	for _, c := range claims {
		if failure, ok := errors.AsType[*certificate.Failure](c.Verify(t.Context())); ok {
			return !failure.IsFalse
		}
	}
	return false
}
