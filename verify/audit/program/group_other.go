//go:build !unix

package program

import "os/exec"

// group is a program alone: there are no process groups.
type group struct{ program *exec.Cmd }

func newGroup(program *exec.Cmd) *group { return &group{program} }

// kill ends the program.
func (g *group) kill() {
	if g.program.Process != nil {
		g.program.Process.Kill()
	}
}

// end does nothing: what the program has started is not known.
func (g *group) end() {}
