package token

import "fmt"

// The bindings a [Refusal] names, in the order they are looked at.
const (
	Format    = "format"
	Key       = "key"
	Signature = "signature"
	NotYet    = "not_yet"
	Expired   = "expired"
	Tenant    = "tenant"
	User      = "user"
	TraceID   = "trace_id"
	Tool      = "tool"
	Arguments = "arguments"
	Call      = "call"
	Scopes    = "scopes"
	Version   = "version"
)

// Refusal is why a token was not accepted. Binding is for the machine; Msg is
// one sentence for a model or a person and holds nothing of the token.
type Refusal struct {
	Binding, Msg string
}

// Error returns the sentence.
func (r *Refusal) Error() string { return r.Msg }

func refuse(binding, format string, args ...any) *Refusal {
	return &Refusal{binding, fmt.Sprintf(format, args...)}
}
