package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// answers returns the answer in a decision in its stored form, with its defaults, or
// nil if r is not a question or the person refuses to answer. An answer that does not
// match the question's schema is refused, and the question stays open.
func (say Decision) answers(r *protocol.Consent) (json.RawMessage, error) {
	given := len(say.Answer) > 0 && string(say.Answer) != "null"
	switch {
	case r.Kind != protocol.ConsentQuestion && given:
		return nil, fail(BadRequest, "nothing was asked that an answer is for; leave answer out")
	case r.Kind != protocol.ConsentQuestion:
		return nil, nil
	case say.NeverAsk || say.Remember != protocol.RememberOnce && say.Remember != "":
		return nil, fail(BadRequest, "what a person says to a question is not remembered; leave remember and never_ask out")
	case !say.Grant && given:
		return nil, fail(BadRequest, "an answer goes with a grant; leave it out to refuse the question")
	case !say.Grant:
		return nil, nil
	case !given:
		return nil, fail(BadRequest, "answer is missing: an object; %s", tool.ParameterSummary(r.Schema))
	}
	form, err := schema.Compile(r.Schema)
	if err != nil {
		return nil, fmt.Errorf("schema of consent %s: %w", r.ID, err)
	}
	prepared, err := form.Prepare(say.Answer)
	if bad, ok := errors.AsType[*schema.Invalid](err); ok {
		return nil, fail(BadRequest, "answer: %s; %s", bad, tool.ParameterSummary(r.Schema))
	}
	if err != nil {
		return nil, err
	}
	if len(prepared.Ignored) > 0 {
		return nil, fail(BadRequest, "answer: nothing was asked about %s; %s",
			strings.Join(prepared.Ignored, ", "), tool.ParameterSummary(r.Schema))
	}
	return prepared.Args, nil
}

// answer ends the call of a question with the person's answer as its result.
func (svc *Service) answer(ctx context.Context, p *store.Parked, r *protocol.Consent) error {
	e := p.Call
	el := protocol.Result{
		CallID: e.ID, ToolCallID: e.ToolCallID, TraceID: e.TraceID, Tool: e.Tool, Status: protocol.StatusSuccess, State: protocol.StateDone,
		ConsentID: r.ID, Result: []byte(r.Verdict.Answer), Attempt: 1, Owner: e.Owner(), Origin: e.Via,
	}
	data, err := call.EncodeResult(&el)
	if err != nil {
		return err
	}
	err = svc.Trail.End(ctx, e.Pool, e.Origin, data, answeredRecord(e, r))
	if errors.Is(err, natsio.ErrExists) {
		return nil
	}
	if err != nil {
		return err
	}
	svc.Metrics.CallDone(e.Tool, protocol.StatusSuccess, "", 0, 0)
	svc.Queue.Events.Tell(events.AboutCall(e), protocol.EventDone, []byte(`{"status":"success"}`))
	return nil
}

// answeredRecord returns the final record of an answered question. The answer itself is
// in the result only.
func answeredRecord(e *call.Call, r *protocol.Consent) *protocol.AuditRecord {
	at, accepted := r.Verdict.At, e.Accepted()
	return &protocol.AuditRecord{
		ID:    "answered-" + r.ID + "-" + e.ID,
		Phase: protocol.AuditFinished, TraceID: e.TraceID, CallID: e.ID, Tenant: e.Tenant, User: e.User, Agent: e.Agent,
		Conversation: e.Conversation, Tool: r.Tool, ArgsHash: r.ArgsHash, ConsentID: r.ID,
		Decision:   &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: reasonOf(r), Rule: r.Rule},
		Result:     &protocol.AuditResult{Status: protocol.StatusSuccess},
		AcceptedAt: &accepted, EndedAt: &at, Origin: e.Via,
	}
}
