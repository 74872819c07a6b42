package input

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const lawClaim = "claim: {parts: {a: 1, b: 0}, delta: 0}\n"

// Rows in the file and in a table are the same law.
func TestAuditLaw(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("t.csv", "\uFEFF# a comment\nPart, p1,output,p0\na,1/4,\"x, y\",0.5\r\nb,75e-2,2,1/2\n")
	for _, text := range []string{"law: t.csv",
		"law: [{output: 'x, y', p0: 1/2, p1: 0.25, part: a}, {output: 2, p0: 0.5, p1: 3/4, part: b}]\nneighbours: " +
			"[{x: 0, x2: 1}]"} {
		a, err := ReadAudit(write("a.yaml", lawClaim+text), nil, false)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		x, y := a.Law.Cells[0], a.Law.Cells[1]
		if len(a.Law.Cells) != 2 || x.Name != "x, y" || x.Part != 0 || x.Exact[1].RatString() != "1/4" ||
			y.Name != "2" || y.Part != 1 || y.Exact[1].RatString() != "3/4" {
			t.Errorf("%s: %+v", text, a.Law.Cells)
		}
	}
}

// Outputs are the same if they are the same JSON, however they are written, in a list and in a table: then they must
// not be there twice.
func TestAuditLaw_SameOutputs(t *testing.T) {
	t.Parallel()
	same := `1 = 1.0; 1 = 10e-1; 1 = 1E+0; 0 = -0; 0 = -0.00e5; 100 = 1e2; 0.1 = 0.10; 1e400 = 10e399; yes = "yes";
		{"a": 1, "b": [2]} = {"b": [2.0], "a": 1e0}; "a" = "\u0061"`
	different := `9007199254740993 = 9007199254740992; 0.1 = 0.1000000000000000055511151231257827; 1 = -1; 1 = 10;
		{"a": 1, "b": 2} = {"a": 2, "b": 1}; [1, 2] = [2, 1]; [12] = [1, 2]; true = "true"; null = "null"; 1 = "1";
		"1" = "1.0"; yes = no`
	for pairs, isSame := range map[string]bool{same: true, different: false} {
		for pair := range strings.SplitSeq(pairs, ";") {
			x, y, _ := strings.Cut(strings.TrimSpace(pair), " = ")
			const row = "{output: %s, p0: 1/2, p1: 1/2, part: a}"
			_, err := parseAudit(lawClaim + fmt.Sprintf("law: ["+row+", "+row+"]", x, y))
			if (err == nil) == isSame || err != nil && !strings.HasSuffix(err.Error(), "must not be there twice") {
				t.Errorf("%s in a list: %v", pair, err)
			}
			var table strings.Builder
			rows := [][]string{{"output", "p0", "p1"}, {x, "1/2", "1/2"}, {y, "1/2", "1/2"}}
			if err := csv.NewWriter(&table).WriteAll(rows); err != nil {
				t.Fatal(err)
			}
			if err := lawFault(table.String()); (err == nil) == isSame {
				t.Errorf("%s in a table: %v", pair, err)
			}
		}
	}
}

// A text that could be something else is shown in quotes.
func TestAuditLaw_Shown(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"yes": "yes", `"yes"`: "yes", "1.0": "1.0", `"1.0"`: `"1.0"`,
		"'null'": `"null"`, "null": "null", "007": "007", "[1,  a]": `[1,"a"]`, "x y": "x y", "'{'": "{"} {
		a, err := parseAudit(lawClaim + "law: [{output: " + typed + ", p0: 1, p1: 1, part: a}]")
		if err != nil || a.Law.Cells[0].Name != want {
			t.Errorf("%s is shown as %v, must be %s: %v", typed, a, want, err)
		}
	}
}

// TestAuditLaw_NoEcho: a file that another one names may be any: its texts are not shown.
func TestAuditLaw_NoEcho(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for table, want := range map[string]string{
		"output,p0,p1,part\nx,1,1,SECRET\n": "t.csv:2:7: law: output 1: part must be a " +
			"part of the claim",
		"output,p0,p1,part\nSECRET,1/2,1/2,a\nSECRET,1/2,1/2,a\n": "t.csv:3:1: law: output 2: output must not " +
			"be there twice",
		"output,p0,p1,part\nx,SECRET,1,a\n":                             "t.csv:2:3: p0 ",
		"output,p0,p1,part\nx,1,1,\"must SECRET, must \"\"be a\"\"\"\n": "part must be a part of the claim",
	} {
		for name, text := range map[string]string{"t.csv": table, "a.yaml": lawClaim + "law: t.csv"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := ReadAudit(filepath.Join(dir, "a.yaml"), nil, false)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%v, must be %s", err, want)
		}
	}
}
