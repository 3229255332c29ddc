package tracedport

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"

	"github.com/helve-dev/helve/tool"
)

// outside is an HTTP port that answers every request, or fails.
type outside struct {
	status int
	err    error
	sent   *http.Request
}

func (o *outside) Do(req *http.Request) (*http.Response, error) {
	o.sent = req
	if o.err != nil {
		return nil, o.err
	}
	return &http.Response{StatusCode: o.status, Body: io.NopCloser(strings.NewReader("secret"))}, nil
}

func (o *outside) DoOnce(req *http.Request) (*http.Response, error) { return o.Do(req) }

func request(ctx context.Context, t *testing.T, method, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestHTTPSpans(t *testing.T) {
	for name, tt := range map[string]struct {
		port        outside
		method, url string
		want        map[string]any
		failed      bool
		told        bool
	}{
		"foreign": {
			outside{status: 200}, "GET", "https://secret.example/secret?secret",
			map[string]any{"http.request.method": "GET", "http.response.status_code": int64(200)}, false, false,
		},
		"known": {
			outside{status: 200}, "POST", "https://api.example/secret", map[string]any{
				"http.request.method": "POST", "http.response.status_code": int64(200), "server.address": "api.example", "server.port": int64(443),
			}, false, true,
		},
		"known by another port": {
			outside{status: 200}, "GET", "https://api.example:8443/",
			map[string]any{"http.request.method": "GET", "http.response.status_code": int64(200)}, false, false,
		},
		"a method of the caller": {
			outside{status: 200}, "SECRET", "https://a.example",
			map[string]any{"http.request.method": "_OTHER", "http.response.status_code": int64(200)}, false, false,
		},
		"an error of the server": {
			outside{status: 503}, "GET", "https://a.example",
			map[string]any{"http.request.method": "GET", "http.response.status_code": int64(503), "error.type": "503"}, true, false,
		},
		"no answer": {
			outside{err: tool.Fail(tool.NetworkError, "secret")}, "GET", "https://a.example",
			map[string]any{"http.request.method": "GET", "error.type": "network_error"}, true, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, rec := recorded(t)
			req := request(ctx, t, tt.method, tt.url)
			resp, err := HTTP(&tt.port, []string{"api.example:443"}).Do(req)
			if err == nil {
				if len(rec.Ended()) != 0 {
					t.Error("the span ended before the answer was read")
				}
				_, _ = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			span, attrs := onlySpan(t, rec)
			if diff := cmp.Diff(tt.want, attrs); diff != "" || (span.Status().Code == codes.Error) != tt.failed {
				t.Errorf("status %v, attributes differ (-want +got):\n%s", span.Status(), diff)
			}
			if parent := tt.port.sent.Header.Get("Traceparent"); (parent != "") != tt.told ||
				tt.told && !strings.Contains(parent, span.SpanContext().SpanID().String()) {
				t.Errorf("the host received the traceparent %q, want one: %v", parent, tt.told)
			}
			if req.Header.Get("Traceparent") != "" {
				t.Error("the request of the tool was changed")
			}
		})
	}
}

// TestHTTPKeepsHeader: a traceparent that a tool sets itself is sent as it is.
func TestHTTPKeepsHeader(t *testing.T) {
	ctx, _ := recorded(t)
	var port outside
	port.status = 200
	req := request(ctx, t, "GET", "https://api.example")
	req.Header.Set("Traceparent", "own")
	resp, err := HTTP(&port, []string{"api.example"}).(once).DoOnce(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if got := port.sent.Header.Get("Traceparent"); got != "own" {
		t.Errorf("the host received the traceparent %q, want that of the tool", got)
	}
}

// TestHTTPUntraced: without a recorded span a request is sent as it is.
func TestHTTPUntraced(t *testing.T) {
	port := outside{status: 200}
	resp, err := HTTP(&port, []string{"api.example"}).Do(request(t.Context(), t, "GET", "https://api.example"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if _, wrapped := resp.Body.(*body); wrapped || port.sent.Header.Get("Traceparent") != "" {
		t.Error("a request outside of a trace is traced")
	}
}
