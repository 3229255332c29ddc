package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/tool"
)

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// longestHint bounds what a server can ask for.
	longestHint = 30 * time.Second
	// waitSlice bounds how long one attempt waits for calls, so that a server
	// that died without a word is noticed.
	waitSlice = 5 * time.Second
)

// retryable reports whether the same request may succeed later.
func retryable(err error) bool {
	if errors.Is(err, errForeign) || errors.Is(err, nats.ErrConnectionClosed) {
		return false // another server, or [Client.Close]
	}
	e, ok := errors.AsType[*RequestError](err)
	return ok && (e.Type == Overloaded || e.Type == Unavailable)
}

func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*RequestError](err); ok {
		return e.RetryAfter
	}
	return 0
}

// backoff is the pause after an attempt, counted from 0: half of it fixed and
// half by chance, so that many clients do not come back as one.
func backoff(attempt int, hint time.Duration) time.Duration {
	d := longestPause
	if attempt < 6 {
		d = min(firstPause<<attempt, longestPause)
	}
	d = d/2 + mathrand.N(d/2) //nolint:gosec // jitter is no secret
	return max(d, min(hint, longestHint))
}

// pause waits before the next attempt and reports false if ctx ended first.
func pause(ctx context.Context, attempt int, hint time.Duration) bool {
	timer := time.NewTimer(backoff(attempt, hint))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// executeUntil sends the calls again, by the same ids, until each is settled or
// wait is over. Only those that are not settled are sent again. When ctx ends
// the last answer counts, if there was one.
func (c *Client) executeUntil(ctx context.Context, w wireRequest, wait time.Duration) (Response, error) {
	if w.TraceID == "" {
		w.TraceID = newTraceID()
	}
	open := make([]int, len(w.Calls))
	for i := range w.Calls {
		open[i] = i
		if w.Calls[i].ID == "" {
			w.Calls[i].ID = NewCallID()
		}
	}
	resp := Response{TraceID: w.TraceID, Results: make([]Result, len(w.Calls))}
	until := time.Now().Add(wait)
	var last error
	answered := false
	end := func() (Response, error) {
		if answered {
			return resp, nil
		}
		return Response{}, stopped(ctx, last)
	}
	for attempt := 0; ; attempt++ {
		left := max(time.Until(until), 0)
		slice := min(left, waitSlice)
		ms := millis(slice)
		part := w
		part.WaitMS = &ms
		part.Calls = make([]wireCall, len(open))
		for at, i := range open {
			part.Calls[at] = w.Calls[i]
		}
		got, err := c.executeOnce(ctx, part, slice+answerMargin)
		if err != nil {
			if ctx.Err() != nil {
				return end()
			}
			if !retryable(err) {
				return Response{}, err
			}
			last = err
			if !pause(ctx, attempt, retryAfter(err)) {
				return end()
			}
			continue
		}
		answered = true
		resp.RetryAfter = got.RetryAfter
		var refused bool
		open, refused = settle(resp.Results, open, got.Results, left > 0, w.Consent == ConsentWait)
		switch {
		case len(open) == 0:
			return resp, nil
		case !refused:
			attempt = -1 // the server works, the calls take their time
		case !pause(ctx, attempt, got.RetryAfter):
			return end()
		}
	}
}

// settle puts the results of the open calls in their places and returns which
// are to be sent again, and whether one of them was refused as overloaded: such
// an answer is not the call's result.
func settle(results []Result, open []int, got []Result, mayWait, forConsent bool) (again []int, refused bool) {
	for at, i := range open {
		r := got[at]
		results[i] = r
		switch {
		case r.Status == StatusError && r.ErrorType == tool.Overloaded:
			refused = true
			again = append(again, i)
		case r.Status == StatusPending && mayWait && (forConsent || r.State != StateAwaitingConsent):
			again = append(again, i)
		}
	}
	return again, refused
}

// newTraceID keeps all attempts of a request in one trace.
func newTraceID() string {
	var id [16]byte
	rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}
