package netguard

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestDoJudgesRedirects(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	names := nameServer(t, func(string, int) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.2")} })
	g := open(t, Options{Allow: []string{at}, Resolver: names})
	for _, tt := range []struct {
		to   string
		kind tool.Kind
		part string
	}{
		{"http://169.254.169.254/latest/meta-data/", tool.PermissionDenied, "redirected to a blocked internal address (169.254.169.254)"},
		{"http://localhost/", tool.PermissionDenied, "redirected to a blocked internal address (localhost)"},
		{"http://2130706433/", tool.PermissionDenied, "redirected to a blocked internal address"},
		{"http://inside.example/", tool.PermissionDenied, "redirected to a blocked internal address (inside.example)"},
		{"http://mail.example:25/", tool.PermissionDenied, "redirected to the port of SMTP"},
		{"ftp://files.example/", tool.NetworkError, "redirected"},
		{"file:///etc/passwd", tool.NetworkError, "redirected"},
		{"http://user:pass@public.example/", tool.NetworkError, "redirected"},
	} {
		_, err := get(t, g, "http://"+at+"/?to="+url.QueryEscape(tt.to))
		wantError(t, "redirect to "+tt.to, err, tt.kind, tt.part)
	}
}

func TestDoCountsRedirects(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || n == 0 {
			hello(w, r)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
	})
	g := open(t, Options{Allow: []string{at}})
	if got, err := get(t, g, "http://"+at+"/10"); got != "hello" || err != nil {
		t.Errorf("10 redirects = %q, %v, want hello", got, err)
	}
	_, err := get(t, g, "http://"+at+"/11")
	wantError(t, "11 redirects", err, tool.NetworkError, "redirected more than 10 times")
}

// Credentials go along to another path, and never to another host: also not
// when the way leads back to the first.
func TestDoKeepsSecretsWithTheirHost(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Referer", "Accept"} {
			if v := r.Header.Get(name); v != "" {
				_, _ = fmt.Fprintf(w, "%s=%s;", name, v)
			}
		}
	}
	var first string
	second := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			http.Redirect(w, r, "http://"+first+"/end", http.StatusFound)
			return
		}
		echo(w, r)
	})
	first = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/path":
			http.Redirect(w, r, "/end", http.StatusTemporaryRedirect)
		case "/host":
			http.Redirect(w, r, "http://"+second+"/end", http.StatusTemporaryRedirect)
		case "/back":
			http.Redirect(w, r, "http://"+second+"/back", http.StatusFound)
		default:
			echo(w, r)
		}
	})
	g := open(t, Options{Allow: []string{first, second}})
	got := map[string]string{}
	for _, path := range []string{"/path", "/host", "/back"} {
		req := request(t, "http://"+first+path)
		for name, v := range map[string]string{"Authorization": "a", "Cookie": "c", "X-Api-Key": "k", "Accept": "text/plain"} {
			req.Header.Set(name, v)
		}
		text, err := send(t, g, req)
		if err != nil {
			t.Fatal(err)
		}
		got[path] = text
	}
	want := map[string]string{
		"/path": "Authorization=a;Cookie=c;X-Api-Key=k;Referer=http://" + first + "/path;Accept=text/plain;",
		"/host": "Accept=text/plain;",
		"/back": "Accept=text/plain;",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers after a redirect (-want +got):\n%s", diff)
	}
}

func TestDoResendsTheBody(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/end" {
			http.Redirect(w, r, "/end", http.StatusPermanentRedirect)
			return
		}
		_, _ = io.Copy(w, r.Body)
	})
	g := open(t, Options{Allow: []string{at}})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+at, strings.NewReader("data"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := send(t, g, req); got != "data" || err != nil {
		t.Errorf("POST through a 308 = %q, %v, want data", got, err)
	}
}

func TestSameSite(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"http://a.example/x", "http://A.example./y", true},
		{"http://a.example", "http://a.example:80", true},
		{"http://a.example", "https://a.example", true},
		{"https://a.example", "http://a.example", false},
		{"https://a.example", "https://a.example:8443", false},
		{"http://a.example:8080", "https://a.example", false},
		{"https://a.example", "https://www.a.example", false},
		{"https://a.example", "https://evil.example", false},
	} {
		from, err1 := url.Parse(tt.from)
		to, err2 := url.Parse(tt.to)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if got := sameSite(from, to); got != tt.want {
			t.Errorf("sameSite(%s, %s) = %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
}

// TestDoOnce: a redirect is the answer, and where it leads is not reached.
func TestDoOnce(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
	})
	g := open(t, Options{Allow: []string{at}})
	for name, port := range map[string]interface {
		DoOnce(req *http.Request) (*http.Response, error)
	}{"guard": g, "scoped": g.Within(tool.Scopes{Hosts: []string{at}}).(*scoped)} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := port.DoOnce(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if res.StatusCode != http.StatusFound || res.Header.Get("Location") != "http://169.254.169.254/" {
			t.Errorf("%s: DoOnce = %d to %s, want the redirect", name, res.StatusCode, res.Header.Get("Location"))
		}
		_ = res.Body.Close()
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://169.254.169.254/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := g.DoOnce(req)
	if err == nil {
		_ = res.Body.Close()
	}
	wantError(t, "once to a metadata address", err, tool.PermissionDenied, "")
}
