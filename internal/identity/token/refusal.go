package token

import "fmt"

// The bindings that a [Refusal] names, in the order in which they are checked.
const (
	Format = "format"
	Key    = "key"
	// Unconfirmed is a key that was published and could not be confirmed yet: the same
	// token may be accepted a moment later.
	Unconfirmed = "unconfirmed"
	Signature   = "signature"
	NotYet      = "not_yet"
	Expired     = "expired"
	Tenant      = "tenant"
	User        = "user"
	TraceID     = "trace_id"
	Program     = "program"
	Tool        = "tool"
	Arguments   = "arguments"
	Call        = "call"
	Scopes      = "scopes"
	Version     = "version"
	Role        = "role"
)

// Refusal is the reason why a token was not accepted. Binding is machine-readable; Msg
// is one sentence for a model or a person and contains nothing of the token.
type Refusal struct {
	Binding, Msg string
}

// Error returns the sentence.
func (r *Refusal) Error() string { return r.Msg }

func refuse(binding, format string, args ...any) *Refusal {
	return &Refusal{binding, fmt.Sprintf(format, args...)}
}
