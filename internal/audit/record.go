package audit

import "time"

// Phase is what a record tells of.
type Phase string

// The phases; PROTOCOL section 7, and those for what is not a call.
const (
	Started          Phase = "started"
	Finished         Phase = "finished"
	Refused          Phase = "refused"
	ConsentRequested Phase = "consent_requested"
	ConsentDecided   Phase = "consent_decided"
	TokenMinted      Phase = "token_minted"
	Cancelled        Phase = "cancelled"
	GrantChanged     Phase = "grant_changed"
	PolicyChanged    Phase = "policy_changed"
	AgentChanged     Phase = "agent_changed"
	UpstreamChanged  Phase = "upstream_changed"
	RetentionChanged Phase = "retention_changed"
)

// Outcome of a decision of the gate.
const (
	Allowed              = "allowed"
	Blocked              = "blocked"
	ConfirmationRequired = "confirmation_required"
)

// Record is one entry of the trail. It holds no arguments and no secret.
type Record struct {
	AuditID string `json:"audit_id"`
	// Seq is the record's place in the stream. It is not stored: readers set it.
	Seq          uint64    `json:"seq,omitempty"`
	Time         time.Time `json:"time"`
	Phase        Phase     `json:"phase"`
	TraceID      string    `json:"trace_id,omitempty"`
	CallID       string    `json:"call_id,omitempty"`
	Tenant       string    `json:"tenant"`
	User         string    `json:"user,omitempty"`
	Agent        string    `json:"agent,omitempty"`
	Conversation string    `json:"conversation,omitempty"`
	// By is who decided, minted or changed, where that is not the call's user.
	By          string `json:"by,omitempty"`
	Tool        string `json:"tool,omitempty"`
	ToolVersion string `json:"tool_version,omitempty"`
	ArgsHash    string `json:"args_hash,omitempty"`
	// ConsentID, TokenID and GrantID name what the record is about.
	ConsentID  string     `json:"consent_id,omitempty"`
	TokenID    string     `json:"token_id,omitempty"`
	GrantID    string     `json:"grant_id,omitempty"`
	Decision   *Decision  `json:"decision,omitempty"`
	Result     *Result    `json:"result,omitempty"`
	StartedAt  *time.Time `json:"started_at,omitempty"`
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	DurationMS float64    `json:"duration_ms,omitempty"`
	Worker     string     `json:"worker,omitempty"`
	Attempt    int        `json:"attempt,omitempty"`
	// Detail is one sentence more, where the fields do not tell all.
	Detail string `json:"detail,omitempty"`
}

// Decision is what the gate said, and why.
type Decision struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	Rule    string `json:"rule,omitempty"`
}

// Result is how the call ended. Summary is a sentence about the result, never
// a part of it.
type Result struct {
	Status    string `json:"status"`
	ErrorType string `json:"error_type,omitempty"`
	Summary   string `json:"summary,omitempty"`
}
