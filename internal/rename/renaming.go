package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	pathpkg "path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
)

// renaming is of a module from one path to another.
type renaming struct {
	from, to string
	packages map[string]bool // the folders with packages, and those above, from the top of the module
	named    *regexp.Regexp  // what may be a package that a text names, perhaps with more of its sentence
}

func newRenaming(from, to string, files []string) renaming {
	r := renaming{from: from, to: to, packages: map[string]bool{"": true}}
	r.named = regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(from) + `/([\w./-]+)`)
	for _, file := range files {
		if strings.HasSuffix(file, ".go") {
			for folder := pathpkg.Dir(file); folder != "."; folder = pathpkg.Dir(folder) {
				r.packages[folder] = true
			}
		}
	}
	return r
}

// apply changes files and returns how many. Nothing is written where one of them cannot be read.
func (r renaming) apply(root *os.Root, files []string) (n int, err error) {
	changed := map[string][]byte{}
	for _, file := range files {
		text, err := root.ReadFile(file)
		if err != nil {
			return 0, err
		}
		after, err := r.file(file, text)
		if err != nil {
			return 0, err
		}
		if !bytes.Equal(after, text) {
			changed[file] = after
		}
	}
	for _, file := range files {
		if text, isChanged := changed[file]; isChanged {
			if err := root.WriteFile(file, text, 0o666); err != nil { // its mode stays
				return 0, err
			}
		}
	}
	return len(changed), nil
}

// file returns the new text of a file.
func (r renaming) file(path string, text []byte) ([]byte, error) {
	switch {
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return text, nil
	case pathpkg.Base(path) == "go.mod":
		return withLines(text, path, r.modules)
	case pathpkg.Ext(path) == ".go":
		return withLines(text, path, r.program)
	}
	return r.text(text), nil
}

// withLines changes a text of lines that end in LF only, as parsers have them: those of others stay as they are.
func withLines(text []byte, path string, change func(string, []byte) ([]byte, error)) ([]byte, error) {
	crlf, lf := []byte("\r\n"), []byte("\n")
	lines := bytes.ReplaceAll(text, crlf, lf)
	after, err := change(path, lines)
	switch {
	case err != nil || bytes.Equal(after, lines):
		return text, err
	case len(lines) == len(text):
		return after, nil
	}
	return bytes.ReplaceAll(after, lf, crlf), nil
}

// path returns the new path of a module or package, if it is of ours, and has the old one still.
func (r renaming) path(path string) string {
	if rest, isOurs := cutPath(path, r.from); isOurs {
		if _, isRenamed := cutPath(path, r.to); !isRenamed {
			return r.to + rest
		}
	}
	return path
}

// cutPath returns what is behind a path within another, and whether it is there.
func cutPath(path, of string) (rest string, isWithin bool) {
	rest, isWithin = strings.CutPrefix(path, of)
	return rest, isWithin && (rest == "" || rest[0] == '/')
}

// modules returns the new text of a go.mod: that of the module, or of another that requires it.
func (r renaming) modules(path string, text []byte) ([]byte, error) {
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return nil, err
	}
	rename := func(line *modfile.Line) {
		for i, word := range line.Token {
			line.Token[i] = r.path(word)
		}
	}
	for _, statement := range file.Syntax.Stmt {
		switch statement := statement.(type) {
		case *modfile.Line:
			rename(statement)
		case *modfile.LineBlock:
			for _, line := range statement.Line {
				rename(line)
			}
		}
	}
	return modfile.Format(file.Syntax), nil
}

// program returns the new text of a Go file: imports are renamed, and packages that other strings and comments name.
func (r renaming) program(path string, text []byte) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type edit struct {
		at          int
		from, after string
	}
	var edits []edit
	add := func(at token.Pos, from, after string) {
		if from != after {
			edits = append(edits, edit{files.Position(at).Offset, from, after})
		}
	}
	imports := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			imports[n.Path] = true
			add(n.Path.Pos(), n.Path.Value, fmt.Sprintf("%q", r.path(strings.Trim(n.Path.Value, "`\""))))
		case *ast.BasicLit:
			if n.Kind == token.STRING && !imports[n] {
				add(n.Pos(), n.Value, string(r.text([]byte(n.Value))))
			}
		}
		return true
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			add(c.Pos(), c.Text, string(r.text([]byte(c.Text))))
		}
	}
	if len(edits) == 0 {
		return text, nil
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.at, a.at) }) // the last first
	for _, e := range edits {
		if !bytes.HasPrefix(text[e.at:], []byte(e.from)) {
			return nil, fmt.Errorf("%s: there is a carriage return in %q, must be none within a line", path, e.from)
		}
		text = slices.Replace(slices.Clone(text), e.at, e.at+len(e.from), []byte(e.after)...)
	}
	return format.Source(text)
}

// text returns a text in which packages of the module have their new names: such as checkrr/impl, checkrr/impl.OptDel
// and checkrr/..., and neither ./cmd/checkrr/command nor a file.
func (r renaming) text(text []byte) []byte {
	return r.named.ReplaceAllFunc(text, func(match []byte) []byte {
		before, rest, _ := bytes.Cut(match, []byte(r.from+"/"))
		folder, last := pathpkg.Split(string(rest))
		last, _, _ = strings.Cut(last, ".")
		if folder = strings.TrimSuffix(folder+last, "/"); !r.packages[folder] {
			return match
		}
		return slices.Concat(before, []byte(r.to+"/"), rest)
	})
}
