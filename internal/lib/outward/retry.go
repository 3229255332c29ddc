package outward

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxTries bounds how often a GET is sent.
	maxTries = 3
	// firstWait is the longest wait before the second try; each further one may be twice
	// as long.
	firstWait = 250 * time.Millisecond
	// maxWait is the longest Retry-After that is waited for; beyond it the caller decides.
	maxWait = 3 * time.Second
	// otherwise is the time to wait that is reported without a Retry-After, in seconds.
	otherwise = 60
)

// Retry calls send, and again on 503 if the request was a GET, after a pause with jitter or
// that of Retry-After. It returns the last answer.
func Retry(ctx context.Context, clock tool.Clock, send func() (*http.Response, error)) (*http.Response, error) {
	for try := 1; ; try++ {
		resp, err := send()
		if err != nil || try == maxTries || resp.StatusCode != http.StatusServiceUnavailable || methodOf(resp) != http.MethodGet {
			return resp, err
		}
		wait := rand.N(firstWait<<(try-1)) + firstWait/10
		if text := resp.Header.Get("Retry-After"); text != "" {
			wait = max(wait, time.Duration(RetryAfter(resp.Header, clock))*time.Second)
		}
		if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) < wait {
			return resp, nil
		}
		_ = resp.Body.Close() // another answer follows
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, tool.AsError(ctx.Err())
		case <-timer.C:
		}
	}
}

// methodOf returns the method of the request that was sent first: after a redirect the last
// one may be a GET although the first was none. It is empty if it is not known.
func methodOf(resp *http.Response) string {
	req := resp.Request
	for req != nil && req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	if req == nil {
		return ""
	}
	return req.Method
}

// RetryAfter returns the seconds that a server asks to wait: its Retry-After, a number or a
// date, or a minute.
func RetryAfter(h http.Header, clock tool.Clock) int {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 && len(text) <= 5 {
		return seconds
	}
	if at, err := http.ParseTime(text); err == nil && clock != nil {
		if left := at.Sub(clock.Now()); left > 0 && left < 48*time.Hour {
			return int((left + time.Second - 1) / time.Second)
		}
	}
	return otherwise
}
