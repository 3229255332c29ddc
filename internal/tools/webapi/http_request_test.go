package webapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestHTTPRequest(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Request-ID", "7")
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.URL, r.Header.Get("Content-Type"), r.Header.Get("X-Key"), body)
	})
	result := func(method, body string) string {
		return fmt.Sprintf(`{"status":200,"statusText":"OK","headers":{"content-length":"%d","content-type":"text/plain","x-request-id":"7"},"body":%q,"url":%q}`,
			len(body), body, url+"/"+method)
	}
	cases := []tooltest.Case{
		{
			Name: "default", Args: `{"url":"` + url + `/get"}`, Want: result("get", "GET /get   "),
			WantText: "HTTP 200 OK\nContent-Type: text/plain\nContent-Length: 11\nNote: " + outward.Untrusted + "\n\nGET /get   ",
		},
		{
			Name: "post", Args: `{"url":"` + url + `/x","method":"POST","body":"{\"a\":1}","headers":{"x-key":"k"}}`,
			WantText: "HTTP 201 Created\nContent-Type: text/plain\nContent-Length: 34\nNote: " + outward.Untrusted +
				"\n\nPOST /x application/json k {\"a\":1}",
		},
		{
			Name: "json", Args: `{"url":"` + url + `/put","method":"PUT","json":{"n":12345678901234567890.10,"t":"<&>"}}`,
			Want: result("put", `PUT /put application/json  {"n":12345678901234567890.10,"t":"<&>"}`),
		},
		{
			Name: "empty json", Args: `{"url":"` + url + `/patch","method":"PATCH","json":{}}`,
			Want: result("patch", `PATCH /patch application/json  {}`),
		},
		{
			Name: "own type",
			Args: `{"url":"` + url + `/delete","method":"DELETE","body":"a=b","headers":{"Content-Type":"application/x-www-form-urlencoded"}}`,
			Want: result("delete", `DELETE /delete application/x-www-form-urlencoded  a=b`),
		},
		{Name: "options", Args: `{"url":"` + url + `/options","method":"OPTIONS"}`, Want: result("options", "OPTIONS /options   ")},
		{
			Name: "head", Args: `{"url":"` + url + `/head","method":"HEAD"}`,
			WantText: "HTTP 200 OK\nContent-Type: text/plain\nContent-Length: 13\nNote: " + outward.Untrusted + "\n\n(empty response body)",
		},
		{Name: "long timeout", Args: `{"url":"` + url + `/get","timeout":1e9}`, Want: result("get", "GET /get   ")},
	}
	tooltest.Run(t, Set, "http_request", call, cases)
}

func TestHTTPRequestAnswersEveryStatus(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &status); err != nil {
			t.Error(err)
		}
		answer(status, "text/plain", "")(w, r)
	})
	for status, text := range map[int]string{
		204: "No Content", 304: "Not Modified", 404: "Not Found", 418: "I'm a teapot", 500: "Internal Server Error", 503: "Service Unavailable",
	} {
		tooltest.Run(t, Set, "http_request", call, []tooltest.Case{{
			Name: text,
			Args: fmt.Sprintf(`{"url":"%s/%d"}`, url, status),
			Check: func(t *testing.T, res tool.Result) {
				t.Helper()
				want := fmt.Sprintf("HTTP %d %s\n", status, text)
				if !strings.HasPrefix(res.Text, want) || !strings.HasSuffix(res.Text, "\n\n(empty response body)") {
					t.Errorf("text = %q, want it to begin with %q and to say that it is empty", res.Text, want)
				}
			},
		}})
	}
}

func TestHTTPRequestRefuses(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/inside" {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
			return
		}
		t.Errorf("%s arrived", r.URL)
	})
	var cases []tooltest.Case
	for _, bad := range []string{
		"not-a-url", "file:///etc/passwd", "ftp://files.internal", "http://admin@example.com", "http://user:pass@example.com", "", "http://",
		"javascript:alert(1)", "http://a b/",
	} {
		cases = append(cases, tooltest.Case{Name: bad, Args: fmt.Sprintf(`{"url":%q}`, bad), Fails: tool.ValidationError})
	}
	for _, inside := range []string{
		"http://localhost/path", "http://169.254.1.1/", "http://192.168.1.1/", "http://172.23.0.1/", "http://2130706433/", "http://[::1]:8080/",
	} {
		cases = append(cases, tooltest.Case{
			Name:    inside,
			Args:    fmt.Sprintf(`{"url":%q}`, inside),
			Fails:   tool.PermissionDenied,
			Message: "is a blocked internal address",
		})
	}
	tooltest.Run(t, Set, "http_request", call, append(cases, []tooltest.Case{
		{
			Name:    "redirect",
			Args:    `{"url":"` + url + `/inside"}`,
			Fails:   tool.PermissionDenied,
			Message: "redirected to a blocked internal address",
		},
		{
			Name:    "two bodies",
			Args:    `{"url":"` + url + `","method":"POST","body":"x","json":{}}`,
			Fails:   tool.ValidationError,
			Message: "body and json",
		},
		{Name: "method", Args: `{"url":"` + url + `","method":"TRACE"}`, Fails: tool.ValidationError, Message: "OPTIONS"},
		{Name: "json list", Args: `{"url":"` + url + `","json":[1]}`, Fails: tool.ValidationError, Message: "json"},
		{Name: "timeout", Args: `{"url":"` + url + `","timeout":0}`, Fails: tool.ValidationError, Message: "timeout"},
		{Name: "no url", Args: `{}`, Fails: tool.ValidationError, Message: "url"},
	}...))
}

func TestHTTPRequestFails(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("begun"))
		}
		panic(http.ErrAbortHandler)
	})
	tooltest.Run(t, Set, "http_request", call, []tooltest.Case{
		{Name: "no answer", Args: `{"url":"` + url + `"}`, Fails: tool.NetworkError, Message: "HTTP request failed"},
		{Name: "half an answer", Args: `{"url":"` + url + `/half"}`, Fails: tool.NetworkError, Message: "HTTP request failed"},
	})
}

func TestHTTPRequestTimesOut(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			answer(200, "text/plain", "begun")(w, r)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	})
	tooltest.Run(t, Set, "http_request", call, []tooltest.Case{
		{Name: "headers", Args: `{"url":"` + url + `","timeout":20}`, Fails: tool.Timeout, Message: "HTTP request timed out"},
		{Name: "body", Args: `{"url":"` + url + `/body","timeout":20}`, Fails: tool.Timeout, Message: "HTTP request timed out"},
	})
}

func TestHTTPRequestKnowsWhatChangesSomething(t *testing.T) {
	for args, reads := range map[string]bool{
		`{"url":"http://x"}`:                                                              true,
		`{"url":"http://x","method":"GET"}`:                                               true,
		`{"url":"http://x","method":"HEAD"}`:                                              true,
		`{"url":"http://x","method":"OPTIONS"}`:                                           true,
		`{"url":"http://x","method":"POST"}`:                                              false,
		`{"url":"http://x","method":"PUT"}`:                                               false,
		`{"url":"http://x","method":"PATCH"}`:                                             false,
		`{"url":"http://x","method":"DELETE"}`:                                            false,
		`{"url":"http://x","method":"GET","headers":{"X-HTTP-Method-Override":"DELETE"}}`: false,
	} {
		inv, err := named(t, "http_request").Bind(json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		if inv.Mutates == reads || inv.Idempotent != reads {
			t.Errorf("%s: mutates %v, idempotent %v, want reading %v", args, inv.Mutates, inv.Idempotent, reads)
		}
	}
}

func TestHTTPRequestEndsWithItsCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url, call := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := httpRequest(ctx, &call, httpRequestArgs{URL: url})
	if kind := tool.AsError(err).Kind; kind != tool.Cancelled {
		t.Errorf("a cancelled call ended in %v, want %s", err, tool.Cancelled)
	}
}
