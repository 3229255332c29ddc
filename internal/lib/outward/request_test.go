package outward

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

type entries []tool.ServiceEntry

func (e entries) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return e, nil }

type fixed time.Time

func (f fixed) Now() time.Time { return time.Time(f) }

var service = Service{Name: "models", Base: "https://api.example.com", Use: "to test", Set: "--stdin api_key"}

// at returns a client of a server, which answers as handler does.
func at(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := Open(t.Context(), &tool.Call{HTTP: server.Client(), Clock: fixed(time.Now()), Secrets: entries{
		{Label: "off", Data: map[string]string{"base_url": "http://127.0.0.1:1"}},
		{Label: "on", Active: true, Shared: true, Data: map[string]string{"base_url": server.URL + "/v1/", "api_key": "secret-key"}},
	}}, service)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFailures: each failure of a service has its kind, and holds no secret.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		kind   tool.Kind
		says   string
	}{
		{401, `{"error":{"message":"bad key secret-key"}}`, tool.NotConfigured, "helve config set models --stdin api_key"},
		{403, ``, tool.NotConfigured, "status 403"},
		{429, ``, tool.RateLimited, "in 7 seconds"},
		{500, ``, tool.NetworkError, "status 500"},
		{400, `{"error":{"message":"too many tokens for secret-key"}}`, tool.ExecutionError, "(status 400): too many tokens for …"},
		{400, `{"error":"flat"}`, tool.ExecutionError, ": flat"},
		{422, `{"detail":"no such voice"}`, tool.ExecutionError, ": no such voice"},
		{400, `{"id":"x","name":"bad_request","errors":["prompt: too long","y"]}`, tool.ExecutionError, ": prompt: too long"},
		{400, `{"errors":[]}`, tool.ExecutionError, "(status 400)"},
		{400, `{"error":true,"reason":"no such place"}`, tool.ExecutionError, ": no such place"},
		{404, `<html>`, tool.ExecutionError, "(status 404)"},
		{304, ``, tool.ExecutionError, "status 304"},
		{204, ``, tool.ExecutionError, "makes no sense"},
		{200, `<html>`, tool.ExecutionError, "makes no sense"},
		{200, `"` + strings.Repeat("x", maxAnswer) + `"`, tool.ExecutionError, "longer than"},
	} {
		tries := 0
		c := at(t, func(w http.ResponseWriter, r *http.Request) {
			tries++
			if r.Header.Get("Authorization") != "Bearer secret-key" || r.URL.Path != "/v1/do" || r.URL.RawQuery != "q=1" {
				t.Errorf("request %s with %v", r.URL, r.Header)
			}
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		})
		var answer any
		err := c.JSON(t.Context(),
			Request{Method: http.MethodPost, Path: "do", Query: url.Values{"q": {"1"}}, JSON: map[string]int{"n": 1}}, &answer)
		if e := new(tool.Error); !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.says) ||
			strings.Contains(e.Msg, "secret-key") {
			t.Errorf("status %d, %.60s: %v, want %s with %q", tt.status, tt.body, err, tt.kind, tt.says)
		}
		if tries != 1 {
			t.Errorf("status %d: a POST was sent %d times", tt.status, tries)
		}
	}
}

// TestOpen: a service that is missing or wrong is named, with its
// owner and the command that sets it.
func TestOpen(t *testing.T) {
	for name, list := range map[string]entries{
		"no entry":    {},
		"inactive":    {{Data: map[string]string{"api_key": "x"}}},
		"no http":     {{Active: true, Data: map[string]string{"base_url": "file:///etc/passwd"}}},
		"credentials": {{Active: true, Data: map[string]string{"base_url": "https://u:p@h/v1"}}},
	} {
		_, err := Open(t.Context(), &tool.Call{Tenant: "acme", User: "ann", Secrets: list}, service)
		if e := tool.AsError(err); e == nil || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "helve config set models") ||
			strings.Contains(e.Msg, "u:p") {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := MissingAll(&tool.Call{Tenant: "acme", User: "ann"}, service, Service{Name: "other", Set: "base_url=URL"})
	if e := tool.AsError(err); e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "ann") || !strings.Contains(e.Msg, "acme") ||
		!strings.Contains(e.Msg, "helve config set other base_url=URL") {
		t.Errorf("MissingAll: %v", err)
	}
}

// TestReach: only the address of an entry of the tenant may be internal.
func TestReach(t *testing.T) {
	for _, tt := range []struct {
		shared bool
		base   string
		want   string
	}{
		{true, "http://10.0.0.1", "10.0.0.1:80"}, {true, "https://[::1]/v1", "[::1]:443"}, {true, "http://h:8080", "h:8080"},
		{false, "http://10.0.0.1", ""},
	} {
		c, err := service.With(&tool.Call{}, tool.ServiceEntry{Active: true, Shared: tt.shared, Data: map[string]string{"base_url": tt.base}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tool.Reachable(c.Reach(t.Context())), " "); got != tt.want {
			t.Errorf("%s: reach %q, want %q", tt.base, got, tt.want)
		}
		if got := tool.ServiceOf(c.Reach(t.Context())); got != service.Name {
			t.Errorf("the requests count as those of %q, want %q", got, service.Name)
		}
	}
}

// TestRetry: a GET is repeated on 503 and on nothing else, three times at most, and no
// longer than the caller waits.
func TestRetry(t *testing.T) {
	for name, tt := range map[string]struct {
		method, after string
		status, tries int
	}{
		"unavailable":     {http.MethodGet, "", 503, 3},
		"soon":            {http.MethodGet, "2", 503, 3},
		"much later":      {http.MethodGet, "60", 503, 1},
		"another failure": {http.MethodGet, "", 502, 1},
		"a change":        {http.MethodPost, "", 503, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			start := time.Now()
			resp, err := Retry(t.Context(), fixed(start), func() (*http.Response, error) {
				tries++
				h := http.Header{}
				if tt.after != "" {
					h.Set("Retry-After", tt.after)
				}
				return &http.Response{StatusCode: tt.status, Header: h, Body: http.NoBody, Request: &http.Request{Method: tt.method}}, nil
			})
			if err != nil || resp.StatusCode != tt.status || tries != tt.tries {
				t.Errorf("%s: %v, %d tries, want %d", name, err, tries, tt.tries)
			}
			if tt.after == "2" && time.Since(start) < 4*time.Second {
				t.Errorf("%s: the pauses were %v, want 2 s each", name, time.Since(start))
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]int{
		"":                              60,
		"12":                            12,
		"999999":                        60,
		"-1":                            60,
		"soon":                          60,
		"Fri, 02 Jan 2026 03:05:05 GMT": 60,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10,
		"Fri, 02 Jan 2020 03:04:15 GMT": 60,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {text}}, fixed(now)); got != want {
			t.Errorf("RetryAfter(%q) = %d, want %d", text, got, want)
		}
	}
}

// TestDeclined: only a failure after which the service certainly did nothing lets another
// service do the same.
func TestDeclined(t *testing.T) {
	for status, want := range map[int]bool{
		400: false, 401: true, 403: true, 404: false, 408: false, 429: true, 500: true, 502: false, 503: true, 504: false, 529: true,
	} {
		c := at(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		_, err := c.Bytes(t.Context(), Request{Method: http.MethodPost, Body: []byte("x")})
		if err == nil || Declined(err) != want {
			t.Errorf("status %d: %v, declined %v, want %v", status, err, !want, want)
		}
	}
	c := at(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if _, err := c.Bytes(t.Context(), Request{Method: http.MethodPost, Body: []byte("x")}); err == nil || Declined(err) {
		t.Errorf("a broken connection: %v, declined", err)
	}
	c = at(t, nil)
	c.base.Host = "127.0.0.1:1"
	if _, err := c.Bytes(t.Context(), Request{Method: http.MethodPost, Body: []byte("x")}); err == nil || !Declined(err) {
		t.Errorf("no connection: %v, not declined", err)
	}
	if Declined(nil) || Declined(tool.Fail(tool.Timeout, "late")) || !Declined(Missing(&tool.Call{}, service)) {
		t.Error("nil, a timeout or a missing account is taken wrongly")
	}
}

// TestMost: a request may allow a longer or a shorter answer than others.
func TestMost(t *testing.T) {
	c := at(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("12345")) })
	if text, err := c.Bytes(t.Context(), Request{Most: 5}); err != nil || string(text) != "12345" {
		t.Errorf("Bytes = %q, %v", text, err)
	}
	if _, err := c.Bytes(t.Context(), Request{Most: 4}); err == nil || !strings.Contains(err.Error(), "longer than 4 bytes") {
		t.Errorf("an answer that is too long: %v", err)
	}
}

// TestSlow: requests of services that work for minutes are marked as such.
func TestSlow(t *testing.T) {
	for _, slow := range []bool{false, true} {
		c := at(t, nil)
		c.call.HTTP = doer(func(r *http.Request) (*http.Response, error) {
			if tool.Patient(r.Context()) != slow {
				t.Errorf("patient %v, want %v", !slow, slow)
			}
			return nil, errors.New("not sent")
		})
		if _, err := c.Bytes(t.Context(), Request{Slow: slow}); err == nil {
			t.Error("no error")
		}
	}
}

// TestBelow: credentials are sent below the address of the entry only.
func TestBelow(t *testing.T) {
	for _, tt := range []struct {
		base, to string
		want     bool
	}{
		{"https://api.example/v1", "https://api.example/v1/users?x=../y", true},
		{"https://api.example/v1", "https://API.example:443/v1", true},
		{"https://api.example/v1/", "https://api.example/v1/a", true},
		{"https://api.example", "https://api.example/a/../b", true},
		{"https://api.example/v1", "https://api.example/v1/%2f", true},
		{"https://api.example/v1", "https://api.example/v10", false},
		{"https://api.example/v1", "https://api.example/", false},
		{"https://api.example/v1", "https://api.example/v1/../v2", false},
		{"https://api.example/v1", "https://api.example/v1/%2e%2e/v2", false},
		{"https://api.example/v1", "https://api.example/v1/%252e%252e/v2", false},
		{"https://api.example/v1", `https://api.example/v1/..%5cv2`, false},
		{"https://api.example/v1", "https://api.example/v1/..;/v2", false},
		{"https://api.example/v1", "http://api.example/v1", false},
		{"https://api.example/v1", "https://api.example:8443/v1", false},
		{"https://api.example/v1", "https://api.example.evil.example/v1", false},
		{"https://api.example/v1", "https://u@api.example/v1", false},
	} {
		c, err := service.With(&tool.Call{}, tool.ServiceEntry{Active: true, Data: map[string]string{"base_url": tt.base}})
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(tt.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Below(u); got != tt.want {
			t.Errorf("Below(%s) of %s = %v, want %v", tt.to, tt.base, got, tt.want)
		}
	}
}

// TestRetryAfterRedirect: what began as a POST is not sent again, although the answer is that
// of a GET.
func TestRetryAfterRedirect(t *testing.T) {
	first := &http.Request{Method: http.MethodPost}
	last := &http.Request{Method: http.MethodGet, Response: &http.Response{StatusCode: http.StatusSeeOther, Request: first}}
	sent := 0
	resp, err := Retry(t.Context(), nil, func() (*http.Response, error) {
		sent++
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody, Request: last}, nil
	})
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable || sent != 1 {
		t.Errorf("sent %d times, %v, want once", sent, err)
	}
}
