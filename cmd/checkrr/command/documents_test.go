package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"checkrr/docs"
)

// documents returns the READMEs and all pages of docs, by their names from the top of the repository.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, glob := range []string{"*.md", "docs/*.md", "docs/*/*.md", "python/*.md"} {
		files, err := filepath.Glob(filepath.Join("../../..", glob))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			pages[strings.TrimPrefix(filepath.ToSlash(file), "../../../")] = contents(t, file)
		}
	}
	return pages
}

// shown is a command of a document, with what it says that this prints, and the last YAML before it.
type shown struct {
	line, yaml string
	prints     []string
	isOutput   bool // whether the document shows what it prints
}

// commandsOf returns the commands in the blocks of a page. Where a block has a line that begins with "$ ", what follows
// such a line is its output.
func commandsOf(page string) (all []shown) {
	yaml := ""
	for i, block := range strings.Split("\n"+page, "\n```") {
		if i%2 == 0 {
			continue
		}
		language, text, _ := strings.Cut(block, "\n")
		if language == "yaml" {
			yaml = text
		}
		if language != "" {
			continue
		}
		isOutput := strings.HasPrefix(text, "$ ")
		for line := range strings.SplitSeq(text, "\n") {
			command, isCommand := strings.CutPrefix(line, "$ ")
			command = strings.TrimPrefix(command, "go run ./cmd/")
			switch {
			case isCommand || !isOutput && strings.HasPrefix(line, "checkrr "):
				all = append(all, shown{line: command, yaml: yaml, isOutput: isOutput})
			case isOutput:
				last := &all[len(all)-1]
				last.prints = append(last.prints, line)
			}
		}
	}
	return all
}

// Every command that is shown with its output prints that, and perhaps more at the end. "…" stands for lines, or for
// the rest of one, and times may be others.
func TestDocuments_Outputs(t *testing.T) {
	t.Parallel()
	pages, saved := documents(t), map[string]string{} // by the names of files
	for _, page := range pages {
		for _, m := range regexp.MustCompile("(?s)`([^` ]+)`:\n\n```yaml\n(.*?)```").FindAllStringSubmatch(page, -1) {
			saved[m[1]] = m[2]
		}
	}
	all := map[string][]shown{} // those that print the same
	for _, page := range pages {
		for _, c := range commandsOf(page) {
			if c.isOutput {
				c.line, _, _ = strings.Cut(c.line, " -o ")
				c.yaml = cmp.Or(saved[c.newFile()], c.yaml)
				if c.yaml = comment.ReplaceAllString(c.yaml, ""); c.newFile() == "" {
					c.yaml = ""
				}
				all[c.line+"\n"+c.yaml] = append(all[c.line+"\n"+c.yaml], c)
			}
		}
	}
	for _, shows := range all {
		t.Run(shows[0].line, func(t *testing.T) {
			t.Parallel()
			if isLong := regexp.MustCompile(`mnist|dpsgd|claims`); isLong.MatchString(shows[0].line) && !*full {
				t.Skip("with -full only: takes a second")
			}
			printed := runShown(t, shows[0])
			for _, c := range shows {
				if !isShown(append(withoutTimes(c.prints), "…"), withoutTimes(printed)) {
					t.Errorf("a page shows\n%s\n\nit prints\n%s", strings.Join(c.prints, "\n"),
						strings.Join(printed, "\n"))
				}
			}
		})
	}
}

var comment = regexp.MustCompile(` +#.*`)

// words are those of the command, as a shell has them.
func (c shown) words() (words []string) {
	for _, word := range regexp.MustCompile(`('[^']*'|[^ '])+`).FindAllString(c.line, -1) {
		words = append(words, strings.ReplaceAll(word, "'", ""))
	}
	return words
}

// newFile is the problem file that the command reads, if that is none of the examples; it has the YAML.
func (c shown) newFile() string {
	for _, word := range c.words() {
		if strings.HasSuffix(word, ".yaml") && !strings.HasPrefix(word, "examples/") {
			return word
		}
	}
	return ""
}

// runShown returns the lines that a command prints in a folder that has the examples and, if a file that it names is
// not among these, the YAML before it.
func runShown(t *testing.T, c shown) []string {
	t.Helper()
	folder := t.TempDir()
	if err := copyExamples(filepath.Join(folder, "examples")); err != nil {
		t.Fatal(err)
	}
	if name := c.newFile(); name != "" {
		write(t, filepath.Join(folder, name), c.yaml)
	}
	words := c.words()
	switch words[0] {
	case "newclaim":
		buildNewclaim(t)
	case "checkrr":
	default:
		t.Fatalf("%s is no command of checkrr", c.line)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = folder
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v: %s", err, &errs)
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n")
}

func withoutTimes(lines []string) []string {
	return strings.Split(times.ReplaceAllString(strings.TrimRight(strings.Join(lines, "\n"), "\n"), "${1}T${2}"), "\n")
}

// isShown reports whether lines are those that a page shows.
func isShown(page, lines []string) bool {
	switch {
	case len(page) == 0:
		return len(lines) == 0
	case strings.TrimSpace(page[0]) == "…":
		return slices.ContainsFunc(suffixes(lines), func(rest []string) bool { return isShown(page[1:], rest) })
	case len(lines) == 0:
		return false
	}
	beginning, isBeginning := strings.CutSuffix(page[0], "…")
	return (lines[0] == page[0] || isBeginning && strings.HasPrefix(lines[0], beginning)) &&
		isShown(page[1:], lines[1:])
}

func suffixes(lines []string) (all [][]string) {
	for i := range len(lines) + 1 {
		all = append(all, lines[i:])
	}
	return all
}

// Go and Python on the page about claims, and an entry of statements.yaml, are of examples/newclaim and of examples.
func TestDocuments_Newclaim(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, glob := range []string{"*.py", "audit-*.yaml", "newclaim/*.go", "newclaim/own/*"} {
		files, err := filepath.Glob(filepath.Join("../../../examples", glob))
		if err != nil || len(files) == 0 {
			t.Fatal(glob, err)
		}
		for _, file := range files {
			all.WriteString(contents(t, file))
		}
	}
	page, n, ofClaim := contents(t, "../../../docs/guide/check-a-claim.md"), 0, 0
	for _, m := range regexp.MustCompile("(?s)```(go|python|yaml)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		if isRun := strings.HasPrefix(m[2], "claims:"); isRun { // it is what the next command reads
			continue
		}
		if n++; !strings.Contains(all.String(), m[2]) {
			t.Errorf("no file of examples has\n%s", m[2])
		}
		if strings.HasPrefix(m[2], "- id:") || strings.Contains(m[2], "register.Checked(") {
			ofClaim += len(regexp.MustCompile(`(?m)^[^/\n].*`).FindAllString(m[2], -1))
		}
	}
	if lines := strings.Count(page, "\n"); n < 5 || lines > 200 || ofClaim == 0 || ofClaim >= 30 {
		t.Errorf("the page has %d lines, must have at most 200; %d passages of examples, must be at least 5; "+
			"and %d lines for a claim in Go, must be less than 30", lines, n, ofClaim)
	}
}

// Commands that are shown without output have flags that there are.
func TestDocuments_Flags(t *testing.T) {
	t.Parallel()
	ends := regexp.MustCompile(`&&|\||>|<|#`)
	for name, page := range documents(t) {
		for _, c := range commandsOf(page) {
			for part := range strings.SplitSeq(c.line, "&&") {
				words := strings.Fields(strings.ReplaceAll(ends.Split(part, 2)[0], "'", ""))
				if c.isOutput || len(words) == 0 || words[0] != "checkrr" {
					continue
				}
				if code, _, stderr := checkrr("", append(words[1:], "--help")...); code != exitOK {
					t.Errorf("%s: %s: %s", name, part, stderr)
				}
			}
		}
	}
}

// Links within the repository lead somewhere.
func TestDocuments_Links(t *testing.T) {
	t.Parallel()
	pages := documents(t)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for name, page := range pages {
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), path))
			}
			if _, err := os.Stat(filepath.Join("../../..", target)); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if anchor != "" && !slices.Contains(anchors(pages[target]), anchor) {
				t.Errorf("%s: %s has no heading #%s", name, target, anchor)
			}
		}
	}
}

// anchors returns what the headings of a page are called in links.
func anchors(page string) (all []string) {
	for line := range strings.SplitSeq(page, "\n") {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			all = append(all, docs.Anchor(heading))
		}
	}
	return all
}

// A page of more than 200 lines has links to all of its sections at its beginning.
func TestDocuments_Contents(t *testing.T) {
	t.Parallel()
	for name, page := range documents(t) {
		if strings.Count(page, "\n") <= 200 {
			continue
		}
		before, _, _ := strings.Cut(page, "\n## ")
		for i, block := range strings.Split("\n"+page, "\n```") {
			for line := range strings.SplitSeq(block, "\n") {
				heading, isSection := strings.CutPrefix(line, "## ")
				if i%2 == 0 && isSection && !strings.Contains(before, "(#"+anchors("## " + heading)[0]+")") {
					t.Errorf("%s has no link to its section %q at its beginning", name, heading)
				}
			}
		}
	}
}

// README has at most 9 KB: it is read in a minute.
func TestDocuments_README(t *testing.T) {
	t.Parallel()
	if n := len(contents(t, "../../../README.md")); n > 9<<10 {
		t.Errorf("README.md has %d bytes, must have at most %d", n, 9<<10)
	}
}

// mostHelp is how many lines the help of a command may have.
const mostHelp = 40

// mostColumns is how long a line of its prose may be.
const mostColumns = 100

// The pages of docs/reference that are named after commands are their help, which is short without its details.
func TestDocuments_Reference(t *testing.T) {
	t.Parallel()
	commands, err := filepath.Glob("help/*.txt")
	if err != nil || len(commands) == 0 {
		t.Fatal(err)
	}
	for _, file := range append(commands, "audit.txt") {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		code, out, stderr := checkrr("", "help", name, "--details")
		if code != exitOK {
			t.Fatal(stderr)
		}
		_, short, _ := checkrr("", "help", name)
		if lines := strings.Count(short, "\n"); lines > mostHelp {
			t.Errorf("checkrr help %s has %d lines, must have at most %d", name, lines, mostHelp)
		}
		prose, _, _ := strings.Cut(contents(t, filepath.Join("help", filepath.Base(file))), "\nExamples:\n")
		for line := range strings.Lines(prose) {
			if n := utf8.RuneCountInString(line); n > mostColumns+1 && !strings.HasPrefix(line, " ") {
				t.Errorf("help %s: a line has %d columns, must have at most %d: %s", name, n-1, mostColumns, line)
			}
		}
		const form = "# checkrr %s\n\nWhat `checkrr help %[1]s --details` prints.\n\n```text\n%s\n```\n"
		file := filepath.Join("../../../docs/reference", name+".md")
		page := fmt.Sprintf(form, name, strings.TrimSpace(out))
		if *update {
			write(t, file, page)
		}
		if contents(t, file) != page {
			t.Errorf("%s is not the help: run go test ./cmd/checkrr/command -run Reference -update", file)
		}
	}
}

// TestNotice: NOTICE names each module that a binary has in it, and no other, with a licence of which it has the text.
func TestNotice(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go")
	}
	modules := map[string]bool{"std": true}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(system, err)
		}
		for path := range strings.FieldsSeq(string(out)) {
			modules[path] = true
		}
	}
	text := contents(t, "../../../NOTICE")
	var named []string
	for _, line := range regexp.MustCompile(`(?m)^(\S+) \((.+?)\): \S*Copyright .`).FindAllStringSubmatch(text, -1) {
		named = append(named, line[1])
		for licence := range strings.SplitSeq(line[2], " AND ") {
			isElsewhere := licence == "Apache-2.0" || licence == "CC-BY-4.0"
			if !isElsewhere && !strings.Contains(text, "\n"+licence) {
				t.Errorf("%s: there is no text of %s", line[1], licence)
			}
		}
	}
	if want := slices.Sorted(maps.Keys(modules)); !slices.Equal(named, want) {
		t.Errorf("NOTICE names\n%s\nmust name\n%s", strings.Join(named, "\n"), strings.Join(want, "\n"))
	}
}
