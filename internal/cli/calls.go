package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// callFlags are the filters of `helve calls`.
type callFlags struct {
	filter       client.CallFilter
	since, until string
	follow       bool
}

func callsCommand(s *session) *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "List calls in the order of their acceptance, the newest first",
		Long: "List calls in the order of their acceptance, the newest first, whether they wait, run or are\n" +
			"done. --user, --agent and --conversation select calls of those; a person with the role user\n" +
			"sees their own. With --follow each call is printed when its state changes.",
		Example: "  helve calls --state running\n  helve calls --status error --since 1h --tool fetch_url\n  helve calls --follow --user ada",
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.filter.State, "state", "", "only calls in this `STATE`: queued, running, awaiting_consent, waiting or done")
	flags.StringVar(&f.filter.Status, "status", "", "only calls with this `STATUS`: success, error or pending")
	flags.StringVar(&f.filter.ErrorType, "error-type", "", "only calls that failed with this `TYPE`, such as timeout")
	flags.StringVar(&f.filter.Tool, "tool", "", "only calls of this `TOOL`")
	flags.StringVar(&f.filter.Version, "tool-version", "", "only calls of this `VERSION` of a tool")
	flags.StringVar(&f.filter.Pool, "pool", "", "only calls of this `POOL`")
	flags.StringVar(&f.filter.Worker, "worker", "", "only calls that this `WORKER` runs or ran")
	flags.StringVar(&f.filter.TraceID, "trace", "", "only calls of this `TRACE`")
	flags.StringVar(&f.filter.Text, "q", "", "only calls whose ID, tool or summary holds this `TEXT`")
	flags.BoolVar(&f.filter.Contents, "contents", false, "with --q, look for it in arguments and results too")
	flags.StringVar(&f.since, "since", "", "from this `TIME` on: RFC 3339, seconds since 1970, or how long ago, like 1h")
	flags.StringVar(&f.until, "until", "", "before this `TIME`")
	flags.IntVar(&f.filter.Limit, "limit", 0, "at most `N` of them, 1 to 1000 (default 100)")
	flags.StringVar(&f.filter.Cursor, "cursor", "", "the `CURSOR` that the page before ended with")
	flags.BoolVarP(&f.follow, "follow", "f", false, "print calls when their state changes, until interrupted")
	flags.StringVar(&f.since, "from", "", "the same as --since")
	flags.StringVar(&f.until, "to", "", "the same as --until")
	flags.StringVar(&f.filter.TraceID, "trace-id", "", "the same as --trace")
	for _, name := range []string{"from", "to", "trace-id"} {
		_ = flags.MarkHidden(name) // the names of the query
	}
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error { return s.listCalls(cmd, c, f) })
	return cmd
}

func (s *session) listCalls(cmd *cobra.Command, c *client.Client, f callFlags) (err error) {
	now := time.Now()
	if f.filter.From, err = parseMoment("--since", f.since, now); err == nil {
		f.filter.To, err = parseMoment("--until", f.until, now)
	}
	if err != nil {
		return err
	}
	f.filter.User, f.filter.Agent, f.filter.Conversation = s.who.User, s.who.Agent, s.who.Conversation
	if f.follow {
		return s.followCalls(cmd, c, f.filter)
	}
	page, err := c.Calls(cmd.Context(), f.filter)
	if err != nil {
		return err
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), page)
	}
	if len(page.Calls) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no call matches")
	} else if err := printCalls(cmd, page.Calls, true); err != nil {
		return err
	}
	if page.Next != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "there may be more: --cursor %s\n", page.Next)
	}
	return nil
}

// callRow returns the cells of a call; the last one may be cut.
func callRow(c *client.CallSummary) []string {
	state, took := c.State, "-"
	if c.State == "done" {
		state, took = cmp.Or(c.ErrorType, c.Status), time.Duration(c.DurationMS*float64(time.Millisecond)).Round(100*time.Microsecond).String()
	}
	return []string{
		c.Since.UTC().Format("01-02 15:04:05"), state, took, c.Tool, cmp.Or(c.User, "-"), cmp.Or(c.Agent, "-"), cmp.Or(c.Pool, "-"),
		c.CallID, c.Summary,
	}
}

// printCalls prints a table that fits the terminal.
func printCalls(cmd *cobra.Command, calls []client.CallSummary, head bool) error {
	var rows [][]string
	if head {
		rows = append(rows, []string{"SINCE", "STATE", "TOOK", "TOOL", "USER", "AGENT", "POOL", "CALL", "SUMMARY"})
	}
	for i := range calls {
		rows = append(rows, callRow(&calls[i]))
	}
	var text strings.Builder
	if err := table(&text, rows...); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	width := widthOf(out)
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(printable(out), cutTo(strings.TrimRight(line, "\n"), width)); err != nil {
			return err
		}
	}
	return nil
}

const (
	followCallsEvery = time.Second
	// followedCalls bounds the calls whose last printed state is remembered.
	followedCalls = 20_000
)

// followCalls prints each call when its state changes, until the command is interrupted. A
// dispatcher that ends or is busy meanwhile is tried again.
func (s *session) followCalls(cmd *cobra.Command, c *client.Client, f client.CallFilter) error {
	const most = 1000
	ctx, printed := cmd.Context(), map[string]string{}
	f.Cursor, f.Limit = "", most
	if f.From.IsZero() {
		f.From = time.Now()
	}
	for began, lost := false, false; ; began = true {
		page, err := c.Calls(ctx, f)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // interrupted by the user
		case err != nil && !(began && passing(err)):
			return err
		case err != nil && !lost:
			fmt.Fprintln(cmd.ErrOrStderr(), "no answer, trying again:", err)
		}
		if lost = err != nil; !lost {
			if err := s.printChanged(cmd, page.Calls, printed); err != nil {
				return err
			}
			if page.Next != "" && len(page.Calls) == most {
				fmt.Fprintln(cmd.ErrOrStderr(), "more calls than are shown; narrow the filters")
				f.From = time.Now().Add(-followOverlap)
			}
			if len(printed) > followedCalls {
				forget(printed, page.Calls)
				f.From = time.Now().Add(-followOverlap)
			}
		}
		if !pauseFor(ctx, followCallsEvery) {
			return nil
		}
	}
}

// passing reports whether a request may succeed later.
func passing(err error) bool {
	e, ok := errors.AsType[*client.RequestError](err)
	return ok && (e.Type == client.Unavailable || e.Type == client.Overloaded)
}

// forget removes the calls that are not listed: they do not change again, or are printed
// when they do.
func forget(printed map[string]string, listed []client.CallSummary) {
	keep := map[string]bool{}
	for i := range listed {
		keep[listed[i].CallID] = true
	}
	maps.DeleteFunc(printed, func(id, _ string) bool { return !keep[id] })
}

// printChanged prints the calls whose state is not the one in printed, the oldest first.
func (s *session) printChanged(cmd *cobra.Command, calls []client.CallSummary, printed map[string]string) error {
	var fresh []client.CallSummary
	for _, c := range slices.Backward(calls) {
		if printed[c.CallID] != c.State {
			printed[c.CallID] = c.State
			fresh = append(fresh, c)
		}
	}
	if !s.json {
		return printCalls(cmd, fresh, false)
	}
	for i := range fresh {
		if err := printJSON(cmd.OutOrStdout(), fresh[i]); err != nil {
			return err
		}
	}
	return nil
}
