package main

import (
	"os"
	"os/signal"
	"syscall"

	"checkrr/cmd/checkrr/internal/state"
	"checkrr/verify/audit/program"
)

// endOnSignal ends the process at SIGTERM and SIGHUP, and before that the programs that it runs. One that is ignored,
// as nohup has it, stays so. An interrupt is for whoever works to see, and at SIGKILL the programs end without us.
func endOnSignal() {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		program.KillAll()
		state.Settle()
		number, _ := s.(syscall.Signal)
		os.Exit(128 + int(number)) // as a shell has it
	}()
}
