package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func agentsCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List, show, set and delete which tools agents may use",
		Long: "List, show, set and delete which tools agents may use. An agent without a record\n" +
			"has the tools of all enabled groups.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return Usage("say what to do: list, show, set or delete") },
	}
	cmd.AddCommand(agentsList(s), agentsShow(s), agentsSet(s), agentsDelete(s))
	return cmd
}

func agentsList(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the agents that have a record",
		Args:  cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			agents, err := c.Agents(cmd.Context())
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"agents": agents})
			}
			return printAgents(cmd, agents)
		}),
	}
}

func agentsShow(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "show AGENT",
		Short: "Print an agent's record",
		Args:  cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			a, err := c.Agent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return s.printAgent(cmd, a)
		}),
	}
}

func agentsSet(s *session) *cobra.Command {
	var a client.Agent
	cmd := &cobra.Command{
		Use:   "set AGENT [--tools NAMES] [--groups NAMES] [--deny NAMES]",
		Short: "Make or replace an agent's record",
		Long: "Make or replace an agent's record. The tools and groups named are all the agent may\nuse, less those denied. " +
			"Names are separated by commas and may end in *.",
		Example: "  helve agents set notes --tools 'read_*,list_directory' --groups memory --deny read_secret",
		Args:    cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&a.Tools, "tools", nil, "tools it may use")
	flags.StringSliceVar(&a.Groups, "groups", nil, "groups it may use")
	flags.StringSliceVar(&a.Deny, "deny", nil, "tools and groups it may not use")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !flags.Changed("tools") && !flags.Changed("groups") && !flags.Changed("deny") {
			return Usage("give --tools, --groups or --deny; --tools '' allows nothing")
		}
		c, err := s.client(cmd)
		if err != nil {
			return err
		}
		defer c.Close()
		a.Name = args[0]
		stored, err := c.PutAgent(cmd.Context(), a)
		if err != nil {
			return err
		}
		return s.printAgent(cmd, stored)
	}
	return cmd
}

func agentsDelete(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "delete AGENT",
		Short: "Delete an agent's record; it then has the default tools",
		Args:  cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			return c.DeleteAgent(cmd.Context(), args[0])
		}),
	}
}

func (s *session) printAgent(cmd *cobra.Command, a client.Agent) error {
	if s.json {
		return printJSON(cmd.OutOrStdout(), a)
	}
	return printAgents(cmd, []client.Agent{a})
}

func printAgents(cmd *cobra.Command, agents []client.Agent) error {
	rows := [][]string{{"AGENT", "TOOLS", "GROUPS", "DENY"}}
	for _, a := range agents {
		rows = append(rows, []string{a.Name, names(a.Tools), names(a.Groups), names(a.Deny)})
	}
	return table(cmd.OutOrStdout(), rows...)
}

func names(list []string) string {
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, ",")
}

func groupsCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "groups",
		Short: "List the groups of tools and whether they are enabled",
		Args:  cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			groups, err := c.Groups(cmd.Context())
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"groups": groups})
			}
			rows := [][]string{{"GROUP", "STATE", "TOOLS", "CATEGORY"}}
			for _, g := range groups {
				state := "enabled"
				if !g.Enabled {
					state = "disabled"
				}
				rows = append(rows, []string{g.Name, state, strconv.Itoa(len(g.Tools)), g.Category})
			}
			return table(cmd.OutOrStdout(), rows...)
		}),
	}
}
