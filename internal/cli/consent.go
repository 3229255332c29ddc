package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/consent/difference"
	"github.com/helve-dev/helve/tool"
)

func consentCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "consent",
		Short: "List, show, grant and deny consent requests",
		Long: "List, show, grant and deny consent requests: calls that wait for a person. --user\n" +
			"is the person whose requests are listed, and without a credential the person who decides.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return Usage("say what to do: list, show, grant, deny or watch")
		},
	}
	cmd.AddCommand(consentList(s), consentShow(s), consentGrant(s), consentDeny(s), consentWatch(s))
	return cmd
}

func consentList(s *session) *cobra.Command {
	var f client.ConsentFilter
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List consent requests",
		Args:  cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar((*string)(&f.Status), "status", string(client.ConsentPending),
		"only those that are pending, granted, denied, expired or cancelled")
	flags.BoolVar(&all, "all", false, "those of every status")
	flags.StringVar(&f.Tool, "tool", "", "only those of the tool `NAME`")
	flags.IntVar(&f.Limit, "limit", 0, "at most this many (default 100)")
	flags.StringVar(&f.Cursor, "cursor", "", "the page that follows `CURSOR`")
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		if all && flags.Changed("status") {
			return Usage("give --status or --all, not both")
		}
		if all {
			f.Status = ""
		}
		f.User, f.Agent = s.who.User, s.who.Agent
		page, err := c.Consents(cmd.Context(), f)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), page)
		}
		if len(page.Consents) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "nothing is there")
			return nil
		}
		rows := [][]string{{"CONSENT", "STATUS", "USER", "TOOL", "RISK", "EXPIRES", "REASON"}}
		for _, a := range page.Consents {
			rows = append(rows, []string{a.ID, string(a.Status), a.User, a.Tool, string(a.Risk), moment(a.ExpiresAt), a.Reason})
		}
		if err := table(cmd.OutOrStdout(), rows...); err != nil {
			return err
		}
		return more(cmd, page.Next, printLinks(cmd.OutOrStdout(), page.Consents))
	})
	return cmd
}

// more prints the command for the next page after a page that was printed without err.
func more(cmd *cobra.Command, next string, err error) error {
	if err == nil && next != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "there is more: add --cursor %s\n", next)
	}
	return err
}

func consentShow(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "show CONSENT_ID",
		Short: "Print a consent request: the call, the reason, and the effect of a grant",
		Args:  cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			asked, err := c.Consent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), asked)
			}
			return printConsent(cmd.OutOrStdout(), &asked)
		}),
	}
}

// printLinks prints the addresses at which accounts are connected.
func printLinks(w io.Writer, consents []client.Consent) error {
	for _, a := range consents {
		if a.Kind != client.ConsentAccount || a.Status != client.ConsentPending {
			continue
		}
		if err := printText(w, fmt.Sprintf("%s: connect the account of %s at %s", a.ID, a.Service, a.ConnectURL)); err != nil {
			return err
		}
	}
	return nil
}

func printConsent(w io.Writer, a *client.Consent) error {
	rows := [][]string{
		{"consent", a.ID}, {"status", string(a.Status)}, {"what", bareMarkup(a.Sentence)}, {"tool", a.Tool}, {"risk", string(a.Risk)},
		{"reason", a.Reason}, {"rule", a.Rule},
		{"user", a.User}, {"agent", a.Agent}, {"conversation", a.Conversation}, {"call", a.Call.CallID}, {"trace", a.Call.TraceID},
		{"may call", strings.Join(a.Tools, ", ")},
		{"permissions", strings.Join(a.Permissions, ", ")}, {"scopes", scopesText(a.Scopes)}, {"hosts", strings.Join(a.Hosts, ", ")},
		{"asked", moment(a.RequestedAt)}, {"expires", moment(a.ExpiresAt)},
	}
	if p := a.Program; p != nil {
		rows = append(rows, []string{"step of", fmt.Sprintf("program %s, line %d", p.CallID, p.Line)},
			[]string{"for the program", bareMarkup(p.Covers)})
	}
	if v := a.Verdict; v != nil {
		rows = append(rows, []string{"decided", verdictText(v)})
	}
	var told [][]string
	for _, row := range rows {
		if row[1] != "" {
			told = append(told, row)
		}
	}
	if a.Kind == client.ConsentAccount {
		told = append(told, []string{"account of", a.Service}, []string{"connect at", a.ConnectURL}, []string{
			"or run", "helve config connect " + a.Service + " --user " + a.User,
		})
	}
	if a.Kind == client.ConsentQuestion {
		told = append(told, []string{"question", a.Question}, []string{"answer with", tool.ParameterSummary(a.Schema)})
	}
	if err := table(w, told...); err != nil || a.Preview == "" {
		return err
	}
	programs, text := codeOf(a.Arguments, a.Preview)
	text = "\n" + bareMarkup(text)
	for _, warning := range a.Warnings {
		text = strings.TrimSuffix(text, "\n") + "\nwarning: " + bareMarkup(warning)
	}
	if changes := difference.Of(a.Changes, mostDifference); changes != "" {
		text = strings.TrimSuffix(text, "\n") + "\n\n" + changes
	}
	if err := printText(w, text); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		fmt.Fprintf(w, "%s:\n", name)
		if err := printCode(w, programs[name]); err != nil {
			return err
		}
	}
	return nil
}

// mostDifference bounds the difference of files that is printed, in bytes.
const mostDifference = 64 << 10

func scopesText(s tool.Scopes) string {
	var parts []string
	for i, names := range [][]string{s.Paths, s.Hosts, s.Apps} {
		if len(names) > 0 {
			parts = append(parts, []string{"paths ", "hosts ", "apps "}[i]+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func verdictText(v *client.Verdict) string {
	text := fmt.Sprintf("%s by %s at %s", v.Status, v.By, moment(v.At))
	if v.Remember != "" && v.Status == client.ConsentGranted {
		text += ", " + string(v.Remember)
	}
	if v.NeverAsk {
		text += ", never ask again"
	}
	if v.Comment != "" {
		text += ": " + v.Comment
	}
	return text
}

// moment formats a time to the second, or nothing for a zero time.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
