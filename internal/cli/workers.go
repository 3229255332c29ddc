package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func workersCommand(s *session) *cobra.Command {
	cmd := workersList(s)
	cmd.Use = "workers"
	cmd.Short = "List the live workers, and pause, resume or drain them"
	cmd.Long = "List the live workers: what they run and how busy they are. Workers whose TOOLS differ\n" +
		"in a pool have other tools; a call goes to a worker that has its tool."
	cmd.AddCommand(workersList(s), workersRemote(s), workersPause(s), workersResume(s), workersDrain(s))
	return cmd
}

func workersList(s *session) *cobra.Command {
	var pool string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the live workers",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringVar(&pool, "pool", "", "only workers of this `POOL`")
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		list, err := c.Workers(cmd.Context(), pool)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), list)
		}
		if len(list.Workers) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no worker is running")
			return nil
		}
		rows := [][]string{{"WORKER", "VERSION", "POOLS", "STATE", "BUSY", "CALLS/S", "TOOLS", "KIND", "SINCE"}}
		for _, w := range list.Workers {
			rows = append(rows, []string{
				w.ID, cmp.Or(w.Version, "-"), strings.Join(w.Pools, ","), stateOf(w), fmt.Sprintf("%d/%d", w.Busy, w.Slots*len(w.Pools)),
				fmt.Sprintf("%.1f", w.Rate), fmt.Sprint(w.Tools), kindsOf(w), moment(w.Since),
			})
		}
		return table(printable(cmd.OutOrStdout()), rows...)
	})
	return cmd
}

func workersRemote(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remote",
		Short: "List the live processes that run tools and are no workers",
		Long: "List the live processes that run tools in any language and are no workers of Helve, with their\ntools and the time of their " +
			"last registration.",
		Args: cobra.NoArgs,
	}
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		list, err := c.RemoteInstances(cmd.Context())
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), map[string]any{"instances": list})
		}
		if len(list) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no remote process is registered")
			return nil
		}
		rows := [][]string{{"INSTANCE", "LAST SEEN", "TOOLS"}}
		for _, i := range list {
			names := make([]string, 0, len(i.Tools))
			for _, t := range i.Tools {
				names = append(names, t.Name)
			}
			rows = append(rows, []string{i.Instance, moment(i.LastSeen), cmp.Or(strings.Join(names, ","), "-")})
		}
		return table(printable(cmd.OutOrStdout()), rows...)
	})
	return cmd
}

// stateOf returns the state of a worker, with the pools that are paused if not all are.
func stateOf(w client.Worker) string {
	if len(w.Paused) > 0 && len(w.Paused) < len(w.Pools) {
		return "paused:" + strings.Join(w.Paused, ",")
	}
	return cmp.Or(w.State, "-")
}

// kindsOf returns the beginning of the hash of a worker's tools, for each of its pools.
func kindsOf(w client.Worker) string {
	const shown = 6
	hashes := make([]string, 0, len(w.Pools))
	for _, pool := range w.Pools {
		hash := cmp.Or(w.Kinds[pool], "-")
		hashes = append(hashes, hash[:min(shown, len(hash))])
	}
	return strings.Join(hashes, ",")
}
