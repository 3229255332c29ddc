package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/identity/keyfile"
)

func auditVerify(s *session) *cobra.Command {
	var keyFile string
	var index bool
	var from, to uint64
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Check that no audit record was changed, added or removed",
		Long: "Check that no audit record was changed, added or removed: those of the server, or\n" +
			"those of a FILE that `helve audit export` wrote (\"-\" is standard input). The public key\n" +
			"is the server's unless --public-key names a file with a copy, PEM, kept elsewhere: a\n" +
			"compromised server could serve a false key too. With a key and no FILE the records are\n" +
			"fetched and checked here. With --index the server also compares the index that answers\n" +
			"`helve audit` with the trail; `helve audit rebuild` repairs it. With --from-seq and\n" +
			"--to-seq the server checks only the seals that cover the records between these places,\n" +
			"and that the seals beside them fit.",
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&keyFile, "public-key", "", "`FILE` with the public key of the seals")
	cmd.Flags().BoolVar(&index, "index", false, "compare the server's index with the trail, both ways")
	cmd.Flags().Uint64Var(&from, "from-seq", 0, "from the record at this `PLACE` on")
	cmd.Flags().Uint64Var(&to, "to-seq", 0, "up to the record at this `PLACE`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		pem, err := readKey(keyFile)
		if err != nil {
			return err
		}
		if index && (len(args) > 0 || pem != nil) {
			return Usage("--index is about the server's index, so it goes with no FILE and no --public-key")
		}
		if (from > 0 || to > 0) && (index || len(args) > 0 || pem != nil) {
			return Usage("--from-seq and --to-seq are about the server's trail, so they go with no --index, no FILE and no --public-key")
		}
		report, err := s.verify(cmd, args, pem, index, from, to)
		if err != nil {
			return err
		}
		return s.printReport(cmd, report)
	}
	return cmd
}

func readKey(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, Usage("--public-key: %w", err)
	}
	return pem, nil
}

// verify checks a file, or else the server's trail. With a file and a key it needs no
// server.
func (s *session) verify(cmd *cobra.Command, args []string, pem []byte, index bool, from, to uint64) (client.AuditReport, error) {
	if len(args) == 1 && pem != nil {
		return verifyFile(cmd, args[0], pem)
	}
	c, err := s.client(cmd)
	if err != nil {
		return client.AuditReport{}, err
	}
	defer c.Close()
	switch {
	case len(args) == 1:
		if pem, err = c.AuditPublicKey(cmd.Context()); err != nil {
			return client.AuditReport{}, err
		}
		return verifyFile(cmd, args[0], pem)
	case index:
		return c.AuditVerifyIndex(cmd.Context())
	case from > 0 || to > 0:
		return c.AuditVerifyRange(cmd.Context(), from, to)
	case pem == nil:
		return c.AuditVerify(cmd.Context())
	}
	var report client.AuditReport
	err = piped(
		func(w io.Writer) error { return c.AuditExport(cmd.Context(), client.AuditFilter{}, w) },
		func(r io.Reader) error {
			var err error
			report, err = verifyExport(r, pem)
			return err
		})
	return report, err
}

func verifyFile(cmd *cobra.Command, name string, pem []byte) (client.AuditReport, error) {
	if name == "-" {
		return verifyExport(cmd.InOrStdin(), pem)
	}
	f, err := os.Open(name)
	if err != nil {
		return client.AuditReport{}, Usage("%w", err)
	}
	defer f.Close()
	return verifyExport(f, pem)
}

func verifyExport(r io.Reader, pem []byte) (client.AuditReport, error) {
	keys, err := keyfile.ParsePublicPEM(pem)
	if err != nil {
		return client.AuditReport{}, fmt.Errorf("the public key: %w", err)
	}
	report, err := audit.VerifyFile(r, keys...)
	if err != nil {
		return client.AuditReport{}, err
	}
	if report.Problems == nil {
		report.Problems = []client.AuditProblem{} // a list in JSON
	}
	return report, nil
}

// printReport prints r and ends the command with 1 if there are problems.
func (s *session) printReport(cmd *cobra.Command, r client.AuditReport) error {
	said := errSaid
	if r.OK {
		said = nil
	}
	if s.json {
		if err := printJSON(cmd.OutOrStdout(), r); err != nil {
			return err
		}
		return said
	}
	if r.OK && r.FromSeq > 0 {
		return printText(cmd.OutOrStdout(),
			fmt.Sprintf("ok: %d records from place %d to place %d, signed with %s", r.Records, r.FromSeq, r.ToSeq, strings.Join(r.KeyIDs, ", "))+
				unproven(r))
	}
	if r.OK {
		return printText(cmd.OutOrStdout(), fmt.Sprintf("ok: %d records, sealed up to %d", r.Records, r.SealedTo)+unproven(r))
	}
	if err := printProblems(cmd, r.Problems); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the trail is not what was sealed: %d problems in %d records\n",
		max(r.Found, uint64(len(r.Problems))), r.Records)
	return said
}

// unproven names the records about whose writer a seal says nothing.
func unproven(r client.AuditReport) string {
	if r.Unproven == 0 {
		return ""
	}
	return fmt.Sprintf("; of %d nobody can tell who wrote them", r.Unproven)
}

func printProblems(cmd *cobra.Command, problems []client.AuditProblem) error {
	rows := [][]string{{"SEQ", "PROBLEM", "DETAIL"}}
	for _, p := range problems {
		rows = append(rows, []string{audit.Place{Seq: p.Seq, Part: p.Part}.String(), string(p.Kind), p.Detail})
	}
	return table(cmd.OutOrStdout(), rows...)
}
