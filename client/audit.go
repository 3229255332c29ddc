package client

import (
	"bytes"
	"context"
	"time"
)

// AuditRecord is one entry of the audit trail. It holds no arguments.
type AuditRecord struct {
	ID string `json:"audit_id"`
	// Seq is its place in the trail.
	Seq  uint64    `json:"seq,omitzero"`
	Time time.Time `json:"time"`
	// Phase is started, finished, refused, consent_requested, consent_decided,
	// token_minted, cancelled, or what else was changed.
	Phase        string `json:"phase"`
	TraceID      string `json:"trace_id,omitzero"`
	CallID       string `json:"call_id,omitzero"`
	Tenant       string `json:"tenant"`
	User         string `json:"user,omitzero"`
	Agent        string `json:"agent,omitzero"`
	Conversation string `json:"conversation,omitzero"`
	// By is who decided, minted or changed, where that is not the user.
	By          string         `json:"by,omitzero"`
	Tool        string         `json:"tool,omitzero"`
	ToolVersion string         `json:"tool_version,omitzero"`
	ArgsHash    string         `json:"args_hash,omitzero"`
	ConsentID   string         `json:"consent_id,omitzero"`
	TokenID     string         `json:"token_id,omitzero"`
	GrantID     string         `json:"grant_id,omitzero"`
	Decision    *AuditDecision `json:"decision,omitzero"`
	Result      *AuditResult   `json:"result,omitzero"`
	StartedAt   *time.Time     `json:"started_at,omitzero"`
	EndedAt     *time.Time     `json:"ended_at,omitzero"`
	DurationMS  float64        `json:"duration_ms,omitzero"`
	Worker      string         `json:"worker,omitzero"`
	Attempt     int            `json:"attempt,omitzero"`
	Detail      string         `json:"detail,omitzero"`
}

// AuditDecision is what the gate said of a call: allowed, blocked or
// confirmation_required.
type AuditDecision struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitzero"`
	Rule    string `json:"rule,omitzero"`
}

// AuditResult is how a call ended.
type AuditResult struct {
	Status    string `json:"status"`
	ErrorType string `json:"error_type,omitzero"`
	Summary   string `json:"summary,omitzero"`
}

// AuditFilter narrows the trail. All that is set must hold.
type AuditFilter struct {
	TraceID, CallID, Tool     string
	User, Agent, Conversation string
	// Status and ErrorType are of the result, Outcome of the decision.
	Status, ErrorType, Outcome string
	Phase                      string
	// From is the first moment that counts, To the first that does not.
	From, To time.Time
	// Limit is how many records a page holds, at most 1000; 0 means 100.
	Limit int
	// Cursor is the Next of the page before.
	Cursor string
}

func (f AuditFilter) params() map[string]string {
	moment := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	return given(map[string]string{
		"trace_id": f.TraceID, "call_id": f.CallID, "tool": f.Tool, "user": f.User, "agent": f.Agent, "conversation": f.Conversation,
		"status": f.Status, "error_type": f.ErrorType, "phase": f.Phase, "outcome": f.Outcome,
		"from": moment(f.From), "to": moment(f.To), "limit": limitText(f.Limit), "cursor": f.Cursor,
	})
}

// AuditPage is a part of the trail, the oldest record first.
type AuditPage struct {
	Records []AuditRecord `json:"records"`
	// Next is the cursor of the page that follows; empty when there is none yet.
	Next string `json:"next,omitzero"`
}

// AuditReport says whether the trail is what was sealed.
type AuditReport struct {
	OK bool `json:"ok"`
	// Records were looked at; SealedTo is the last that a good seal covers.
	Records  uint64 `json:"records"`
	SealedTo uint64 `json:"sealed_to"`
	// Problems are the first of Found.
	Problems []AuditProblem `json:"problems"`
	Found    uint64         `json:"problem_count,omitzero"`
}

// AuditProblem is something wrong at a place of the trail.
type AuditProblem struct {
	Seq    uint64 `json:"seq"`
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
}

// verifyTimeout is what a server may take to read a whole trail.
const verifyTimeout = 10 * time.Minute

// AuditQuery returns a page of the records that pass the filter.
func (c *Client) AuditQuery(ctx context.Context, f AuditFilter) (AuditPage, error) {
	var page AuditPage
	body, err := c.ask(ctx, list("audit.query", "/v1/audit", f.params()))
	if err != nil {
		return page, err
	}
	return page, decode(body, &page)
}

// AuditVerify has the server check its whole trail. To trust no server, check
// an [Client.AuditExport].
func (c *Client) AuditVerify(ctx context.Context) (AuditReport, error) {
	var report AuditReport
	op := list("audit.verify", "/v1/audit/verify", nil)
	op.patience = verifyTimeout
	body, err := c.ask(ctx, op)
	if err != nil {
		return report, err
	}
	return report, decode(body, &report)
}

// AuditPublicKey returns the keys that verify the trail's seals, in PEM.
func (c *Client) AuditPublicKey(ctx context.Context) ([]byte, error) {
	body, err := c.ask(ctx, list("audit.public_key", "/v1/audit/public-key", nil))
	if err != nil || bytes.HasPrefix(body, []byte("-----BEGIN ")) { // as HTTP has it
		return body, err
	}
	var told struct {
		PEM string `json:"pem"`
	}
	err = decode(body, &told)
	return []byte(told.PEM), err
}
