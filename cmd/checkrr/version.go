package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
)

// versionJSON is the output of checkrr version --json.
type versionJSON struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"`
	Revision      string `json:"revision,omitempty"`
	Time          string `json:"time,omitempty"`
	Modified      bool   `json:"modified"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
}

func (a app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "version",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := buildVersion()
			return a.Write("", asJSON, func() any { return v }, func(w io.Writer) {
				fmt.Fprintf(w, "checkrr %s (%s, %s)%s\n", v.Version, v.Go, v.Platform, v.source())
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// buildVersion reads what the toolchain stamped into the program.
func buildVersion() versionJSON {
	v := versionJSON{
		SchemaVersion: report.SchemaVersion,
		Version:       "(unknown)",
		Go:            runtime.Version(),
		Platform:      runtime.GOOS + "/" + runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// source names the revision, if it is known.
func (v versionJSON) source() string {
	switch {
	case v.Revision == "":
		return ""
	case v.Modified:
		return "\nrevision " + v.Revision + ", modified"
	}
	return "\nrevision " + v.Revision
}
