// Command checkrr computes privacy guarantees of pipelines that may stop early, keeps
// privacy budgets, looks for violations of privacy claims, and checks statements of the
// literature.
//
// The exit code is 0 if the answer was computed or what was asked holds, 1 if something is
// refuted, 2 for an error of usage or input, and 3 if the answer is less precise than
// asked for, not decided or missing.
package main

import "checkrr/cmd/checkrr/command"

func main() { command.Main() }
