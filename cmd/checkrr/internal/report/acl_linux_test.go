package report

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// aclOf is an access control list of the system: of the owner, of user 1000, of the group, the mask, and of others.
func aclOf(t *testing.T, rights [5]uint16) []byte {
	t.Helper()
	const version, nobodyInParticular = 2, 0xffffffff
	b := bytes.NewBuffer(nil)
	tags, ids := [5]uint16{1, 2, 4, 16, 32}, [5]uint32{nobodyInParticular, 1000, nobodyInParticular, nobodyInParticular,
		nobodyInParticular}
	err := binary.Write(b, binary.LittleEndian, uint32(version))
	for i := range tags {
		err = errors.Join(err, binary.Write(b, binary.LittleEndian, tags[i]), binary.Write(b, binary.LittleEndian, rights[i]),
			binary.Write(b, binary.LittleEndian, ids[i]))
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReplace_ACL: a file that is replaced keeps its access control list, and gets none from its folder.
func TestReplace_ACL(t *testing.T) {
	t.Parallel()
	const access, fromFolder = "system.posix_acl_access", "system.posix_acl_default"
	for _, c := range []struct {
		name         string
		file, folder []byte
	}{
		{"its own", aclOf(t, [5]uint16{6, 6, 0, 6, 0}), nil},
		{"none, of a folder with one", nil, aclOf(t, [5]uint16{7, 6, 4, 7, 0})},
	} {
		folder := t.TempDir()
		name := filepath.Join(folder, "f")
		err := errors.Join(os.WriteFile(name, []byte("before"), 0o640), os.Chmod(name, 0o640))
		if c.file != nil {
			err = errors.Join(err, syscall.Setxattr(name, access, c.file, 0))
		}
		if c.folder != nil {
			err = errors.Join(err, syscall.Setxattr(folder, fromFolder, c.folder, 0))
		}
		if errors.Is(err, syscall.ENOTSUP) {
			t.Skip("there are no access control lists here")
		}
		if err = errors.Join(err, Replace(name, []byte("after"))); err != nil {
			t.Fatal(err)
		}
		list := make([]byte, 1000)
		n, err := syscall.Getxattr(name, access, list)
		if c.file == nil && !errors.Is(err, syscall.ENODATA) || c.file != nil && !bytes.Equal(list[:max(n, 0)], c.file) {
			t.Errorf("%s: the list is % x, %v", c.name, list[:max(n, 0)], err)
		}
		info, err := os.Stat(name)
		if want := map[bool]os.FileMode{true: 0o640, false: 0o660}[c.file == nil]; err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", c.name, info.Mode(), err)
		}
	}
}
