package netguard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// checkURL checks a URL as a request does that may reach nothing beyond others.
func checkURL(g *Guard, u *url.URL) error {
	host, port, err := parse(u)
	if err != nil {
		return err
	}
	return g.check(host, port)
}

func fetched(ctx context.Context, t *testing.T, port tool.HTTP, url string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := port.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body) // so that the connection is kept for the next request
	return errors.Join(err, resp.Body.Close())
}

// TestReach: an address that the operator has set is reached by the calls that use it, and
// by no other call, not even over the connection that it left open.
func TestReach(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}
	}))
	defer server.Close()
	g, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	opened := tool.WithReach(t.Context(), server.Listener.Addr().String())
	if err := fetched(opened, t, g, server.URL); err != nil {
		t.Errorf("the operator's address: %v", err)
	}
	for name, err := range map[string]error{
		"another call":                 fetched(t.Context(), t, g, server.URL),
		"another port":                 fetched(opened, t, g, "http://127.0.0.1:1/"),
		"a redirect to another port":   fetched(opened, t, g, server.URL+"/away"),
		"link-local in the reach":      fetched(tool.WithReach(t.Context(), "169.254.169.254:80"), t, g, "http://169.254.169.254/"),
		"a host that scopes leave out": fetched(opened, t, g.Within(tool.Scopes{Hosts: []string{"api.example.com"}}), server.URL),
	} {
		if tool.AsError(err) == nil || tool.AsError(err).Kind != tool.PermissionDenied {
			t.Errorf("%s: %v, want permission_denied", name, err)
		}
	}
}

// TestDialer: a dialer reaches mail servers on public hosts, and what the operator opened.
func TestDialer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := l.Addr().String()
	g, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	open, err := New(Options{Allow: []string{at}})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	mail := tool.Scopes{Hosts: []string{"*"}}
	for name, dial := range map[string]func() (net.Conn, error){
		"the operator's list": func() (net.Conn, error) { return open.Dialer(mail).DialContext(t.Context(), "tcp", at) },
		"the tenant's entry": func() (net.Conn, error) {
			return g.Dialer(mail).DialContext(tool.WithReach(t.Context(), at), "tcp", at)
		},
	} {
		conn, err := dial()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = conn.Close()
	}
	for name, address := range map[string]string{
		"an internal address":    "127.0.0.1:25",
		"a name of this machine": "localhost:143",
		"no port of mail":        "mail.example:22",
		"a closed internal port": at,
	} {
		if _, err := g.Dialer(mail).DialContext(t.Context(), "tcp", address); tool.AsError(err) == nil ||
			tool.AsError(err).Kind != tool.PermissionDenied {
			t.Errorf("%s: %v, want permission_denied", name, err)
		}
	}
	if _, err := open.Dialer(tool.Scopes{Hosts: []string{"mail.example.com"}}).DialContext(t.Context(), "tcp", at); tool.AsError(err) == nil ||
		tool.AsError(err).Kind != tool.PermissionDenied {
		t.Errorf("a host that the scopes leave out: %v", err)
	}
}

// TestPatience: a call that waits longer outlasts the guard's limit for the beginning of
// an answer; another call, begun later, does not.
func TestPatience(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var end chan struct{} // the call that does not wait has none
		if r.URL.Path == "/patient" {
			arrived <- struct{}{}
			end = release
		}
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	at := server.Listener.Addr().String()
	for name, g := range map[string]*Guard{
		"public": open(t, Options{Allow: []string{at}, HeaderTimeout: 20 * time.Millisecond}),
		"opened": open(t, Options{HeaderTimeout: 20 * time.Millisecond}),
	} {
		ctx := t.Context()
		if name == "opened" {
			ctx = tool.WithReach(ctx, at)
		}
		done := make(chan error, 1)
		go func() { done <- fetched(tool.WithPatience(ctx), t, g, server.URL+"/patient") }()
		<-arrived
		wantError(t, name+": a call that does not wait", fetched(ctx, t, g, server.URL), tool.Timeout, "timed out")
		release <- struct{}{}
		if err := <-done; err != nil {
			t.Errorf("%s: a call that waits: %v", name, err)
		}
	}
}
