package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/identity/keyfile"
)

// catchUpLimit is the time in which the index must catch up after the last record.
const catchUpLimit = 5 * time.Minute

// catchUp waits until the last written record is available to queries.
func catchUp(ctx context.Context, c *client.Client, dispatcher *node, total int, since time.Time, s *Sheet) error {
	behind, err := metric(ctx, dispatcher.ready["http"], "helve_audit_index_lag_records")
	if err != nil {
		return err
	}
	s.put("index_lag_records", behind, "records not indexed at the end of writing, as the dispatcher tells each second")
	last := client.AuditFilter{CallID: recordOf(total-1, "").CallID, Limit: 2}
	for want := 2 - total%2; ; {
		page, err := c.AuditQuery(ctx, last)
		if err != nil {
			return err
		}
		if len(page.Records) == want {
			s.put("index_catch_up_s", time.Since(since).Seconds(), "from the last record stored until it can be asked for")
			return nil
		}
		if time.Since(since) > catchUpLimit {
			return fmt.Errorf("the last record is not indexed %v later", catchUpLimit)
		}
	}
}

// traceQueries is the number of traces that are queried.
const traceQueries = 200

// readBack reads everything that was written: trace by trace, page by page, by a
// verification and by a verified export.
func readBack(ctx context.Context, f *fleet, c *client.Client, total int, s *Sheet) error {
	var times histogram
	traces := total / perTrace
	for i := range min(traceQueries, traces) {
		trace := traceOf(i * traces / min(traceQueries, traces) * perTrace)
		began := time.Now()
		page, err := c.AuditQuery(ctx, client.AuditFilter{TraceID: trace})
		if err != nil {
			return err
		}
		times.add(time.Since(began))
		if len(page.Records) != perTrace {
			return fmt.Errorf("a trace has %d records in place of %d", len(page.Records), perTrace)
		}
	}
	s.put("query_trace_p50_us", times.quantile(0.50), "asking for the records of a trace, median")
	s.put("query_trace_p99_us", times.quantile(0.99), "")
	if err := countIndexed(ctx, c, total); err != nil {
		return err
	}
	s.put("indexed", float64(total), "records found in the index, each exactly once")

	began := time.Now()
	report, err := c.AuditVerify(ctx)
	if err != nil {
		return err
	}
	if !report.OK || report.Records < uint64(total) {
		return fmt.Errorf("the trail does not verify: %+v", report)
	}
	s.put("verify_records_per_s", float64(report.Records)/time.Since(began).Seconds(), "records verified a second, by the dispatcher")
	return export(ctx, filepath.Join(f.dir, "export.jsonl"), c, s)
}

// countIndexed pages through the index and fails if it does not hold every record
// exactly once.
func countIndexed(ctx context.Context, c *client.Client, total int) error {
	filter := client.AuditFilter{Tool: benchTool, Limit: 1000}
	count, last := 0, client.AuditRecord{}
	for {
		page, err := c.AuditQuery(ctx, filter)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if !r.After(&last) {
				return fmt.Errorf("record %d.%d is in the index twice", r.Seq, r.Part)
			}
			last = r
		}
		count += len(page.Records)
		if page.Next == "" {
			break
		}
		filter.Cursor = page.Next
	}
	if count != total {
		return fmt.Errorf("%d records were written and %d are in the index", total, count)
	}
	return nil
}

// export writes an export to a file and verifies it.
func export(ctx context.Context, name string, c *client.Client, s *Sheet) (err error) {
	text, err := c.AuditPublicKey(ctx)
	if err != nil {
		return err
	}
	keys, err := keyfile.ParsePublicPEM(text)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Clean(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriter(file)
	began := time.Now()
	if err := errors.Join(c.AuditExport(ctx, client.AuditFilter{}, out), out.Flush()); err != nil {
		return err
	}
	exported := time.Since(began)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	began = time.Now()
	report, err := audit.VerifyFile(file, keys...)
	if err != nil {
		return err
	}
	if !report.OK {
		return fmt.Errorf("the export does not verify: %+v", report)
	}
	s.put("export_records_per_s", float64(report.Records)/exported.Seconds(), "records exported a second, by the command line's client")
	s.put("verify_file_records_per_s", float64(report.Records)/time.Since(began).Seconds(), "records verified a second, in the export")
	return nil
}

// metric reads a number from a process's metrics.
func metric(ctx context.Context, url, name string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}
