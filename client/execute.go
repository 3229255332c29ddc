package client

import (
	"context"
	stdjson "encoding/json"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// defaultWait is how long a server waits for calls when a request does not say.
const defaultWait = 30 * time.Second

// Response is the answer to a [Request].
type Response struct {
	// TraceID names what was done for the request, for [Client.Events].
	TraceID string
	// Results has one Result for each call, in the order asked.
	Results []Result
	// Messages answers a Message: a JSON array of what to append to the
	// conversation, in its provider's shape. It is nil while a call is pending.
	Messages stdjson.RawMessage
	// RetryAfter is how long the server asks to wait before calls that ended as
	// overloaded are sent again; 0 if it does not say.
	RetryAfter time.Duration
}

// Execute runs the calls of a request and returns when all are done or await a
// person, or when Wait is over. An error is about the request as a whole; each
// call's own outcome is in its Result. If only the fetching of a large result
// failed, the Response is complete except for that Value.
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
		// Waiting for the default needs no word about it.
		if req.Wait != 0 {
			ms := millis(req.Wait)
			w.WaitMS = &ms
		}
		resp, err = c.executeOnce(ctx, w, max(wait, 0)+answerMargin)
	}
	if err != nil {
		return Response{}, err
	}
	if w.Format != "" { // the messages are what was asked for
		return resp, nil
	}
	return resp, c.fetchAll(ctx, resp.Results)
}

// executeOnce sends a request whose answer must come within limit.
func (c *Client) executeOnce(ctx context.Context, w wireRequest, limit time.Duration) (Response, error) {
	body, err := w.encode()
	if err != nil {
		return Response{}, err
	}
	got, err := c.once(ctx, operation{name: "execute", method: http.MethodPost, path: "/v1/execute", body: body}, limit)
	if err != nil {
		return Response{}, err
	}
	var told struct {
		TraceID  string         `json:"trace_id"`
		Results  []element      `json:"results"`
		Messages jsontext.Value `json:"messages"`
	}
	if err := decode(got.body, &told); err != nil {
		return Response{}, err
	}
	if w.Format == "" && len(told.Results) != len(w.Calls) {
		return Response{}, foreign("the server did not answer each call; check its address and version", nil)
	}
	resp := Response{TraceID: told.TraceID, Messages: stdjson.RawMessage(told.Messages), RetryAfter: got.retryAfter, Results: make([]Result, len(told.Results))}
	for i := range told.Results {
		resp.Results[i] = told.Results[i].result()
	}
	return resp, nil
}
