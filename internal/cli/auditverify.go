package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/keyfile"
)

func auditVerify(s *session) *cobra.Command {
	var keyFile string
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Check that no audit record was changed, added or taken away",
		Long: "Check that no audit record was changed, added or taken away: those of the server, or\n" +
			"those of a FILE that `helve audit export` wrote (\"-\" is standard input). The public key\n" +
			"is the server's unless --public-key names a file with a copy, PEM, kept elsewhere: a\n" +
			"server that lies would lie about its key too. With a key and no FILE the records are\n" +
			"fetched and checked here.",
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&keyFile, "public-key", "", "`FILE` with the public key of the seals")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		pem, err := readKey(keyFile)
		if err != nil {
			return err
		}
		report, err := s.verify(cmd, args, pem)
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

// verify checks a file, or else the server's trail. A file and a key need no
// server.
func (s *session) verify(cmd *cobra.Command, args []string, pem []byte) (client.AuditReport, error) {
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
	found, err := audit.VerifyFile(r, keys...)
	if err != nil {
		return client.AuditReport{}, err
	}
	report := client.AuditReport{OK: found.OK, Records: found.Records, SealedTo: found.SealedTo, Problems: []client.AuditProblem{}, Found: found.Found}
	for _, p := range found.Problems {
		report.Problems = append(report.Problems, client.AuditProblem{Seq: p.Seq, Kind: string(p.Kind), Detail: p.Detail})
	}
	return report, nil
}

// printReport ends the command with 1 unless all is well.
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
	if r.OK {
		return printText(cmd.OutOrStdout(), fmt.Sprintf("ok: %d records, sealed up to %d", r.Records, r.SealedTo))
	}
	rows := [][]string{{"SEQ", "PROBLEM", "DETAIL"}}
	for _, p := range r.Problems {
		rows = append(rows, []string{strconv.FormatUint(p.Seq, 10), p.Kind, p.Detail})
	}
	if err := table(cmd.OutOrStdout(), rows...); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the trail is not what was sealed: %d problems in %d records\n", max(r.Found, uint64(len(r.Problems))), r.Records)
	return said
}
