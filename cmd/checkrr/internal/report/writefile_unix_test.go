//go:build unix

package report

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody is a user other than the one who tests.
const nobody = 65534

// asNobody names, in a process of nobody, the files that it is to write, to replace, and must not replace.
const asNobody = "CHECKRR_TEST_AS_NOBODY"

// TestMain writes files, for nobody.
func TestMain(m *testing.M) {
	folder := os.Getenv(asNobody)
	if folder == "" {
		os.Exit(m.Run())
	}
	syscall.Umask(0o022)
	in := func(name string) string { return filepath.Join(folder, name) }
	err := errors.Join(WriteFile(in("written"), []byte("new")), WriteFile(in("new"), []byte("new")))
	if Replace(in("written"), []byte("other")) == nil {
		err = errors.Join(err, errors.New("that of somebody else was replaced in a folder for all"))
	}
	if WriteFile(in("fixed"), []byte("new")) == nil || Replace(in("fixed"), []byte("new")) == nil {
		err = errors.Join(err, errors.New("what may not be written was replaced"))
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

// TestWriteFile_Owners: whoever may write to a file may do so where it cannot be replaced, as in a folder for all;
// who may not write to it may not replace it, and who replaces it leaves it to its owner.
func TestWriteFile_Owners(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	program, err := os.ReadFile(os.Args[0])
	err = errors.Join(err, os.WriteFile(in("program"), program, 0o755), os.Chmod(filepath.Dir(dir), 0o755),
		os.Chmod(dir, 0o777|os.ModeSticky))
	for name, mode := range map[string]os.FileMode{"written": 0o666, "fixed": 0o444, "theirs": 0o600} {
		err = errors.Join(err, os.WriteFile(in(name), []byte("before"), 0o666), os.Chmod(in(name), mode))
	}
	err = errors.Join(err, os.Chown(in("fixed"), nobody, nobody), os.Chown(in("theirs"), nobody, nobody))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteFile(in("theirs"), []byte("new")), Replace(in("theirs"), []byte("newer"))); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(in("program"))
	cmd.Env = append(os.Environ(), asNobody+"="+dir)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, want := range map[string]struct {
		text string
		uid  uint32
		mode os.FileMode
	}{
		"written": {"new", 0, 0o666}, "new": {"new", nobody, 0o644},
		"fixed": {"before", nobody, 0o444}, "theirs": {"newer", nobody, 0o600},
	} {
		text, err := os.ReadFile(in(name))
		info, wrong := os.Stat(in(name))
		if err = errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		got := want
		got.text, got.uid, got.mode = string(text), info.Sys().(*syscall.Stat_t).Uid, info.Mode()
		if got != want {
			t.Errorf("%s is %v, must be %v", name, got, want)
		}
	}
	if all, _ := os.ReadDir(dir); len(all) != 5 {
		t.Errorf("there are %v", all)
	}
}

// TestReplace_IsPrivate: what takes the place of a file that only its owner reads is never open to others.
func TestReplace_IsPrivate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := filepath.Join(folder, "state")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			if err := Replace(name, []byte("secret")); err != nil {
				t.Error(err)
			}
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%s has the permissions %v", e.Name(), info.Mode())
				<-done
				return
			}
		}
	}
}

// TestKeepOwner_Group: where a group cannot be kept, what it might do is not given to another one.
func TestKeepOwner_Group(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("who may give files away keeps every group")
	}
	for was, want := range map[os.FileMode]os.FileMode{0o640: 0o600, 0o664: 0o644, 0o600: 0o600, 0o666: 0o666,
		0o606: 0o600} {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat("/") // of a group that is not ours
		if err != nil {
			t.Fatal(err)
		}
		if got := keepOwner(f, withMode{info, was}); got != want {
			t.Errorf("%v: %v, want %v", was, got, want)
		}
	}
}

type withMode struct {
	os.FileInfo
	mode os.FileMode
}

// Mode returns the other mode.
func (w withMode) Mode() os.FileMode { return w.mode }
