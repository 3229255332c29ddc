package main

import (
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/bench"
	"github.com/helve-dev/helve/internal/cli"
)

// soakCommand runs a steady load for a long time.
func soakCommand() *cobra.Command {
	var opts bench.SoakOptions
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Call tools for hours at half of the capacity, and find what grows",
		Long: "Measure the capacity of this machine with calls of all kinds (a tool that does\n" +
			"nothing over NATS, HTTP and MCP, an effect, a note, a script, a consent that is\n" +
			"granted), then make half as many calls for the given time. NATS, dispatcher and\n" +
			"worker are processes of their own. Memory, goroutines, open files, streams and\n" +
			"databases are sampled, and a line is fitted to each after a warm-up of a fifth.\n\n" +
			"The verdict is \"failed\" if a call failed or a slope exceeds its limit beyond its\n" +
			"uncertainty, \"passed\" if every slope is below its limit beyond it, and \"unsure\"\n" +
			"otherwise: a short run cannot exclude slow leaks. An interrupt ends the run with\n" +
			"the verdict so far. The exit code is 1 if the verdict is \"failed\". The files are\n" +
			"in TMPDIR and are removed at the end.",
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.DurationVar(&opts.For, "for", 8*time.Hour, "make calls for `DURATION`")
	flags.DurationVar(&opts.Every, "every", 0, "sample every `DURATION` (default a two-hundredth of the time, 1s to 1m)")
	flags.Float64Var(&opts.Rate, "rate", 0, "make `N` calls a second (default half of the measured capacity)")
	flags.Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		opts.Node, opts.Log = []string{self, nodeName}, cmd.ErrOrStderr()
		if err := opts.Check(); err != nil {
			return cli.Usage("%w", err)
		}
		report, err := bench.Soak(cmd.Context(), opts)
		if err != nil {
			return err
		}
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
		} else {
			err = report.Table(cmd.OutOrStdout())
		}
		if err == nil && !report.OK() {
			return errors.New("the soak failed")
		}
		return err
	}
	return cmd
}
