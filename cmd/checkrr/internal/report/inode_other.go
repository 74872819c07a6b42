//go:build !unix && !windows

package report

import "os"

// Links returns how many names a file has, where the system tells.
func Links(f *os.File) (uint64, error) { return 1, nil }

// keepOwner returns the permissions of another file: here a file has no owner that a process could give it.
func keepOwner(f *os.File, of os.FileInfo) os.FileMode { return of.Mode().Perm() }
