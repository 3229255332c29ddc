package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/bench"
	"github.com/helve-dev/helve/bench/storm"
	"github.com/helve-dev/helve/internal/cli"
)

// faultsCommand tests Helve under faults.
func faultsCommand() *cobra.Command {
	var opts storm.Options
	var programs string
	cmd := &cobra.Command{
		Use:   "faults",
		Short: "Make calls while processes are killed, and check every guarantee",
		Long: "Make calls while processes are killed, sometimes two at the same time, NATS is\n" +
			"restarted, workers are stopped and the results stream is full; then compare the\n" +
			"answers with the stored results. The exit code is 1 if a call was lost,\n" +
			"an effect doubled, an answer differs from the stored result, a call has not\n" +
			"exactly one final record, or a history is not linearizable.",
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	opts.Calls = 100_000
	flags.Var(count{&opts.Calls}, "calls", "make `N` calls")
	flags.IntVar(&opts.Kills, "kills", 60, "kill `N` times")
	flags.IntVar(&opts.Notes, "notes", 0,
		"`N` percent of the calls add a note to the store of personal data; each must be stored exactly when its call succeeds")
	flags.IntVar(&opts.Callers, "callers", 0, "`N` concurrent callers (default 32)")
	flags.IntVar(&opts.Nodes, "nodes", 1,
		"`N` NATS servers, 1 or 3: a cluster with three copies of each stream, of which one server is killed at a time")
	flags.Uint64Var(&opts.Seed, "seed", 1, "`N` is the seed of calls and kills")
	flags.StringVar(&programs, "programs", "", "test the programs dispatcher and worker in `DIR`, which may be of another version")
	flags.Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		opts.Log = cmd.ErrOrStderr()
		o := bench.Faults([]string{self, nodeName}, opts)
		if programs != "" {
			o.Dispatcher, o.Worker = []string{filepath.Join(programs, "dispatcher")}, []string{filepath.Join(programs, "worker")}
		}
		if err := o.Check(); err != nil {
			return cli.Usage("%w", err)
		}
		report, err := storm.Run(cmd.Context(), o)
		if err != nil {
			return err
		}
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
		} else {
			err = report.Table(cmd.OutOrStdout())
		}
		if n := report.Broken(); err == nil && n > 0 {
			return fmt.Errorf("%d guarantees were violated", n)
		}
		return err
	}
	return cmd
}
