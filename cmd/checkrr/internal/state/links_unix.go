//go:build unix

package state

import (
	"os"
	"syscall"
)

// linksTo returns how many names a file has.
func linksTo(f *os.File) (uint64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink), nil
	}
	return 1, nil
}
