//go:build unix

package report

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
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

// isWritable reports whether a file was opened to be written. What has no type is the system's own.
func isWritable(f *os.File) bool {
	var s unix.Stat_t
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil || unix.Fstat(int(f.Fd()), &s) != nil {
		return false
	}
	return flags&unix.O_ACCMODE != unix.O_RDONLY && s.Mode&unix.S_IFMT != 0
}

// keepOwner gives a file the owner and the group of another one, or the group, as far as this process may. It returns
// with which permissions: where the group is another one, it and all others have what both had.
func keepOwner(f *os.File, of os.FileInfo) os.FileMode {
	mode := of.Mode().Perm()
	s, ok := of.Sys().(*syscall.Stat_t)
	if !ok || f.Chown(int(s.Uid), int(s.Gid)) == nil || f.Chown(-1, int(s.Gid)) == nil {
		return mode
	}
	both := mode >> 3 & mode & 0o007
	return mode&0o700 | both<<3 | both
}
