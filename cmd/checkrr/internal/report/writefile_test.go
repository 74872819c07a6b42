package report

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWriteFile: a file is replaced as a whole and keeps its permissions, a link keeps leading to its file, and nothing
// is left beside.
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
	if info, wrong := os.Lstat(link); err != nil || wrong != nil || info.Mode().IsRegular() ||
		string(text) != "fourth" {
		t.Errorf("%q, %v, %v", text, err, wrong)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestWriteFile_Names: a file with two names keeps both, however long what is written is, and what is there stays if
// there is no room.
func TestWriteFile_Names(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
	if err := os.WriteFile(file, []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, other); err != nil {
		t.Skip(err)
	}
	for _, text := range []string{"much longer than before", "short", ""} {
		if err := WriteFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(other); err != nil || string(now) != text {
			t.Errorf("the other name has %q, %v, must have %q", now, err, text)
		}
	}
}

// TestWriteFile_LongName: a file may have as long a name as the system allows.
func TestWriteFile_LongName(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), strings.Repeat("x", 250))
	for range 2 {
		if err := WriteFile(name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := Replace(name, []byte("y")); err != nil {
		t.Fatal(err)
	}
}

// TestIsBarred: only a folder or a file that takes no other is written into; not so if the disk is full.
func TestIsBarred(t *testing.T) {
	t.Parallel()
	for _, is := range []syscall.Errno{syscall.EPERM, syscall.EACCES, syscall.EROFS, syscall.EBUSY, syscall.EXDEV} {
		if !isBarred(&fs.PathError{Err: is}) {
			t.Errorf("%v does not bar", is)
		}
	}
	for _, is := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EMFILE, syscall.ENAMETOOLONG} {
		if isBarred(&fs.PathError{Err: is}) {
			t.Errorf("%v bars", is)
		}
	}
	if isBarred(nil) {
		t.Error("no error bars")
	}
}
