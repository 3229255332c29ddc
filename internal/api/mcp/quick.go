package mcp

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// plain reports whether a request is a tools/call about which there is nothing to say
// but its result: of a version that is spoken, told the same way in header and body,
// and without a part that only the SDK reads. Such requests are nearly all there are,
// and the SDK makes a session, a connection and four goroutines for each.
func (m *message) plain(head http.Header) bool {
	p := &m.Params
	version := head.Get("Mcp-Protocol-Version")
	accept := head.Get("Accept")
	if m.Method != "tools/call" || m.JSONRPC != "2.0" || !named(m.ID) || p.Name == "" || len(p.Meta.ProgressToken) > 0 ||
		len(p.InputResponses) > 0 || p.RequestState != "" || len(p.RequestID) > 0 ||
		head.Get("Content-Type") != "application/json" || !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream") ||
		head.Get("Last-Event-ID") != "" {
		return false
	}
	if version == Versions()[0] {
		return p.Meta.Version == version && p.Meta.Capabilities != nil && head.Get("Mcp-Method") == m.Method && head.Get("Mcp-Name") == p.Name
	}
	return p.Meta.Version == "" && slices.Contains(Versions(), version)
}

// quick answers a plain request and returns true. If its call ends in anything but a
// result, the SDK has to say so: what it needs to find the same call is in the context.
func (s *Server) quick(ctx context.Context, w http.ResponseWriter, by Caller, m *message, callID string) (context.Context, bool) {
	fresh := callID == ""
	if fresh {
		callID = s.NewID()
	}
	p := &m.Params
	call := Call{ID: callID, Fresh: fresh, Tool: p.Name, Arguments: object([]byte(p.Arguments)), Wait: s.Wait}
	if call.TraceID, call.Traceparent = traceOf(p.Meta.Traceparent); call.TraceID == "" {
		call.TraceID = newTrace()
	}
	stateless := p.Meta.Version != ""
	if stateless {
		if _, knowsTasks := p.Meta.Capabilities.Extensions[tasksExtension]; knowsTasks {
			call.Wait = s.TaskAfter
		}
		// A client that goes away gives up its call, which those before did by word.
		gone := context.AfterFunc(ctx, func() { s.cancel(context.WithoutCancel(ctx), by, callID) })
		defer gone()
	}
	out, err := s.platform.Execute(ctx, by, call)
	if err != nil || out.Status == pending || out.ErrorType == "tool_not_found" {
		return withSent(ctx, sent{callID, call.TraceID, true}), false
	}
	a := out.answer()
	res := quickResult{Meta: a.meta, Content: [1]textContent{{"text", a.text}}, Structured: jsontext.Value(a.structured), IsError: a.failed}
	if stateless {
		res.ResultType = "complete"
		res.Meta[sdk.MetaKeyServerInfo] = s.info
	}
	body, err := json.Marshal(&quickReply{"2.0", m.ID, res}, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil { // what was read before can be written
		panic("mcp: " + err.Error())
	}
	head := w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Cache-Control", "no-cache, no-transform")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that left is no failure of the call
	return ctx, true
}

type quickReply struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  quickResult    `json:"result"`
}

type quickResult struct {
	Meta       sdk.Meta       `json:"_meta"`
	Content    [1]textContent `json:"content"`
	Structured jsontext.Value `json:"structuredContent,omitzero"`
	IsError    bool           `json:"isError,omitzero"`
	ResultType string         `json:"resultType,omitzero"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}
