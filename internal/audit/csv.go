package audit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// column is one column of the CSV form: its name and what it holds.
type column struct {
	name string
	of   func(*Record) string
}

// columns may grow at the end; what is there stays where it is.
var columns = []column{
	{"seq", func(r *Record) string { return strconv.FormatUint(r.Seq, 10) }},
	{"audit_id", func(r *Record) string { return r.AuditID }},
	{"time", func(r *Record) string { return moment(r.Time) }},
	{"phase", func(r *Record) string { return string(r.Phase) }},
	{"trace_id", func(r *Record) string { return r.TraceID }},
	{"call_id", func(r *Record) string { return r.CallID }},
	{"tenant", func(r *Record) string { return r.Tenant }},
	{"user", func(r *Record) string { return r.User }},
	{"agent", func(r *Record) string { return r.Agent }},
	{"conversation", func(r *Record) string { return r.Conversation }},
	{"by", func(r *Record) string { return r.By }},
	{"tool", func(r *Record) string { return r.Tool }},
	{"tool_version", func(r *Record) string { return r.ToolVersion }},
	{"args_hash", func(r *Record) string { return r.ArgsHash }},
	{"consent_id", func(r *Record) string { return r.ConsentID }},
	{"token_id", func(r *Record) string { return r.TokenID }},
	{"grant_id", func(r *Record) string { return r.GrantID }},
	{"outcome", func(r *Record) string { return r.decision().Outcome }},
	{"reason", func(r *Record) string { return r.decision().Reason }},
	{"rule", func(r *Record) string { return r.decision().Rule }},
	{"status", func(r *Record) string { return r.result().Status }},
	{"error_type", func(r *Record) string { return r.result().ErrorType }},
	{"summary", func(r *Record) string { return r.result().Summary }},
	{"started_at", func(r *Record) string { return momentOf(r.StartedAt) }},
	{"ended_at", func(r *Record) string { return momentOf(r.EndedAt) }},
	{"duration_ms", func(r *Record) string { return number(r.DurationMS) }},
	{"worker", func(r *Record) string { return r.Worker }},
	{"attempt", func(r *Record) string { return number(float64(r.Attempt)) }},
	{"detail", func(r *Record) string { return r.Detail }},
}

// CSV writes the records of an export as CSV with a header line. A cell that a
// spreadsheet would take for a formula begins with an apostrophe. Neither the
// seals nor what they prove are in it: keep the export.
func CSV(w io.Writer, export io.Reader) error {
	out := csv.NewWriter(w)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	err := eachRecord(export, func(r *Record) error {
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

// eachRecord gives the records of an export. One that is no record of ours is
// given with its place alone, so that it is not passed over in silence.
func eachRecord(export io.Reader, each func(*Record) error) error {
	in := readLines(export)
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the export: %w", err)
		}
		if !bytes.HasPrefix(line, recordLine) {
			continue
		}
		seq, text, err := stored(line)
		if err != nil {
			return fmt.Errorf("line %d of the export cannot be read; verify the export", in.n)
		}
		r, err := Decode(text)
		if err != nil {
			r = Record{Detail: "the record cannot be read"}
		}
		r.Seq = seq
		if err := each(&r); err != nil {
			return err
		}
	}
}

func (r *Record) decision() Decision {
	if r.Decision == nil {
		return Decision{}
	}
	return *r.Decision
}

func (r *Record) result() Result {
	if r.Result == nil {
		return Result{}
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
