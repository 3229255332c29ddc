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
	"github.com/helve-dev/helve/protocol"
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
			"the audit trail, which requires the role auditor or admin.\n\n" +
			"After its result has expired, a call is printed as the history keeps it (history.keep), and\n" +
			"later as its final audit record has it, with a note.",
		Example: "  helve get 01a1fbe1-86bc-736c-a63a-6c2926476736 --arguments --steps",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&arguments, "arguments", false, "print its arguments too")
	cmd.Flags().BoolVar(&steps, "steps", false, "print its steps, and the calls that it made, too")
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		d, err := detailOf(cmd, c, args[0], arguments, steps)
		if err != nil {
			return err
		}
		if !arguments && !steps {
			return s.printResult(cmd, d.Result)
		}
		return s.printDetail(cmd, d, arguments)
	})
	return cmd
}

// detailOf returns a call with the parts that the flags name. If its result has expired, a note
// is printed.
func detailOf(cmd *cobra.Command, c *client.Client, id string, arguments, steps bool) (*callDetail, error) {
	r, err := c.Get(cmd.Context(), id)
	d := &callDetail{Result: &r}
	var known []client.CallStep
	if unknown, ok := errors.AsType[*client.RequestError](err); ok && unknown.Type == client.NotFound {
		kept, err := c.Kept(cmd.Context(), id)
		if err != nil {
			return nil, err
		}
		noteKept(cmd, &kept.Kept)
		r, known = kept.Result, kept.Steps
		if arguments {
			d.Arguments, arguments = kept.Arguments, false
		}
	} else if err != nil {
		return nil, err
	}
	if arguments {
		if d.Arguments, err = c.Arguments(cmd.Context(), id); err != nil {
			return nil, err
		}
	}
	if steps {
		if known == nil {
			if known, err = c.Steps(cmd.Context(), id); err != nil {
				return nil, err
			}
		}
		d.Tree, err = treeOf(cmd, c, &r, known)
		return d, err
	}
	return d, nil
}

// noteKept prints where a call is known from whose result has expired.
func noteKept(cmd *cobra.Command, k *client.KeptDetail) {
	text := "note: the result has expired; this is from the history"
	switch {
	case k.By == protocol.KeptRecord:
		text = "note: the result has expired and the call is not kept; this is from its audit record"
	case k.Until != nil:
		text += ", until " + k.Until.UTC().Format(time.RFC3339)
	}
	if k.LeftOut > 0 {
		text += fmt.Sprintf("; a result of %d bytes was too large to be kept", k.LeftOut)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), text)
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

// treeOf returns the tree below a call with these steps. What the caller may not read is missing
// from it, with a note.
func treeOf(cmd *cobra.Command, c *client.Client, r *client.Result, steps []client.CallStep) (*callTree, error) {
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
