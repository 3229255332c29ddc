package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

var (
	auditParams = []string{
		"trace_id", "call_id", "tool", "user", "agent", "conversation", "status", "error_type", "phase", "outcome",
		"text", "from", "to", "limit", "cursor",
	}
	auditNumbers = []string{"from", "to", "limit"}

	phases   = protocol.AuditPhases()
	outcomes = []string{protocol.OutcomeAllowed, protocol.OutcomeBlocked, protocol.OutcomeConfirmationRequired}
)

// maxText bounds a text that is searched.
const maxText = 200

// RebuiltIndex is the answer of audit.rebuild.
type RebuiltIndex struct {
	// Repaired has the first of Count differences.
	Repaired []protocol.AuditProblem `json:"repaired"`
	Count    uint64                  `json:"repaired_count"`
}

func (s *Service) queryAudit(ctx context.Context, in Input) (Reply, error) {
	q, err := s.auditQuery(in)
	if err != nil {
		return Reply{}, err
	}
	page, err := s.Gate.Audit.Query(ctx, q)
	if err != nil {
		return Reply{}, cursorError(err)
	}
	page.Records = array(page.Records)
	return answer(page)
}

// exportAudit returns lines as strings: only then do their bytes, which the seals
// cover, survive every reader and writer of JSON.
func (s *Service) exportAudit(ctx context.Context, in Input) (Reply, error) {
	q, err := s.auditQuery(in)
	if err != nil {
		return Reply{}, err
	}
	cursor, limit := q.Cursor, q.Limit
	q.Cursor, q.Limit = "", 0 // the export has pages of its own
	lines, next, err := s.Gate.Audit.Export(ctx, in.Tenant, q, cursor, limit)
	if err != nil {
		return Reply{}, cursorError(err)
	}
	page := protocol.ExportPage{Lines: make([]string, len(lines)), Next: next}
	for i, line := range lines {
		page.Lines[i] = string(line)
	}
	return answer(page)
}

func (s *Service) verifyAudit(ctx context.Context, in Input) (Reply, error) {
	if s.Gate.Audit == nil {
		return Reply{}, missing("audit trail")
	}
	index, err := flag("index", in.Params["index"])
	if err != nil {
		return Reply{}, err
	}
	var r audit.Range
	for name, to := range map[string]*uint64{"from_seq": &r.From, "to_seq": &r.To} {
		if *to, err = sequence(name, in.Params[name]); err != nil {
			return Reply{}, err
		}
	}
	switch {
	case r.To > 0 && r.From > r.To:
		return Reply{}, BadRequest("from_seq is after to_seq, so nothing can lie between them")
	case index && !r.All():
		return Reply{}, BadRequest("index compares all of the index with the trail; leave out from_seq and to_seq")
	}
	report, err := s.Gate.Audit.Verify(ctx, in.Tenant, r, index)
	if err != nil {
		return Reply{}, err
	}
	report.Problems = array(report.Problems)
	return answer(report)
}

// sequence parses a stream sequence; absent is 0.
func sequence(name, text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 {
		return 0, BadRequest("%s must be the seq of a record, a number from 1 on, but it is %.40q", name, text)
	}
	return n, nil
}

func (s *Service) rebuildAudit(ctx context.Context, in Input) (Reply, error) {
	if s.Gate.Audit == nil {
		return Reply{}, missing("audit trail")
	}
	report, err := s.Gate.Audit.Rebuild(ctx, in.Tenant)
	if err != nil {
		return Reply{}, err
	}
	return answer(RebuiltIndex{array(report.Problems), report.Found})
}

func (s *Service) auditKey(ctx context.Context, _ Input) (Reply, error) {
	if s.Gate.Audit == nil {
		return Reply{}, missing("audit trail")
	}
	pem, err := s.Gate.Audit.PublicKey(ctx)
	if err != nil {
		return Reply{}, err
	}
	reply, err := answer(map[string]string{"pem": string(pem)})
	reply.Plain, reply.ContentType = pem, "application/x-pem-file"
	return reply, err
}

// auditQuery parses the parameters that query and export share.
func (s *Service) auditQuery(in Input) (q audit.Query, err error) {
	if s.Gate.Audit == nil {
		return q, missing("audit trail")
	}
	p := in.Params
	q = audit.Query{
		Tenant: in.Tenant, TraceID: p["trace_id"], CallID: p["call_id"], Tool: p["tool"],
		User: p["user"], Agent: p["agent"], Conversation: p["conversation"],
		Status: p["status"], ErrorType: p["error_type"], Phase: p["phase"], Outcome: p["outcome"],
		Text: p["text"], Cursor: p["cursor"],
	}
	for _, name := range []string{"user", "agent", "conversation"} {
		if err := optionalName(name, p[name]); err != nil {
			return q, err
		}
	}
	switch {
	case q.TraceID != "" && !isHex(q.TraceID, traceIDLength):
		return q, BadRequest("trace_id must be 32 lower-case hex digits")
	case q.CallID != "" && !validName(outermost(q.CallID), maxCallID):
		return q, badName("call_id", q.CallID, maxCallID)
	case q.Tool != "" && !tool.ValidName(q.Tool):
		return q, BadRequest("%.80q is not a tool's name", q.Tool)
	case q.Phase != "" && !slices.Contains(phases, protocol.AuditPhase(q.Phase)):
		return q, notOneOf("phase", q.Phase, phases)
	case q.Outcome != "" && !slices.Contains(outcomes, q.Outcome):
		return q, notOneOf("outcome", q.Outcome, outcomes)
	case len(q.Text) > maxText:
		return q, BadRequest("text must have at most %d bytes", maxText)
	}
	if text := p["before"]; text != "" {
		if q.Before, err = audit.ParsePlace(text); err != nil {
			return q, BadRequest("before was not returned as older; leave it out for the newest page")
		}
	}
	if q.Newest, err = flag("newest", p["newest"]); err != nil {
		return q, err
	}
	if p["before"] != "" && !q.Newest {
		return q, BadRequest("before goes with newest=true; without it, pages follow by cursor")
	}
	q.Newest = q.Newest && q.TraceID == "" && q.CallID == "" // a trace or a call is shown from its beginning
	if q.Limit, err = pageSize(p["limit"]); err != nil {
		return q, err
	}
	q.From, q.To, err = span(p["from"], p["to"], time.Now())
	return q, err
}

func cursorError(err error) error {
	if errors.Is(err, audit.ErrCursor) {
		return BadRequest("cursor was not returned by this query; leave it out for the first page")
	}
	if errors.Is(err, audit.ErrBehind) {
		e := Unavailable("the audit trail is behind: final records of calls wait to be written to it, and may be those; " +
			"ask again later, and see helve_audit_seal_lag_seconds, /readyz and the log of the dispatchers")
		e.RetryAfter = time.Second
		return e
	}
	if errors.Is(err, audit.ErrIndex) {
		e := Unavailable("the database of the audit index cannot be read now; no record is lost: ask again later, or read the trail itself " +
			"with audit.export")
		e.RetryAfter = time.Second
		return e
	}
	return err
}
