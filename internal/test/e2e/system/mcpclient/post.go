package mcpclient

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Posted is the answer to an MCP request.
type Posted struct {
	Status int
	Body   string
	Header http.Header
}

// Post sends a message like a client without an SDK.
func Post(t *testing.T, web *http.Client, head map[string]string, body string) Posted {
	t.Helper()
	return Request(t, web, http.MethodPost, head, body)
}

// Request sends a request with any method. The client web decides which dispatcher gets it.
func Request(t *testing.T, web *http.Client, method string, head map[string]string, body string) Posted {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://dispatcher/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range head {
		req.Header.Set(name, value)
	}
	if host := head["Host"]; host != "" {
		req.Host = host
	}
	return Do(t, web, req)
}

// Do sends a request and returns the answer.
func Do(t *testing.T, web *http.Client, req *http.Request) Posted {
	t.Helper()
	resp, err := web.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("the answer to %s %s: %v", req.Method, req.URL, err)
	}
	return Posted{resp.StatusCode, string(text), resp.Header}
}
