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
)

// Longest texts in a record, in bytes; what is longer is cut. A record always
// fits a message, whatever a caller sent for a name.
const (
	maxName = 256
	maxText = 1024
)

// Encode returns a record as it is stored: one line of JSON. It fills in an
// AuditID and a Time where there is none, and leaves Seq out: the place in the
// stream is not known yet. Texts that are too long are cut, what is no UTF-8 is
// replaced; only a record without tenant or phase is an error.
func Encode(r *Record) ([]byte, error) {
	if r.Tenant == "" || r.Phase == "" {
		return nil, errors.New("an audit record needs a tenant and a phase")
	}
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	if r.AuditID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		r.AuditID = id.String()
	}
	b := append(make([]byte, 0, 768), '{')
	b = appendText(b, "audit_id", r.AuditID, maxName)
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
	if r.StartedAt != nil {
		b = appendTime(b, "started_at", *r.StartedAt)
	}
	if r.EndedAt != nil {
		b = appendTime(b, "ended_at", *r.EndedAt)
	}
	b = appendNumber(b, "duration_ms", r.DurationMS)
	b = appendText(b, "worker", r.Worker, maxName)
	b = appendNumber(b, "attempt", float64(r.Attempt))
	b = appendText(b, "detail", r.Detail, maxText)
	return append(b, '}'), nil
}

// Decode reads a stored record. Members it does not know are ignored.
func Decode(data []byte) (Record, error) {
	var r Record
	err := json.Unmarshal(data, &r)
	return r, err
}

// What follows writes the members of an object by hand: reflection would cost
// more than all else that a record costs a worker.

func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(append(b, '"'), name...), '"', ':')
}

// appendText appends a member, if there is a text.
func appendText(b []byte, name, s string, most int) []byte {
	if s == "" {
		return b
	}
	b = appendName(b, name)
	if len(s) > most {
		s = cut(s, most)
	}
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	b, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\uFFFD")) // which it cannot refuse
	return b
}

// appendTime appends a member with all nine digits, so that times sort as text.
// A time that RFC 3339 cannot say is left out.
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

// appendNumber appends a member, if there is a number that JSON can say.
func appendNumber(b []byte, name string, f float64) []byte {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return b
	}
	return strconv.AppendFloat(appendName(b, name), f, 'f', -1, 64)
}

// plain reports whether s stands in JSON as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// cut returns at most n bytes of s, whole characters, and a mark.
func cut(s string, n int) string {
	const mark = "…"
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
