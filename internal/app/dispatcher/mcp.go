package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/mcp"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/version"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// openMCP creates the server for MCP clients.
func openMCP(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, svc *api.Service, cat api.Catalog,
) (http.Handler, error) {
	keys, err := signingKeys(cfg, keysync.Token)
	if err != nil {
		return nil, err
	}
	ring := &token.Keyring{}
	if err := keysync.Follow(life, q, keysync.Token, ring, kit.Log, append(keys.Old, keys.Public())...); err != nil {
		return nil, err
	}
	server := mcp.New(&platform{svc, cat, kit}, mcp.Options{
		Version: version.String(), DiscoveryOnly: cfg.MCP.Tools == config.MCPDiscovery, ConsoleURL: cfg.MCP.ConsoleURL,
		State: token.Notes{Signer: token.NewSigner(keys.Signing), Ring: ring, Purpose: mcp.StatePurpose}, NewID: dispatch.NewID,
		Wait: cfg.Dispatcher.MaxWait, TaskAfter: cfg.MCP.TaskAfter,
		TaskTTL: cfg.Streams.ResultsMaxAge,
	})
	return server.Handler(int64(cfg.HTTP.MaxBody)), nil
}

// platform adapts the operations of this process to an MCP server.
type platform struct {
	svc *api.Service
	cat api.Catalog
	kit *telemetry.Kit
}

// ours decodes JSON that this system wrote: it was validated on input.
var ours = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// do runs an operation for a caller and decodes its answer.
func (p *platform) do(ctx context.Context, name string, by mcp.Caller, in api.Input, into any) error {
	in.By, in.Via = by.By, string(policy.MCP)
	reply, err := p.svc.Do(ctx, api.Find(name), in)
	status := http.StatusOK
	if failure, ok := errors.AsType[*api.RequestError](err); ok {
		status = failure.Status
	}
	p.kit.Metrics.Requested(telemetry.MCP, name, status)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(reply.Body, into, ours)
}

// Tools implements [mcp.Platform].
func (p *platform) Tools(ctx context.Context, by mcp.Caller) ([]*tool.Definition, error) {
	agent := cmp.Or(by.Agent, by.By.Agent)
	return p.svc.Tools(ctx, api.Input{By: by.By, Params: map[string]string{"agent": agent, "user": by.User}})
}

// Execute implements [mcp.Platform].
func (p *platform) Execute(ctx context.Context, by mcp.Caller, call mcp.Call) (mcp.Outcome, error) {
	var told struct {
		Results []mcp.Outcome `json:"results"`
	}
	span := p.kit.Tracing.MCPRequest(call.Tool)
	in := api.Input{Body: call.Request(by), Traceparent: call.Traceparent, Fresh: call.Fresh, Span: span}
	err := p.do(ctx, api.Execute, by, in, &told)
	if err == nil && len(told.Results) != 1 {
		err = fmt.Errorf("%d results for one call", len(told.Results))
	}
	if err != nil {
		span.EndCall("request_error")
		return mcp.Outcome{}, err
	}
	span.EndCall(told.Results[0].ErrorType)
	return p.structured(by, told.Results[0]), nil
}

func (p *platform) structured(by mcp.Caller, out mcp.Outcome) mcp.Outcome {
	if def, ok := p.cat.Of(tenantOf(by), cmp.Or(by.User, by.By.User)).Lookup(out.Tool); ok {
		out.Structured = provider.ObjectResult(def.ResultSchema)
	}
	return out
}

// Get implements [mcp.Platform].
func (p *platform) Get(ctx context.Context, by mcp.Caller, callID string) (mcp.Outcome, error) {
	var out mcp.Outcome
	err := p.do(ctx, "calls.get", by, api.Input{Params: map[string]string{"call_id": callID}}, &out)
	return p.structured(by, out), err
}

// Cancel implements [mcp.Platform].
func (p *platform) Cancel(ctx context.Context, by mcp.Caller, callID string) error {
	return p.do(ctx, "calls.cancel", by, api.Input{Params: map[string]string{"call_id": callID}}, nil)
}

// Consent implements [mcp.Platform].
func (p *platform) Consent(ctx context.Context, by mcp.Caller, consentID string) (mcp.Question, error) {
	var q mcp.Question
	err := p.do(ctx, "consent.get", by, api.Input{Params: map[string]string{"consent_id": consentID, "user": by.User}}, &q)
	return q, err
}

// Decide implements [mcp.Platform].
func (p *platform) Decide(ctx context.Context, by mcp.Caller, consentID string, answer mcp.Answer) error {
	in := api.Input{Params: map[string]string{"consent_id": consentID}, Body: answer.Request(by)}
	err := p.do(ctx, "consent.decide", by, in, nil)
	if failure, ok := errors.AsType[*api.RequestError](err); ok && failure.Status == http.StatusConflict {
		return mcp.ErrDecided
	}
	return err
}

// Files implements [mcp.Platform].
func (p *platform) Files(ctx context.Context, by mcp.Caller, cursor string) ([]protocol.File, string, error) {
	var list protocol.FileList
	err := p.do(ctx, api.FilesList, by, api.Input{Params: given(map[string]string{"user": by.User, "cursor": cursor, "limit": "100"})}, &list)
	return list.Files, list.Next, err
}

// File implements [mcp.Platform].
func (p *platform) File(ctx context.Context, by mcp.Caller, path string, into io.Writer) error {
	in := api.Input{Tenant: tenantOf(by), By: by.By, Via: string(policy.MCP), Params: given(map[string]string{"path": path, "user": by.User})}
	at, err := p.svc.File(api.Find(api.FilesGet), in, http.Header{})
	if err == nil {
		err = p.svc.GetFile(ctx, by.By, at, false, func(api.FileHead) {}, into)
	}
	status := http.StatusOK
	if failure, ok := errors.AsType[*api.RequestError](err); ok {
		status = failure.Status
	}
	p.kit.Metrics.Requested(telemetry.MCP, api.FilesGet, status)
	return err
}

// given returns the parameters that have a value.
func given(params map[string]string) map[string]string {
	maps.DeleteFunc(params, func(_, value string) bool { return value == "" })
	return params
}

// Events implements [mcp.Platform].
func (p *platform) Events(ctx context.Context, by mcp.Caller, traceID string, yield func(mcp.Event) bool) error {
	return p.svc.Calls.Events(identity.With(ctx, by.By), tenantOf(by), traceID, "", func(e dispatch.Event) error {
		var told mcp.Event
		if err := json.Unmarshal(e.Data, &told, ours); err != nil {
			return err
		}
		if !yield(told) {
			return errEnough
		}
		return nil
	})
}

var errEnough = errors.New("nobody listens any more")

// tenantOf returns the tenant of a caller. Without authentication, the transport sets
// it.
func tenantOf(by mcp.Caller) string { return by.By.Tenant }
