package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/internal/tools/diagnostics"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// explained is the output, and with --json its form.
type explained protocol.PolicyExplanation

// policyExplainCommand decides about a call without making it.
func policyExplainCommand(env []string) *cobra.Command {
	var file, profile, origin, at string
	var rules []string
	cmd := &cobra.Command{
		Use:   "explain TOOL [JSON]",
		Short: "Explain how a call would be decided, by which rule, and why",
		Long: "Explain how a call would be decided, by which rule, and why. The rules and the\n" +
			"profile are those of the configuration unless flags name others; the tools are\n" +
			"the built-in ones. The global flags --tenant, --user, --agent and --conversation\n" +
			"set the caller.",
		Example: `  helve policy explain http_request '{"url": "https://a.example", "method": "POST"}' --agent scribe`,
		Args:    cobra.RangeArgs(1, 2),
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "config", "", "`FILE` of settings in YAML")
	flags.StringVar(&profile, "profile", "", "policy `PROFILE` in place of the configured ones: strict, standard or auto")
	flags.StringSliceVar(&rules, "rules", nil, "rule `PATHS` in place of the configured ones")
	flags.StringVar(&origin, "origin", string(policy.Direct), "`WAY` of the call: direct, use_tool, batch, javascript, mcp or schedule")
	flags.StringVar(&at, "at", "", "`TIME` of the call, such as 2026-11-18T10:30:00Z; now if omitted")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := inputOf(cmd, args, origin, at)
		if err != nil {
			return err
		}
		p, err := loadPolicy(env, file, profile, rules)
		if err != nil {
			return err
		}
		answer := explained(p.Explain(in).Message(in))
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			return enc.Encode(answer)
		}
		return answer.print(cmd.OutOrStdout())
	}
	return cmd
}

// inputOf returns the call as the policy would see it: with the tool's own name, the
// arguments with their defaults, and whether this call changes something.
func inputOf(cmd *cobra.Command, args []string, origin, at string) (policy.Input, error) {
	in := policy.Input{Origin: policy.Origin(origin), Now: time.Now()}
	if origins := policy.Origins(); !slices.Contains(origins, in.Origin) {
		return in, cli.Usage("--origin is %q; want one of %v", origin, origins)
	}
	if at != "" {
		var err error
		if in.Now, err = time.Parse(time.RFC3339, at); err != nil {
			return in, cli.Usage("--at is %q; want a time such as 2026-11-18T10:30:00Z", at)
		}
	}
	for name, into := range map[string]*string{"tenant": &in.Tenant, "user": &in.User, "agent": &in.Agent, "conversation": &in.Conversation} {
		*into, _ = cmd.Flags().GetString(name)
	}
	given := "{}"
	if len(args) > 1 {
		given = args[1]
	}
	t := builtin(args[0])
	if t == nil {
		return in, cli.Usage("there is no built-in tool %q", args[0])
	}
	entry, err := engine.NewEntry(t)
	if err != nil {
		return in, err
	}
	in.Tool = &t.Definition
	in.Arguments, in.Mutates, err = entry.Judged([]byte(given))
	return in, err
}

// builtin returns a tool by its name or an old name.
func builtin(name string) *tool.Tool {
	for _, set := range append(tools.Builtin(), diagnostics.Set) {
		for _, t := range set.Tools() {
			if t.Name == name || slices.Contains(t.Aliases, name) {
				return t
			}
		}
	}
	return nil
}

// print writes it for people.
func (e *explained) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...any) {
		line := strings.TrimRight(fmt.Sprintln(cells...), " \n")
		fmt.Fprintln(out, strings.Replace(line, " ", "\t", 1))
	}
	row(e.Outcome, e.Reason)
	row("rule", e.Rule, e.At)
	row("table", e.Table.Outcome, "by", e.Table.Rule)
	if e.Mutates {
		row("call", e.Tool+" of", e.Risk, "risk, and it can change something")
	} else {
		row("call", e.Tool+" of", e.Risk, "risk, and it changes nothing")
	}
	if e.Outcome == string(policy.Ask) {
		row("time", "a person has", time.Duration(e.TTLSeconds*float64(time.Second)))
	}
	if e.Strong {
		row("strong", "an earlier approval does not apply")
	}
	for _, s := range e.Narrow {
		for _, kind := range []struct {
			name string
			list []string
		}{{"paths", s.Paths}, {"hosts", s.Hosts}, {"apps", s.Apps}} {
			if len(kind.list) > 0 {
				row("only", kind.name, strings.Join(kind.list, ", "))
			}
		}
	}
	for _, r := range e.Rules {
		if r.Error == "" {
			row("matches", r.Rule, r.At, r.Effect, r.Action)
		} else {
			row("fails", r.Rule, r.At, r.Effect, r.Action+":", r.Error)
		}
	}
	return out.Flush()
}
