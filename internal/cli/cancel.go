package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/tool"
)

func cancelCommand(s *session) *cobra.Command {
	var f client.CallFilter
	var yes bool
	cmd := &cobra.Command{
		Use:   "cancel [CALL_ID]",
		Short: "Cancel a call, or all calls of a person, a tool or a trace",
		Long: "Cancel a call and print its state. A call that is done keeps its result;\n" +
			"`helve get` shows the result of a cancelled call soon after.\n\n" +
			"Without CALL_ID it cancels all calls that are not done and match --user, --agent,\n" +
			"--conversation, --tool and --trace, after it has asked, and prints how many. Calls that\n" +
			"arrive meanwhile are not cancelled. It requires the role admin, or for one's own calls user.",
		Example: "  helve cancel 01a1fbe1-86bc-736c-a63a-6c2926476736\n  helve cancel --user ada --tool fetch_url --yes",
		Args:    cobra.MaximumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Tool, "tool", "", "all calls of this `TOOL`")
	flags.StringVar(&f.TraceID, "trace", "", "all calls of this `TRACE`")
	flags.StringVar(&f.TraceID, "trace-id", "", "the same as --trace")
	_ = flags.MarkHidden("trace-id")
	flags.BoolVar(&yes, "yes", false, "do it without asking")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		many := f.Tool != "" || f.TraceID != ""
		switch {
		case len(args) == 1 && many:
			return Usage("give CALL_ID, or --tool and --trace for many calls, not both")
		case len(args) == 1:
			return s.connected(s.cancelOne)(cmd, args)
		}
		f.User, f.Agent, f.Conversation = s.who.User, s.who.Agent, s.who.Conversation
		if f == (client.CallFilter{}) {
			return Usage("give CALL_ID, or --user, --agent, --conversation, --tool or --trace to cancel many calls")
		}
		return s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error { return s.cancelMany(cmd, c, f, yes) })(cmd, args)
	}
	return cmd
}

func (s *session) cancelOne(cmd *cobra.Command, args []string, c *client.Client) error {
	r, err := c.Cancel(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), &r)
	}
	stands := r.Status
	switch r.Status {
	case client.StatusError:
		stands = string(r.ErrorType)
	case client.StatusPending:
		stands = r.State + ", being cancelled"
	}
	return printText(cmd.OutOrStdout(), r.CallID+": "+stands)
}

// cancelled is the outcome of cancelling many calls, by their IDs.
type cancelled struct {
	Cancelled []string `json:"cancelled"`
	// Done are the calls that had ended meanwhile.
	Done   []string          `json:"done,omitempty"`
	Failed map[string]string `json:"failed,omitempty"`
}

func (s *session) cancelMany(cmd *cobra.Command, c *client.Client, f client.CallFilter, yes bool) error {
	ids, err := unfinished(cmd, c, f)
	if err != nil {
		return err
	}
	done := cancelled{Cancelled: []string{}, Failed: map[string]string{}}
	if len(ids) > 0 && !yes {
		what := fmt.Sprintf("this cancels %s", counted(len(ids), "call"))
		if err := agreed(cmd, strconv.Itoa(len(ids)), what, "nothing was cancelled"); err != nil {
			return err
		}
	}
	for _, id := range ids {
		switch r, err := c.Cancel(cmd.Context(), id); {
		case cmd.Context().Err() != nil:
			return err
		case err != nil:
			done.Failed[id] = err.Error()
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", id, err)
		case r.Status == client.StatusPending || r.ErrorType == tool.Cancelled:
			done.Cancelled = append(done.Cancelled, id)
		default:
			done.Done = append(done.Done, id)
		}
	}
	if s.json {
		err = printJSON(cmd.OutOrStdout(), done)
	} else {
		text := counted(len(done.Cancelled), "call") + " cancelled"
		if len(done.Done) > 0 {
			text += fmt.Sprintf(", %d done before", len(done.Done))
		}
		err = printText(cmd.OutOrStdout(), text)
	}
	if err == nil && len(done.Failed) > 0 {
		err = fmt.Errorf("%s not cancelled", counted(len(done.Failed), "call"))
	}
	return err
}

// unfinished returns the IDs of all calls that match and are not done.
func unfinished(cmd *cobra.Command, c *client.Client, f client.CallFilter) (ids []string, err error) {
	f.Status, f.Limit = client.StatusPending, 1000
	for {
		page, err := c.Calls(cmd.Context(), f)
		if err != nil {
			return nil, err
		}
		for i := range page.Calls {
			if page.Calls[i].State != "done" {
				ids = append(ids, page.Calls[i].CallID)
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return ids, nil
		}
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
