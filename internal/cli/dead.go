package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func deadCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dead",
		Short: "List, show, requeue and drop dead letters",
		Long: "List, show, requeue and drop dead letters: queued messages that no worker could read, such\n" +
			"as calls of a newer version after a downgrade. They are kept for 7 days.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return Usage("say what to do: list, show, requeue or drop") },
	}
	cmd.AddCommand(deadList(s), deadShow(s), deadRequeue(s), deadDrop(s))
	return cmd
}

func deadList(s *session) *cobra.Command {
	var limit int
	var cursor string
	cmd := &cobra.Command{Use: "list", Short: "List the dead letters of the tenant, the oldest first", Args: cobra.NoArgs}
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` of them, 1 to 1000 (default 100)")
	cmd.Flags().StringVar(&cursor, "cursor", "", "the `CURSOR` that the page before ended with")
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		page, err := c.Dead(cmd.Context(), limit, cursor)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), page)
		}
		if len(page.Dead) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "there is no dead letter")
			return nil
		}
		rows := [][]string{{"SEQ", "SINCE", "POOL", "TOOL", "CALL", "USER", "REASON"}}
		for _, d := range page.Dead {
			rows = append(rows, []string{
				strconv.FormatUint(d.Seq, 10), moment(d.At), d.Pool, cmp.Or(d.Tool, "-"), cmp.Or(d.CallID, "-"), cmp.Or(d.User, "-"), d.Reason,
			})
		}
		if page.Next != "" {
			defer fmt.Fprintf(cmd.ErrOrStderr(), "there are more: --cursor %s\n", page.Next)
		}
		return table(printable(cmd.OutOrStdout()), rows...)
	})
	return cmd
}

// numbered returns a command that is about one dead letter, or with many about several: then each
// is a decision of its own, and a failure leaves the others alone.
func numbered(s *session, use, short string, many bool, do func(cmd *cobra.Command, seq uint64, c *client.Client) error) *cobra.Command {
	run := func(cmd *cobra.Command, args []string, c *client.Client) error {
		var seqs []uint64
		for _, arg := range args {
			seq, err := strconv.ParseUint(arg, 10, 64)
			if err != nil || seq == 0 {
				return Usage("%.40q is not the number of a dead letter", arg)
			}
			seqs = append(seqs, seq)
		}
		if len(seqs) == 1 {
			return do(cmd, seqs[0], c)
		}
		var failed error
		for _, seq := range seqs {
			switch err := do(cmd, seq, c); {
			case cmd.Context().Err() != nil:
				return err
			case err != nil && !errors.Is(err, errSaid):
				fmt.Fprintf(printable(cmd.ErrOrStderr()), "dead letter %d: %v\n", seq, err)
				fallthrough
			case err != nil:
				failed = errSaid
			}
		}
		return failed
	}
	if many {
		return &cobra.Command{Use: use + " SEQ...", Short: short, Args: cobra.RangeArgs(1, lettersMost), RunE: s.connected(run)}
	}
	return &cobra.Command{Use: use + " SEQ", Short: short, Args: cobra.ExactArgs(1), RunE: s.connected(run)}
}

// lettersMost bounds the dead letters of one command: a page of the list.
const lettersMost = 1000

func deadShow(s *session) *cobra.Command {
	return numbered(s, "show", "Show one dead letter, and what may happen if it is requeued", false,
		func(cmd *cobra.Command, seq uint64, c *client.Client) error {
			d, err := c.DeadLetter(cmd.Context(), seq)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), d)
			}
			rows := [][]string{
				{"seq", strconv.FormatUint(d.Seq, 10)}, {"since", moment(d.At)}, {"pool", d.Pool}, {"reason", d.Reason}, {"subject", d.Subject},
				{"bytes", strconv.Itoa(d.Bytes)}, {"call", cmp.Or(d.CallID, "-")}, {"tool", cmp.Or(d.Tool, "-")},
				{"user", cmp.Or(d.User, "-")}, {"agent", cmp.Or(d.Agent, "-")}, {"trace", cmp.Or(d.TraceID, "-")},
			}
			switch {
			case d.Result:
				rows = append(rows, []string{"requeue", "not possible: the call has a result already; drop the letter"})
			case d.Risk != "":
				rows = append(rows, []string{"requeue", "with --force only: " + d.Risk})
			default:
				rows = append(rows, []string{"requeue", "without risk"})
			}
			return table(printable(cmd.OutOrStdout()), rows...)
		})
}

func deadRequeue(s *session) *cobra.Command {
	var force bool
	const short = "Put dead letters on their queues again"
	cmd := numbered(s, "requeue", short, true, func(cmd *cobra.Command, seq uint64, c *client.Client) error {
		d, err := c.RequeueDead(cmd.Context(), seq, force)
		if refused, ok := errors.AsType[*client.RequestError](err); ok && refused.Type == client.Conflict && !force {
			fmt.Fprintf(printable(cmd.ErrOrStderr()), "dead letter %d is not requeued: %s (--force)\n", seq, refused.Message)
			return errSaid
		}
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), d)
		}
		fmt.Fprintf(printable(cmd.ErrOrStderr()), "dead letter %d is on the queue of pool %s again\n", d.Seq, d.Pool)
		return nil
	})
	cmd.Long = "Put dead letters on their queues again, each by itself: a refused letter leaves the others\n" +
		"alone. A call that may have had its effect is refused, with the reason, unless --force is\n" +
		"given: its effect may happen a second time."
	cmd.Flags().BoolVar(&force, "force", false, "requeue it although its effect may happen a second time")
	return cmd
}

func deadDrop(s *session) *cobra.Command {
	return numbered(s, "drop", "Remove dead letters", true, func(cmd *cobra.Command, seq uint64, c *client.Client) error {
		if err := c.DropDead(cmd.Context(), seq); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "dead letter %d is dropped\n", seq)
		return nil
	})
}
