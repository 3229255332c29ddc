package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/tool"
)

func toolsCommand(s *session) *cobra.Command {
	var filter client.Filter
	var format string
	cmd := &cobra.Command{
		Use:   "tools [QUERY]",
		Short: "List the tools by group: all, those that match QUERY, or those --agent may use",
		Example: `  helve tools read file
  helve tools --group filesystem
  helve tools --agent notes --format openai`,
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "", "print the definitions as JSON for native, openai, anthropic, gemini or mcp")
	flags.StringVar(&filter.Group, "group", "", "only those of the group `NAME`")
	toolsetFlag(cmd, &s.who)
	flags.StringVar(&filter.Category, "category", "", "only those of the category `NAME`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := s.client(cmd)
		if err != nil {
			return err
		}
		defer c.Close()
		filter.Agent, filter.Query = s.who.Agent, strings.Join(args, " ")
		if format != "" || s.json {
			raw, err := c.ToolsAs(cmd.Context(), cmp.Or(format, "native"), filter)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]json.RawMessage{"tools": raw})
			}
			return printIndented(cmd.OutOrStdout(), raw)
		}
		tools, err := c.Tools(cmd.Context(), filter)
		if err != nil {
			return err
		}
		if len(tools) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no tool matches")
			return nil
		}
		slices.SortStableFunc(tools, func(a, b tool.Definition) int { return cmp.Compare(a.Group, b.Group) })
		rows := [][]string{{"GROUP", "NAME", "RISK", "DESCRIPTION"}}
		for _, def := range tools {
			rows = append(rows, []string{def.Group, def.Name, string(def.Risk), def.Description})
		}
		return table(cmd.OutOrStdout(), rows...)
	}
	return cmd
}

// toolsetFlag adds the flag that binds the calls of a command to a tool set.
func toolsetFlag(cmd *cobra.Command, who *client.Context) {
	cmd.Flags().StringVar(&who.Toolset, "toolset", "", "only the tools of the tool set `NAME`: all, search or code")
}
