//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the first of a process group, so that what it starts can be
// ended with it: "go run" and shells start the program proper.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a process and its group.
func killGroup(c *exec.Cmd) { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
