package oauth

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Client returns a client that sends requests by do, which follows no redirect: what is sent
// to a provider is sent to nobody else. An answer is read before it is returned, up to a
// bound.
func Client(do func(*http.Request) (*http.Response, error), limit time.Duration) *http.Client {
	return &http.Client{
		Transport:     way{do, limit},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// way implements [http.RoundTripper].
type way struct {
	do func(*http.Request) (*http.Response, error)
	// limit bounds a request with its answer. That of [http.Client] would go on until the
	// body is closed, which the library does not always do.
	limit time.Duration
}

// RoundTrip sends a request.
func (w way) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), w.limit)
	defer cancel()
	req = req.Clone(ctx)
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	resp, err := w.do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxAnswer {
		return nil, tool.Fail(tool.ExecutionError, "the answer has more than %d bytes", maxAnswer)
	}
	if req.Method == http.MethodPost {
		text = wholeLife(text)
	}
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp, nil
}
