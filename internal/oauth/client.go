package oauth

import (
	"bytes"
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
		Transport:     way(do),
		Timeout:       limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// way implements [http.RoundTripper].
type way func(*http.Request) (*http.Response, error)

// RoundTrip sends a request.
func (w way) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Accept") == "" {
		req = req.Clone(req.Context())
		req.Header.Set("Accept", "application/json")
	}
	resp, err := w(req)
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
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp, nil
}
