package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// orderCommand gives an order to one worker, or to the workers of a pool.
func orderCommand(s *session, action client.Action, short, long string) *cobra.Command {
	var pool string
	cmd := &cobra.Command{
		Use:   string(action) + " {ID | --pool NAME}",
		Short: short,
		Long:  long,
		Args:  cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&pool, "pool", "", "the workers of the pool `NAME`")
	run := s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		order, name := c.OrderPool, pool
		if len(args) == 1 {
			order, name = c.OrderWorker, args[0]
		}
		done, err := order(cmd.Context(), name, action)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), done)
		}
		what := "worker"
		if done.Pool != "" {
			what = "pool " + done.Pool + ":"
		}
		fmt.Fprintln(printable(cmd.ErrOrStderr()),
			strings.TrimSpace(fmt.Sprintf("%s ordered for %s %s", action, what, strings.Join(done.Workers, ", "))))
		if done.Message != "" {
			fmt.Fprintln(printable(cmd.ErrOrStderr()), done.Message)
		}
		return nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if (len(args) == 1) == (pool != "") {
			return Usage("give the ID of a worker, or --pool NAME")
		}
		return run(cmd, args)
	}
	return cmd
}

func workersPause(s *session) *cobra.Command {
	return orderCommand(s, client.PauseWorkers, "Let a worker, or the workers of a pool, take no further calls",
		"Let a worker, or the workers of a pool, take no further calls. They finish their own, and\n"+
			"calls wait in the queue until their time to start is over. The pause of a pool also holds\n"+
			"for workers that start later; the pause of a worker ends with its process.")
}

func workersResume(s *session) *cobra.Command {
	return orderCommand(s, client.ResumeWorkers, "End a pause", "End the pause of a worker or of a pool.")
}

func workersDrain(s *session) *cobra.Command {
	return orderCommand(s, client.DrainWorkers, "Let a worker, or the workers of a pool, finish their calls and end",
		"Let a worker, or each worker that a pool has now, finish its calls and end with exit code 0,\n"+
			"as after SIGTERM. Its process manager starts it again.")
}
