package command

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var (
	update = flag.Bool("update", false, "write what commands print now into testdata/golden")
	full   = flag.Bool("full", false, "more of what costs much: forged files, kills, states, memory, all mechanisms, "+
		"Python")
)

// recording is a command, with what it reads from standard input.
type recording struct {
	Args  []string
	Stdin string
}

func (r recording) String() string { return fmt.Sprintf("checkrr %q < %q", r.Args, r.Stdin) }

var times = regexp.MustCompile(`("seconds": ?)[-+.e0-9]+|(?:[-+.e0-9]+ |less than 1 m)(s\b)`)

// printed is what a command prints, without times: JSON on several lines, messages and the exit code at the end.
func (r recording) printed() []byte {
	var stdout, stderr, b bytes.Buffer
	code := execute(r.Args, strings.NewReader(r.Stdin), &stdout, &stderr)
	if json.Indent(&b, stdout.Bytes(), "", " ") != nil {
		b = stdout
	}
	if err := checkOutput(r.Args, stdout.Bytes()); err != nil {
		fmt.Fprintf(&b, "[schema]\n%v\n", err)
	}
	if stderr.Len() > 0 {
		fmt.Fprintf(&b, "[stderr]\n%s", &stderr)
	}
	if code != exitOK {
		fmt.Fprintf(&b, "[exit code %d]\n", code)
	}
	return times.ReplaceAll(b.Bytes(), []byte("${1}T${2}"))
}

// TestGolden: commands print what is in testdata/golden, a file a command, byte for byte but for times: what a user
// sees changes only where that is meant. With -update the files are written anew. A section called stdin is what the
// command in the next one reads. Last digits depend on whether multiplications and additions are fused, so these are
// those of one architecture.
func TestGolden(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("what is compared with is of amd64")
	}
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) < 15 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, rs := readGolden(t, file)
			for i, r := range rs {
				got := r.printed()
				if diff := cmp.Diff(string(archive.Files[i].Data), string(got)); diff != "" && !*update {
					t.Errorf("%v: recorded (-), now (+):\n%s", r, diff)
				}
				archive.Files[i].Data = got
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// readGolden returns a file, and the commands by the index of their section.
func readGolden(t *testing.T, file string) (*txtar.Archive, map[int]recording) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rs, stdin := map[int]recording{}, ""
	for i, f := range archive.Files {
		if f.Name == "stdin" {
			stdin = string(f.Data)
			continue
		}
		rs[i], stdin = recording{strings.Fields(f.Name)[1:], stdin}, ""
	}
	return archive, rs
}

// goldenJSON returns what the commands of these files print that is JSON, with 0 for times.
func goldenJSON(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		archive, rs := readGolden(t, file)
		for i, r := range rs {
			if text := archive.Files[i].Data; bytes.HasPrefix(text, []byte("{\n \"schema_version\"")) {
				all[r.String()] = bytes.ReplaceAll(text, []byte(`"seconds": T`), []byte(`"seconds": 0`))
			}
		}
	}
	return all
}
