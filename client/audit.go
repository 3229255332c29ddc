package client

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/helve-dev/helve/protocol"
)

type (
	// AuditRecord is one entry of the audit trail. It holds no arguments.
	AuditRecord = protocol.AuditRecord
	// AuditDecision is the gate's decision about a call: allowed, blocked or
	// confirmation_required.
	AuditDecision = protocol.AuditDecision
	// AuditResult is the outcome of a call.
	AuditResult = protocol.AuditResult
	// AuditPage is a page of the trail, the oldest record first. Next is empty on the
	// last page.
	AuditPage = protocol.AuditPage
	// AuditReport is the result of checking the trail against its seals.
	AuditReport = protocol.AuditReport
	// AuditProblem is an inconsistency at one place of the trail.
	AuditProblem = protocol.AuditProblem
	// AuditRebuilt lists the differences found in a rebuilt index: the first of Count.
	AuditRebuilt = protocol.RebuiltIndex
)

// AuditFilter selects records of the trail. All fields that are set must match.
type AuditFilter struct {
	TraceID, CallID, Tool     string
	User, Agent, Conversation string
	// Status and ErrorType refer to the result, Outcome to the decision.
	Status, ErrorType, Outcome string
	Phase                      string
	// Text is a part of any text of the record, in any case. A page looks at 20,000
	// records at most, so that one without records may have a Next or an Older.
	Text string
	// From is the start of the period, inclusive; To its end, exclusive.
	From, To time.Time
	// Limit is the number of records on a page, at most 1000; 0 means 100.
	Limit int
	// Cursor is the Next of the previous page.
	Cursor string
	// Newest requests the page that ends with the newest record, or with Before the Older
	// of such a page, the page before that one.
	Newest bool
	Before string
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
		"status": f.Status, "error_type": f.ErrorType, "phase": f.Phase, "outcome": f.Outcome, "text": f.Text,
		"from": moment(f.From), "to": moment(f.To), "limit": limitText(f.Limit), "cursor": f.Cursor, "newest": flagText(f.Newest),
		"before": f.Before,
	})
}

func flagText(set bool) string {
	if set {
		return "true"
	}
	return ""
}

// verifyTimeout is the time a server may take to read a whole trail.
const verifyTimeout = 10 * time.Minute

// AuditQuery returns a page of the records that match the filter.
func (c *Client) AuditQuery(ctx context.Context, f AuditFilter) (AuditPage, error) {
	var page AuditPage
	body, err := c.ask(ctx, list("audit.query", "/v1/audit", f.params()))
	if err != nil {
		return page, err
	}
	return page, decode(body, &page)
}

// AuditVerify makes the server check its whole trail. To check it without trusting a
// server, use [Client.AuditExport].
func (c *Client) AuditVerify(ctx context.Context) (AuditReport, error) {
	return c.verify(ctx, nil)
}

// AuditVerifyIndex is [Client.AuditVerify], and makes the server also compare the index
// used by [Client.AuditQuery] with the trail.
func (c *Client) AuditVerifyIndex(ctx context.Context) (AuditReport, error) {
	return c.verify(ctx, map[string]string{"index": "true"})
}

// AuditVerifyRange makes the server check the records between two of their Seq, and the
// seals that cover them: from the beginning of the first of these to the end of the last.
// The seals before and after must fit too. 0 is the beginning, or the end, of the trail.
func (c *Client) AuditVerifyRange(ctx context.Context, from, to uint64) (AuditReport, error) {
	text := func(n uint64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatUint(n, 10)
	}
	return c.verify(ctx, given(map[string]string{"from_seq": text(from), "to_seq": text(to)}))
}

func (c *Client) verify(ctx context.Context, params map[string]string) (AuditReport, error) {
	var report AuditReport
	op := list("audit.verify", "/v1/audit/verify", params)
	op.patience = verifyTimeout
	body, err := c.ask(ctx, op)
	if err != nil {
		return report, err
	}
	return report, decode(body, &report)
}

// AuditRebuild makes the server rebuild the index used by [Client.AuditQuery] from the
// trail.
func (c *Client) AuditRebuild(ctx context.Context) (AuditRebuilt, error) {
	var rebuilt AuditRebuilt
	body, err := c.ask(ctx, operation{name: "audit.rebuild", method: http.MethodPost, path: "/v1/audit/rebuild", patience: verifyTimeout})
	if err != nil {
		return rebuilt, err
	}
	return rebuilt, decode(body, &rebuilt)
}

// AuditPublicKey returns the keys that verify the trail's seals, in PEM.
func (c *Client) AuditPublicKey(ctx context.Context) ([]byte, error) {
	body, err := c.ask(ctx, list("audit.public_key", "/v1/audit/public-key", nil))
	if err != nil || bytes.HasPrefix(body, []byte("-----BEGIN ")) { // over HTTP
		return body, err
	}
	var told struct {
		PEM string `json:"pem"`
	}
	err = decode(body, &told)
	return []byte(told.PEM), err
}
