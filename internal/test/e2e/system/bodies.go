package system

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync/atomic"
)

// EchoCall returns a call that returns value.
func EchoCall(value string) string {
	return `{"tool": "debug.echo", "arguments": {"value": ` + value + `}}`
}

// AsUser is the body of an execute whose calls are u1's.
func AsUser(wait int, calls string) string {
	return fmt.Sprintf(`{"context": {"user": "u1", "conversation": "c1"}, "wait_ms": %d, "calls": [%s]}`, wait, calls)
}

// CallAs is a request of one call as a user, which is waited for.
func CallAs(user, call string) string {
	return fmt.Sprintf(`{"context": {"user": %q}, "wait_ms": 30000, "calls": [%s]}`, user, call)
}

// NewTrace returns a trace id that no other test uses.
func NewTrace() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// Traced is the body of one call in a trace.
func Traced(trace, call string) string {
	return fmt.Sprintf(`{"trace_id": %q, "calls": [%s]}`, trace, call)
}

var tenants atomic.Int64

// NewTenant returns a tenant that no other test uses.
func NewTenant() string { return fmt.Sprintf("tenant-%d", tenants.Add(1)) }
