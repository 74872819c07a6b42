package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
)

// choice is the value of a flag that is one of some words, or empty if none is typed.
type choice struct {
	to    *string
	words []string
}

// addChoiceTo adds a flag for one of some words.
func addChoiceTo(cmd *cobra.Command, to *string, name, word, usage string, words []string) {
	*to = word
	cmd.Flags().Var(choice{to, words}, name, usage)
	complete := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	report.Must(cmd.RegisterFlagCompletionFunc(name, complete))
}

// Set refuses what is none of the words. That it is empty is refused for all flags, elsewhere.
func (c choice) Set(text string) error {
	if rule := c.Rule(text); text != "" && rule != "" {
		return errors.New("must be " + rule)
	}
	*c.to = text
	return nil
}

// Rule returns the rule that a text breaks, if it breaks one.
func (c choice) Rule(text string) string {
	if slices.Contains(c.words, text) {
		return ""
	}
	return "one of " + strings.Join(c.words, ", ")
}

func (c choice) String() string { return *c.to }
func (c choice) Type() string   { return "string" }
