package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/protocol"
)

func programsCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "programs",
		Short: "List, show, cancel and retry programs: calls whose steps are calls",
		Long: "List, show, cancel and retry programs: calls of run_program and of durable tools, whose steps are\n" +
			"calls. They are shown for 7 days after their end. A person sees their own, the roles admin\n" +
			"and auditor see those of everybody.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return Usage("say what to do: list, show, log, cancel or retry") },
	}
	cancel := &cobra.Command{
		Use: "cancel ID", Short: "Cancel a program and the steps that it waits for", Args: cobra.ExactArgs(1), RunE: s.connected(s.cancelOne),
	}
	cmd.AddCommand(programsList(s), programsShow(s), programsLog(s), cancel, programsRetry(s))
	return cmd
}

func programsList(s *session) *cobra.Command {
	var f client.ProgramFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List programs, the newest first", Args: cobra.NoArgs,
		Long:    "List programs, the newest first. --user and --agent select those of a person or an agent.",
		Example: "  helve programs list --status pending\n  helve programs list --user ada --status error",
	}
	cmd.Flags().StringVar(&f.Status, "status", "", "only programs with this `STATUS`: success, error or pending")
	cmd.Flags().StringVar(&f.TraceID, "trace", "", "only programs of this `TRACE`")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "at most `N` of them, 1 to 200 (default 50)")
	cmd.Flags().StringVar(&f.Cursor, "cursor", "", "the `CURSOR` that the page before ended with")
	cmd.RunE = s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		f.User, f.Agent = s.who.User, s.who.Agent
		page, err := c.Programs(cmd.Context(), f)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), page)
		}
		if len(page.Programs) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "no program matches")
			return nil
		}
		rows := [][]string{{"STARTED", "STATE", "STEPS", "TOOL", "USER", "AGENT", "PROGRAM", "WAITS FOR"}}
		for i := range page.Programs {
			p := &page.Programs[i]
			rows = append(rows, plainRow(
				moment(p.StartedAt), programState(p), strconv.Itoa(p.Steps), p.Tool, cmp.Or(p.User, "-"), cmp.Or(p.Agent, "-"), p.CallID,
				cmp.Or(p.Message, strings.Join(waits(p.WaitingFor), ", ")),
			))
		}
		if page.Next != "" {
			defer fmt.Fprintf(cmd.ErrOrStderr(), "there are more: --cursor %s\n", page.Next)
		}
		return printPlain(cmd, func(w io.Writer) error { return table(w, rows...) })
	})
	return cmd
}

// programState returns the state of a program, or its outcome once it has ended.
func programState(p *client.Program) string {
	if p.State == protocol.StateDone {
		return cmp.Or(string(p.ErrorType), p.Status)
	}
	return p.State
}

// waits returns what a program waits for, in words.
func waits(all []client.ProgramWait) (texts []string) {
	for _, w := range all {
		text := w.Kind
		switch {
		case w.Until != nil:
			text += " until " + moment(*w.Until)
		case w.ConsentID != "":
			text += " " + w.ConsentID
		case w.CallID != "":
			text += " " + w.CallID
		}
		texts = append(texts, text)
	}
	return texts
}

func programsLog(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "log ID", Short: "Print what a program has logged", Args: cobra.ExactArgs(1)}
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		d, err := c.Program(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), d.Log)
		}
		if d.LogLeftOut > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: %s left out, because the log is long\n", counted(d.LogLeftOut, "older line"))
		}
		return printPlain(cmd, func(w io.Writer) error { return printLog(w, d.Log) })
	})
	return cmd
}

func printLog(w io.Writer, log []client.ProgramLog) error {
	for _, line := range log {
		if _, err := fmt.Fprintln(w, line.At.UTC().Format(time.RFC3339), cmp.Or(line.Level, "log"), oneLine(line.Message)); err != nil {
			return err
		}
	}
	return nil
}

// printPlain prints what write writes, so that nothing of it can drive a terminal or hide: a
// character that is not plainly visible is printed as its name.
func printPlain(cmd *cobra.Command, write func(w io.Writer) error) error {
	var text strings.Builder
	if err := write(&text); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	width := widthOf(out)
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(out, cutTo(plain(strings.TrimSuffix(line, "\n")), width)); err != nil {
			return err
		}
	}
	return nil
}

// plainRow returns cells for a table, whose columns count what is printed.
func plainRow(cells ...string) []string {
	for i, cell := range cells {
		cells[i] = plain(oneLine(cell))
	}
	return cells
}

func plain(line string) string {
	var out strings.Builder
	for _, r := range line {
		hidden := !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		switch {
		case r == '\t':
			out.WriteString("    ")
		case hidden:
			fmt.Fprintf(&out, "<U+%04X>", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
