package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// customCommands returns the commands that manage the tools that models wrote, on a server.
func customCommands(s *session) []*cobra.Command {
	return []*cobra.Command{customList(s), customShow(s), customShare(s), customUnshare(s), customToggle(s), customDelete(s)}
}

func customList(s *session) *cobra.Command {
	owner := ""
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List custom tools on the server: yours, or with more rights everybody's",
		Args:  cobra.NoArgs,
	}
	ownerFlag(cmd, &owner)
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		tools, err := c.CustomTools(cmd.Context(), cmp.Or(owner, s.who.User))
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), map[string]any{"tools": tools})
		}
		if len(tools) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "there is no custom tool")
			return nil
		}
		rows := [][]string{{"TOOL", "OWNER", "VERSION", "SHARED", "STATUS", "RISK", "PERMISSIONS"}}
		for _, t := range tools {
			rows = append(rows, []string{
				t.Name, cmp.Or(t.Owner, "-"), strconv.Itoa(t.Version), sharedText(&t), statusText(&t), string(t.Risk),
				cmp.Or(strings.Join(t.Permissions, ", "), "-"),
			})
		}
		return table(cmd.OutOrStdout(), rows...)
	})
	return cmd
}

func sharedText(t *client.CustomTool) string {
	if t.SharedVersion == 0 {
		return "-"
	}
	return strconv.Itoa(t.SharedVersion)
}

func statusText(t *client.CustomTool) string {
	if t.Enabled {
		return "active"
	}
	return "disabled"
}

func customShow(s *session) *cobra.Command {
	owner := ""
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a custom tool on the server, with its code",
		Args:  cobra.ExactArgs(1),
	}
	ownerFlag(cmd, &owner)
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		t, err := c.CustomTool(cmd.Context(), args[0], cmp.Or(owner, s.who.User))
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), t)
		}
		out := printable(cmd.OutOrStdout())
		if err := table(out,
			[]string{"tool", t.Name}, []string{"owner", cmp.Or(t.Owner, "-")}, []string{"description", t.Description},
			[]string{"version", strconv.Itoa(t.Version)}, []string{"shared version", sharedText(&t)}, []string{"status", statusText(&t)},
			[]string{"risk", string(t.Risk)}, []string{"permissions", cmp.Or(strings.Join(t.Permissions, ", "), "-")},
			[]string{"hosts", cmp.Or(strings.Join(t.Hosts, ", "), "-")},
		); err != nil {
			return err
		}
		fmt.Fprintln(out, "parameters:")
		if err := printIndented(out, visible(t.Parameters)); err != nil {
			return err
		}
		fmt.Fprintln(out, "code:")
		return printCode(out, t.Code)
	})
	return cmd
}

func customShare(s *session) *cobra.Command {
	owner, version := "", 0
	cmd := &cobra.Command{
		Use:   "share NAME",
		Short: "Share a version of a custom tool with the tenant",
		Long: "Share a version of a custom tool with the tenant. It needs\n" +
			"the role approver or admin. Read the code first: helve js show NAME. Only the version that\n" +
			"you name is shared. Later changes by its owner are not shared.",
		Args: cobra.ExactArgs(1),
	}
	ownerFlag(cmd, &owner)
	cmd.Flags().IntVar(&version, "version", 0, "the version `N` that you reviewed")
	_ = cmd.MarkFlagRequired("version") // the flag exists
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		t, err := c.ShareCustomTool(cmd.Context(), args[0], owner, version)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), t)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "everybody of the tenant has version %d of %s\n", t.SharedVersion, t.Name)
		return nil
	})
	return cmd
}

func customUnshare(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "unshare NAME",
		Short: "Withdraw a shared tool; its owner keeps it",
		Args:  cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			if err := c.UnshareCustomTool(cmd.Context(), args[0]); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is not shared any more\n", args[0])
			return nil
		}),
	}
}

func customToggle(s *session) *cobra.Command {
	owner := ""
	cmd := &cobra.Command{
		Use:       "toggle NAME on|off",
		Short:     "Switch a custom tool on or off",
		Args:      cobra.ExactArgs(2),
		ValidArgs: []string{"on", "off"},
	}
	ownerFlag(cmd, &owner)
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		if args[1] != "on" && args[1] != "off" {
			return Usage("say on or off, not %q", args[1])
		}
		t, err := c.ToggleCustomTool(cmd.Context(), args[0], cmp.Or(owner, s.who.User), args[1] == "on")
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), t)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s is %s\n", t.Name, statusText(&t))
		return nil
	})
	return cmd
}

func customDelete(s *session) *cobra.Command {
	owner := ""
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a custom tool, including its shared version",
		Args:  cobra.ExactArgs(1),
	}
	ownerFlag(cmd, &owner)
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		if err := c.DeleteCustomTool(cmd.Context(), args[0], cmp.Or(owner, s.who.User)); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s was deleted\n", args[0])
		return nil
	})
	return cmd
}

func ownerFlag(cmd *cobra.Command, owner *string) {
	cmd.Flags().StringVar(owner, "owner", "", "the `NAME` of the person whose tool it is (default: yours, or the only one of that name)")
}
