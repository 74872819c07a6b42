package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
)

// helpTexts has a file a command: what it does in a line, what it does, and examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

// describe gives a command the texts of its file, if it has one, and shows its flags in the order of their declaration.
func describe(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	text, err := helpTexts.ReadFile("help/" + cmd.Name() + ".txt")
	if err != nil {
		return
	}
	before, examples, _ := strings.Cut(string(text), "\n\nExamples:\n\n")
	cmd.Short, cmd.Long, _ = strings.Cut(before, "\n\n")
	cmd.Example = strings.TrimSuffix(examples, "\n")
}

// exampleOf returns the first example of a command, for a message.
func exampleOf(command string) string {
	text, err := helpTexts.ReadFile("help/" + command + ".txt")
	report.Must(err)
	_, examples, _ := strings.Cut(string(text), "\n\nExamples:\n\n")
	first, _, _ := strings.Cut(examples, "\n")
	return first
}
