package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// remoteDoctor lets the command doctor examine the whole system that --server, HELVE_SERVER
// or --nats-context names, in place of this host.
func remoteDoctor(s *session, cmd *cobra.Command) {
	var strict bool
	cmd.Flags().BoolVar(&strict, "strict", false, "with --server: exit with 1 for warnings too")
	local := cmd.RunE
	remote := s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error { return s.check(cmd, c, strict) })
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("server") || s.natsContext != "" || os.Getenv("HELVE_SERVER") != "" && !cmd.Flags().Changed("nats") {
			return remote(cmd, args)
		}
		return local(cmd, args)
	}
}

// check prints the findings about the system, and returns an error if one of them is an
// error, or with strict a warning.
func (s *session) check(cmd *cobra.Command, c *client.Client, strict bool) error {
	report, err := c.Check(cmd.Context())
	if err != nil {
		return err
	}
	counts := map[string]int{}
	rows := [][]string{{"LEVEL", "PART", "FINDING"}}
	for _, f := range report.Findings {
		counts[f.Level]++
		rows = append(rows, []string{f.Level, f.Part, f.Message})
		if f.Advice != "" {
			rows = append(rows, []string{"", "", "→ " + f.Advice})
		}
	}
	if s.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = table(printable(cmd.OutOrStdout()), rows...)
	}
	if bad := counts["error"]; err == nil && (bad > 0 || strict && counts["warning"] > 0) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d errors and %d warnings\n", bad, counts["warning"])
		return errSaid
	}
	return err
}
