//go:build !unix && !windows

package report

import "os"

// Links returns how many names a file has, where the system tells.
func Links(f *os.File) (uint64, error) { return 1, nil }

// isWritable reports whether a file was opened to be written, which is not asked here.
func isWritable(*os.File) bool { return true }

// keepOwner returns the permissions of another file: here a file has no owner that a process could give it.
func keepOwner(f *os.File, of os.FileInfo) os.FileMode { return of.Mode().Perm() }
