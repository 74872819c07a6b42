package command

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
)

// build is what is known of how the program was made.
type build struct {
	version, revision, time string
	modified                bool
}

func (b build) toJSON() report.Object {
	return report.Output("version", b.version, "revision?", b.revision, "time?", b.time, "modified", b.modified,
		"go", runtime.Version(), "platform", platform)
}

// platform is what the program was made for.
const platform = runtime.GOOS + "/" + runtime.GOARCH

func (a app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "version",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := buildVersion()
			return a.Write("", asJSON, v.toJSON, func(w io.Writer) {
				fmt.Fprintf(w, "checkrr %s (%s, %s)%s\n", v.version, runtime.Version(), platform, v.source())
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// buildVersion reads what the toolchain stamped into the program.
func buildVersion() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: "(unknown)"}
	}
	path := strings.TrimSuffix(reflect.TypeFor[build]().PkgPath(), "/cmd/checkrr/command")
	for _, m := range info.Deps {
		if m.Path == path { // the program is another module's
			return build{version: m.Version}
		}
	}
	b := build{version: info.Main.Version}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value
		case "vcs.time":
			b.time = s.Value
		case "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	return b
}

// source names the revision, if it is known.
func (b build) source() string {
	switch {
	case b.revision == "":
		return ""
	case b.modified:
		return "\nrevision " + b.revision + ", modified"
	}
	return "\nrevision " + b.revision
}
