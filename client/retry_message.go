package client

import (
	"context"
	"time"
)

// messageUntil is executeUntil for a model's message, which is sent again as a whole:
// its calls have the ids that its prefix gives them, and join.
func (c *Client) messageUntil(ctx context.Context, w wireRequest, wait time.Duration) (Response, error) {
	if w.TraceID == "" {
		w.TraceID = newTraceID()
	}
	if w.Prefix == "" {
		w.Prefix = NewCallID()
	}
	var resp Response
	var last error
	until := time.Now().Add(wait)
	for attempt := 0; ; attempt++ {
		left := max(time.Until(until), 0)
		slice := min(left, waitSlice)
		ms := millis(slice)
		w.WaitMS = &ms
		got, err := c.executeOnce(ctx, w, slice+answerMargin)
		hint := retryAfter(err)
		switch {
		case err == nil:
			resp, last = got, nil
			open, refused := unsettled(got.Results, left > 0, w.Consent == ConsentWait)
			if !open {
				return resp, nil
			}
			if !refused {
				attempt = -1 // the server works, the calls take their time
				continue
			}
			hint = got.RetryAfter
		case ctx.Err() == nil && !retryable(err):
			return Response{}, err
		default:
			last = err
		}
		if ctx.Err() != nil || !pause(ctx, attempt, hint) {
			if resp.TraceID != "" {
				return resp, nil
			}
			return Response{}, stopped(ctx, last)
		}
	}
}

// unsettled is [settle] where all is sent again or nothing.
func unsettled(got []Result, mayWait, forConsent bool) (open, refused bool) {
	all := make([]int, len(got))
	for i := range all {
		all[i] = i
	}
	again, refused := settle(make([]Result, len(got)), all, got, mayWait, forConsent)
	return len(again) > 0, refused
}
