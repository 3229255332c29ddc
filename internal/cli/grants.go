package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func grantsCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "List and revoke remembered decisions",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return Usage("say what to do: list or revoke") },
	}
	cmd.AddCommand(grantsList(s), grantsRevoke(s))
	return cmd
}

func grantsList(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the remembered decisions of --user, or of everybody",
		Args:  cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			grants, err := c.Grants(cmd.Context(), s.who.User)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"grants": grants})
			}
			if len(grants) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "nothing is there")
				return nil
			}
			rows := [][]string{{"GRANT", "USER", "SAYS", "TO", "FOR", "BY", "SINCE"}}
			for _, g := range grants {
				says, term := "yes", "always"
				if g.Deny {
					says = "no"
				}
				if g.Program != "" {
					term = "program " + g.Program
				}
				if g.Conversation != "" {
					term = "conversation " + g.Conversation
				}
				rows = append(rows, []string{g.ID, g.User, says, cmp.Or(g.Tool, g.Permission, strings.Join(g.Tools, ", ")), term, g.By, moment(g.At)})
			}
			return table(cmd.OutOrStdout(), rows...)
		}),
	}
}

func grantsRevoke(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke GRANT_ID",
		Short: "Revoke a grant; the person is asked again from then on",
		Args:  cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			return c.RevokeGrant(cmd.Context(), args[0])
		}),
	}
}
