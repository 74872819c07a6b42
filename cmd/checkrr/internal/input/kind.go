package input

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Keys of files of two kinds, where they are not indented.
var (
	problemKey = regexp.MustCompile(`(?m)^\{? ?"?mechanisms"?:`)
	auditKey   = regexp.MustCompile(`(?m)^\{? ?"?(claim|neighbours|search)"?:`)
	tuneKey    = regexp.MustCompile(`(?m)^\{? ?"?candidates"?:`)
	claimsKey  = regexp.MustCompile(`(?m)^\{? ?"?(claims"?:|claim"?:\s*(\[|- ))`) // a list, in an audit file it is none
)

// programLine is how lines of programs begin that are none of YAML, in the languages that mechanisms are written in
// most.
var programLine = regexp.MustCompile(`(?m)^((import|from|package|use|using|#include|const|let|func|fn|function) ` +
	`[^:\n]*$|(library|require)\()`)

// isProgram reports whether a text seems to be a program: source that begins as such, or a compiled one.
func isProgram(text string) bool {
	const beginning = 1 << 14
	for _, mark := range []string{"#!", "\x7fELF", "MZ\x90"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return programLine.MatchString(text[:min(len(text), beginning)])
}

// kindLength is how much of a file tells its kind.
const kindLength = 1 << 20

// Kind says what a file seems to be that is not of the kind that was wanted, or is empty.
func Kind(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	var object map[string]json.RawMessage
	_ = json.Unmarshal([]byte(line), &object) // if it is none it has no keys
	switch {
	case object["mechanism"] != nil && object["parts"] != nil:
		return "a ledger, which checkrr account reads"
	case object["schema_version"] != nil && object["claims"] != nil:
		return "a certificate, which checkrr certify checks"
	case claimsKey.MatchString(text):
		return "a file of claims, which checkrr check reads"
	case problemKey.MatchString(text):
		return "a problem file, which checkrr optdel reads"
	case tuneKey.MatchString(text):
		return "a file of candidates, which checkrr select runs"
	case auditKey.MatchString(text):
		return "an audit file, which checkrr audit reads"
	case isProgram(text):
		return "a program, which a YAML or JSON file names as its command"
	case strings.Contains(line, ",") && !strings.ContainsAny(line, ":[{#'\""):
		return "a table of values with commas"
	}
	return ""
}
