package consent

import (
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Status of a consent.
type Status string

// The statuses. A consent is pending until its one verdict.
const (
	Pending   Status = "pending"
	Granted   Status = "granted"
	Denied    Status = "denied"
	Expired   Status = "expired"
	Cancelled Status = "cancelled"
	// Refused is a request that was never shown, because too many wait.
	Refused Status = "refused"
)

// Remember says how long a grant holds beyond the call it was asked for.
type Remember string

// The terms of a grant: this call, the conversation, or until it is revoked.
const (
	Once    Remember = "once"
	Session Remember = "session"
	Always  Remember = "always"
)

// Call names the call that waits. A consent that several calls share names the
// first of them.
type Call struct {
	CallID     string `json:"call_id"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	TraceID    string `json:"trace_id"`
}

// Request is what a person is asked: the body of consent.request.<user> and,
// with Status and Verdict, an entry of the inbox.
type Request struct {
	ConsentID   string    `json:"consent_id"`
	Status      Status    `json:"status"`
	Call        Call      `json:"call"`
	Tool        string    `json:"tool"`
	Risk        tool.Risk `json:"risk"`
	Reason      string    `json:"reason"`
	Rule        string    `json:"rule,omitempty"`
	Permissions []string  `json:"permissions"`
	// ForTool says that the call itself needs a yes, not only permissions.
	ForTool      bool        `json:"for_tool"`
	Scopes       tool.Scopes `json:"scopes"`
	Tenant       string      `json:"tenant"`
	User         string      `json:"user"`
	Agent        string      `json:"agent,omitempty"`
	Conversation string      `json:"conversation,omitempty"`
	// Arguments is the preview as JSON: secrets hidden, strings made harmless
	// to show. Preview is the same as lines of text.
	Arguments json.RawMessage `json:"arguments"`
	Preview   string          `json:"preview"`
	// Warnings are sentences about what is not what it looks like.
	Warnings []string `json:"warnings,omitempty"`
	// ArgsHash is that of the arguments that will run if it is granted.
	ArgsHash string `json:"args_hash"`
	// Binding is what else the yes is for: the version of a script, or of what the
	// call is about. Subject is under what a lasting answer is remembered, where
	// that is not the tool's name.
	Binding     string    `json:"binding,omitempty"`
	Subject     string    `json:"subject,omitempty"`
	RequestedAt time.Time `json:"requested_at"`
	ExpiresAt   time.Time `json:"expires_at"`
	Verdict     *Verdict  `json:"decision,omitempty"`
}

// Verdict is the one end of a consent.
type Verdict struct {
	Status   Status    `json:"status"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	Remember Remember  `json:"remember,omitempty"`
	NeverAsk bool      `json:"never_ask,omitempty"`
	Comment  string    `json:"comment,omitempty"`
}

// Grant is a remembered decision: a permission or a tool that a user allows, or
// with Deny refuses, without being asked.
type Grant struct {
	GrantID string `json:"grant_id"`
	Tenant  string `json:"tenant"`
	User    string `json:"user"`
	// Permission or Tool, one of them, is what it is for.
	Permission string `json:"permission,omitempty"`
	Tool       string `json:"tool,omitempty"`
	// Conversation is set for a grant of one session.
	Conversation string       `json:"conversation,omitempty"`
	Deny         bool         `json:"deny,omitempty"`
	Scopes       *tool.Scopes `json:"scopes,omitempty"`
	By           string       `json:"by"`
	At           time.Time    `json:"granted_at"`
	ConsentID    string       `json:"consent_id,omitempty"`
}
