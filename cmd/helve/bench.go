package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/bench"
	"github.com/helve-dev/helve/internal/childexe"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/sandbox/inside"
)

// nodeName is the hidden command that plays one process of a benchmark.
const nodeName = "bench-node"

// benchCommand measures this machine: bare NATS, the engine, and whole calls.
func benchCommand() *cobra.Command {
	var opts bench.Options
	var seconds float64
	var scenarios []string
	cmd := &cobra.Command{
		Use:   "bench [SCENARIO...]",
		Short: "Measure calls through Helve beside bare NATS on this machine",
		Long: "Measure calls through Helve beside bare NATS on this machine, each part in a\n" +
			"process of its own. The exit code is 1 if any call did not succeed.\n\n" +
			"Scenarios: " + bench.ScenarioHelp(),
		Args: cobra.ArbitraryArgs,
	}
	flags := cmd.Flags()
	flags.Float64Var(&seconds, "seconds", 4, "`N` seconds for each measurement, after a warm-up")
	flags.IntVar(&opts.Rounds, "rounds", 2, "measure everything `N` times in turn and report medians")
	flags.IntSliceVar(&opts.Callers, "callers", []int{1, 64, 256}, "`N,M` callers at once")
	flags.StringSliceVar(&opts.Only, "only", nil, "measure these `WAYS` only: bare,engine,floor,nats,http,mcp-bare,mcp")
	flags.StringVar(&opts.Profiles, "profile", "", "write a CPU profile of every process to `DIR`")
	flags.StringSliceVar(&scenarios, "scenario", nil, "run these `NAMES` in place of the measurements")
	flags.IntVar(&opts.Calls, "calls", 0, "`N` calls in a scenario in place of its own number")
	flags.IntVar(&opts.Parked, "parked", 0, "`N` calls that the scenario consent parks, in place of 10,000")
	flags.Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, named []string) error {
		scenarios = append(scenarios, named...)
		opts.Time = time.Duration(seconds * float64(time.Second))
		opts.Log = cmd.ErrOrStderr()
		if err := opts.Check(); err != nil {
			return cli.Usage("%w", err)
		}
		if err := locate(&opts); err != nil {
			return err
		}
		if len(scenarios) > 0 {
			return stage(cmd, opts, scenarios)
		}
		return measure(cmd, opts)
	}
	return cmd
}

// locate says how the processes are started: all are this program.
func locate(opts *bench.Options) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	opts.Node, opts.Up, opts.Child = []string{self, nodeName}, []string{self, "up"}, childexe.Command(inside.Argument)
	if opts.Profiles != "" {
		return os.MkdirAll(opts.Profiles, 0o750)
	}
	return nil
}

func measure(cmd *cobra.Command, opts bench.Options) error {
	report, err := bench.Run(cmd.Context(), opts)
	if err != nil {
		return err
	}
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
	} else {
		err = report.Table(cmd.OutOrStdout())
	}
	if err == nil && report.Failed > 0 {
		err = fmt.Errorf("%d calls did not succeed; the first: %s", report.Failed, report.FirstFailure)
	}
	return err
}

func stage(cmd *cobra.Command, opts bench.Options, names []string) error {
	asJSON, _ := cmd.Flags().GetBool("json")
	for _, name := range names {
		sheet, err := bench.Scenario(cmd.Context(), name, opts)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if asJSON {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(sheet)
		} else {
			err = sheet.Table(cmd.OutOrStdout())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// benchNodeCommand plays one process of a benchmark.
func benchNodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:                nodeName + " ROLE [ARGS]",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if code := bench.Node(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()); code != 0 {
				return fmt.Errorf("the process ended with code %d", code)
			}
			return nil
		},
	}
}
