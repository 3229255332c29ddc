// Package mcpapi adapts the operations of a dispatcher to the server for MCP clients, as httpapi
// and natsapi do for theirs.
//
// It promises that a request of an MCP client passes the checks of [api.Service.Do], and is counted
// as one. It knows nothing of the protocol, and keeps no state.
package mcpapi

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

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/mcp"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Platform adapts the operations of this process to an MCP server. It implements
// [mcp.Platform].
type Platform struct {
	Service *api.Service
	Catalog api.Catalog
	Kit     *telemetry.Kit
}

// ours decodes JSON that this system wrote: it was validated on input.
var ours = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// do runs an operation for a caller and decodes its answer.
func (p *Platform) do(ctx context.Context, name string, by mcp.Caller, in api.Input, into any) error {
	in.By, in.Via = by.By, string(policy.MCP)
	reply, err := p.Service.Do(ctx, api.Find(name), in)
	status := http.StatusOK
	if failure, ok := errors.AsType[*api.RequestError](err); ok {
		status = failure.Status
	}
	p.Kit.Metrics.Requested(telemetry.MCP, name, status)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(reply.Body, into, ours)
}

// Tools implements [mcp.Platform].
func (p *Platform) Tools(ctx context.Context, by mcp.Caller) ([]*tool.Definition, error) {
	agent := cmp.Or(by.Agent, by.By.Agent)
	return p.Service.Tools(ctx, api.Input{By: by.By, Params: map[string]string{"agent": agent, "user": by.User, "toolset": by.Toolset}})
}

// Execute implements [mcp.Platform].
func (p *Platform) Execute(ctx context.Context, by mcp.Caller, call mcp.Call) (mcp.Outcome, error) {
	var told struct {
		Results []mcp.Outcome `json:"results"`
	}
	span := p.Kit.Tracing.MCPRequest(call.Tool)
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

func (p *Platform) structured(by mcp.Caller, out mcp.Outcome) mcp.Outcome {
	if def, ok := p.Catalog.Of(tenantOf(by), cmp.Or(by.User, by.By.User)).Lookup(out.Tool); ok {
		out.Structured, out.Durable = provider.ObjectResult(def.ResultSchema), def.Durable
	}
	return out
}

// Get implements [mcp.Platform].
func (p *Platform) Get(ctx context.Context, by mcp.Caller, callID string) (mcp.Outcome, error) {
	var out mcp.Outcome
	err := p.do(ctx, "calls.get", by, api.Input{Params: map[string]string{"call_id": callID}}, &out)
	return p.structured(by, out), err
}

// Program implements [mcp.Platform].
func (p *Platform) Program(ctx context.Context, by mcp.Caller, callID string) (mcp.Progress, error) {
	var told protocol.ProgramDetail
	err := p.do(ctx, "programs.get", by, api.Input{Params: map[string]string{"call_id": callID}}, &told)
	return mcp.ProgressOf(&told), err
}

// Cancel implements [mcp.Platform].
func (p *Platform) Cancel(ctx context.Context, by mcp.Caller, callID string) error {
	return p.do(ctx, "calls.cancel", by, api.Input{Params: map[string]string{"call_id": callID}}, nil)
}

// Consent implements [mcp.Platform].
func (p *Platform) Consent(ctx context.Context, by mcp.Caller, consentID string) (mcp.Question, error) {
	var q mcp.Question
	err := p.do(ctx, "consent.get", by, api.Input{Params: map[string]string{"consent_id": consentID, "user": by.User}}, &q)
	return q, err
}

// Decide implements [mcp.Platform].
func (p *Platform) Decide(ctx context.Context, by mcp.Caller, consentID string, answer mcp.Answer) error {
	in := api.Input{Params: map[string]string{"consent_id": consentID}, Body: answer.Request(by)}
	err := p.do(ctx, "consent.decide", by, in, nil)
	if failure, ok := errors.AsType[*api.RequestError](err); ok && failure.Status == http.StatusConflict {
		return mcp.ErrDecided
	}
	return err
}

// Files implements [mcp.Platform].
func (p *Platform) Files(ctx context.Context, by mcp.Caller, cursor string) ([]protocol.File, string, error) {
	var list protocol.FileList
	err := p.do(ctx, api.FilesList, by, api.Input{Params: given(map[string]string{"user": by.User, "cursor": cursor, "limit": "100"})}, &list)
	return list.Files, list.Next, err
}

// File implements [mcp.Platform].
func (p *Platform) File(ctx context.Context, by mcp.Caller, path string, into io.Writer) error {
	in := api.Input{Tenant: tenantOf(by), By: by.By, Via: string(policy.MCP), Params: given(map[string]string{"path": path, "user": by.User})}
	at, err := p.Service.File(api.Find(api.FilesGet), in, http.Header{})
	if err == nil {
		err = p.Service.GetFile(ctx, by.By, at, false, func(api.FileHead) {}, into)
	}
	status := http.StatusOK
	if failure, ok := errors.AsType[*api.RequestError](err); ok {
		status = failure.Status
	}
	p.Kit.Metrics.Requested(telemetry.MCP, api.FilesGet, status)
	return err
}

// given returns the parameters that have a value.
func given(params map[string]string) map[string]string {
	maps.DeleteFunc(params, func(_, value string) bool { return value == "" })
	return params
}

// Events implements [mcp.Platform].
func (p *Platform) Events(ctx context.Context, by mcp.Caller, traceID string, yield func(mcp.Event) bool) error {
	return p.Service.Calls.Events(identity.With(ctx, by.By), tenantOf(by), traceID, "", func(e dispatch.Event) error {
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
