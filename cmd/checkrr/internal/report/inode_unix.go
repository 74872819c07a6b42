//go:build unix

package report

import (
	"os"
	"syscall"
)

// Links returns how many names a file has.
func Links(f *os.File) (uint64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink), nil
	}
	return 1, nil
}

// keepOwner gives a file the owner and the group of another one, or the group, as far as this process may.
func keepOwner(f *os.File, of os.FileInfo) {
	if s, ok := of.Sys().(*syscall.Stat_t); ok && f.Chown(int(s.Uid), int(s.Gid)) != nil {
		_ = f.Chown(-1, int(s.Gid))
	}
}
