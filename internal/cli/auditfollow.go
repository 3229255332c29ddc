package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

const (
	// followEvery is the interval between looks for new records.
	followEvery = time.Second
	// followOverlap is the time by which each look overlaps the last: records are
	// stored by several processes, whose clocks differ.
	followOverlap = 30 * time.Second
)

// followAudit prints records as they arrive, each once, until the command is
// interrupted.
func (s *session) followAudit(cmd *cobra.Command, c *client.Client, f client.AuditFilter) error {
	ctx, last, began := cmd.Context(), client.AuditRecord{}, time.Now()
	for {
		page, err := c.AuditQuery(ctx, f)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // interrupted by the user
		case err != nil:
			return err
		}
		var fresh []client.AuditRecord
		for _, r := range page.Records {
			if r.After(&last) {
				fresh, last = append(fresh, r), r
			}
		}
		if err := s.printFresh(cmd, fresh); err != nil {
			return err
		}
		if f.Cursor = page.Next; f.Cursor != "" {
			continue // there are more records already
		}
		f.Newest = false
		if n := len(fresh); n > 0 {
			f.From = fresh[n-1].Time.Add(-followOverlap)
		} else if f.From.IsZero() {
			f.From = began.Add(-followOverlap) // only new records are followed
		}
		if !pauseFor(ctx, followEvery) {
			return nil
		}
	}
}

func (s *session) printFresh(cmd *cobra.Command, records []client.AuditRecord) error {
	if !s.json {
		if len(records) == 0 {
			return nil
		}
		return printRecords(cmd, records)
	}
	for i := range records {
		if err := printJSON(cmd.OutOrStdout(), &records[i]); err != nil {
			return err
		}
	}
	return nil
}

// printRecords prints records as a table, and the number of records that differ from
// their seals.
func printRecords(cmd *cobra.Command, records []client.AuditRecord) error {
	wrong := 0
	rows := [][]string{{"TIME", "PHASE", "TOOL", "WHO", "CALL", "WHAT"}}
	for _, r := range records {
		if r.Problem != "" {
			wrong++
		}
		rows = append(rows, []string{
			r.Time.UTC().Format("2006-01-02T15:04:05.000Z"), string(r.Phase), r.Tool, whoText(&r), r.CallID, whatText(&r),
		})
	}
	if wrong > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "records that are not what was sealed: %d; see helve audit verify --index\n", wrong)
	}
	return table(cmd.OutOrStdout(), rows...)
}

// pauseFor waits for d and reports whether ctx is still valid.
func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
