package cli

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/cli/top"
)

func topCommand(s *session) *cobra.Command {
	var once bool
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Show pools, workers, tools, calls and consents live",
		Long: "Show pools, workers, tools, calls and consents live. Keys: 1 to 5 or tab change the table, / filters,\n" +
			"s sorts by the next column, c cancels the selected call, q quits. With --once --json it\n" +
			"prints one snapshot with the fields at, pools, workers, tools, calls, consents and programs.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&once, "once", false, "print one picture, and end")
	cmd.Flags().DurationVar(&every, "every", 2*time.Second, "refresh after this `TIME`")
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		switch {
		case every < 100*time.Millisecond:
			return Usage("--every must be 100ms or more")
		case s.json && !once:
			return Usage("--json prints one snapshot: add --once")
		case once:
			return s.printTop(cmd, c)
		}
		_, err := tea.NewProgram(top.New(cmd.Context(), c, every), tea.WithContext(cmd.Context()), tea.WithInput(cmd.InOrStdin()),
			tea.WithOutput(raw(cmd.OutOrStdout()))).Run()
		if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrInterrupted) {
			return nil // by the user
		}
		return err
	})
	return cmd
}

// printTop prints one picture.
func (s *session) printTop(cmd *cobra.Command, c *client.Client) error {
	snapshot, err := top.Take(cmd.Context(), c)
	if err != nil {
		return err
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), snapshot)
	}
	_, err = fmt.Fprint(printable(cmd.OutOrStdout()), snapshot.Text())
	return err
}
