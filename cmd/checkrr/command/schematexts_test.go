package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// kindOfText is the schema of a text that is a file, by its keys; empty if it is none.
func kindOfText(value any) string {
	keys, _ := value.(map[string]any)
	for _, kind := range [][2]string{{"claims", "claims-file"}, {"candidates", "candidates-file"},
		{"mechanisms", "problem-file"}, {"claim", "audit-file"}, {"neighbours", "audit-file"}} {
		if keys[kind[0]] != nil && keys["schema_version"] == nil {
			return kind[1]
		}
	}
	return ""
}

// What pages show as YAML, what scripts read, and faulty files are compared as well.
func TestSchemas_Texts(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, page := range documents(t) {
		for i, block := range strings.Split("\n"+page, "\n```") {
			if text, isYAML := strings.CutPrefix(block, "yaml\n"); isYAML && i%2 == 1 {
				texts = append(texts, text)
			}
		}
	}
	for _, glob := range []string{"testdata/script/*.txt", "testdata/*.txtar",
		"../internal/input/testdata/faults/*.txtar"} {
		files, err := filepath.Glob(glob)
		must(err)
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			must(err)
			for _, f := range archive.Files {
				texts = append(texts, string(f.Data))
			}
		}
	}
	folder := t.TempDir()
	must(copyExamples(folder))
	seen := map[string]int{}
	for _, text := range texts {
		value, err := instanceOf([]byte(text))
		name := kindOfText(value)
		if err != nil || name == "" {
			continue
		}
		c := &fileCheck{t, name, filepath.Join(folder, "file.yaml"), fileReaders()[name], propertiesOf(name), 0}
		if name == "claims-file" { // not what commands say of them
			c.read = func(file string) error { _, err := readClaims(file); return err }
		}
		if c.compareText([]byte(text), value) == nil {
			seen[name]++
		}
	}
	if seen["problem-file"] < 50 || seen["audit-file"] < 10 || seen["claims-file"] < 3 {
		t.Errorf("only these are read: %v", seen)
	}
}

// States and certificates are as their schemas say.
func TestSchemas_Written(t *testing.T) {
	t.Parallel()
	valid := func(schema string, text []byte) {
		if err := schemas()[schema].Validate(instance(t, text)); err != nil {
			t.Error(err)
		}
	}
	state := filepath.Join(t.TempDir(), "state")
	event := `{"mechanism": "a", "parts": {"all": 0.1}, "delta": 1e-9, "observed": "all", "partition": "north"}`
	for i, command := range []string{"account", "account --budget eps=0.15",
		"account --budget eps=1,delta=1e-5 --rule zcdp", "account --budget eps=1,delta=1e-5 --rule odp-advanced",
		"odometer --delta 1e-5", "odometer --delta 1e-5 --rule rogers --size 9"} {
		file := fmt.Sprint(state, i)
		args := append(strings.Fields(command), "--state", file, "--new-state", "-")
		if code, _, stderr := checkrr(strings.Repeat(event+"\n", 2), args...); code > exitRefuted {
			t.Fatal(command, stderr)
		}
		valid("state-file", []byte(contents(t, file)))
	}
	for name := range proofs {
		valid("certificate", proof(t, name))
	}
}
