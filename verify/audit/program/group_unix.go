//go:build unix

package program

import (
	"io"
	"os/exec"
	"sync"
	"syscall"
)

// group is the process group of a program: "go run" and shells start the program proper, and
// all of it has to end, whatever becomes of us. Its first member is a guard, a shell that
// does nothing but read a pipe whose other end only we hold. However we end, and be it by
// SIGKILL, the pipe is closed then, and the guard kills the group. It was there before the
// program, so there is no moment without it. A process that leaves the group, by setsid, is
// out of reach.
//
// Where there is no shell the program itself is the first, and unguarded.
type group struct {
	program *exec.Cmd
	guard   *exec.Cmd // nil if there is none
	pipe    io.Closer // our end

	mutex  sync.Mutex
	isOver bool // the number of the group may be that of another one
}

// watch ends the group, itself with it, when its standard input ends. Signals that a member
// may send to all the others do not end it.
const watch = `trap '' HUP INT QUIT TERM; read line; kill -KILL 0`

// newGroup makes a group, of which a command will be.
func newGroup(program *exec.Cmd) *group {
	g := &group{program: program}
	guard := exec.Command("/bin/sh", "-c", watch)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if pipe, err := guard.StdinPipe(); err == nil && guard.Start() == nil {
		g.guard, g.pipe = guard, pipe
	}
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.number()}
	return g
}

// number returns the number of a group, or 0 if that will be the number of the program.
func (g *group) number() int {
	switch {
	case g.guard != nil:
		return g.guard.Process.Pid
	case g.program.Process != nil:
		return g.program.Process.Pid
	}
	return 0
}

// kill ends all processes of the group, and the program if it has left it.
func (g *group) kill() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.isOver {
		return
	}
	if n := g.number(); n > 0 {
		syscall.Kill(-n, syscall.SIGKILL)
	}
	if g.program.Process != nil {
		g.program.Process.Kill() // harmless if it has been waited for
	}
}

// end ends what is left of the group when the program has ended.
func (g *group) end() {
	g.kill()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.isOver = true
	if g.guard != nil {
		g.guard.Wait()
	}
}
