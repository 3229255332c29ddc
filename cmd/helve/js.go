package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/toolbox/js/library"
)

// jsCommand is for authors of JavaScript tools. It needs no server.
func jsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "js",
		Short: "Write, check, run and test JavaScript tools",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(jsNewCommand(), jsCheckCommand(), jsRunCommand(), jsTestCommand(), jsTypesCommand())
	return cmd
}

func jsCheckCommand() *cobra.Command {
	var override bool
	cmd := &cobra.Command{
		Use:   "check DIR...",
		Short: "Check tools directories and report every problem as FILE[ENTRY]: REASON",
		Long: "Check tools directories and report every problem as FILE[ENTRY]: REASON, where\n" +
			"ENTRY counts the tools of a group from 0. The exit code is 1 if a tool could not\n" +
			"be loaded, and 0 if there are only warnings.",
		Example: "  helve js check tools",
		Args:    cobra.MinimumNArgs(1),
	}
	overrideFlag(cmd, &override)
	cmd.RunE = func(cmd *cobra.Command, dirs []string) error {
		l, err := library.Open(library.Options{Dirs: dirs, Taken: isBuiltin, AllowOverride: override, NoEnv: true})
		if err != nil {
			return err
		}
		errors := 0
		for _, p := range append(slices.Clone(l.Problems()), checkDurable(l)...) {
			line := p.String()
			if len(dirs) > 1 {
				line = p.Dir + "/" + line
			}
			fmt.Fprintln(cmd.OutOrStdout(), line)
			if !p.Warning {
				errors++
			}
		}
		if errors > 0 {
			return fmt.Errorf("%d errors; %d tools can be loaded", errors, len(l.Tools()))
		}
		fmt.Fprintf(cmd.OutOrStdout(), "ok: %d tools\n", len(l.Tools()))
		return nil
	}
	return cmd
}

func overrideFlag(cmd *cobra.Command, override *bool) {
	cmd.Flags().BoolVar(override, "override", false, "let tools replace built-in tools of the same name, as tools_override does")
}

func isBuiltin(name string) bool { return builtin(name) != nil }
