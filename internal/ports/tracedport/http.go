package tracedport

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// HTTP returns a port whose requests are spans. hosts are those that may learn of traces,
// in the form of [tool.Scopes].
func HTTP(port tool.HTTP, hosts []string) tool.HTTP { return &httpPort{port, hosts} }

type httpPort struct {
	next  tool.HTTP
	hosts []string
}

// Do implements [tool.HTTP].
func (p *httpPort) Do(req *http.Request) (*http.Response, error) { return p.send(req, p.next.Do) }

// once is the part of a port that returns a redirect instead of following it.
type once interface {
	DoOnce(req *http.Request) (*http.Response, error)
}

// DoOnce is Do, but returns a redirect instead of following it.
func (p *httpPort) DoOnce(req *http.Request) (*http.Response, error) {
	next, ok := p.next.(once)
	if !ok {
		return nil, tool.Fail(tool.ExecutionError, "a request cannot be sent here without following redirects; send it with them")
	}
	return p.send(req, next.DoOnce)
}

func (p *httpPort) send(req *http.Request, do func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	name, method := methodOf(req.Method)
	ctx, span := telemetry.Child(req.Context(), trace.SpanKindClient, name, method)
	req = req.WithContext(ctx)
	if trusted(req.URL, p.hosts) {
		span.SetAttributes(semconv.ServerAddress(req.URL.Hostname()), semconv.ServerPort(int(portOf(req.URL))))
		if parent := telemetry.Traceparent(ctx); parent != "" && req.Header.Get("Traceparent") == "" {
			req.Header = req.Header.Clone()
			if req.Header == nil {
				req.Header = http.Header{}
			}
			req.Header.Set("Traceparent", parent)
		}
	}
	resp, err := do(req)
	if err != nil {
		telemetry.EndCall(span, string(tool.AsError(err).Kind))
		return nil, err
	}
	span.SetAttributes(semconv.HTTPResponseStatusCode(resp.StatusCode))
	failure := ""
	if resp.StatusCode >= http.StatusBadRequest {
		failure = strconv.Itoa(resp.StatusCode)
	}
	if span.IsRecording() {
		resp.Body = &body{resp.Body, span, failure}
	}
	return resp, nil
}

// body ends a span when the last byte of an answer was read, or the answer is closed.
type body struct {
	io.ReadCloser
	span    telemetry.Span
	failure string
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		telemetry.EndCall(b.span, b.failure)
	default:
		telemetry.EndCall(b.span, string(tool.AsError(err).Kind))
	}
	return n, err
}

// Close implements [io.Closer].
func (b *body) Close() error {
	telemetry.EndCall(b.span, b.failure)
	return b.ReadCloser.Close()
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	http.MethodConnect, http.MethodTrace,
}

// methodOf returns the name and the attribute of a request's span. Other methods than those
// of the standard are the caller's text.
func methodOf(method string) (string, attribute.KeyValue) {
	if method == "" {
		method = http.MethodGet
	}
	if !slices.Contains(methods, method) {
		return "HTTP", semconv.HTTPRequestMethodOther
	}
	return method, semconv.HTTPRequestMethodKey.String(method)
}

// trusted reports whether the operator lets the host of a URL learn of traces.
func trusted(u *url.URL, hosts []string) bool {
	return len(hosts) > 0 && u != nil && scope.Host(u.Hostname(), portOf(u), tool.Scopes{Hosts: hosts}) == nil
}

// portOf returns the port of a URL; 0 if it is invalid.
func portOf(u *url.URL) uint16 {
	text := u.Port()
	if text == "" {
		text = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	port, _ := strconv.ParseUint(text, 10, 16)
	return uint16(port)
}
