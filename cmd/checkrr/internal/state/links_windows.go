package state

import (
	"os"
	"syscall"
)

// linksTo returns how many names a file has.
func linksTo(f *os.File) (uint64, error) {
	var info syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info)
	return uint64(info.NumberOfLinks), err
}
