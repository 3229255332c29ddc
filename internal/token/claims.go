package token

import (
	"time"

	"github.com/helve-dev/helve/tool"
)

// Claims are what a confirm token says.
type Claims struct {
	// ID is the token_id: single use is counted by it.
	ID string
	// KeyID names the key that signed it; it travels in the footer.
	KeyID                 string
	Tenant, User, TraceID string
	// Tools are exact names; a token never covers a tool it does not name.
	Tools []string
	// Scopes, where set, narrow what the tools may reach. A high-risk call needs
	// a token that sets them.
	Scopes *tool.Scopes
	// ArgsHash and CallID, where set, bind the token to one call.
	ArgsHash, CallID string
	// Binding, where set, is what the yes was for beside the arguments: a version
	// of a script, or of what the call is about.
	Binding string
	// Permissions are what the person granted along with the call.
	Permissions       []string
	Reusable          bool
	IssuedAt, Expires time.Time
	// By is who approved.
	By string
}
