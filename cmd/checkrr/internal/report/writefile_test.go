package report

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWriteFile: a file is replaced as a whole and keeps its permissions, a link keeps leading to its file, and nothing is left beside.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	for _, text := range []string{"first", "second"} {
		if err := WriteFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, []byte("third")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != first.Mode() || os.SameFile(info, first) {
		t.Errorf("%v, %v: must be another file with the permissions %v", info, err, first.Mode())
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, []byte("fourth")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if info, wrong := os.Lstat(link); err != nil || wrong != nil || info.Mode().IsRegular() || string(text) != "fourth" {
		t.Errorf("%q, %v, %v", text, err, wrong)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
}
