package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build says what this binary was built from.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := currentBuild(debug.ReadBuildInfo())
			if s.json {
				return printJSON(cmd.OutOrStdout(), b)
			}
			if b.Revision != "" {
				b.Version += " (" + b.Revision + ")"
			}
			return printText(cmd.OutOrStdout(), fmt.Sprintf("helve %s %s %s", b.Version, b.Go, b.Platform))
		},
	}
}

func currentBuild(info *debug.BuildInfo, ok bool) build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !ok {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Revision = setting.Value[:min(len(setting.Value), 12)]
		}
	}
	return b
}
