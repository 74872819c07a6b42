// Command newclaim is checkrr with the statements of package own beside its own:
//
//	go run . verify own
package main

import (
	"checkrr/cmd/checkrr/command"
	"newclaim/own"
)

func main() { command.Main(own.Paper) }
