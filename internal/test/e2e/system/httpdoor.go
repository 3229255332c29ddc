package system

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// HTTPDoor sends operations to one dispatcher over HTTP.
type HTTPDoor struct {
	Client *http.Client
	URL    string
}

// HTTP returns the HTTP door of the dispatcher with that index.
func (s *System) HTTP(dispatcher int) HTTPDoor { return HTTPDoor{s.Client, s.URLs[dispatcher]} }

// Ask implements Door. It compares each answer with its description.
func (d HTTPDoor) Ask(t testing.TB, tenant, operation string, params map[string]string, body string) Reply {
	t.Helper()
	r, ok := Routes[operation]
	if !ok {
		t.Fatalf("the tests know no HTTP form of %s", operation)
	}
	path, query := r.Path, url.Values{}
	for name, value := range params {
		if in := strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1); in != path {
			path = in
		} else {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	got := d.Send(t, r.Method, path, body, http.Header{"Helve-Tenant": {tenant}})
	WantDescribed(t, r, got)
	return got
}

// Send sends a request and returns the answer.
func (d HTTPDoor) Send(t testing.TB, method, path, body string, header http.Header) Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, d.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	res, err := d.Client.Do(req)
	if err != nil {
		t.Fatalf("no answer to %s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("no whole answer to %s %s: %v", method, path, err)
	}
	return Reply{res.StatusCode, res.Header, data}
}
