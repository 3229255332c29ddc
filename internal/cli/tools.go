package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
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
		Short: "List the tools, those that match QUERY, or those --agent may use",
		Example: `  helve tools read file
  helve tools --group filesystem
  helve tools --agent notes --format openai`,
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "", "print the definitions as JSON for native, openai, anthropic, gemini or mcp")
	flags.StringVar(&filter.Group, "group", "", "only those of the group `NAME`")
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
		rows := [][]string{{"NAME", "RISK", "DESCRIPTION"}}
		for _, def := range tools {
			rows = append(rows, []string{def.Name, string(def.Risk), def.Description})
		}
		return table(cmd.OutOrStdout(), rows...)
	}
	return cmd
}

func toolCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "tool NAME",
		Short: "Print what a tool does and which parameters it takes",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !tool.ValidName(args[0]) {
				return Usage("%q is not a tool's name; `helve tools` lists them", args[0])
			}
			c, err := s.client(cmd)
			if err != nil {
				return err
			}
			defer c.Close()
			def, err := c.Tool(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), def)
			}
			return printDefinition(cmd.OutOrStdout(), &def)
		},
	}
}

func printDefinition(w io.Writer, def *tool.Definition) error {
	fmt.Fprintf(w, "%s (%s)\n%s\n\n", def.Name, strings.Join(append([]string{def.Category}, nature(def)...), ", "), oneLine(def.Description))
	params := orderedParameters(def.Parameters)
	if len(params) == 0 {
		return printText(w, "no parameters")
	}
	var rows [][]string
	for _, p := range params {
		rows = append(rows, []string{p.name, p.kind(), p.need(), p.Doc})
	}
	return table(w, rows...)
}

// nature says what a person should know before a call.
func nature(def *tool.Definition) []string {
	list := []string{string(def.Risk) + " risk"}
	say := func(is bool, text string) {
		if is {
			list = append(list, text)
		}
	}
	say(!def.Mutates, "changes nothing")
	say(def.Mutates && !def.Destructive, "changes things")
	say(def.Destructive, "destroys things")
	say(def.OpenWorld, "reaches outward")
	say(def.RequiresConfirmation || def.Confirmation == tool.ConfirmAlways, "always asks a person")
	say(len(def.RequiredPermissions) > 0, "needs "+strings.Join(def.RequiredPermissions, " "))
	say(def.TimeoutSeconds > 0, "at most "+def.Timeout().String())
	say(len(def.Aliases) > 0, "also called "+strings.Join(def.Aliases, " "))
	say(!def.Enabled, "switched off")
	return list
}
