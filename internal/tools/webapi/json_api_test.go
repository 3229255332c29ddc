package webapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// playAPI runs json_api.
func playAPI(t *testing.T, call tool.Call, args string) (tool.Result, error) {
	t.Helper()
	return tooltest.Play(t.Context(), named(t, "json_api"), call, args)
}

func TestJSONAPI(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/users":
			answer(200, "application/json", `{"users":["alice","bob"],"n":12345678901234567890.10}`)(w, r)
		case "/text":
			answer(200, "text/plain; charset=iso-8859-1", "caf\xe9")(w, r)
		case "/html":
			answer(404, "text/html", "<p>no</p>")(w, r)
		case "/twice":
			answer(200, "application/json", `{"a":1,"a":2}`)(w, r)
		case "/same":
			answer(304, "application/json", "")(w, r)
		case "/none":
			answer(204, "application/json", "")(w, r)
		default:
			said, err := json.Marshal(map[string]string{
				"method": r.Method, "query": r.URL.RawQuery, "type": r.Header.Get("Content-Type"), "body": string(body),
				"auth": r.Header.Get("Authorization"), "accept": r.Header.Get("Accept"), "key": r.Header.Get("X-Key"),
			})
			if err != nil {
				t.Error(err)
			}
			answer(200, "application/json", string(said))(w, r)
		}
	})
	call.Secrets = accounts{}
	echo := func(method, query, kind, body, auth, accept, key string) string {
		return fmt.Sprintf(`{"status":200,"data":{"method":%q,"query":%q,"type":%q,"body":%q,"auth":%q,"accept":%q,"key":%q}}`,
			method, query, kind, body, auth, accept, key)
	}
	tooltest.Run(t, Set, "json_api", call, []tooltest.Case{
		{
			Name: "data", Args: `{"url":"` + url + `/users"}`, Want: `{"status":200,"data":{"users":["alice","bob"],"n":12345678901234567890.10}}`,
			WantText: "HTTP 200\nNote: " + outward.Untrusted + "\n\n" + `{"users":["alice","bob"],"n":12345678901234567890.10}`,
		},
		{
			Name: "text", Args: `{"url":"` + url + `/text"}`, Want: `{"status":200,"data":"café"}`,
			WantText: "HTTP 200\nNote: " + outward.Untrusted + "\n\ncafé",
		},
		{Name: "status", Args: `{"url":"` + url + `/html"}`, Want: `{"status":404,"data":"<p>no</p>"}`},
		{Name: "not quite JSON", Args: `{"url":"` + url + `/twice"}`, Want: `{"status":200,"data":"{\"a\":1,\"a\":2}"}`},
		{
			Name: "not modified", Args: `{"url":"` + url + `/same","headers":{"If-None-Match":"x"}}`,
			Want: `{"status":304,"data":null,"notModified":true}`, WantText: "HTTP 304\nNote: " + outward.Untrusted + "\n\n(not modified)",
		},
		{Name: "empty", Args: `{"url":"` + url + `/none","method":"DELETE"}`, Want: `{"status":204,"data":null}`},
		{Name: "nothing unasked", Args: `{"url":"` + url + `/echo"}`, Want: echo("GET", "", "", "", "", "application/json", "")},
		{
			Name: "body", Args: `{"url":"` + url + `/echo","method":"put","data":{"n":12345678901234567890,"t":"<&>"}}`,
			Want: echo("PUT", "", "application/json", `{"n":12345678901234567890,"t":"<&>"}`, "", "application/json", ""),
		},
		{
			Name: "token and headers", Args: `{"url":"` + url + `/echo","bearerToken":"t0k","headers":{"x-key":"k","accept":"text/csv"}}`,
			Want: echo("GET", "", "", "", "Bearer t0k", "text/csv", "k"),
		},
		{
			Name: "query", Args: `{"url":"` + url + `/echo?a=1","query":{"q":"two words&x","n":2,"b":true,"l":["x","y"]}}`,
			Want: echo("GET", "a=1&b=true&l=x&l=y&n=2&q=two+words%26x", "", "", "", "application/json", ""),
		},
		{Name: "selected", Args: `{"url":"` + url + `/users","select":"$.users[1:]"}`, Want: `{"status":200,"data":["bob"]}`},
		{Name: "every digit", Args: `{"url":"` + url + `/users","select":"$.n"}`, Want: `{"status":200,"data":[12345678901234567890.10]}`},
		{Name: "nothing selected", Args: `{"url":"` + url + `/users","select":"$.others[*]"}`, Want: `{"status":200,"data":[]}`},
		{Name: "nothing to select from", Args: `{"url":"` + url + `/text","select":"$.a"}`, Fails: tool.ExecutionError, Message: "is not JSON"},
		{Name: "no path", Args: `{"url":"` + url + `/users","select":"users["}`, Fails: tool.ValidationError, Message: "RFC 9535"},
		{
			Name: "too much work", Args: `{"url":"` + url + `/users","select":"$..[?$..*].x[?$..*][?$..*][?$..*][?$..*][?$..*]"}`,
			Fails: tool.ValidationError, Message: "too much work",
		},
		{Name: "body of GET", Args: `{"url":"` + url + `","data":{}}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "pages of POST", Args: `{"url":"` + url + `","method":"POST","maxPages":2}`, Fails: tool.ValidationError, Message: "maxPages"},
		{Name: "object in the query", Args: `{"url":"` + url + `","query":{"q":{"a":1}}}`, Fails: tool.ValidationError, Message: "query.q"},
		{
			Name: "line break in the token", Args: `{"url":"` + url + `","bearerToken":"a\r\nX-Evil: 1"}`, Fails: tool.ValidationError,
			Message: "bearerToken",
		},
		{Name: "other schemes", Args: `{"url":"ftp://files.internal"}`, Fails: tool.ValidationError, Message: "http"},
		{Name: "inside", Args: `{"url":"http://169.254.169.254/"}`, Fails: tool.PermissionDenied, Message: "blocked internal address"},
		{
			Name: "no service", Args: `{"url":"` + url + `","service":"github"}`, Fails: tool.NotConfigured,
			Message: "helve config set github --type http",
		},
	})
	res, err := playAPI(t, call, `{"url":"`+url+`/html"}`)
	if err != nil || res.Metadata["status"] != 404 || strings.Join(res.Notes, "") != outward.Untrusted {
		t.Errorf("metadata %v, notes %q, %v; want the status and the note", res.Metadata, res.Notes, err)
	}
}

// TestJSONAPIFails: what ends a call in an error, after how many requests, and what the
// metadata says.
func TestJSONAPIFails(t *testing.T) {
	var status, requests atomic.Int64
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if status.Load() == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		if status.Load() == 0 {
			panic(http.ErrAbortHandler)
		}
		answer(int(status.Load()), "application/json", `{"error":"key-1234 is busy"}`)(w, r)
	})
	call.Secrets = accounts{"models": entry("base_url", url+"/v1", "api_key", "key-1234")}
	for _, tt := range []struct {
		status   int64
		args     string
		kind     tool.Kind
		says     string
		requests int64
	}{
		{429, ``, tool.RateLimited, "in 1 seconds", 1},
		{503, ``, tool.NetworkError, "status 503: ", 3},
		{503, `,"method":"POST"`, tool.NetworkError, "status 503", 1},
		{500, ``, tool.NetworkError, "status 500", 1},
		{0, `,"method":"POST"`, tool.NetworkError, "HTTP request failed", 1},
		{401, `,"service":"models"`, tool.NotConfigured, "helve config set models", 1},
		{403, `,"service":"models"`, tool.NotConfigured, ": … is busy", 1},
		{429, `,"service":"models"`, tool.RateLimited, "in 1 seconds", 1},
		{500, `,"service":"models"`, tool.NetworkError, "… is busy", 1},
	} {
		status.Store(tt.status)
		requests.Store(0)
		_, err := playAPI(t, call, `{"url":"`+url+`/v1/x"`+tt.args+`}`)
		e := tool.AsError(err)
		if e == nil || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.says) || requests.Load() != tt.requests {
			t.Errorf("status %d%s: %v after %d requests, want %s with %q after %d",
				tt.status, tt.args, err, requests.Load(), tt.kind, tt.says, tt.requests)
			continue
		}
		if tt.status != 0 && e.Metadata["status"] != int(tt.status) || tt.status == 429 && e.Metadata["retryAfter"] != 1 {
			t.Errorf("status %d%s: metadata %v", tt.status, tt.args, e.Metadata)
		}
		if tt.args != "" && strings.Contains(e.Msg, "key-1234") && strings.Contains(tt.args, "service") {
			t.Errorf("status %d%s: the message holds the key: %s", tt.status, tt.args, e.Msg)
		}
	}
}

// TestJSONAPITooLong: an answer beyond the limit is refused, however long it says it is.
func TestJSONAPITooLong(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range maxAPI>>20 + 1 {
			_, _ = w.Write([]byte(strings.Repeat(" ", 1<<20)))
		}
	})
	call.Secrets = accounts{}
	if _, err := playAPI(t, call, `{"url":"`+url+`"}`); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ExecutionError ||
		!strings.Contains(err.Error(), "longer than 5 MB") {
		t.Errorf("ended in %v", err)
	}
}

// TestJSONAPIService: the credentials of a service are sent below its address and nowhere
// else, and the model does not see them.
func TestJSONAPIService(t *testing.T) {
	elsewhere, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s arrived with %v", r.URL, r.Header)
	})
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/out":
			http.Redirect(w, r, elsewhere, http.StatusFound)
		case "/v1/up":
			http.Redirect(w, r, "/other", http.StatusFound)
		case "/v1/moved":
			http.Redirect(w, r, "/v1/here", http.StatusMovedPermanently)
		case "/v1/posted":
			http.Redirect(w, r, "/v1/here", http.StatusSeeOther)
		case "/v1/loop":
			http.Redirect(w, r, "/v1/loop", http.StatusFound)
		case "/v1/here":
			said, _ := json.Marshal(r.Header.Get("Authorization"))
			answer(200, "application/json", string(said))(w, r)
		default:
			t.Errorf("%s arrived", r.URL)
		}
	})
	call.Secrets = accounts{
		"bearer": entry("base_url", url+"/v1", "api_key", "key-1234"),
		"basic":  entry("base_url", url+"/v1", "user", "ann", "password", "pass-1234"),
		"oauth":  entry("base_url", url+"/v1", "access_token", "at-1234"),
		"open":   entry("base_url", url+"/v1"),
		"nobase": entry("api_key", "key-1234"),
		"off":    {{Label: "default", Data: map[string]string{"base_url": url}}},
	}
	args := func(path, service, more string) string {
		return `{"url":"` + url + path + `","service":"` + service + `"` + more + `}`
	}
	tooltest.Run(t, Set, "json_api", call, []tooltest.Case{
		{Name: "bearer", Args: args("/v1/here", "bearer", ""), Want: `{"status":200,"data":"Bearer …"}`},
		{Name: "basic", Args: args("/v1/here", "basic", ""), Want: `{"status":200,"data":"Basic …"}`},
		{Name: "access token", Args: args("/v1/here", "oauth", ""), Want: `{"status":200,"data":"Bearer …"}`},
		{Name: "no credentials", Args: args("/v1/here", "open", ""), Want: `{"status":200,"data":""}`},
		{Name: "redirect below", Args: args("/v1/moved", "bearer", ""), Want: `{"status":200,"data":"Bearer …"}`},
		{Name: "redirect of a POST", Args: args("/v1/posted", "bearer", `,"method":"POST","data":{}`), Want: `{"status":303,"data":null}`},
		{Name: "redirect elsewhere", Args: args("/v1/out", "bearer", ""), Fails: tool.PermissionDenied, Message: "not below the base_url"},
		{Name: "redirect above", Args: args("/v1/up", "bearer", ""), Fails: tool.PermissionDenied, Message: "not below the base_url"},
		{Name: "redirects without end", Args: args("/v1/loop", "bearer", ""), Fails: tool.NetworkError, Message: "more than 10 times"},
		{Name: "above", Args: args("/other", "bearer", ""), Fails: tool.PermissionDenied, Message: "not below the base_url"},
		{Name: "climbing", Args: args("/v1/%2e%2e/other", "bearer", ""), Fails: tool.PermissionDenied, Message: "not below the base_url"},
		{
			Name:    "elsewhere",
			Args:    `{"url":"` + elsewhere + `/v1/here","service":"bearer"}`,
			Fails:   tool.PermissionDenied,
			Message: "not below the base_url",
		},
		{Name: "no address", Args: args("/v1/here", "nobase", ""), Fails: tool.NotConfigured, Message: "helve config set nobase base_url"},
		{Name: "not active", Args: args("/v1/here", "off", ""), Fails: tool.NotConfigured, Message: "helve config set off"},
		{Name: "two credentials", Args: args("/v1/here", "bearer", `,"bearerToken":"x"`), Fails: tool.ValidationError, Message: "bearerToken"},
		{
			Name:    "own header",
			Args:    args("/v1/here", "bearer", `,"headers":{"authorization":"x"}`),
			Fails:   tool.ValidationError,
			Message: "Authorization",
		},
		{Name: "no name", Args: args("/v1/here", "a b", ""), Fails: tool.ValidationError, Message: "name of a service"},
	})
}
