//go:build !unix && !windows

package state

import "os"

// linksTo returns how many names a file has, where the system tells.
func linksTo(f *os.File) (uint64, error) { return 1, nil }
