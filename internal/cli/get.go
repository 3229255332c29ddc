package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func getCommand(s *session) *cobra.Command {
	var arguments, steps bool
	cmd := &cobra.Command{
		Use:   "get CALL_ID",
		Short: "Print the result of a call, or its state",
		Long: "Print the result of a call, or its state.\n\n" +
			"With --arguments also its arguments as they are kept: with secrets hidden, and not those\n" +
			"over 4 KiB of a call that has ended. With --steps also when it was accepted, asked about,\n" +
			"decided, started and done, and the calls that its tool made, as a tree; these are read from\n" +
			"the audit trail, which requires the role auditor or admin.",
		Example: "  helve get 01a1fbe1-86bc-736c-a63a-6c2926476736 --arguments --steps",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&arguments, "arguments", false, "print its arguments too")
	cmd.Flags().BoolVar(&steps, "steps", false, "print its steps, and the calls that it made, too")
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		r, err := c.Get(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if !arguments && !steps {
			return s.printResult(cmd, &r)
		}
		d := callDetail{Result: &r}
		if arguments {
			if d.Arguments, err = c.Arguments(cmd.Context(), r.CallID); err != nil {
				return err
			}
		}
		if steps {
			if d.Tree, err = stepsOf(cmd, c, &r); err != nil {
				return err
			}
		}
		return s.printDetail(cmd, &d, arguments)
	})
	return cmd
}

// callDetail is a call with what --arguments and --steps ask for, as --json prints it.
type callDetail struct {
	Result    *client.Result  `json:"result"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Tree      *callTree       `json:"tree,omitempty"`
}

// callTree is the steps of a call and of the calls that its tool made.
type callTree struct {
	CallID  string            `json:"call_id"`
	Tool    string            `json:"tool,omitempty"`
	Outcome string            `json:"outcome,omitempty"`
	TookMS  float64           `json:"duration_ms,omitempty"`
	Steps   []client.CallStep `json:"steps,omitempty"`
	Calls   []*callTree       `json:"calls,omitempty"`
}

// stepsOf returns the tree below a call. What the caller may not read is missing from it, with a
// note.
func stepsOf(cmd *cobra.Command, c *client.Client, r *client.Result) (*callTree, error) {
	steps, err := c.Steps(cmd.Context(), r.CallID)
	if err != nil {
		return nil, err
	}
	root := &callTree{CallID: r.CallID, Tool: r.Tool, Steps: steps}
	records, err := recordsOf(cmd, c, r.CallID)
	if refused, ok := errors.AsType[*client.RequestError](err); ok && refused.Type == client.Forbidden {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: the calls that it made are not shown: "+err.Error())
	} else if err != nil {
		return nil, err
	}
	for i := range records {
		root.add(&records[i])
	}
	return root, nil
}

// recordsOf returns the audit records of the trace of a call.
func recordsOf(cmd *cobra.Command, c *client.Client, callID string) (records []client.AuditRecord, err error) {
	own, err := c.AuditQuery(cmd.Context(), client.AuditFilter{CallID: callID, Limit: 1})
	if err != nil || len(own.Records) == 0 || own.Records[0].TraceID == "" {
		return own.Records, err
	}
	for f := (client.AuditFilter{TraceID: own.Records[0].TraceID, Limit: 1000}); ; {
		page, err := c.AuditQuery(cmd.Context(), f)
		if err != nil {
			return nil, err
		}
		records = append(records, page.Records...)
		if f.Cursor = page.Next; f.Cursor == "" {
			return records, nil
		}
	}
}

// add adds a record of the call or of a call below it: a nested call has the ID of the outer one
// with ~ and a number.
func (t *callTree) add(r *client.AuditRecord) {
	rest, below := strings.CutPrefix(r.CallID, t.CallID)
	if !below || rest != "" && rest[0] != '~' {
		return
	}
	at := t
	for number := range strings.SplitSeq(strings.TrimPrefix(rest, "~"), "~") {
		if rest != "" {
			at = at.child(at.CallID + "~" + number)
		}
	}
	at.Tool = r.Tool
	if r.Result != nil {
		at.Outcome, at.TookMS = r.Result.Status, r.DurationMS
		if r.Result.ErrorType != "" {
			at.Outcome = r.Result.ErrorType
		}
	}
	if at != t { // the server knows the steps of the call itself
		at.Steps = append(at.Steps, client.CallStep{Step: string(r.Phase), At: r.Time})
	}
}

func (t *callTree) child(id string) *callTree {
	for _, c := range t.Calls {
		if c.CallID == id {
			return c
		}
	}
	c := &callTree{CallID: id}
	t.Calls = append(t.Calls, c)
	return c
}

// print prints the tree, each level further to the right.
func (t *callTree) print(w io.Writer, indent string) {
	line := indent + t.CallID + "  " + t.Tool
	if t.Outcome != "" {
		line += "  " + t.Outcome + " after " + time.Duration(t.TookMS*float64(time.Millisecond)).Round(10*time.Microsecond).String()
	}
	fmt.Fprintln(w, line)
	for _, s := range t.Steps {
		fmt.Fprintf(w, "%s  %s  %s\n", indent, s.At.UTC().Format("2006-01-02T15:04:05.000Z"), s.Step)
	}
	for _, c := range t.Calls {
		c.print(w, indent+"  ")
	}
}

func (s *session) printDetail(cmd *cobra.Command, d *callDetail, arguments bool) error {
	if s.json {
		if err := printJSON(cmd.OutOrStdout(), d); err != nil || d.Result.Err() == nil {
			return err
		}
		return errSaid
	}
	out := cmd.OutOrStdout()
	if arguments && len(d.Arguments) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: its arguments are not kept")
	} else if arguments {
		fmt.Fprintln(out, "arguments:")
		if err := printIndented(out, d.Arguments); err != nil {
			return err
		}
	}
	if d.Tree != nil {
		fmt.Fprintln(out, "steps:")
		d.Tree.print(out, "  ")
	}
	if d.Result.Err() == nil {
		fmt.Fprintln(out, "result:")
	}
	return s.printResult(cmd, d.Result)
}
