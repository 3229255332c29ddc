package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// longestHint bounds the delay that a server can request.
	longestHint = 30 * time.Second
	// The first request of a call waits for firstSlice, and each further request twice as
	// long, up to longestSlice. A server that does not answer within firstMargin after that
	// has lost the request, or is slow: the margin doubles with
	// each request in vain, up to answerMargin.
	firstSlice   = time.Second
	longestSlice = 5 * time.Second
	firstMargin  = 2 * time.Second
)

// waitSlice returns the wait of a request, after a number of others that were answered.
func waitSlice(answered int, left time.Duration) time.Duration {
	return min(left, longestSlice, firstSlice<<min(answered, 3))
}

// marginAfter returns the time that a server may take beyond the wait, after a number of
// requests in vain.
func marginAfter(attempt int) time.Duration {
	return min(answerMargin, firstMargin<<min(attempt, 3))
}

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

// backoff returns the pause after an attempt, counted from 0: half fixed and half
// random, so that many clients do not return at the same time.
func backoff(attempt int, hint time.Duration) time.Duration {
	d := longestPause
	if attempt < 6 {
		d = min(firstPause<<attempt, longestPause)
	}
	d = d/2 + mathrand.N(d/2)
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

// tooLong reports whether the server has not answered since began for longer than
// [WithRetryFor] allows.
func (c *Client) tooLong(began time.Time) bool {
	return c.retryFor > 0 && time.Since(began) >= c.retryFor
}

// executeUntil repeats the calls, with the same IDs, until each is settled or wait is
// over. Only unsettled calls are repeated. When ctx ends the last answer is returned,
// if there was one.
func (c *Client) executeUntil(ctx context.Context, w wireRequest, wait time.Duration) (Response, error) {
	if w.TraceID == "" {
		w.TraceID = newTraceID()
	}
	open := make([]int, len(w.Calls))
	for i := range w.Calls {
		open[i] = i
		if w.Calls[i].CallID == "" {
			w.Calls[i].CallID = NewCallID()
		}
	}
	resp := Response{TraceID: w.TraceID, Results: make([]Result, len(w.Calls))}
	heard := time.Now()
	until := heard.Add(wait)
	var last error
	answered := false
	end := func() (Response, error) {
		if answered {
			return resp, nil
		}
		return Response{}, stopped(ctx, last)
	}
	answers := 0
	for attempt := 0; ; attempt++ {
		left := max(time.Until(until), 0)
		slice := waitSlice(answers, left)
		ms := float64(millis(slice))
		part := w
		part.WaitMS = &ms
		part.Calls = make([]protocol.Call, len(open))
		for at, i := range open {
			part.Calls[at] = w.Calls[i]
		}
		got, err := c.executeOnce(ctx, part, slice+marginAfter(attempt))
		if err != nil {
			if ctx.Err() != nil {
				return end()
			}
			if !retryable(err) || c.tooLong(heard) {
				return Response{}, err
			}
			last = err
			if !pause(ctx, attempt, retryAfter(err)) {
				return end()
			}
			continue
		}
		answered, heard, answers = true, time.Now(), answers+1
		resp.RetryAfter = got.RetryAfter
		var refused bool
		open, refused = settle(resp.Results, open, got.Results, left > 0, w.Consent == ConsentWait)
		switch {
		case len(open) == 0:
			return resp, nil
		case !refused:
			attempt = -1 // the server works; the calls take long
		case !pause(ctx, attempt, got.RetryAfter):
			return end()
		}
	}
}

// settle stores the results of the open calls and returns the calls to repeat, and
// whether one of them was refused as overloaded: such an answer is not the call's
// result.
func settle(results []Result, open []int, got []Result, mayWait, forConsent bool) (again []int, refused bool) {
	for at, i := range open {
		r := got[at]
		results[i] = r
		switch {
		case r.Status == StatusError && r.ErrorType == tool.Overloaded:
			refused = true
			again = append(again, i)
		case r.Status == StatusPending && mayWait && (forConsent || !r.AwaitsPerson()):
			again = append(again, i)
		}
	}
	return again, refused
}

// newTraceID returns a trace ID, which keeps all attempts of a request in one trace.
func newTraceID() string {
	var id [16]byte
	rand.Read(id[:]) // cannot fail
	return hex.EncodeToString(id[:])
}
