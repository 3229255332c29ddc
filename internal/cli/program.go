package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/protocol"
)

func programsShow(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show ID", Short: "Print a program: its state, source, steps and last lines", Args: cobra.ExactArgs(1),
		Long: "Print a program: its state, what it waits for, its source, in which > marks the lines that\n" +
			"it waits in, its steps, and the last lines that it has logged.",
	}
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		d, err := c.Program(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), d)
		}
		return printPlain(cmd, func(w io.Writer) error { return printProgram(w, &d) })
	})
	return cmd
}

// lastLines is the number of lines of the log that are printed with a program.
const lastLines = 10

func printProgram(w io.Writer, d *client.ProgramDetail) error {
	p := &d.Program
	rows := [][]string{{"program", p.CallID, p.Tool}, {"state", programState(p)}}
	if p.Message != "" {
		rows = append(rows, []string{"because", p.Message})
	}
	rows = append(rows, []string{"for", cmp.Or(p.User, "nobody"), cmp.Or(p.Agent, "no agent")}, []string{"trace", p.TraceID})
	if p.Parent != "" {
		rows = append(rows, []string{"step of", p.Parent})
	}
	if rows = append(rows, []string{"started", moment(p.StartedAt)}); p.EndedAt != nil {
		rows = append(rows, []string{"ended", moment(*p.EndedAt)})
	} else {
		rows = append(rows, []string{"ends by", moment(p.Deadline)})
	}
	for _, text := range waits(p.WaitingFor) {
		rows = append(rows, []string{"waits for", text})
	}
	if len(d.Input) > 0 {
		rows = append(rows, []string{"input", string(d.Input)})
	}
	for _, row := range rows {
		if _, err := fmt.Fprintf(w, "%-10s %s\n", row[0], oneLine(strings.Join(row[1:], ", "))); err != nil {
			return err
		}
	}
	if d.Code != "" {
		printSource(w, d)
	}
	if len(d.Steps) > 0 {
		fmt.Fprintln(w, "\nsteps")
		if err := printSteps(w, d.Steps); err != nil {
			return err
		}
	}
	if len(d.Log) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nlog")
	return printLog(w, d.Log[max(0, len(d.Log)-lastLines):])
}

// printSource prints the source with its line numbers, and a mark at the lines whose steps have
// no outcome, or which sleep.
func printSource(w io.Writer, d *client.ProgramDetail) {
	open := map[int]bool{}
	for i := range d.Steps {
		if s := &d.Steps[i]; s.State != protocol.StateDone {
			open[s.Line] = true
		}
	}
	for i := range d.Sleeps {
		if s := &d.Sleeps[i]; s.EndedAt == nil && d.State != protocol.StateDone {
			open[s.Line] = true
		}
	}
	lines := strings.Split(strings.TrimRight(d.Code, "\n"), "\n")
	width := len(strconv.Itoa(len(lines)))
	fmt.Fprintln(w, "\nsource")
	for i, line := range lines {
		mark := " "
		if open[i+1] {
			mark = ">"
		}
		fmt.Fprintf(w, "%s %*d | %s\n", mark, width, i+1, strings.TrimSuffix(line, "\r"))
	}
}
