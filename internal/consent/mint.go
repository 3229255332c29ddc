package consent

import (
	"time"

	"github.com/helve-dev/helve/tool"
)

// MintSpec describes a confirm token for a plan that a person approves before any of
// its calls is made.
type MintSpec struct {
	User, TraceID string
	// Tools are exact names.
	Tools []string
	// Scopes, if set, restrict what the tools may reach. A high-risk call needs a token
	// that sets them.
	Scopes *tool.Scopes
	// ArgsHash and CallID, if set, bind the token to one call.
	ArgsHash, CallID string
	// Program, if set, is the call of a program: the token covers steps of it only.
	Program string
	// TTL is the validity of the token from now.
	TTL time.Duration
	// Reusable allows more than one call with the token.
	Reusable bool
}
