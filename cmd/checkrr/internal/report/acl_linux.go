package report

import (
	"errors"
	"syscall"
)

// keepACL gives a file the access control list of another one, or none if that has none: a new file may have one from
// its folder.
func keepACL(file, of string) error {
	const acl, most = "system.posix_acl_access", 64 << 10 // bytes, as the system has it
	list := make([]byte, most)
	n, err := syscall.Getxattr(of, acl, list)
	switch {
	case err == nil:
		err = syscall.Setxattr(file, acl, list[:n], 0)
	case errors.Is(err, syscall.ENODATA):
		err = syscall.Removexattr(file, acl)
	}
	if errors.Is(err, syscall.ENODATA) || errors.Is(err, syscall.ENOTSUP) { // there is none to keep, or to remove
		return nil
	}
	return err
}
