package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// longest is how many lines a function of a room may have, tests aside: in spec as many as can be read
// with the paper in the other hand.
var longest = map[string]int{"spec": 25, "impl": 70}

// TestLongFunctions: no function of spec, nor of impl and the packages beneath it, is longer.
func TestLongFunctions(t *testing.T) {
	t.Parallel()
	for room, most := range longest {
		files := token.NewFileSet()
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if lines := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; lines > most {
					t.Errorf("%s: %s has %d lines, must have at most %d", path, f.Name.Name, lines, most)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
