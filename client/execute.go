package client

import (
	"context"
	stdjson "encoding/json"
	"net/http"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// defaultWait is the server's wait for calls if a request sets none.
const defaultWait = 30 * time.Second

// Response is the answer to a [Request].
type Response struct {
	// TraceID identifies the request's events, for [Client.Events].
	TraceID string
	// Results has one Result for each call, in the order of the request.
	Results []Result
	// Messages answers a Message: a JSON array of items to append to the conversation,
	// in its provider's format. It is nil while a call is pending, except with
	// [ConsentTell] if every such call waits for a person or a time.
	Messages stdjson.RawMessage
	// RetryAfter is the delay that the server requests before calls that ended as
	// overloaded are sent again; 0 if it requests none.
	RetryAfter time.Duration
}

// Execute runs the calls of a request and returns when all are done or wait for a
// person, or when Wait is over. An error concerns the request as a whole; each call's
// outcome is in its Result. If only fetching a large result failed, the Response is
// complete except for that Value.
func (c *Client) Execute(ctx context.Context, req Request) (Response, error) {
	w, err := c.wire(req)
	if err != nil {
		return Response{}, err
	}
	wait := req.Wait
	if wait == 0 {
		wait = defaultWait
	}
	var resp Response
	switch {
	case c.retry && w.Format != "":
		resp, err = c.messageUntil(ctx, w, max(wait, 0))
	case c.retry:
		resp, err = c.executeUntil(ctx, w, max(wait, 0))
	default:
		// The default wait is not sent.
		if req.Wait != 0 {
			ms := float64(millis(req.Wait))
			w.WaitMS = &ms
		}
		resp, err = c.executeOnce(ctx, w, max(wait, 0)+answerMargin)
	}
	if err != nil {
		return Response{}, err
	}
	if w.Format != "" { // the caller wants the messages
		return resp, nil
	}
	return resp, c.fetchAll(ctx, resp.Results)
}

// executeOnce sends a request that must be answered within limit.
func (c *Client) executeOnce(ctx context.Context, w wireRequest, limit time.Duration) (Response, error) {
	body, err := w.encode()
	if err != nil {
		return Response{}, err
	}
	got, err := c.once(ctx, operation{name: "execute", method: http.MethodPost, path: "/v1/execute", body: body}, limit)
	if err != nil {
		return Response{}, err
	}
	var told protocol.ExecuteAnswer
	if err := decode(got.body, &told); err != nil {
		return Response{}, err
	}
	if w.Format == "" && len(told.Results) != len(w.Calls) {
		return Response{}, foreign("the server did not answer each call; check its address and version", nil)
	}
	resp := Response{TraceID: told.TraceID, Messages: told.Messages, RetryAfter: got.retryAfter, Results: make([]Result, len(told.Results))}
	for i := range told.Results {
		resp.Results[i] = resultOf(&told.Results[i])
	}
	return resp, nil
}
