// Command rename changes the path of a module everywhere: in go.mod, in imports, and where texts name packages.
//
//	go run ./internal/rename example.org/you/checkrr [FOLDER]
//
// FOLDER is that of the module, the current one if none is given. To do it again changes nothing, and completes it
// where it was interrupted.
package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(2)
	}
}

func run(args []string, stdout io.Writer) error {
	folder := "."
	switch len(args) {
	case 1:
	case 2:
		folder = args[1]
	default:
		return fmt.Errorf("there are %d arguments, must be the new path and perhaps a folder: "+
			"go run ./internal/rename example.org/you/checkrr [FOLDER]", len(args))
	}
	if err := module.CheckPath(args[0]); err != nil {
		return fmt.Errorf("the new path is %q, must be such as example.org/you/checkrr: %w", args[0], err)
	}
	if _, version, isRight := module.SplitPathVersion(args[0]); !isRight || version != "" {
		return fmt.Errorf("the new path is %q, must be without a version", args[0])
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	text, err := root.ReadFile("go.mod")
	if err != nil {
		return err
	}
	from := modfile.ModulePath(text)
	switch from {
	case "":
		return fmt.Errorf("%s/go.mod has no line with the path of a module, must have one", folder)
	case args[0]:
		fmt.Fprintf(stdout, "the module is %s already\n", from)
		return nil
	}
	files, err := filesOf(root.FS())
	if err != nil {
		return err
	}
	r := newRenaming(from, args[0], files)
	if rest, isWithin := cutPath(args[0], from); isWithin && r.packages[rest[1:]] {
		return fmt.Errorf("the new path is %q, must not be that of a package of the module", args[0])
	}
	n, err := r.apply(root, files)
	if err == nil {
		fmt.Fprintf(stdout, "%s is %s now, in %d files\n", from, args[0], n)
	}
	return err
}

// filesOf returns the regular files beneath a folder but those of git, go.mod last: until that is written, the old path
// is known.
func filesOf(root fs.FS) (files []string, err error) {
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.Type().IsRegular() && path != "go.mod":
			files = append(files, path)
		}
		return nil
	})
	return append(files, "go.mod"), err
}
