package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// begin begins a state that holds a text.
func begin(t *testing.T, name, text string) {
	t.Helper()
	f, err := Open(name, Begin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	if err := f.Replace([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// refused requires that a state cannot be opened, for a reason.
func refused(t *testing.T, name string, how How, want string) {
	t.Helper()
	f, err := Open(name, how)
	if err == nil {
		f.Release()
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", name, err, want)
	}
}

// TestLinks: whatever links lead to a state, it is one; with a second name of its own it would be two.
func TestLinks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.MkdirAll(in("deep/er"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "deep/spent", "far": in("deep/spent"), "chain": "link",
		"folder": "deep/er", "round": "again", "again": "round"} {
		if err := os.Symlink(target, in(name)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Symlink("folder/../spent", in("up")); err != nil { // ".." of what folder leads to
		t.Fatal(err)
	}
	begin(t, in("link"), "one")
	for _, name := range []string{"link", "far", "chain", "up", "folder/../spent"} {
		if name == "folder/../spent" {
			name = folder + "/" + name
		} else {
			name = in(name)
		}
		f, err := Open(name, GoOn)
		if err != nil || string(f.Content) != "one" {
			t.Errorf("%s: %v, %v", name, f, err)
			continue
		}
		refused(t, in("deep/spent"), GoOn, "another run is at work on")
		f.Release()
	}
	if info, err := os.Lstat(in("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	refused(t, in("round"), GoOn, "is a link to a link")
	refused(t, in("again"), Begin, "is a link to a link")
	if err := os.Link(in("deep/spent"), in("second")); err != nil {
		t.Fatal(err)
	}
	refused(t, in("second"), GoOn, "has 2 names (hard links), must have one")
	refused(t, in("link"), Look, "has 2 names (hard links), must have one")
}

// TestNoLink: what another file has replaced is out of date, though it may still be read where it is mounted by itself.
func TestNoLink(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "spent")
	begin(t, name, "one")
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.Remove(name); err != nil {
		t.Skip(err) // as where an open file cannot be removed
	}
	if err := (&File{path: name}).checkLinks(in); err == nil || !strings.Contains(err.Error(), "is out of date") {
		t.Errorf("error %v", err)
	}
}

// TestLock: one run at a time goes on from a state; what another left of its lock is no lock.
func TestLock(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "spent")
	begin(t, name, "one")
	if err := os.WriteFile(name+".lock", nil, 0o666); err != nil { // as after a kill
		t.Fatal(err)
	}
	first, err := Open(name, GoOn)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, name, GoOn, "another run is at work on")
	looking, err := Open(name, Look)
	if err != nil || string(looking.Content) != "one" {
		t.Errorf("looking: %v, %v", looking, err)
	}
	looking.Release()
	first.Release()
	first.Release()
	if _, err := os.Lstat(name + ".lock"); err == nil && runtime.GOOS != "windows" {
		t.Error("the file of the lock was left behind")
	}
	second, err := Open(name, GoOn)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
	if err := os.Mkdir(name+".lock", 0o777); err != nil {
		t.Fatal(err)
	}
	refused(t, name, GoOn, "must be an empty file, as it locks")
}

// TestLockHammer: of many runs that add to a state at once, none forgets what another has added.
func TestLockHammer(t *testing.T) {
	t.Parallel()
	const runs = 8
	name := filepath.Join(t.TempDir(), "spent")
	begin(t, name, "")
	ended := make(chan int, runs)
	for range runs {
		go func() {
			added := 0
			for range 200 {
				f, err := Open(name, GoOn)
				if err != nil {
					runtime.Gosched()
					continue
				}
				if err := f.Replace(append(f.Content, 'x')); err != nil {
					t.Error(err)
				} else {
					added++
				}
				f.Release()
			}
			ended <- added
		}()
	}
	all := 0
	for range runs {
		all += <-ended
	}
	if text, err := os.ReadFile(name); err != nil || len(text) != all || all == 0 {
		t.Errorf("%d were added, %d are there, %v", all, len(text), err)
	}
	if files, _ := os.ReadDir(filepath.Dir(name)); len(files) != 1 {
		t.Errorf("%d files are there, must be the state alone", len(files))
	}
}

// TestReplace: a state that something else has changed, removed or begun meanwhile is left as it is.
func TestReplace(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "spent")
	opened := func(how How) *File {
		f, err := Open(name, how)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Release)
		return f
	}
	f := opened(Begin)
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.Replace([]byte("x")); err == nil {
		t.Error("a state that was begun meanwhile was replaced")
	}
	f.Release()
	f = opened(GoOn)
	for _, change := range []func() error{
		func() error { return os.WriteFile(name, []byte("other"), 0o666) },
		func() error { return os.Remove(name) },
		func() error {
			return errors.Join(os.WriteFile(name+".moved", nil, 0o666), os.Symlink(name+".moved", name))
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if err := f.Replace([]byte("x")); err == nil || !strings.Contains(err.Error(), "it was changed meanwhile") {
			t.Errorf("error %v", err)
		}
	}
}

// TestSeal: a text with any byte changed is not sealed.
func TestSeal(t *testing.T) {
	t.Parallel()
	text := Seal([]byte(`{"a": "1", "checksum": "", "b": 2}`))
	if !IsSealed(text) {
		t.Fatalf("%s is not sealed", text)
	}
	for i := range text {
		other := append([]byte{}, text...)
		other[i] ^= 1
		if IsSealed(other) {
			t.Errorf("%s is sealed", other)
		}
	}
	if IsSealed([]byte(`{}`)) || IsSealed(nil) {
		t.Error("a text without a checksum is sealed")
	}
}

// TestChain: the chain is what the help says, as these two lines of a shell print:
//
//	printf '\nevent' | sha256sum
//	printf '%s\nother' "$(printf '\nevent' | sha256sum | cut -c1-64)" | sha256sum
func TestChain(t *testing.T) {
	t.Parallel()
	one := Chain("").After([]byte("event"))
	if one != "b536fe9365216cd67a53c14e8e3d796fda6902e107c00d7c5c3db93dfeeb6d79" ||
		one.After([]byte("other")) != "0aab391673d1238a7388d61d755e0cdea6bbdd841d81234b71be039525a33d18" {
		t.Errorf("%s, %s", one, one.After([]byte("other")))
	}
}
