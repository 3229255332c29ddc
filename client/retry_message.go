package client

import (
	"context"
	"time"
)

// messageUntil is executeUntil for a model's message, which is repeated as a whole: its
// calls have the IDs derived from its prefix, so they are attached.
func (c *Client) messageUntil(ctx context.Context, w wireRequest, wait time.Duration) (Response, error) {
	if w.TraceID == "" {
		w.TraceID = newTraceID()
	}
	if w.Prefix == "" {
		w.Prefix = NewCallID()
	}
	var resp Response
	var last error
	heard := time.Now()
	until := heard.Add(wait)
	answers := 0
	for attempt := 0; ; attempt++ {
		left := max(time.Until(until), 0)
		slice := waitSlice(answers, left)
		ms := float64(millis(slice))
		w.WaitMS = &ms
		got, err := c.executeOnce(ctx, w, slice+marginAfter(attempt))
		hint := retryAfter(err)
		switch {
		case err == nil:
			resp, last, heard, answers = got, nil, time.Now(), answers+1
			open, refused := unsettled(got.Results, left > 0, w.Consent == ConsentWait)
			if !open {
				return resp, nil
			}
			if !refused {
				attempt = -1 // the server works; the calls take long
				continue
			}
			hint = got.RetryAfter
		case ctx.Err() == nil && (!retryable(err) || c.tooLong(heard)):
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

// unsettled reports whether a message must be repeated: [settle] for a whole message.
func unsettled(got []Result, mayWait, forConsent bool) (open, refused bool) {
	all := make([]int, len(got))
	for i := range all {
		all[i] = i
	}
	again, refused := settle(make([]Result, len(got)), all, got, mayWait, forConsent)
	return len(again) > 0, refused
}
