package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sort"
	"sync"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/internal/server/mcp"
	"github.com/helve-dev/helve/tool"
)

// mcpPlatform is a remote server as the platform of an MCP server.
type mcpPlatform struct {
	// calls makes the agent's calls, person makes the person's decisions.
	calls, person *client.Client

	mu sync.Mutex
	// structured has the tools that were looked up, and whether their results are objects of
	// a schema.
	structured map[string]bool
}

// Tools implements [mcp.Platform].
func (p *mcpPlatform) Tools(ctx context.Context, by mcp.Caller) ([]*tool.Definition, error) {
	list, err := p.calls.Tools(ctx, client.Filter{Agent: by.Agent, Toolset: by.Toolset})
	if err != nil {
		return nil, err
	}
	defs := make([]*tool.Definition, len(list))
	for i := range list {
		defs[i] = &list[i]
	}
	p.note(defs...)
	return defs, nil
}

// note records which tools return objects, as their definitions for the client declare.
func (p *mcpPlatform) note(defs ...*tool.Definition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.structured == nil {
		p.structured = map[string]bool{}
	}
	for _, def := range defs {
		p.structured[def.Name] = provider.ObjectResult(def.ResultSchema)
	}
}

// isStructured reports whether a tool's results are objects. The client may know the tool
// from an earlier session, or call a tool that it was not offered.
func (p *mcpPlatform) isStructured(ctx context.Context, name string) bool {
	p.mu.Lock()
	structured, known := p.structured[name]
	p.mu.Unlock()
	if known {
		return structured
	}
	def, err := p.calls.Tool(ctx, name)
	if err != nil {
		return false // a result without its structure is better than none
	}
	p.note(&def)
	return provider.ObjectResult(def.ResultSchema)
}

func (p *mcpPlatform) outcome(ctx context.Context, r client.Result) mcp.Outcome {
	problem, _ := r.Metadata["result_problem"].(string)
	return mcp.Outcome{
		CallID: r.CallID, Tool: r.Tool, Status: r.Status, State: r.State, ConsentID: r.ConsentID, Result: r.Value, Text: r.Text,
		Content: r.Content, WaitingFor: r.WaitingFor,
		ErrorType: string(r.ErrorType), Message: r.Message, Notes: r.Notes, Metadata: mcp.Metadata{Files: r.Files(), ResultProblem: problem},
		Structured: p.isStructured(ctx, r.Tool), Durable: r.State == client.StateWaiting || r.Tool == runProgram,
	}
}

// Execute implements [mcp.Platform].
func (p *mcpPlatform) Execute(ctx context.Context, _ mcp.Caller, call mcp.Call) (mcp.Outcome, error) {
	req := client.Request{
		TraceID: call.TraceID,
		Wait:    call.Wait,
		Calls:   []client.Call{{ID: call.ID, Tool: call.Tool, Arguments: call.Arguments, Priority: call.Priority}},
	}
	if call.ConsentWait {
		req.Consent = client.ConsentWait
	}
	resp, err := p.calls.Execute(ctx, req)
	if err != nil {
		return mcp.Outcome{}, err
	}
	return p.outcome(ctx, resp.Results[0]), nil
}

// Get implements [mcp.Platform].
func (p *mcpPlatform) Get(ctx context.Context, _ mcp.Caller, callID string) (mcp.Outcome, error) {
	r, err := p.calls.Get(ctx, callID)
	if err != nil {
		return mcp.Outcome{}, err
	}
	return p.outcome(ctx, r), nil
}

// Program implements [mcp.Platform].
func (p *mcpPlatform) Program(ctx context.Context, _ mcp.Caller, callID string) (mcp.Progress, error) {
	told, err := p.calls.Program(ctx, callID)
	return mcp.ProgressOf(&told), err
}

// Cancel implements [mcp.Platform].
func (p *mcpPlatform) Cancel(ctx context.Context, _ mcp.Caller, callID string) error {
	_, err := p.calls.Cancel(ctx, callID)
	return err
}

// Consent implements [mcp.Platform].
func (p *mcpPlatform) Consent(ctx context.Context, _ mcp.Caller, consentID string) (mcp.Question, error) {
	c, err := p.person.Consent(ctx, consentID)
	return mcp.Question{
		Sentence:   c.Sentence,
		Reason:     c.Reason,
		Preview:    c.Preview,
		Warnings:   c.Warnings,
		Changes:    c.Changes,
		ExpiresAt:  c.ExpiresAt,
		Question:   c.Question,
		Schema:     c.Schema,
		Service:    c.Service,
		ConnectURL: c.ConnectURL,
		Program:    c.Program,
	}, err
}

// Decide implements [mcp.Platform].
func (p *mcpPlatform) Decide(ctx context.Context, _ mcp.Caller, consentID string, answer mcp.Answer) error {
	_, err := p.person.Decide(ctx, consentID, client.Decision{
		Grant:    answer.Grant,
		Remember: client.Remember(answer.Remember),
		Answer:   answer.Answer,
	})
	if failure, ok := errors.AsType[*client.RequestError](err); ok && failure.Status == http.StatusConflict {
		return mcp.ErrDecided
	}
	return err
}

// Files implements [mcp.Platform].
func (p *mcpPlatform) Files(ctx context.Context, by mcp.Caller, cursor string) ([]client.File, string, error) {
	all, err := p.person.Files(ctx, by.User, "")
	if err != nil {
		return nil, "", err
	}
	all = all[sort.Search(len(all), func(i int) bool { return all[i].Path > cursor }):]
	if len(all) <= filesPage {
		return all, "", nil
	}
	return all[:filesPage], all[filesPage-1].Path, nil
}

// runProgram is the tool whose calls are programs also before they wait.
const runProgram = "run_program"

const filesPage = 100 // files on a page

// File implements [mcp.Platform].
func (p *mcpPlatform) File(ctx context.Context, by mcp.Caller, path string, into io.Writer) error {
	return p.person.GetFile(ctx, by.User, path, into)
}

// Events implements [mcp.Platform].
func (p *mcpPlatform) Events(ctx context.Context, _ mcp.Caller, traceID string, yield func(mcp.Event) bool) error {
	for e, err := range p.calls.Events(ctx, traceID) {
		if err != nil {
			return err
		}
		if !yield(mcp.Event{Type: e.Type, CallID: e.CallID, Tool: e.Tool, Data: e.Data}) {
			return nil
		}
	}
	return nil
}
