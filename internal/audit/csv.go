package audit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

// column is one column of the CSV form: its name and its value.
type column struct {
	name string
	of   func(*protocol.AuditRecord) string
}

// columns may be appended; existing columns keep their position.
var columns = []column{
	{"seq", func(r *protocol.AuditRecord) string { return strconv.FormatUint(r.Seq, 10) }},
	{"audit_id", func(r *protocol.AuditRecord) string { return r.ID }},
	{"time", func(r *protocol.AuditRecord) string { return moment(r.Time) }},
	{"phase", func(r *protocol.AuditRecord) string { return string(r.Phase) }},
	{"trace_id", func(r *protocol.AuditRecord) string { return r.TraceID }},
	{"call_id", func(r *protocol.AuditRecord) string { return r.CallID }},
	{"tenant", func(r *protocol.AuditRecord) string { return r.Tenant }},
	{"user", func(r *protocol.AuditRecord) string { return r.User }},
	{"agent", func(r *protocol.AuditRecord) string { return r.Agent }},
	{"conversation", func(r *protocol.AuditRecord) string { return r.Conversation }},
	{"by", func(r *protocol.AuditRecord) string { return r.By }},
	{"tool", func(r *protocol.AuditRecord) string { return r.Tool }},
	{"tool_version", func(r *protocol.AuditRecord) string { return r.ToolVersion }},
	{"args_hash", func(r *protocol.AuditRecord) string { return r.ArgsHash }},
	{"consent_id", func(r *protocol.AuditRecord) string { return r.ConsentID }},
	{"token_id", func(r *protocol.AuditRecord) string { return r.TokenID }},
	{"grant_id", func(r *protocol.AuditRecord) string { return r.GrantID }},
	{"outcome", func(r *protocol.AuditRecord) string { return decisionOf(r).Outcome }},
	{"reason", func(r *protocol.AuditRecord) string { return decisionOf(r).Reason }},
	{"rule", func(r *protocol.AuditRecord) string { return decisionOf(r).Rule }},
	{"status", func(r *protocol.AuditRecord) string { return resultOf(r).Status }},
	{"error_type", func(r *protocol.AuditRecord) string { return resultOf(r).ErrorType }},
	{"summary", func(r *protocol.AuditRecord) string { return resultOf(r).Summary }},
	{"started_at", func(r *protocol.AuditRecord) string { return momentOf(r.StartedAt) }},
	{"ended_at", func(r *protocol.AuditRecord) string { return momentOf(r.EndedAt) }},
	{"duration_ms", func(r *protocol.AuditRecord) string { return number(r.DurationMS) }},
	{"worker", func(r *protocol.AuditRecord) string { return r.Worker }},
	{"attempt", func(r *protocol.AuditRecord) string { return number(float64(r.Attempt)) }},
	{"detail", func(r *protocol.AuditRecord) string { return r.Detail }},
	{"part", func(r *protocol.AuditRecord) string { return strconv.Itoa(r.Part) }},
	{"result_seq", func(r *protocol.AuditRecord) string { return number(float64(r.ResultSeq)) }},
	{"origin", func(r *protocol.AuditRecord) string { return r.Origin }},
	{"accepted_at", func(r *protocol.AuditRecord) string { return momentOf(r.AcceptedAt) }},
}

// CSV writes the records of an export as CSV with a header line. A cell that a
// spreadsheet would run as a formula begins with an apostrophe. CSV contains no seals
// and no proof: keep the export.
func CSV(w io.Writer, export io.Reader) error {
	out := csv.NewWriter(w)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	err := eachRecord(export, func(r *protocol.AuditRecord) error {
		for i, c := range columns {
			row[i] = harmless(c.of(r))
		}
		return out.Write(row)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// harmless returns a cell that no spreadsheet computes.
func harmless(cell string) string {
	if cell == "" {
		return ""
	}
	switch cell[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return "'" + cell
	}
	return cell
}

// eachRecord calls its function with the records of an export. A line that is not a
// valid record is passed with its place alone, so that it is not silently skipped.
func eachRecord(export io.Reader, each func(*protocol.AuditRecord) error) error {
	in, version := readLines(export), exportVersion
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the export: %w", err)
		}
		if in.n == 1 {
			if version, err = versionOf(line); err != nil {
				return err
			}
		}
		if !bytes.HasPrefix(line, recordLine) {
			continue
		}
		at, text, err := stored(line, version)
		if err != nil {
			return fmt.Errorf("line %d of the export cannot be read; verify the export", in.n)
		}
		r, err := Decode(text)
		if err != nil {
			r = protocol.AuditRecord{Detail: "the record cannot be read"}
		}
		r.Seq, r.Part = at.Seq, at.Part
		if err := each(&r); err != nil {
			return err
		}
	}
}

// versionOf returns the version of an export by its first line, and the current one if
// that line is not a header.
func versionOf(line []byte) (int, error) {
	var h header
	if err := json.Unmarshal(line, &h); err != nil || h.Version < 1 {
		return exportVersion, nil //nolint:nilerr // the verification names it
	}
	if h.Version > exportVersion {
		return 0, fmt.Errorf("the export is of version %d, which this version of Helve cannot read: use a newer one", h.Version)
	}
	return h.Version, nil
}

func decisionOf(r *protocol.AuditRecord) protocol.AuditDecision {
	if r.Decision == nil {
		return protocol.AuditDecision{}
	}
	return *r.Decision
}

func resultOf(r *protocol.AuditRecord) protocol.AuditResult {
	if r.Result == nil {
		return protocol.AuditResult{}
	}
	return *r.Result
}

func momentOf(t *time.Time) string {
	if t == nil {
		return ""
	}
	return moment(*t)
}

func number(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
