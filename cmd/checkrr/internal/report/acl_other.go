//go:build !linux

package report

// keepACL does nothing: access control lists are kept on Linux only.
func keepACL(_, _ string) error { return nil }
