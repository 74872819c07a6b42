package program

import "sync"

// running holds the programs that run.
var running sync.Map

// KillAll kills all programs that run, with all that they have started: for whoever is about to
// end without closing them.
func KillAll() {
	running.Range(func(p, _ any) bool {
		p.(*Program).Kill()
		return true
	})
}

// Kill kills the program with all that it has started, and waits for its end, for a moment.
// It can be called at any time, more than once, and while the program is asked: whoever asks gets
// an error. The program still has to be closed.
func (p *Program) Kill() {
	p.group.kill()
	p.ended(twilight)
}
