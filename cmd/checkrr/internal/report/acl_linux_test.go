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
	const version, unnamed = 2, 0xffffffff
	b := bytes.NewBuffer(nil)
	err := binary.Write(b, binary.LittleEndian, uint32(version))
	for i, tag := range []uint16{1, 2, 4, 16, 32} {
		id := map[bool]uint32{true: 1000, false: unnamed}[tag == 2]
		entry := struct {
			Tag, Rights uint16
			ID          uint32
		}{tag, rights[i], id}
		err = errors.Join(err, binary.Write(b, binary.LittleEndian, entry))
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
		mode         os.FileMode
	}{
		{"its own", aclOf(t, [5]uint16{6, 6, 0, 6, 0}), nil, 0o660},
		{"none, of a folder with one", nil, aclOf(t, [5]uint16{7, 6, 4, 7, 0}), 0o640},
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
		if list = list[:max(n, 0)]; !bytes.Equal(list, c.file) || (c.file == nil) != errors.Is(err, syscall.ENODATA) {
			t.Errorf("%s: the list is % x, %v", c.name, list, err)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != c.mode {
			t.Errorf("%s: %v, %v", c.name, info.Mode(), err)
		}
	}
}
