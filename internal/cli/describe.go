package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	docs "github.com/helve-dev/helve/docs/tools"
	"github.com/helve-dev/helve/tool"
)

func toolCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "tool NAME",
		Short: "Print a tool's description, parameters, result, errors and example",
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
	fmt.Fprintf(w, "%s (%s)\n%s\n\n",
		def.Name, strings.Join(append([]string{def.Category, "group " + def.Group}, nature(def)...), ", "), oneLine(def.Description))
	if err := printFields(w, def.Parameters, "no parameters", func(p parameter) []string {
		return []string{p.name, p.kind(), p.need(), p.Doc}
	}); err != nil {
		return err
	}
	if len(def.ResultSchema) > 0 {
		fmt.Fprint(w, "\nreturns\n")
		if err := printFields(w, def.ResultSchema, returned(def.ResultSchema), func(p parameter) []string {
			return []string{p.name, p.kind(), p.Doc}
		}); err != nil {
			return err
		}
	}
	if len(def.Errors) > 0 {
		fmt.Fprintf(w, "\nfails with %s, or as any call may\n", joined(def.Errors))
	}
	if len(def.Example) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nexample\n  helve call %s '%s'\n", def.Name, strings.ReplaceAll(compact(def.Example), "'", `'\''`))
	if answer := answerOf(def.Name); answer != "" {
		fmt.Fprintf(w, "answers\n%s\n", answer)
	}
	return nil
}

// printFields prints the properties of a schema as a table, or none if there are none.
func printFields(w io.Writer, schema []byte, none string, row func(parameter) []string) error {
	params := orderedParameters(schema)
	if len(params) == 0 {
		return printText(w, none)
	}
	var rows [][]string
	for _, p := range params {
		rows = append(rows, row(p))
	}
	return table(w, rows...)
}

// returned returns the type of a result without fields.
func returned(schema []byte) string {
	var p parameter
	if json.Unmarshal(schema, &p) != nil || len(p.Types) == 0 {
		return "any value"
	}
	return p.kind()
}

func joined(kinds []tool.Kind) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return strings.Join(names, ", ")
}

func compact(raw json.RawMessage) string {
	var text bytes.Buffer
	if json.Compact(&text, raw) != nil {
		return string(raw)
	}
	return text.String()
}

// answerOf returns the answer of a built-in tool to its example, from the documentation
// in this program; empty if there is none.
func answerOf(name string) string {
	section, ok := docs.Section(name)
	if !ok {
		return ""
	}
	_, rest, ok := strings.Cut(section, "\nAnswer")
	if !ok {
		return ""
	}
	_, rest, opened := strings.Cut(rest, "\n```")
	_, rest, lined := strings.Cut(rest, "\n")
	answer, _, closed := strings.Cut(rest, "\n```")
	if !opened || !lined || !closed {
		return ""
	}
	return answer
}

// nature returns what a person should know before a call: risk, side effects and
// limits.
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
