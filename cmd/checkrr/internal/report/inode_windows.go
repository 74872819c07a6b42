package report

import (
	"os"
	"syscall"
)

// Links returns how many names a file has.
func Links(f *os.File) (uint64, error) {
	var info syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info)
	return uint64(info.NumberOfLinks), err
}

// isWritable reports whether a file was opened to be written, which is not asked here.
func isWritable(*os.File) bool { return true }

// keepOwner returns the permissions of another file: here a file has no owner that a process could give it.
func keepOwner(f *os.File, of os.FileInfo) os.FileMode { return of.Mode().Perm() }
