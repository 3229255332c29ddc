package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/tool"
)

func tokenCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make confirm tokens, which approve calls in advance",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return Usage("say what to do: mint") },
	}
	cmd.AddCommand(tokenMint(s))
	return cmd
}

func tokenMint(s *session) *cobra.Command {
	var spec client.TokenSpec
	var scopes tool.Scopes
	cmd := &cobra.Command{
		Use:   "mint --user NAME --trace-id ID --tool NAMES",
		Short: "Print a token for the calls of --user in one trace",
		Long: "Print a token for the calls of --user in one trace. Any holder can make them, so\n" +
			"keep it secret. Without --path, --host and --app it covers everything the tools may reach.",
		Example: "  helve token mint --user ada --trace-id 0af7651916cd43dd8448eb211c80319c --tool delete_file --path notes --ttl 10m",
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&spec.TraceID, "trace-id", "", "trace the calls belong to, 32 hex digits")
	flags.StringSliceVar(&spec.Tools, "tool", nil, "`NAMES` of tools, separated by commas")
	flags.StringSliceVar(&scopes.Paths, "path", nil, "only these `PATHS` of the workspace")
	flags.StringSliceVar(&scopes.Hosts, "host", nil, "only these `HOSTS`")
	flags.StringSliceVar(&scopes.Apps, "app", nil, "only these `APPS`")
	flags.StringVar(&spec.ArgsHash, "args-hash", "", "only arguments with this `HASH`, sha256:...")
	flags.StringVar(&spec.CallID, "call-id", "", "only the call with this `ID`")
	flags.StringVar(&spec.Program, "program", "", "only steps of the program with this `ID`, which bring the token along")
	flags.DurationVar(&spec.TTL, "ttl", 5*time.Minute, "validity of the token, at most 24h")
	flags.BoolVar(&spec.Reusable, "reusable", false, "for more than one call")
	mint := s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		token, err := c.MintToken(cmd.Context(), spec)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), token)
		}
		return printText(cmd.OutOrStdout(), token.Token)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if spec.TraceID == "" && spec.Program == "" || len(spec.Tools) == 0 {
			return Usage("give --trace-id or --program, and --tool: a token is for named tools in one trace or program")
		}
		if spec.TTL <= 0 {
			return Usage("--ttl must be above 0")
		}
		if len(scopes.Paths)+len(scopes.Hosts)+len(scopes.Apps) > 0 {
			spec.Scopes = &scopes
		}
		return mint(cmd, args)
	}
	return cmd
}
