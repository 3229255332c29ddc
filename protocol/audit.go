package protocol

import "time"

// AuditPhase is the step or change that a record is about.
type AuditPhase string

// The phases of a call, and those of other changes.
const (
	AuditStarted          AuditPhase = "started"
	AuditFinished         AuditPhase = "finished"
	AuditRefused          AuditPhase = "refused"
	AuditConsentRequested AuditPhase = "consent_requested"
	AuditConsentDecided   AuditPhase = "consent_decided"
	AuditTokenMinted      AuditPhase = "token_minted"
	AuditCancelled        AuditPhase = "cancelled"
	// AuditSuperseded is the final record of a result that does not count, because an
	// earlier result of the same call was stored.
	AuditSuperseded       AuditPhase = "superseded"
	AuditGrantChanged     AuditPhase = "grant_changed"
	AuditPolicyChanged    AuditPhase = "policy_changed"
	AuditAgentChanged     AuditPhase = "agent_changed"
	AuditUpstreamChanged  AuditPhase = "upstream_changed"
	AuditRetentionChanged AuditPhase = "retention_changed"
	// AuditCallViewed records that an admin, auditor or approver viewed a call of another
	// user, or its consent.
	AuditCallViewed AuditPhase = "call_viewed"
	// AuditCustomToolChanged records that an operation shared, unshared, enabled,
	// disabled or deleted a custom tool.
	AuditCustomToolChanged AuditPhase = "custom_tool_changed"
	// AuditPersonalData records that an operation exported, imported or deleted the data of
	// a person, or deleted a scheduled task.
	AuditPersonalData AuditPhase = "personal_data"
	// AuditFleetChanged records that an operator paused, resumed or drained workers.
	AuditFleetChanged AuditPhase = "fleet_changed"
	// AuditDeadChanged records that an operator requeued or dropped a dead letter.
	AuditDeadChanged AuditPhase = "dead_changed"
	// AuditServiceChanged records that an entry of a service was set or deleted, or that
	// all entries were protected by another master key.
	AuditServiceChanged AuditPhase = "service_changed"
	// AuditCallbackFailed records that the result of a call was not delivered to its
	// callback and is not sent any more.
	AuditCallbackFailed AuditPhase = "callback_failed"
	// AuditSessionChanged records that a person signed in or out with a browser.
	AuditSessionChanged AuditPhase = "session_changed"
	// AuditUnreadable is shown in place of bytes that are not a record. It is never
	// stored.
	AuditUnreadable AuditPhase = "unreadable"
)

// AuditPhases lists every phase that a stored record can have.
func AuditPhases() []AuditPhase {
	return []AuditPhase{
		AuditStarted, AuditFinished, AuditRefused, AuditConsentRequested, AuditConsentDecided, AuditTokenMinted,
		AuditCancelled, AuditSuperseded, AuditGrantChanged, AuditPolicyChanged, AuditAgentChanged, AuditUpstreamChanged,
		AuditRetentionChanged, AuditCustomToolChanged, AuditCallViewed, AuditFleetChanged, AuditDeadChanged, AuditPersonalData,
		AuditServiceChanged, AuditCallbackFailed, AuditSessionChanged,
	}
}

// Outcomes of a policy decision.
const (
	OutcomeAllowed              = "allowed"
	OutcomeBlocked              = "blocked"
	OutcomeConfirmationRequired = "confirmation_required"
)

// AuditRecord is one entry of the audit trail. It holds no arguments and no secret.
// Stored records have no seq, part, sealed or problem: readers set these fields.
type AuditRecord struct {
	ID           string           `json:"audit_id" doc:"Its id. A record that was written twice keeps its id."`
	Seq          uint64           `json:"seq,omitzero" doc:"The stream sequence of its message."`
	Part         int              `json:"part,omitzero" doc:"Its number in that message, from 0; absent for 0."`
	Time         time.Time        `json:"time" doc:"The time it was written."`
	Phase        AuditPhase       `json:"phase" doc:"The step or change that it records."`
	TraceID      string           `json:"trace_id,omitempty" doc:"The trace."`
	CallID       string           `json:"call_id,omitempty" doc:"The call. A nested call has the id of the outer call with ~ and a number."`
	Tenant       string           `json:"tenant" doc:"The tenant."`
	User         string           `json:"user,omitempty" doc:"The person."`
	Agent        string           `json:"agent,omitempty" doc:"The agent."`
	Conversation string           `json:"conversation,omitempty" doc:"The conversation."`
	By           string           `json:"by,omitempty" doc:"The person who decided, minted or changed, if not the user."`
	Tool         string           `json:"tool,omitempty" doc:"The tool."`
	ToolVersion  string           `json:"tool_version,omitempty" doc:"The version of its definition."`
	ArgsHash     string           `json:"args_hash,omitempty" doc:"The hash of the arguments."`
	ConsentID    string           `json:"consent_id,omitempty" doc:"The consent it is about."`
	TokenID      string           `json:"token_id,omitempty" doc:"The token it is about."`
	GrantID      string           `json:"grant_id,omitempty" doc:"The grant it is about."`
	Decision     *AuditDecision   `json:"decision,omitzero" doc:"The gate's decision."`
	Result       *AuditResult     `json:"result,omitzero" doc:"How the call ended."`
	AcceptedAt   *time.Time       `json:"accepted_at,omitzero" doc:"The time the call was accepted; only where the call ended."`
	StartedAt    *time.Time       `json:"started_at,omitzero" doc:"The time the tool started."`
	EndedAt      *time.Time       `json:"ended_at,omitzero" doc:"The time it ended."`
	DurationMS   float64          `json:"duration_ms,omitzero" doc:"How long it ran, in milliseconds."`
	Worker       string           `json:"worker,omitempty" doc:"The worker that wrote the record."`
	Attempt      int              `json:"attempt,omitzero" doc:"The number of the attempt, from 1."`
	Detail       string           `json:"detail,omitempty" doc:"One more sentence, where the fields do not say everything."`
	Origin       string           `json:"origin,omitempty" doc:"How the call was made, as policy rules name it: use_tool, batch, javascript, mcp or schedule; absent if it was made directly."`
	ResultSeq    uint64           `json:"result_seq,omitzero" doc:"The sequence in the stream HELVE_RESULTS of the message that holds this result and others; absent if the result has a message of its own."`
	Sealed       *bool            `json:"sealed,omitzero" doc:"true if a valid seal covers it; false while it is not yet sealed, and if something is wrong."`
	Proven       bool             `json:"proven,omitzero" doc:"true if a key proved to the dispatcher that sealed it who wrote it: the worker that it names, or a dispatcher."`
	Problem      AuditProblemKind `json:"problem,omitempty" doc:"What is wrong; absent if nothing is, or the record is only not yet sealed."`
}

// AuditDecision is a policy decision and its reason.
type AuditDecision struct {
	Outcome string `json:"outcome" enum:"allowed,blocked,confirmation_required" doc:"The decision."`
	Reason  string `json:"reason,omitempty" doc:"Why."`
	Rule    string `json:"rule,omitempty" doc:"The rule that decided."`
}

// AuditResult is the outcome of a call in its final record.
type AuditResult struct {
	Status    string `json:"status" doc:"success or error."`
	ErrorType string `json:"error_type,omitempty" doc:"Why it failed."`
	Summary   string `json:"summary,omitempty" doc:"A sentence about the result, never a part of it; of a failed call why it failed, without its arguments, at most 200 characters."`
}

// After reports whether the record follows other in the trail.
func (r *AuditRecord) After(other *AuditRecord) bool {
	return r.Seq > other.Seq || r.Seq == other.Seq && r.Part > other.Part
}
