package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func programsRetry(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use: "retry ID", Short: "Go on with a failed program, from the step that failed", Args: cobra.ExactArgs(1),
		Long: "Go on with a failed program as a new call, whose id is printed. The steps that the program\n" +
			"has done keep their outcomes, and the step whose error ended it is made again. A program\n" +
			"is retried by one call: to retry again, retry that one.",
	}
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		r, err := c.RetryProgram(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), &r)
		}
		return printText(cmd.OutOrStdout(), r.CallID+": "+cmp.Or(string(r.ErrorType), r.State, r.Status))
	})
	return cmd
}
