package mcp

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/x/gopool"
)

// lastWords is the time that the end of a call waits for its earlier progress reports.
const lastWords = time.Second

// follow forwards the call's progress to the client, if it sent a progress token. The
// returned function ends it, after the reports that came before the call's end; nothing
// is sent later.
func (s *Server) follow(ctx context.Context, req *sdk.CallToolRequest, by Caller, call Call) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	following, end := context.WithCancel(ctx)
	told := make(chan struct{})
	last, steps := 0.0, stepping{callID: call.ID}
	gopool.Go(func() {
		defer close(told)
		// A failure to report progress must not end the call.
		_ = s.platform.Events(following, by, call.TraceID, func(e Event) bool {
			p := steps.told(e)
			if e.CallID == call.ID && e.Type == "progress" {
				p = progressOf(e.Data, last)
			}
			if p == nil || p.Progress <= last {
				return e.CallID != call.ID || e.Type != "done"
			}
			last, p.ProgressToken = p.Progress, token
			return req.Session.NotifyProgress(following, p) == nil
		})
	}, nil)
	return func() {
		patience := time.AfterFunc(lastWords, end)
		<-told
		patience.Stop()
		end()
	}
}

// progressOf converts a tool's report, which is any JSON value: the protocol requires a
// number that grows with each report, so the reports are counted if the tool sent no
// number.
func progressOf(data json.RawMessage, last float64) *sdk.ProgressNotificationParams {
	var told struct {
		Progress *float64 `json:"progress"`
		Done     *float64 `json:"done"`
		Total    float64  `json:"total"`
		Message  string   `json:"message"`
	}
	p := &sdk.ProgressNotificationParams{Progress: last + 1}
	if json.Unmarshal(data, &told) != nil {
		_ = json.Unmarshal(data, &p.Message) // only a text is a message
		return p
	}
	p.Message, p.Total = told.Message, told.Total
	for _, given := range []*float64{told.Progress, told.Done} {
		if given != nil && *given > last {
			p.Progress = *given
			break
		}
	}
	return p
}
