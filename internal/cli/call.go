package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/tool"
)

const callHelp = `Call a tool and print its result: the text meant for a model if there is one,
else a string, else JSON.

Arguments are one JSON object, "-" to read it from standard input, or fields:

  key=value    a string; where the tool's parameter is a number, a boolean, an
               array, an object or null, the JSON value
  key:=JSON    the JSON value, whatever the parameter's type
  key=@FILE    the contents of a file, read as a value; key:=@FILE as JSON`

func callCommand(s *session) *cobra.Command {
	var call client.Call
	var wait time.Duration
	var traceID, callback string
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON | - | key=value ...]",
		Short: "Call a tool and print its result",
		Long:  callHelp,
		Example: `  helve call get_current_time timezone=Europe/Paris
  helve call write_file path=notes.txt content=@draft.txt --user ada
  helve call read_file '{"path": "notes.txt"}' --user ada --json`,
		Args: cobra.MinimumNArgs(1),
	}
	flags := cmd.Flags()
	toolsetFlag(cmd, &s.who)
	flags.StringVar(&call.ID, "call-id", "", "idempotency key: a call with the same `ID` never runs twice")
	flags.StringVar(&traceID, "trace-id", "", "trace the call belongs to, 32 hex digits")
	flags.StringVar(&call.ConfirmToken, "confirm-token", "", "`TOKEN` that approves the call")
	flags.StringVar(&call.Priority, "priority", "", "interactive or batch: a batch call may wait behind others (default: interactive)")
	flags.BoolVar(&call.WaitForWorker, "wait-for-worker", false, "queue the call even if no live worker has the tool")
	flags.DurationVar(&call.Timeout, "timeout", 0, "end the tool after this long (default: the tool's own)")
	flags.DurationVar(&wait, "wait", 30*time.Second, "wait this long for the result; 0 returns immediately")
	flags.StringVar(&callback, "callback", "", "`URL` that the server sends the result to when the call has ended")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !tool.ValidName(args[0]) {
			return Usage("%q is not a tool's name; `helve tools` lists them", args[0])
		}
		if call.Timeout < 0 || wait < 0 {
			return Usage("--timeout and --wait must not be negative")
		}
		if !slices.Contains([]string{"", client.PriorityInteractive, client.PriorityBatch}, call.Priority) {
			return Usage("--priority must be interactive or batch, not %q", call.Priority)
		}
		given, err := parseArguments(args[1:], cmd.InOrStdin())
		if err != nil {
			return err
		}
		c, err := s.client(cmd)
		if err != nil {
			return err
		}
		defer c.Close()
		call.Tool = args[0]
		if call.Arguments, err = given.resolve(cmd.Context(), c, call.Tool); err != nil {
			return err
		}
		// With an ID of our own an interrupted call can be found again.
		if call.ID == "" {
			call.ID = client.NewCallID()
		}
		if wait == 0 {
			wait = client.NoWait
		}
		r, err := s.execute(cmd, c, client.Request{TraceID: traceID, Calls: []client.Call{call}, Wait: wait, Callback: callbackTo(callback)})
		if err != nil {
			return err
		}
		return s.printResult(cmd, &r)
	}
	return cmd
}

// callbackTo returns the callback to a URL, nil for an empty one.
func callbackTo(url string) *client.Callback {
	if url == "" {
		return nil
	}
	return &client.Callback{URL: url}
}

// printResult prints the state of a call; for anything but a success it prints to
// standard error and ends the command with 1.
func (s *session) printResult(cmd *cobra.Command, r *client.Result) error {
	failed := r.Err()
	switch {
	case s.json:
		if err := printJSON(cmd.OutOrStdout(), r); err != nil || failed == nil {
			return err
		}
		return errSaid
	case errors.Is(failed, client.ErrPending):
		fmt.Fprintln(cmd.ErrOrStderr(), "pending: "+next(r))
		return errSaid
	case failed != nil:
		return failed
	}
	for _, note := range r.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: "+note)
	}
	if r.Text != "" {
		return printText(cmd.OutOrStdout(), r.Text)
	}
	var text string
	if json.Unmarshal(r.Value, &text) == nil && len(r.Value) > 0 && r.Value[0] == '"' {
		return printText(cmd.OutOrStdout(), text)
	}
	return printIndented(cmd.OutOrStdout(), r.Value)
}

// next returns advice about a call that is not done.
func next(r *client.Result) string {
	if r.ConnectURL != "" {
		return fmt.Sprintf("the call needs an account: see `helve get %s` once you have connected it at %s", r.CallID, r.ConnectURL)
	}
	if r.ConsentID != "" {
		return fmt.Sprintf("a person must decide: see `helve consent show %s`; then see `helve get %s`", r.ConsentID, r.CallID)
	}
	return fmt.Sprintf("the call is %s; see `helve get %s`", r.State, r.CallID)
}
