package bus

import "strings"

// Subjects builds and reads the subjects of PROTOCOL section 3, all below
// <prefix>.<tenant>.
type Subjects struct {
	prefix string
}

// NewSubjects returns the subjects below prefix, "helve.v1" by default.
func NewSubjects(prefix string) Subjects { return Subjects{prefix: prefix} }

func (s Subjects) of(tenant string, tokens ...string) string {
	n := len(s.prefix) + 1 + len(tenant)
	for _, t := range tokens {
		n += 1 + len(t)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(s.prefix)
	b.WriteByte('.')
	b.WriteString(tenant)
	for _, t := range tokens {
		b.WriteByte('.')
		b.WriteString(t)
	}
	return b.String()
}

// Call is where a call for a tool of a pool is queued.
func (s Subjects) Call(tenant, pool, tool string) string { return s.of(tenant, "call", pool, tool) }

// Result is where the result of a call goes; origin is the dispatcher that
// accepted it.
func (s Subjects) Result(tenant, origin, callID string) string {
	return s.of(tenant, "result", origin, callID)
}

// Event is where the steps of a call are told.
func (s Subjects) Event(tenant, traceID, callID string) string {
	return s.of(tenant, "event", traceID, callID)
}

// Cancel asks the worker that runs a call to stop it.
func (s Subjects) Cancel(tenant, callID string) string { return s.of(tenant, "cancel", callID) }

// Probe asks who holds a call.
func (s Subjects) Probe(tenant, callID string) string { return s.of(tenant, "probe", callID) }

// Replay asks every process for the events of a trace it has told.
func (s Subjects) Replay(tenant, traceID string) string { return s.of(tenant, "replay", traceID) }

// Once holds a once-only record of a call: "accepted" or "fence".
func (s Subjects) Once(tenant, callID, what string) string {
	return s.of(tenant, "once", callID, what)
}

// Dead is where a message goes that could not be read.
func (s Subjects) Dead(tenant, pool string) string { return s.of(tenant, "dead", pool) }

// API is where an operation is asked for.
func (s Subjects) API(tenant, operation string) string { return s.of(tenant, "api", operation) }

// split returns the tenant and the tokens after it; ok is false for a subject
// that is not one of ours. Tool names hold dots, so n bounds the tokens: the
// last one keeps its dots.
func (s Subjects) split(subject string, n int) (tenant string, tokens []string, ok bool) {
	rest, ok := strings.CutPrefix(subject, s.prefix+".")
	if !ok {
		return "", nil, false
	}
	tenant, rest, ok = strings.Cut(rest, ".")
	if !ok {
		return "", nil, false
	}
	return tenant, strings.SplitN(rest, ".", n), true
}

// tenantAndLast returns the tenant and the last token of a subject.
func (s Subjects) tenantAndLast(subject string) (tenant, last string) {
	rest, ok := strings.CutPrefix(subject, s.prefix+".")
	if !ok {
		return "", ""
	}
	tenant, _, _ = strings.Cut(rest, ".")
	return tenant, rest[strings.LastIndexByte(rest, '.')+1:]
}

// maxName is the longest an id may be, in bytes; PROTOCOL section 2.
const maxName = 128

// isName reports whether s can be a token of a subject without meaning more
// than itself.
func isName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}
