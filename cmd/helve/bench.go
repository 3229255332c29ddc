package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/ports/helperbin"
)

// benchProgram is the name of the benchmark program. It is a separate program, so that
// helve does not link what only comparisons need.
const benchProgram = "helve-bench"

// benchWait is the time for which an interrupted benchmark may end its processes.
const benchWait = 30 * time.Second

// benchCommand runs helve-bench with the arguments it is given.
func benchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bench [ARGS]",
		Short: "Measure calls through Helve on this machine (runs " + benchProgram + ")",
		Long: "Compare calls through Helve with bare NATS on this machine. Runs the program\n" + benchProgram +
			", in the directory of helve or on the PATH, with the same arguments.",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			program, found := helperbin.Beside(benchProgram)
			if !found {
				return fmt.Errorf("%s is neither in the directory of helve nor on the PATH; %s", benchProgram, howToBench(args))
			}
			bench := exec.CommandContext(cmd.Context(), program, args...)
			bench.Stdout, bench.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			bench.Cancel = func() error { return bench.Process.Signal(syscall.SIGTERM) }
			bench.WaitDelay = benchWait
			err := bench.Run()
			if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() > 0 {
				return cli.Exit(failed.ExitCode())
			}
			return err
		},
	}
}

// howToBench returns the command that runs the benchmarks if helve-bench is not
// installed.
func howToBench(args []string) string {
	const module = "github.com/helve-dev/helve"
	run := "go -C bench run ./cmd/" + benchProgram + strings.Join(append([]string{""}, args...), " ")
	if inModule(module) {
		return "run '" + run + "' in the root of the repository"
	}
	return "get the source of " + module + ", and there run '" + run + "'"
}

// inModule reports whether the working directory is in the module of this name.
func inModule(name string) bool {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return strings.HasPrefix(string(text), "module "+name+"\n")
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
	return false
}
