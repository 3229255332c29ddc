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

// plain reports whether a request is a tools/call that needs nothing but a result: its
// version is supported, header and body agree, and it has no part that only the SDK
// reads. Nearly all requests are such, and the SDK creates a session, a connection and
// four goroutines for each.
func (m *message) plain(head http.Header) bool {
	p := &m.Params
	version := head.Get("Mcp-Protocol-Version")
	accept := head.Get("Accept")
	if m.Method != "tools/call" || m.JSONRPC != "2.0" || !named(m.ID) || p.Name == "" || len(p.Meta.ProgressToken) > 0 ||
		len(p.InputResponses) > 0 || p.RequestState != "" || len(p.RequestID) > 0 ||
		head.Get("Content-Type") != "application/json" || !strings.Contains(accept, "application/json") ||
		!strings.Contains(accept, "text/event-stream") ||
		head.Get("Last-Event-ID") != "" || !knownPriority(p.Meta.Priority) {
		return false
	}
	if version == Versions()[0] {
		return p.Meta.Version == version && p.Meta.Capabilities != nil && head.Get("Mcp-Method") == m.Method && head.Get("Mcp-Name") == p.Name
	}
	return p.Meta.Version == "" && slices.Contains(Versions(), version)
}

// fastpath answers a plain request and returns true. If its call has no result, the SDK
// must answer: the context has what it needs to find the same call.
func (s *Server) fastpath(ctx context.Context, w http.ResponseWriter, by Caller, m *message, callID string) (context.Context, bool) {
	fresh := callID == ""
	if fresh {
		callID = s.NewID()
	}
	p := &m.Params
	call := Call{ID: callID, Fresh: fresh, Tool: p.Name, Arguments: object([]byte(p.Arguments)), Wait: s.Wait, Priority: p.Meta.Priority}
	if call.TraceID, call.Traceparent = traceOf(p.Meta.Traceparent); call.TraceID == "" {
		call.TraceID = newTrace()
	}
	stateless := p.Meta.Version != ""
	if stateless {
		if _, knowsTasks := p.Meta.Capabilities.Extensions[tasksExtension]; knowsTasks {
			call.Wait = s.TaskAfter
		} else if p.Meta.Capabilities.Elicitation != nil {
			call.Wait = min(s.Wait, askEvery)
		}
		// A client that disconnects cancels its call; older versions sent a message for
		// that.
		gone := context.AfterFunc(ctx, func() { s.cancel(context.WithoutCancel(ctx), by, callID) })
		defer gone()
	}
	out, err := s.platform.Execute(ctx, by, call)
	if err != nil || out.Status == pending || out.ErrorType == "tool_not_found" {
		return withSent(ctx, sent{callID, call.TraceID, true}), false
	}
	a := out.answer()
	res := fastResult{Meta: a.meta, Content: a.said(), Structured: jsontext.Value(a.structured), IsError: a.failed}
	if len(a.notes) > 0 {
		text := notesText(a.notes)
		res.Content = append(res.Content, fastContent{Type: "text", Text: &text})
	}
	for i := range a.files {
		link := linkTo(&a.files[i])
		res.Content = append(res.Content, fastContent{
			Type:     "resource_link",
			URI:      link.URI,
			Name:     link.Name,
			MIMEType: link.MIMEType,
			Size:     link.Size,
		})
	}
	if stateless {
		res.ResultType = "complete"
		res.Meta[sdk.MetaKeyServerInfo] = s.info
	}
	body, err := json.Marshal(&fastReply{"2.0", m.ID, res}, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil { // parsed values can always be encoded
		panic("mcp: " + err.Error())
	}
	head := w.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Cache-Control", "no-cache, no-transform")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that disconnected is not a failure of the call
	return ctx, true
}

type fastReply struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  fastResult     `json:"result"`
}

type fastResult struct {
	Meta       sdk.Meta       `json:"_meta"`
	Content    []any          `json:"content"`
	Structured jsontext.Value `json:"structuredContent,omitzero"`
	IsError    bool           `json:"isError,omitzero"`
	ResultType string         `json:"resultType,omitzero"`
}

// fastContent is a text, or a link to a file.
type fastContent struct {
	Type     string  `json:"type"`
	Text     *string `json:"text,omitzero"`
	URI      string  `json:"uri,omitzero"`
	Name     string  `json:"name,omitzero"`
	MIMEType string  `json:"mimeType,omitzero"`
	Size     *int64  `json:"size,omitzero"`
}
