package api

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // the zones must exist on a machine without a zone database, such as a minimal container
)

// DefaultTenant is the tenant of a request without one.
const DefaultTenant = "default"

const (
	maxName       = 64
	maxCallID     = 128
	maxInnerID    = 160 // of a call that another one made
	maxToolCallID = 256
	traceIDLength = 32
)

// Tenant validates the name of a tenant; an empty name becomes [DefaultTenant].
func Tenant(name string) (string, error) {
	if name == "" {
		return DefaultTenant, nil
	}
	if !validName(name, maxName) {
		return "", badName("the tenant", name, maxName)
	}
	return name, nil
}

// TraceID validates a trace ID: 32 lower-case hex digits that are not all zero.
func TraceID(id string) error {
	if !validHex(id, traceIDLength) {
		return BadRequest("trace_id must be 32 lower-case hex digits, not all zero; leave it out to have one made")
	}
	return nil
}

// CallID validates the ID of a requested call, which another call may have made.
func CallID(id string) error {
	if !validName(outermost(id), maxCallID) || len(id) > maxInnerID {
		return badName("call_id", id, maxCallID)
	}
	return nil
}

func badName(what, name string, longest int) *RequestError {
	return BadRequest("%s must match [A-Za-z0-9_-]{1,%d}, but it is %.80q", what, longest, name)
}

// optionalName validates a name that may be empty.
func optionalName(what, name string) error {
	if name != "" && !validName(name, maxName) {
		return badName(what, name, maxName)
	}
	return nil
}

// validName reports whether s has 1 to longest letters, digits, _ and -.
func validName(s string, longest int) bool {
	if s == "" || len(s) > longest {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// validHex reports whether s is n lower-case hex digits that are not all zero.
func validHex(s string, n int) bool {
	return isHex(s, n) && strings.Trim(s, "0") != ""
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// traceOf returns the trace ID in a W3C traceparent header, or "" for an invalid
// header, which the W3C requires to be ignored.
func traceOf(traceparent string) string {
	version, rest, _ := strings.Cut(traceparent, "-")
	trace, rest, _ := strings.Cut(rest, "-")
	span, rest, _ := strings.Cut(rest, "-")
	flags, _, more := strings.Cut(rest, "-")
	known := version == "00" && !more || validHex(version, 2) && version != "ff"
	if !known || !validHex(trace, traceIDLength) || !validHex(span, 16) || !isHex(flags, 2) {
		return ""
	}
	return trace
}

// outermost returns the ID of the outermost call around a nested call, whose ID has ~
// and a number for each level; another ID is returned unchanged.
func outermost(id string) string { return innerID.ReplaceAllString(id, "") }

var innerID = regexp.MustCompile(`(~[0-9]{1,4}){1,6}$`)

// validZone returns the error of a time zone that the IANA database does not have.
func validZone(name string) error {
	_, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" || name == "localtime" || strings.HasPrefix(name, "right/") {
		return BadRequest("context.timezone must be a name of the IANA database such as Europe/Berlin, but it is %.64q", name)
	}
	return nil
}
