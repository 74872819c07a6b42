package command

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/report"
)

// helpTexts has a file a command: what it does in a line, what it does, details, and examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

// Commands are shown in the order in which they are added.
func init() { cobra.EnableCommandSorting = false }

// helpText is what is said of a command; details are for those who ask for them.
type helpText struct{ short, long, details, examples string }

// helpOf returns what is said of a command; nothing if there is no file.
func helpOf(command string) (t helpText, found bool) {
	file, err := helpTexts.ReadFile("help/" + command + ".txt")
	if err != nil {
		return t, false
	}
	text, examples, _ := strings.Cut(strings.TrimSuffix(string(file), "\n"), "\n\nExamples:\n\n")
	text, t.details, _ = strings.Cut(text, "\n\nDetails:\n\n")
	t.short, t.long, _ = strings.Cut(text, "\n\n")
	t.examples = examples
	return t, true
}

// helpOf is [helpOf] with the texts that there are in the place of {texts}, and those with figures of {figures}.
func (a app) helpOf(command string) (t helpText, found bool) {
	var texts []string
	for _, p := range a.papers {
		texts = append(texts, fmt.Sprintf("%s (%s-)", p.Name, p.Prefix))
	}
	t, found = helpOf(command)
	names := strings.NewReplacer("{texts}", strings.Join(texts, ", "), "{figures}", strings.Join(a.withFigures(), ", "))
	t.long = names.Replace(t.long)
	return t, found
}

// describe gives a command the texts of its file, if it has one, and shows its flags in the order of their declaration.
func (a app) describe(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	t, found := a.helpOf(cmd.Name())
	if !found {
		return
	}
	if cmd.Short, cmd.Long, cmd.Example = t.short, t.long, t.examples; t.details != "" {
		cmd.Long += "\n\nMore: checkrr help " + cmd.Name() + " --details"
	}
}

// exampleOf returns the first example of a command, for a message.
func exampleOf(command string) string {
	t, found := helpOf(command)
	if !found {
		panic("no help for " + command)
	}
	first, _, _ := strings.Cut(t.examples, "\n")
	return first
}

// detailedHelp lets the command help print the details of another one, and refuse what there is not.
func (a app) detailedHelp(root, help *cobra.Command) {
	help.Long = "Help for a command; with --details all that there is to say."
	details := help.Flags().Bool("details", false, "also print what the short help leaves out")
	help.Args = func(_ *cobra.Command, topic []string) error {
		_, rest, err := root.Find(topic)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("help is for one command, %s is too much", report.Quote(rest[0]))
		}
		return err
	}
	help.RunE = func(_ *cobra.Command, topic []string) error {
		cmd, _, err := root.Find(topic)
		if err != nil {
			return err
		}
		if t, _ := a.helpOf(cmd.Name()); *details {
			cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = false })
			cmd.Long = strings.TrimSpace(t.long + "\n\n" + t.details)
		}
		cmd.InitDefaultHelpFlag()
		return cmd.Help()
	}
	help.Run = nil
}
