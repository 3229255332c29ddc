package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/provider"
)

func (s *Service) execute(ctx context.Context, in Input) (Reply, error) {
	req, err := ParseExecute(in.Body, s.Limits)
	if err != nil {
		return Reply{}, err
	}
	by, err := narrow(in, req.User, req.Agent)
	if err != nil {
		return Reply{}, err
	}
	if err := s.checkCallback(ctx, req.Callback); err != nil {
		return Reply{}, err
	}
	req.Tenant, req.User, req.Agent, req.Via = in.Tenant, by.User, by.Agent, in.Via
	if in.Fresh && len(req.Calls) == 1 {
		req.Calls[0].Fresh = req.Calls[0].ID != ""
	}
	// A traceparent with another trace than the body's would tie the spans of two
	// traces together.
	if trace := traceOf(in.Traceparent); trace != "" && (req.TraceID == "" || req.TraceID == trace) {
		req.TraceID, req.Traceparent = trace, in.Traceparent
	}
	ctx, parent := in.begin(ctx, cmp.Or(req.Traceparent, req.TraceID))
	if parent != "" {
		req.Traceparent, req.TraceID = parent, traceOf(parent)
	}
	var written []provider.Call
	if req.Format != "" {
		if written, err = req.readMessage(s.Catalog.Of(in.Tenant, by.User), s.Limits); err != nil {
			return Reply{}, err
		}
		ctx = dispatch.ShareAnswer(ctx, messageShare)
	}
	resp, err := s.Calls.Execute(ctx, req.Request)
	if err != nil {
		return Reply{}, err
	}
	req.annotate(resp.Results)
	var messages json.RawMessage
	if req.Format != "" {
		if messages, err = messagesFor(&req, written, resp.Results); err != nil {
			return Reply{}, err
		}
	}
	return Reply{Body: AppendResponse(nil, resp, messages), RetryAfter: resp.RetryAfter, Reason: resp.Reason, Limited: resp.Limited}, nil
}

func (s *Service) cancelCall(ctx context.Context, in Input) (Reply, error) {
	return oneCall(ctx, in, s.Calls.Cancel)
}

func oneCall(ctx context.Context, in Input, ask func(ctx context.Context, tenant, callID string) (json.RawMessage, error)) (Reply, error) {
	id := in.Params["call_id"]
	if err := CallID(id); err != nil {
		return Reply{}, err
	}
	element, err := ask(ctx, in.Tenant, id)
	return Reply{Body: element}, err
}

// refuseEvents returns the error for a transport without event streams.
func (s *Service) refuseEvents(_ context.Context, in Input) (Reply, error) {
	if err := TraceID(in.Params["trace_id"]); err != nil {
		return Reply{}, err
	}
	return Reply{}, BadRequest("events are not a request: subscribe to event.%s.> below the tenant's prefix", in.Params["trace_id"])
}
