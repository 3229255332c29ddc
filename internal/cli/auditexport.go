package cli

import (
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/audit"
)

func auditExport(s *session) *cobra.Command {
	var q auditFlags
	var format string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write audit records and their seals to standard output",
		Long: "Write audit records and their seals to standard output, as JSON Lines\n" +
			"that `helve audit verify FILE` checks without a server; or, without seals, as CSV or\n" +
			"as OCSF events. --user, --agent and --conversation narrow it too.",
		Args: cobra.NoArgs,
	}
	q.add(cmd)
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl, csv or ocsf")
	export := s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
		f, err := q.filter(s, time.Now())
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { return c.AuditExport(cmd.Context(), f, w) }
		out := cmd.OutOrStdout()
		switch format {
		case "csv":
			return piped(write, func(r io.Reader) error { return audit.CSV(out, r) })
		case "ocsf":
			return piped(write, func(r io.Reader) error { return audit.OCSF(out, r) })
		}
		return write(out)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if format != "jsonl" && format != "csv" && format != "ocsf" {
			return Usage("--format is jsonl, csv or ocsf, not %q", format)
		}
		return export(cmd, args)
	}
	return cmd
}

// piped runs write and read on the two ends of a pipe. An error from write takes
// precedence: read then only saw its input end.
func piped(write func(io.Writer) error, read func(io.Reader) error) error {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(w)
		_ = w.CloseWithError(err) // cannot fail
		written <- err
	}()
	err := read(r)
	_ = r.Close() // write must not wait for a reader that is gone
	if failed := <-written; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return failed
	}
	return err
}
