package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func auditCommand(s *session) *cobra.Command {
	var q auditFlags
	var follow bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Print audit records: calls, decisions and outcomes",
		Long: "Print audit records: calls, decisions and outcomes. The newest records, or with\n" +
			"--from those since then, in the order in which they were stored. --user, --agent and\n" +
			"--conversation narrow it too.",
		Example: `  helve audit --trace-id 0af7651916cd43dd8448eb211c80319c
  helve audit --user ada --from 1h --outcome blocked
  helve audit --text invoice.pdf
  helve audit --follow --tool shell.run
  helve audit export --from 2026-11-01T00:00:00Z > november.jsonl
  helve audit verify november.jsonl --public-key audit.pem`,
		Args: cobra.NoArgs,
	}
	q.add(cmd)
	cmd.Flags().IntVar(&q.Limit, "limit", 0, "at most this many (default 100)")
	cmd.Flags().StringVar(&q.Cursor, "cursor", "", "the page that follows `CURSOR`")
	cmd.Flags().StringVar(&q.Before, "before", "", "of the newest records, the page before `OLDER`")
	cmd.Flags().BoolVar(&follow, "follow", false, "print new records as they arrive, until interrupted")
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		f, err := q.filter(s, time.Now())
		if err != nil {
			return err
		}
		f.Newest = f.Before != "" || f.Cursor == "" && f.From.IsZero() && f.To.IsZero()
		if follow {
			return s.followAudit(cmd, c, f)
		}
		page, err := c.AuditQuery(cmd.Context(), f)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), page)
		}
		if page.Older != "" && f.Text != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "older records were not searched: go on with --before %s\n", page.Older)
		}
		if len(page.Records) == 0 && page.Next == "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "no record matches")
			return nil
		}
		return more(cmd, page.Next, printRecords(cmd, page.Records))
	})
	cmd.AddCommand(auditExport(s), auditVerify(s), auditRebuild(s))
	return cmd
}

// auditFlags defines the flags that query and export share.
type auditFlags struct {
	client.AuditFilter

	from, to string
}

func (q *auditFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&q.TraceID, "trace-id", "", "only the trace with this `ID`")
	flags.StringVar(&q.CallID, "call-id", "", "only the call with this `ID`")
	flags.StringVar(&q.Tool, "tool", "", "only the tool `NAME`")
	flags.StringVar(&q.Status, "status", "", "only results that are success or error")
	flags.StringVar(&q.ErrorType, "error-type", "", "only results with this error `TYPE`")
	flags.StringVar(&q.Phase, "phase", "", "only records of this `PHASE`, such as refused")
	flags.StringVar(&q.Outcome, "outcome", "", "only what was allowed, blocked or confirmation_required")
	flags.StringVar(&q.Text, "text", "", "only records with this `TEXT` in one of their texts")
	flags.StringVar(&q.from, "from", "", "from this `TIME` on: RFC 3339, seconds since 1970, or how long ago, like 1h")
	flags.StringVar(&q.to, "to", "", "before this `TIME`")
}

func (q *auditFlags) filter(s *session, now time.Time) (client.AuditFilter, error) {
	f := q.AuditFilter
	f.User, f.Agent, f.Conversation = s.who.User, s.who.Agent, s.who.Conversation
	var err error
	if f.From, err = parseMoment("--from", q.from, now); err == nil {
		f.To, err = parseMoment("--to", q.to, now)
	}
	return f, err
}

func parseMoment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds >= 0 {
		return time.Unix(seconds, 0), nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, Usage("%s is a time like 2026-11-20T12:00:00Z, seconds since 1970, or how long ago, like 1h30m; not %q", flag, text)
}

// whoText returns the person, the agent that acted for them, and the person who decided
// in their place.
func whoText(r *client.AuditRecord) string {
	who := cmp.Or(r.User, "-")
	if r.Agent != "" {
		who += "/" + r.Agent
	}
	if r.By != "" && r.By != r.User {
		who += " by " + r.By
	}
	return who
}

// whatText returns the decision and the outcome.
func whatText(r *client.AuditRecord) string {
	var parts []string
	if d := r.Decision; d != nil {
		parts = append(parts, strings.TrimSuffix(d.Outcome+": "+cmp.Or(d.Reason, d.Rule), ": "))
	}
	if end := r.Result; end != nil {
		text := cmp.Or(end.ErrorType, end.Status)
		if r.DurationMS > 0 {
			text += " after " + time.Duration(r.DurationMS*float64(time.Millisecond)).Round(10*time.Microsecond).String()
		}
		parts = append(parts, strings.TrimSuffix(text+": "+end.Summary, ": "))
	}
	if r.Problem != "" {
		parts = append([]string{"NOT AS SEALED (" + string(r.Problem) + ")"}, parts...)
	}
	if r.Detail != "" {
		parts = append(parts, r.Detail)
	}
	return strings.Join(parts, "; ")
}
