package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
)

// problemFiles completes names of problem files.
var problemFiles = cobra.FixedCompletions([]string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt)

// pipelineCommand returns a command about the pipeline of a problem file.
func pipelineCommand(use string, ask func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: atMostOneFile, ValidArgsFunction: problemFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return ask(cmd.Context(), args) }}
}

// oneFile says what is missing where no file is named.
func oneFile(missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(missing)
		}
		return atMostOneFile(cmd, args)
	}
}

func atMostOneFile(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%d files are named, must be only one: %s", len(args), report.Name(strings.Join(args, " ")))
	}
	return nil
}
