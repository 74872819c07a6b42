//go:build !unix

package program

import "os/exec"

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup ends a process.
func killGroup(c *exec.Cmd) { c.Process.Kill() }
