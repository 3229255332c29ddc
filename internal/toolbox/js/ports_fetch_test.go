package js

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
)

// offline is an HTTP port that reaches nobody.
type offline struct{}

func (offline) Do(*http.Request) (*http.Response, error) {
	return nil, tool.Fail(tool.NetworkError, "offline")
}

// online is a host whose guard lets the script reach servers on loopback.
func online(t testing.TB) *Ports {
	t.Helper()
	guard, err := netguard.New(netguard.Options{Allow: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return &Ports{Call: &tool.Call{HTTP: guard}, Network: true}
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func doFetch(t testing.TB, p *Ports, req FetchRequest) (FetchResponse, error) {
	t.Helper()
	args, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var resp FetchResponse
	raw, err := p.Do(t.Context(), OpFetch, args)
	if err == nil {
		err = json.Unmarshal(raw, &resp)
	}
	return resp, err
}

func TestPortsFetch(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header()["X-Raw"] = []string{"caf\xe9", "two"}
		w.Header()["Date"] = nil
		w.WriteHeader(418)
		fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.URL, r.Header["X-One"], r.UserAgent(), body)
	})
	got, err := doFetch(t, online(t), FetchRequest{
		Method: "POST", URL: url + "/a?b=c#frag", Body: []byte("hi"),
		Headers: [][2]string{{"x-one", "1"}, {"X-One", " 2 "}, {"accept-encoding", "br"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := FetchResponse{
		URL: url + "/a?b=c", Status: 418, StatusText: "I'm a teapot", Body: []byte("POST /a?b=c [1 2] Helve hi"),
		Headers: [][2]string{{"content-length", "26"}, {"content-type", "text/plain; charset=utf-8"}, {"x-raw", "café"}, {"x-raw", "two"}},
	}
	if !cmp.Equal(got, want) {
		t.Error(cmp.Diff(got, want))
	}
}

func TestPortsFetchRefuses(t *testing.T) {
	t.Parallel()
	get := func(url string) FetchRequest { return FetchRequest{Method: "GET", URL: url} }
	header := func(name, value string) FetchRequest {
		return FetchRequest{Method: "GET", URL: "http://127.0.0.1:1/", Headers: [][2]string{{name, value}}}
	}
	many := FetchRequest{Method: "GET", URL: "http://127.0.0.1:1/"}
	for i := range maxHeaderCount + 1 {
		many.Headers = append(many.Headers, [2]string{fmt.Sprint("h", i), "v"})
	}
	for name, tt := range map[string]struct {
		req  FetchRequest
		want tool.Kind
	}{
		"metadata address":  {get("http://169.254.169.254/latest/meta-data"), tool.PermissionDenied},
		"internal address":  {get("http://10.0.0.1/"), tool.PermissionDenied},
		"file":              {get("file:///etc/passwd"), tool.ValidationError},
		"no scheme":         {get("//example.com/"), tool.ValidationError},
		"opaque":            {get("http:example.com"), tool.ValidationError},
		"no host":           {get("http:///x"), tool.ValidationError},
		"credentials":       {get("http://u:p@example.com/"), tool.ValidationError},
		"space":             {get("http://example.com/?a HTTP/1.1"), tool.ValidationError},
		"line break":        {get("http://example.com/\r\nHost: evil"), tool.ValidationError},
		"not ASCII":         {get("http://example.com/é"), tool.ValidationError},
		"endless URL":       {get("http://example.com/" + strings.Repeat("a", maxURL)), tool.ValidationError},
		"other method":      {FetchRequest{Method: "CONNECT", URL: "http://127.0.0.1:1/"}, tool.ValidationError},
		"no method":         {FetchRequest{URL: "http://127.0.0.1:1/"}, tool.ValidationError},
		"method injection":  {FetchRequest{Method: "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", URL: "http://127.0.0.1:1/"}, tool.ValidationError},
		"body of GET":       {FetchRequest{Method: "GET", URL: "http://127.0.0.1:1/", Body: []byte("x")}, tool.ValidationError},
		"body too large":    {FetchRequest{Method: "POST", URL: "http://127.0.0.1:1/", Body: make([]byte, MaxBody+1)}, tool.ValidationError},
		"unknown redirect":  {FetchRequest{Method: "GET", URL: "http://127.0.0.1:1/", Redirect: "yes"}, tool.ValidationError},
		"header injection":  {header("X", "a\r\nHost: evil"), tool.ValidationError},
		"name injection":    {header("X: y\r\nZ", "a"), tool.ValidationError},
		"empty name":        {header("", "a"), tool.ValidationError},
		"Host":              {header("hOsT", "evil"), tool.ValidationError},
		"Content-Length":    {header("content-length", "1"), tool.ValidationError},
		"Transfer-Encoding": {header("transfer-encoding", "chunked"), tool.ValidationError},
		"Proxy":             {header("proxy-authorization", "x"), tool.ValidationError},
		"headers too large": {header("X", strings.Repeat("a", maxHeaderBytes)), tool.ValidationError},
		"too many headers":  {many, tool.ValidationError},
		"nobody there":      {get("http://127.0.0.1:1/"), tool.NetworkError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := online(t)
			p.Call.HTTP = only{p.Call.HTTP}
			if tt.want == tool.ValidationError {
				p.Call.HTTP = offline{} // which it must not come to
			}
			_, err := doFetch(t, p, tt.req)
			if got := tool.AsError(err); got == nil || got.Kind != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// only hides what an HTTP port has beside Do.
type only struct{ tool.HTTP }

func TestPortsFetchBounds(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			for chunk := bytes.Repeat([]byte("x"), 64<<10); r.Context().Err() == nil; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/most":
			_, _ = w.Write(make([]byte, MaxBody))
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", maxHeaderBytes))
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}
	})
	p := online(t)
	for path, want := range map[string]tool.Kind{
		"/endless": tool.NetworkError, "/headers": tool.NetworkError, "/metadata": tool.PermissionDenied,
	} {
		if _, err := doFetch(t, p, FetchRequest{Method: "GET", URL: url + path}); err == nil || tool.AsError(err).Kind != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	got, err := doFetch(t, p, FetchRequest{Method: "GET", URL: url + "/most"})
	if err != nil || len(got.Body) != MaxBody {
		t.Errorf("a body of just MaxBody: %d bytes, %v", len(got.Body), err)
	}
}

// leaves sends requests and follows no redirect.
type leaves struct{ tool.HTTP }

func (leaves) DoOnce(req *http.Request) (*http.Response, error) {
	return http.DefaultTransport.RoundTrip(req)
}

func TestPortsFetchRedirect(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/to", http.StatusFound)
		}
	})
	from := func(redirect string) FetchRequest {
		return FetchRequest{Method: "GET", URL: url + "/from", Redirect: redirect}
	}
	p := online(t)
	if got, err := doFetch(t, p, from("follow")); err != nil || got.URL != url+"/to" || !got.Redirected || got.Status != 200 {
		t.Errorf("follow: %+v, %v", got, err)
	}
	p.Call.HTTP = leaves{p.Call.HTTP}
	if got, err := doFetch(t, p, from("manual")); err != nil || got.URL != url+"/from" || got.Redirected || got.Status != 302 {
		t.Errorf("manual: %+v, %v", got, err)
	}
	if _, err := doFetch(t, p, from("error")); err == nil || tool.AsError(err).Kind != tool.NetworkError {
		t.Errorf("error: got %v", err)
	}
	p.Call.HTTP = only{p.Call.HTTP}
	if _, err := doFetch(t, p, from("manual")); err == nil || tool.AsError(err).Kind != tool.Unsupported {
		t.Errorf("manual where the port cannot: got %v", err)
	}
}

// waits is an HTTP port whose answers come when the test lets them.
type waits struct {
	running atomic.Int64
	release chan struct{}
}

func (w *waits) Do(*http.Request) (*http.Response, error) {
	w.running.Add(1)
	defer w.running.Add(-1)
	<-w.release
	return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
}

func TestPortsFetchCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		port := &waits{release: make(chan struct{})}
		p := &Ports{Call: &tool.Call{HTTP: port}, Network: true}
		kinds := make(chan tool.Kind, maxFetches+7)
		for range cap(kinds) {
			go func() {
				_, err := doFetch(t, p, FetchRequest{Method: "GET", URL: "http://example.com/"})
				if err == nil {
					kinds <- ""
				} else {
					kinds <- tool.AsError(err).Kind
				}
			}()
		}
		synctest.Wait()
		if n := port.running.Load(); n != atOnce {
			t.Errorf("%d fetches run at a time, want %d", n, atOnce)
		}
		close(port.release)
		got := map[tool.Kind]int{}
		for range cap(kinds) {
			got[<-kinds]++
		}
		if want := map[tool.Kind]int{"": maxFetches, tool.RateLimited: 7}; !cmp.Equal(got, want) {
			t.Error(cmp.Diff(got, want))
		}
	})
}
