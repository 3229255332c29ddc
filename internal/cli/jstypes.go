package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/lib/tsdecl"
)

// toolTypes lets the command js types print declarations of the tools on a server in place
// of the runtime API of scripts.
func toolTypes(s *session, cmd *cobra.Command) {
	var tools bool
	cmd.Flags().BoolVar(&tools, "tools", false,
		"print the tools of the server that you, or --agent, may use instead, as code calls them: tools.NAME(args)")
	local := cmd.RunE
	remote := s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		out, err := cmd.Flags().GetString("out")
		if err != nil {
			return err
		}
		list, err := c.Tools(cmd.Context(), client.Filter{Agent: s.who.Agent})
		if err != nil {
			return err
		}
		functions := make([]tsdecl.Function, len(list))
		for i, def := range list {
			functions[i] = tsdecl.Function{Name: def.Name, Description: def.Description, Args: def.Parameters, Result: def.ResultSchema}
		}
		text := tsdecl.Declare(functions...)
		if out == "" {
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		}
		return os.WriteFile(out, []byte(text), 0o600)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if tools {
			return remote(cmd, args)
		}
		return local(cmd, args)
	}
}
