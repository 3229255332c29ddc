package token

import (
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Claims are the contents of a confirm token.
type Claims struct {
	// ID is the token_id, by which single use is enforced.
	ID string
	// KeyID identifies the signing key; it is in the footer.
	KeyID                 string
	Tenant, User, TraceID string
	// Tools are exact names; a token never covers a tool it does not name.
	Tools []string
	// Scopes, if set, restrict what the tools may reach. A high-risk call needs a token
	// that sets them.
	Scopes *tool.Scopes
	// ArgsHash and CallID, if set, bind the token to one call.
	ArgsHash, CallID string
	// Program, if set, binds the token to the steps of one run of a program, and of the programs
	// that it runs.
	Program *protocol.ProgramRun
	// Binding, if set, was approved in addition to the arguments: a version of
	// a script, or of the object of the call.
	Binding string
	// Permissions are those that the person granted with the call.
	Permissions       []string
	Reusable          bool
	IssuedAt, Expires time.Time
	// By is the person who approved; Approver is set if that had to be somebody with
	// the role approver or admin, and was.
	By       string
	Approver bool
}
