package command

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFolder is where the schemas are, whatever the working directory is.
var schemaFolder = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../../schemas")
}()

// schemas are all of them, by their names without .schema.json.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	files, err := filepath.Glob(filepath.Join(schemaFolder, "*.schema.json"))
	must(err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	all := map[string]*jsonschema.Schema{}
	for _, file := range files {
		schema, err := c.Compile(file)
		must(err)
		all[strings.TrimSuffix(filepath.Base(file), ".schema.json")] = schema
	}
	return all
})

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// schemaOf is the name of the schema of what a command prints with --json.
func schemaOf(command string) string {
	if slices.Contains([]string{"explain", "verify"}, command) {
		command = "statements"
	}
	return command + "-output"
}

// checkOutput checks what a command has printed, if that is JSON, by its schema.
func checkOutput(args []string, stdout []byte) error {
	if !slices.Contains(args, "--json") || !bytes.HasPrefix(stdout, []byte("{")) {
		return nil
	}
	schema := schemas()[schemaOf(args[0])]
	if schema == nil {
		return fmt.Errorf("there is no schema of what checkrr %s prints", args[0])
	}
	output, err := jsonschema.UnmarshalJSON(bytes.NewReader(stdout))
	if err != nil {
		return err
	}
	return schema.Validate(output)
}

// exitSchema is the exit code of a command in tests that prints what its schema does not allow.
const exitSchema = 99

// checkedMain is [Main], and checks what it prints with --json, unless that goes into a file.
func checkedMain() {
	info, err := os.Stdout.Stat()
	if !slices.Contains(os.Args, "--json") || err != nil || info.Mode().IsRegular() {
		Main()
	}
	endOnSignal()
	os.Exit(checkedExecute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// checkedExecute executes and checks that JSON on stdout is what its schema says.
func checkedExecute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if !slices.Contains(args, "--json") {
		return execute(args, stdin, stdout, stderr)
	}
	var copied bytes.Buffer
	code := execute(args, stdin, io.MultiWriter(stdout, &copied), stderr)
	if err := checkOutput(args, copied.Bytes()); err != nil {
		fmt.Fprintln(stderr, err)
		return exitSchema
	}
	return code
}

// rawSchema is a schema as it is written, with its keys in their order.
type rawSchema struct {
	name string
	node yaml.MapSlice
}

// rawSchemas are all of them by their names.
var rawSchemas = sync.OnceValue(func() map[string]rawSchema {
	all := map[string]rawSchema{}
	for name := range schemas() {
		text, err := os.ReadFile(filepath.Join(schemaFolder, name+".schema.json"))
		must(err)
		s := rawSchema{name: name}
		must(yaml.UnmarshalWithOptions(text, &s.node, yaml.UseOrderedMap()))
		all[name] = s
	}
	return all
})

// at returns the value of a key; nil if there is none.
func (s rawSchema) at(key string) any {
	for _, item := range s.node {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// text returns the value of a key if that is a text.
func (s rawSchema) text(key string) string {
	text, _ := s.at(key).(string)
	return text
}

// in returns the schema under a key, if there is one.
func (s rawSchema) in(key string) rawSchema {
	node, _ := s.at(key).(yaml.MapSlice)
	return rawSchema{s.name, node}
}

// target is the schema that $ref names; an empty one if there is no $ref.
func (s rawSchema) target() rawSchema {
	ref := s.text("$ref")
	if ref == "" {
		return rawSchema{}
	}
	file, path, _ := strings.Cut(ref, "#")
	s = rawSchemas()[cmp.Or(strings.TrimSuffix(file, ".schema.json"), s.name)]
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) {
		s = s.in(key)
	}
	return s
}

// all calls visit for every schema in this one, and in those that it names.
func (s rawSchema) all(seen map[string]bool, visit func(rawSchema)) {
	if key := s.name + s.text("$ref"); s.text("$ref") != "" && !seen[key] {
		seen[key] = true
		s.target().all(seen, visit)
	}
	visit(s)
	for _, item := range s.node {
		rawSchema{s.name, yaml.MapSlice{item}}.inside(seen, visit)
	}
}

// inside calls visit for what is in the value of a key.
func (s rawSchema) inside(seen map[string]bool, visit func(rawSchema)) {
	switch value := s.node[0].Value.(type) {
	case yaml.MapSlice:
		rawSchema{s.name, value}.all(seen, visit)
	case []any:
		for _, x := range value {
			if node, isSchema := x.(yaml.MapSlice); isSchema {
				rawSchema{s.name, node}.all(seen, visit)
			}
		}
	}
}

// propertiesOf returns all keys that there can be in a file or an output of a schema, each with the schema that has it.
func propertiesOf(name string) map[string]string {
	keys := map[string]string{}
	rawSchemas()[name].all(map[string]bool{}, func(s rawSchema) {
		for _, item := range s.in("properties").node {
			if key := item.Key.(string); keys[key] != name {
				keys[key] = s.name
			}
		}
	})
	return keys
}
