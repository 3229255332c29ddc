package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/bench"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/ports/helperbin"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/internal/x/version"
)

// nodeName is the hidden command that runs one process of a benchmark.
const nodeName = "node"

// command returns the command line of this program.
func command() *cobra.Command {
	var opts bench.Options
	var seconds float64
	var scenarios []string
	cmd := &cobra.Command{
		Use:   "helve-bench [SCENARIO...]",
		Short: "Compare calls through Helve with bare NATS on this machine",
		Long: "Compare calls through Helve with bare NATS on this machine, each part in a\n" +
			"process of its own. The exit code is 1 if any call did not succeed.\n\n" +
			"Scenarios: " + bench.ScenarioHelp(),
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.AddCommand(nodeCommand(), faultsCommand(), soakCommand())
	flags := cmd.Flags()
	flags.Float64Var(&seconds, "seconds", 4, "`N` seconds for each measurement, after a warm-up")
	flags.IntVar(&opts.Rounds, "rounds", 2, "repeat all measurements `N` times and report medians")
	flags.IntSliceVar(&opts.Callers, "callers", []int{1, 64, 256}, "`N,M` concurrent callers")
	flags.StringSliceVar(&opts.Only, "only", nil, "measure these `WAYS` only: bare,engine,floor,nats,http,mcp-bare,mcp")
	flags.StringVar(&opts.Profiles, "profile", "", "write a CPU profile of every process to `DIR`")
	flags.StringSliceVar(&scenarios, "scenario", nil, "run the scenarios `NAMES` instead of the measurements")
	flags.Var(count{&opts.Calls}, "calls", "`N` calls in a scenario instead of its default, such as 100k or 10M")
	flags.Var(count{&opts.Results}, "results", "`N` results that the broker may keep, instead of what its machine's memory allows")
	flags.StringVar(&opts.Store, "store", "", "an empty PostgreSQL database at `URL` for the scenarios data and rows (default SQLite)")
	flags.IntVar(&opts.Parked, "parked", 0, "`N` calls that the scenario consent parks (default 10,000)")
	flags.IntVar(&opts.Consoles, "consoles", 0, "`N` consoles that the scenario console opens (default 2,000)")
	flags.IntVar(&opts.Nodes, "nodes", 1, "`N` NATS servers in the scenario rolling, 1 or 3: a cluster with three copies of each stream")
	flags.Float64Var(&opts.Rate, "rate", 0, "`N` calls a second in the scenario rolling (default 2,000, or what the machine can do)")
	flags.Bool("targets", false, "exit with 1 if a figure of a scenario misses its target")
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

// locate sets the programs of the processes. All are this program, except `helve up`,
// which is measured if helve is in the same directory or on the PATH.
func locate(opts *bench.Options) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	opts.Node, opts.Child = []string{self, nodeName}, helperbin.Command(child.Argument)
	if helve, ok := helperbin.Beside("helve"); ok {
		opts.Up = []string{helve, "up"}
	}
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
	judged, _ := cmd.Flags().GetBool("targets")
	var missed []string
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
		for _, m := range sheet.Missed() {
			missed = append(missed, name+": "+m)
		}
	}
	if judged && len(missed) > 0 {
		return fmt.Errorf("targets missed: %s", strings.Join(missed, "; "))
	}
	return nil
}

// nodeCommand runs one process of a benchmark.
func nodeCommand() *cobra.Command {
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
