package webapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

type httpRequestArgs struct {
	URL     string                     `json:"url" doc:"Full address, http:// or https://." min:"1" max:"16384"`
	Method  string                     `json:"method,omitempty" doc:"HTTP method." enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS" default:"GET"`
	Headers map[string]string          `json:"headers,omitempty" doc:"Request headers, name to value."`
	Body    string                     `json:"body,omitempty" doc:"Request body as text; Content-Type is application/json unless a header says otherwise."`
	JSON    map[string]json.RawMessage `json:"json,omitempty" doc:"Request body as a JSON object, in place of body."`
	Timeout float64                    `json:"timeout,omitempty" doc:"Milliseconds to wait for the whole answer, at most 30000." min:"1" default:"30000"`
	Format  string                     `json:"format,omitempty" doc:"auto turns HTML into readable text and JSON into a value, text turns all markup into readable text, raw leaves markup as it is." enum:"auto,text,raw" default:"auto"`
}

// longest is the maximum time of a request, whatever its timeout is.
const longest = 30 * time.Second

var _ = tool.Add(Set, tool.Spec[httpRequestArgs, httpResponse]{
	Name:        "http_request",
	Description: "Make an HTTP request to a public URL and return status, headers and body; web pages come as readable text.",
	Tags:        []string{"api", "http", "rest", "request", "endpoint", "fetch", "call", "web", "url"},
	Errors:      []tool.Kind{tool.NetworkError},
	Example:     `{"url":"https://example.com/"}`,
	Risk:        tool.Medium,
	Mutates:     true,
	Reads:       isRead,
	Idempotent:  false,
	// By RFC 9110 PUT and DELETE could be repeated too. But a server may not comply,
	// and a repeat may undo what others did in between, so they run once.
	Repeats:   isRead,
	OpenWorld: true,
	Scopes:    tool.Scopes{Hosts: []string{"*"}},
	Needs:     tool.NeedHTTP,
	Timeout:   longest,
	Run:       httpRequest,
})

// overrides lists headers with which some servers run another method than the
// request's.
var overrides = []string{"x-http-method", "x-http-method-override", "x-method-override"}

// isRead reports whether a request changes nothing.
func isRead(args httpRequestArgs) bool { return reads(args.Method, args.Headers) }

// reads reports whether a request with a method, GET if it is empty, and headers changes
// nothing.
func reads(method string, headers map[string]string) bool {
	for name := range headers {
		if slices.Contains(overrides, strings.ToLower(name)) {
			return false
		}
	}
	switch cmp.Or(method, http.MethodGet) {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	default:
		return false
	}
}

func httpRequest(ctx context.Context, call *tool.Call, args httpRequestArgs) (httpResponse, error) {
	timeout := longest
	if ms := args.Timeout; ms > 0 && ms < float64(longest.Milliseconds()) {
		timeout = time.Duration(ms * float64(time.Millisecond))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := newRequest(ctx, &args)
	if err != nil {
		return httpResponse{}, err
	}
	resp, err := call.HTTP.Do(req)
	if err != nil {
		return httpResponse{}, err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	outward.MarkUntrusted(call)
	return readResponse(ctx, resp, args.Format)
}
