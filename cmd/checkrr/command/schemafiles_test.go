package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/certificate"
)

// fileReaders say what is wrong with a file by whoever reads files of a schema.
func fileReaders() map[string]func(file string) error {
	return map[string]func(file string) error{
		"problem-file": readProblem,
		"audit-file":   func(file string) error { _, err := input.ReadAudit(file, nil, false); return err },
		"candidates-file": func(file string) error {
			methods := report.Names(selectMethods, func(m selectMethod) string { return m.name })
			_, err := input.ReadTune(file, nil, methods)
			return err
		},
		"claims-file": claimsReader{}.read,
		"baseline-file": func(file string) error {
			claims := filepath.Join(filepath.Dir(file), "claims.yaml")
			must(os.WriteFile(claims, []byte("claims: [{name: a, statements: [ODP-T15]}]\nregression: {baseline: "+
				filepath.Base(file)+"}\n"), 0o666))
			_, err := input.ReadClaims(claims, &input.Inputs{}, false)
			return err
		},
		"ledger-line": func(file string) error {
			text, err := os.ReadFile(file)
			must(err)
			l := input.NewLedger(file, bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), nil)))
			l.MayLackObserved = true
			_, err = l.Next()
			return err
		},
		"certificate": func(file string) error {
			f, err := os.Open(file)
			must(err)
			defer f.Close()
			_, err = certificate.Read(f)
			return err
		},
	}
}

// readProblem reads a problem file for a command that can.
func readProblem(file string) (err error) {
	for _, wanted := range []input.Demand{input.ChargedStops, input.WeightedStops} {
		if _, err = input.ReadProblem(file, nil, wanted, false); err == nil {
			return nil
		}
	}
	return err
}

// claimsReader reads files of claims, and lets the command of each claim read its flags and files, once. It runs
// nothing.
type claimsReader map[string]error

func (known claimsReader) read(file string) error {
	claims, err := readClaims(file)
	for _, c := range claims {
		if c.Wrong != nil {
			continue
		}
		key := strings.Join(c.Args, " ")
		if strings.Contains(key, file+"#") { // what stands in the file itself
			text, err := os.ReadFile(file)
			must(err)
			key += string(text)
		}
		if _, isKnown := known[key]; !isKnown {
			known[key] = readClaim(c)
		}
		err = errors.Join(err, known[key])
	}
	return err
}

// readClaims reads a file of claims; what is wrong with one of them is an error, too.
func readClaims(file string) ([]input.Claim, error) {
	read, err := input.ReadClaims(file, &input.Inputs{}, false)
	for _, c := range read.Claims {
		err = errors.Join(err, c.Wrong)
	}
	return read.Claims, err
}

// readClaim lets the command of a claim read its flags and files.
func readClaim(c input.Claim) error {
	if c.Args[0] == "verify" {
		return nil
	}
	read := &checked{Claim: c}
	read.read(context.Background(), app{App: run.App{Inputs: &input.Inputs{}}})
	if read.code == exitUsage {
		return errors.New(read.message)
	}
	return nil
}

// instance is what is in a YAML or JSON file, as editors have it.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	value, err := instanceOf(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return value
}

func instanceOf(text []byte) (any, error) {
	if decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(text)); err == nil {
		return decoded, nil
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	return typed(decoded), err
}

// typed is a value in which texts are numbers that are so in YAML, but not to the library.
func typed(value any) any {
	switch v := value.(type) {
	case string:
		if regexp.MustCompile(`^-?[0-9.]+e-?[0-9]+$`).MatchString(v) {
			return json.Number(v)
		}
	case []any:
		for i := range v {
			v[i] = typed(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = typed(v[key])
		}
	}
	return value
}

// A file that is read is valid. One that is not valid is not read. One in which a key is unknown or missing, or a value
// has the wrong type, is not valid; ranges of numbers, and what one key says of another, are the reader's alone.
func TestSchemas_Files(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/schemas.txtar")
	must(err)
	seen := map[string]map[string]bool{}
	for i, f := range archive.Files {
		value := instance(t, f.Data)
		if seen[f.Name] == nil {
			seen[f.Name] = map[string]bool{}
		}
		noteKeys(value, seen[f.Name])
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			must(copyExamples(folder))
			file := filepath.Join(folder, "file.yaml")
			c := &fileCheck{t, f.Name, file, fileReaders()[f.Name], propertiesOf(f.Name), 0}
			if err := c.compare(value); err != nil {
				t.Fatalf("file %d is not read: %v", i, err)
			}
			c.mutate(value, func(x any) any { return x })
		})
	}
	for name, keys := range seen {
		for key, owner := range propertiesOf(name) {
			if owner == name && !keys[key] {
				t.Errorf("no file of %s has the key %s", name, key)
			}
		}
	}
}

func noteKeys(value any, into map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, x := range v {
			noteKeys(x, into)
		}
	case map[string]any:
		for key, x := range v {
			into[key] = true
			noteKeys(x, into)
		}
	}
}

// fileCheck compares the reader of a schema with the schema.
type fileCheck struct {
	t          *testing.T
	name, file string
	read       func(file string) error
	keys       map[string]string // see [propertiesOf]
	n          int               // how many were drawn
}

// structural is what readers say of keys and types.
var structural = regexp.MustCompile(`unknown key|is missing|has no |has none of|must be (of the form|a list|a text|` +
	`a number\b[^:]|an object|a mapping|a decimal|the name of)|is (a list|a mapping|an object|empty), must`)

// readersAlone are errors that are no matter of schemas: what a rule needs of a budget, numbers of YAML, characters,
// and stops of the file that is named.
var readersAlone = regexp.MustCompile(`budget(: eps is missing| has no delta)|a value that is empty|is (0x|0o|1_)|` +
	`that can be seen|a zero byte|is /dev/|or the label of a stop`)

// knownKeys are the keys that a reader knows somewhere.
var knownKeys = regexp.MustCompile(`unknown key \S+, must be one of ([a-z_0-9, ]+)`)

// compare returns what the reader says of a value, after it has compared that with what the schema says.
func (c *fileCheck) compare(value any) error {
	text, err := json.Marshal(value)
	must(err)
	return c.compareText(text, value)
}

// compareText is compare for a value that is written so.
func (c *fileCheck) compareText(text []byte, value any) error {
	must(os.WriteFile(c.file, text, 0o666))
	read, valid := c.read(c.file), schemas()[c.name].Validate(value)
	switch {
	case read == nil && valid != nil:
		c.t.Errorf("%s\nis read, and not valid: %v", text, valid)
	case read != nil && valid == nil && structural.MatchString(read.Error()) && !readersAlone.MatchString(read.Error()):
		c.t.Errorf("%s\nis valid, and not read: %v", text, read)
	}
	if read != nil {
		if m := knownKeys.FindStringSubmatch(read.Error()); m != nil {
			for _, key := range strings.Split(m[1], ", ") {
				if c.keys[key] == "" {
					c.t.Errorf("%s has no key %s, which readers know", c.name, key)
				}
			}
		}
	}
	return read
}

// others are what values are replaced by.
var others = []any{"word", true, nil, []any{}, []any{json.Number("1")}, map[string]any{}, json.Number("3"),
	map[string]any{"a": json.Number("1")}}

// sometimes is compare for what is too much for all tests.
func (c *fileCheck) sometimes(value any) {
	if c.n++; *full || c.n%60 == 0 {
		c.compare(value)
	}
}

// mutate compares what a value becomes if one of its parts is another; whole puts the part into the whole.
func (c *fileCheck) mutate(part any, whole func(part any) any) {
	for _, other := range others {
		c.sometimes(whole(other))
	}
	switch v := part.(type) {
	case []any:
		for i, x := range v {
			c.mutate(x, func(x any) any {
				list := slices.Clone(v)
				list[i] = x
				return whole(list)
			})
		}
	case map[string]any:
		with := func(key string, x any) any {
			changed := maps.Clone(v)
			changed[key] = x
			return whole(changed)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			x := v[key]
			c.mutate(x, func(x any) any { return with(key, x) })
			without := maps.Clone(v)
			delete(without, key)
			c.compare(whole(without))
			without[key+"_x"] = x
			c.compare(whole(without))
		}
		c.compare(with("other", json.Number("1")))
		for _, key := range slices.Sorted(maps.Keys(c.keys)) {
			if _, isThere := v[key]; !isThere {
				c.sometimes(with(key, json.Number("1")))
			}
		}
	}
}

// modeline is the first line of a file that has a schema.
var modeline = regexp.MustCompile(`^# yaml-language-server: \$schema=(\S+)/(\S+)\.schema\.json\n`)

// Examples begin with the line that editors look for, and are valid. So is what pages show.
func TestSchemas_Examples(t *testing.T) {
	t.Parallel()
	must(filepath.WalkDir("../../../examples", func(file string, d fs.DirEntry, err error) error {
		if filepath.Ext(file) != ".yaml" || filepath.Base(file) == "statements.yaml" { // of a register
			return err
		}
		text := contents(t, file)
		m := modeline.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s does not begin with # yaml-language-server: $schema=…", file)
			return nil
		}
		if where, _ := filepath.Abs(filepath.Join(filepath.Dir(file), m[1])); where != schemaFolder {
			t.Errorf("%s: its schema is in %s", file, where)
		}
		if err := schemas()[m[2]].Validate(instance(t, []byte(text))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		return nil
	}))
	for line := range strings.Lines(contents(t, "../../../examples/ledger.jsonl")) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := schemas()["ledger-line"].Validate(instance(t, []byte(line))); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Claims that are right but for one value, and some that are right, are told apart by the schema as by the program.
func TestSchemas_NearMisses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	must(os.CopyFS(folder, os.DirFS("../../../examples")))
	file, read := filepath.Join(folder, "file.yaml"), 0
	write(t, filepath.Join(folder, "figures.json"), "{}")
	for line := range strings.Lines(contents(t, "testdata/nearmisses.txt")) {
		text := "claims: [{name: a, " + strings.TrimSpace(line) + "}]\n"
		if strings.HasPrefix(line, "regression:") {
			text = "claims: [{name: a, inequality: n <= k}]\n" + line
		}
		write(t, file, text)
		invalid := schemas()["claims-file"].Validate(instance(t, []byte(text)))
		var out bytes.Buffer
		a := app{App: run.App{Inputs: &input.Inputs{}, Stdout: &out, Stderr: &out}}
		isRead := a.run(t.Context(), []string{"check", file, "--time-limit=1ns"}) != exitUsage
		if isRead {
			read++
		}
		if isRead != (invalid == nil) {
			t.Errorf("%s: is read: %v, and by the schema: %v\n%s", line, isRead, invalid, &out)
		}
	}
	if read == 0 {
		t.Error("nothing is read")
	}
}
