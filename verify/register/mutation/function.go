package mutation

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// function is a function of the code that is tried, with its text.
type function struct {
	name string // such as spec.OptDel, or spec.Filter.Charge
	file string // from the root of the module
	decl *ast.FuncDecl
	text []byte // of the file
	base token.Pos
	uses map[*ast.Ident]types.Object // what the names of the folder mean
}

// functionsOf returns the functions of a folder, tests aside.
func functionsOf(root, folder string) (all []function, err error) {
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	set, uses := token.NewFileSet(), map[*ast.Ident]types.Object{}
	var files []*ast.File
	for _, name := range paths {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		for _, d := range file.Decls {
			if f, isFunction := d.(*ast.FuncDecl); isFunction && f.Body != nil {
				all = append(all, function{file.Name.Name + "." + Receiver(f) + f.Name.Name,
					path.Join(folder, filepath.Base(name)), f, text, file.FileStart, uses})
			}
		}
	}
	// What depends on other imports than math/big has no type: an error that does not count.
	config := types.Config{Importer: onlyBig{}, Error: func(error) {}}
	_, _ = config.Check(folder, set, files, &types.Info{Defs: uses, Uses: uses})
	return all, nil
}

// mathBig is imported by its source, once: the importer is for one at a time.
var mathBig = sync.OnceValues(func() (*types.Package, error) {
	return importer.ForCompiler(token.NewFileSet(), "source", nil).Import("math/big")
})

// onlyBig imports math/big, whose methods have the names of many of ours.
type onlyBig struct{}

func (onlyBig) Import(path string) (*types.Package, error) {
	if path != "math/big" {
		return nil, errors.New("it is left out")
	}
	return mathBig()
}

// Receiver returns "T." for a method of T, *T or T[…], and nothing for a function.
func Receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	if star, isPointer := x.(*ast.StarExpr); isPointer {
		x = star.X
	}
	if generic, isGeneric := x.(*ast.IndexExpr); isGeneric {
		x = generic.X
	}
	if name, isName := x.(*ast.Ident); isName {
		return name.Name + "."
	}
	return "?"
}

// calls returns the names that a function's body uses, refusals aside: those of what it calls, and more. What is known
// to be of a package or of a type is named with these, such as spec.OptDel.
func (f function) calls() map[string]bool {
	names := map[string]bool{}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if name, isName := n.(*ast.Ident); isName {
			names[f.fullName(name)] = true
		}
		return n == nil || !f.isRefusal(n)
	})
	return names
}

// fullName returns the name of a function as [function] has it if it is known, and otherwise a name as it stands.
func (f function) fullName(name *ast.Ident) string {
	used := f.uses[name]
	if used == nil {
		return name.Name
	}
	called, isFunction := used.(*types.Func)
	if !isFunction || called.Pkg() == nil || called.Pkg().Path() != path.Dir(f.file) {
		return "" // a variable, a type or another package's
	}
	before := path.Base(path.Dir(f.file)) + "."
	of := called.Origin().Signature().Recv()
	switch {
	case of == nil:
		return before + name.Name
	case types.IsInterface(of.Type()):
		return name.Name
	}
	kind := of.Type()
	if pointer, isPointer := kind.(*types.Pointer); isPointer {
		kind = pointer.Elem()
	}
	return before + kind.(*types.Named).Obj().Name() + "." + name.Name
}

// from returns what a text is from one place to another.
func (f function) from(start, end token.Pos) string { return string(f.text[start-f.base : end-f.base]) }

// of returns the text of a node.
func (f function) of(n ast.Node) string { return f.from(n.Pos(), n.End()) }

// with returns the text of a node in which that between two places is another.
func (f function) with(n ast.Node, start, end token.Pos, text string) string {
	return f.from(n.Pos(), start) + text + f.from(end, n.End())
}

// results returns the types of what the function returns.
func (f function) results() (types []string) {
	if f.decl.Type.Results == nil {
		return nil
	}
	for _, field := range f.decl.Type.Results.List {
		for range max(1, len(field.Names)) {
			types = append(types, f.of(field.Type))
		}
	}
	return types
}

// closed returns statements that call a body as a function of its own, with the results x0, x1, …, and then do
// something with them.
func (f function) closed(body, then string) string {
	results := f.results()
	if len(results) == 0 {
		return fmt.Sprintf("func() %s()\nreturn\n", body)
	}
	if then == "" {
		return fmt.Sprintf("return func() %s %s()\n", f.of(f.decl.Type.Results), body)
	}
	var names []string
	for i := range results {
		names = append(names, fmt.Sprint("x", i))
	}
	list := strings.Join(names, ", ")
	return fmt.Sprintf("%s := func() %s %s()\n%s\nreturn %s\n", list, f.of(f.decl.Type.Results), body, then, list)
}
