package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/x/version"
)

// build describes the sources of this program.
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
			b := currentBuild()
			if s.json {
				return printJSON(cmd.OutOrStdout(), b)
			}
			return printText(cmd.OutOrStdout(), fmt.Sprintf("helve %s %s %s", b.Version, b.Go, b.Platform))
		},
	}
}

func currentBuild() build {
	return build{
		Version: version.String(), Revision: version.Revision(),
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
}
