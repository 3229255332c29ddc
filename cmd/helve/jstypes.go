package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/toolbox/js/typings"
)

func jsTypesCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "types",
		Short: "Print TypeScript declarations of the runtime API of scripts",
		Long: "Print TypeScript declarations of the runtime API of scripts: fetch, fs,\n" +
			"console, utils and the rest. With this file an editor completes and checks\n" +
			"the code of a tool. With --tools it prints the tools of a server, for code\n" +
			"that calls them.",
		Example: "  helve js types --out tools/helve.d.ts\n" +
			"  helve js types --tools --user ada --out tools.d.ts",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&out, "out", "", "write to `FILE`, and replace its contents")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if out == "" {
			_, err := fmt.Fprint(cmd.OutOrStdout(), typings.Declarations())
			return err
		}
		return os.WriteFile(out, []byte(typings.Declarations()), 0o644)
	}
	return cmd
}
