package mcp

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastWords is how long the end of a call waits for what it reported before.
const lastWords = time.Second

// follow tells the client what the call reports, if it asked for that with a progress
// token. What it returns ends it, after the reports that came before the call's end;
// nothing is told later.
func (s *Server) follow(ctx context.Context, req *sdk.CallToolRequest, by Caller, call Call) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	following, end := context.WithCancel(ctx)
	told := make(chan struct{})
	last := 0.0
	go func() {
		defer close(told)
		// That nothing can be told is no reason to give up the call.
		_ = s.platform.Events(following, by, call.TraceID, func(e Event) bool {
			switch {
			case e.CallID != call.ID:
				return true
			case e.Type == "progress":
				p := progressOf(e.Data, last)
				last = p.Progress
				p.ProgressToken = token
				return req.Session.NotifyProgress(following, p) == nil
			}
			return e.Type != "done"
		})
	}()
	return func() {
		patience := time.AfterFunc(lastWords, end)
		<-told
		patience.Stop()
		end()
	}
}

// progressOf reads what a tool reported, which is any JSON value: the protocol wants a
// number that grows with each report, so one is counted where the tool gave none.
func progressOf(data json.RawMessage, last float64) *sdk.ProgressNotificationParams {
	var told struct {
		Progress *float64 `json:"progress"`
		Done     *float64 `json:"done"`
		Total    float64  `json:"total"`
		Message  string   `json:"message"`
	}
	p := &sdk.ProgressNotificationParams{Progress: last + 1}
	if json.Unmarshal(data, &told) != nil {
		var text string
		if json.Unmarshal(data, &text) != nil {
			text = string(data)
		}
		p.Message = text
		return p
	}
	p.Message, p.Total = told.Message, told.Total
	for _, given := range []*float64{told.Progress, told.Done} {
		if given != nil && *given > last {
			p.Progress = *given
			break
		}
	}
	if p.Message == "" {
		p.Message = string(data)
	}
	return p
}
