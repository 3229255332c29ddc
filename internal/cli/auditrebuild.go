package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func auditRebuild(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Rebuild the audit index from the trail",
		Long: "Rebuild the index used by `helve audit` from the trail, and print the differences.\n" +
			"The trail itself does not change. Queries work during the rebuild.",
		Args: cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			rebuilt, err := c.AuditRebuild(cmd.Context())
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), rebuilt)
			}
			if rebuilt.Count == 0 {
				return printText(cmd.OutOrStdout(), "ok: the index matches the trail")
			}
			if err := printProblems(cmd, rebuilt.Repaired); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "repaired: %d differences\n", rebuilt.Count)
			return nil
		}),
	}
}
