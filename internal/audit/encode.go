package audit

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/protocol"
)

// The lengths to which texts in a record are cut, in bytes. A record always fits a
// message, whatever names a caller sent.
const (
	maxName = 256
	maxText = 1024
)

// Encode returns a record in its stored form: one line of JSON. It sets a missing
// AuditID and Time, and omits Seq, because the place in the stream is not known yet. It
// cuts long texts and replaces invalid UTF-8; it fails only for a record without tenant
// or phase.
func Encode(r *protocol.AuditRecord) ([]byte, error) {
	if r.Tenant == "" || r.Phase == "" {
		return nil, errors.New("an audit record needs a tenant and a phase")
	}
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	if r.ID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		r.ID = id.String()
	}
	b := append(make([]byte, 0, 768), '{')
	b = appendText(b, "audit_id", r.ID, maxName)
	b = appendTime(b, "time", r.Time)
	b = appendText(b, "phase", string(r.Phase), maxName)
	b = appendText(b, "trace_id", r.TraceID, maxName)
	b = appendText(b, "call_id", r.CallID, maxName)
	b = appendText(b, "tenant", r.Tenant, maxName)
	b = appendText(b, "user", r.User, maxName)
	b = appendText(b, "agent", r.Agent, maxName)
	b = appendText(b, "conversation", r.Conversation, maxName)
	b = appendText(b, "by", r.By, maxName)
	b = appendText(b, "tool", r.Tool, maxName)
	b = appendText(b, "tool_version", r.ToolVersion, maxName)
	b = appendText(b, "args_hash", r.ArgsHash, maxName)
	b = appendText(b, "consent_id", r.ConsentID, maxName)
	b = appendText(b, "token_id", r.TokenID, maxName)
	b = appendText(b, "grant_id", r.GrantID, maxName)
	if d := r.Decision; d != nil {
		b = append(appendName(b, "decision"), '{')
		b = appendText(b, "outcome", d.Outcome, maxName)
		b = appendText(b, "reason", d.Reason, maxText)
		b = appendText(b, "rule", d.Rule, maxText)
		b = append(b, '}')
	}
	if d := r.Result; d != nil {
		b = append(appendName(b, "result"), '{')
		b = appendText(b, "status", d.Status, maxName)
		b = appendText(b, "error_type", d.ErrorType, maxName)
		b = appendText(b, "summary", d.Summary, maxText)
		b = append(b, '}')
	}
	b = appendMoment(b, "accepted_at", r.AcceptedAt)
	b = appendMoment(b, "started_at", r.StartedAt)
	b = appendMoment(b, "ended_at", r.EndedAt)
	b = appendNumber(b, "duration_ms", r.DurationMS)
	b = appendText(b, "worker", r.Worker, maxName)
	b = appendNumber(b, "attempt", float64(r.Attempt))
	b = appendText(b, "detail", r.Detail, maxText)
	b = appendText(b, "origin", r.Origin, maxName)
	if r.ResultSeq != 0 {
		b = strconv.AppendUint(appendName(b, "result_seq"), r.ResultSeq, 10)
	}
	return append(b, '}'), nil
}

// WithResultSeq returns a stored record with the place of the group that contains its
// result.
func WithResultSeq(data []byte, seq uint64) []byte {
	if len(data) < 2 || data[len(data)-1] != '}' {
		return data
	}
	out := append(make([]byte, 0, len(data)+32), data[:len(data)-1]...)
	return append(strconv.AppendUint(appendName(out, "result_seq"), seq, 10), '}')
}

// Decode parses a stored record. It ignores unknown members.
func Decode(data []byte) (protocol.AuditRecord, error) {
	var r protocol.AuditRecord
	err := json.Unmarshal(data, &r)
	return r, err
}

// The following functions write the members of an object by hand: reflection would cost
// more than everything else that a worker does for a record.

func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(append(b, '"'), name...), '"', ':')
}

// appendText appends a member, unless the text is empty.
func appendText(b []byte, name, s string, most int) []byte {
	if s == "" {
		return b
	}
	b = appendName(b, name)
	if len(s) > most {
		s = textcut.Fit(s, most)
	}
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\uFFFD")) // which it cannot refuse
	return b
}

// appendTime appends a member with all nine digits, so that times sort as text. It
// omits a time that RFC 3339 cannot represent.
func appendTime(b []byte, name string, t time.Time) []byte {
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return b
	}
	b = t.AppendFormat(append(appendName(b, name), '"'), time.RFC3339)
	b[len(b)-1] = '.' // in place of the Z
	for ns, unit := t.Nanosecond(), 100_000_000; unit > 0; unit /= 10 {
		b = append(b, '0'+byte(ns/unit%10))
	}
	return append(b, 'Z', '"')
}

// appendMoment appends a member, unless the time is nil.
func appendMoment(b []byte, name string, t *time.Time) []byte {
	if t == nil {
		return b
	}
	return appendTime(b, name, *t)
}

// appendNumber appends a member, if JSON can represent the number.
func appendNumber(b []byte, name string, f float64) []byte {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return b
	}
	return strconv.AppendFloat(appendName(b, name), f, 'f', -1, 64)
}

// plain reports whether JSON contains s unescaped.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
