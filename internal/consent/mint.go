package consent

import (
	"time"

	"github.com/helve-dev/helve/tool"
)

// MintSpec says what a confirm token is to cover when a person approves a plan
// before any of its calls is made.
type MintSpec struct {
	User, TraceID string
	// Tools are exact names.
	Tools []string
	// Scopes, where set, narrow what the tools may reach. A high-risk call needs
	// a token that sets them.
	Scopes *tool.Scopes
	// ArgsHash and CallID, where set, bind the token to one call.
	ArgsHash, CallID string
	// TTL is how long the token holds from now.
	TTL time.Duration
	// Reusable lets the token pass more than one call.
	Reusable bool
}
