package netguard

import (
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func hosts(entries ...string) tool.Scopes { return tool.Scopes{Hosts: entries} }

// fetch sends a GET through the port and returns the body.
func fetch(t *testing.T, port tool.HTTP, url string) (string, error) {
	t.Helper()
	resp, err := port.Do(request(t, url))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func TestWithinNothingIsTheGuard(t *testing.T) {
	g := open(t, Options{})
	for _, within := range [][]tool.Scopes{nil, {{}}, {hosts("*"), {Paths: []string{"notes"}}}} {
		if got := g.Within(within...); got != tool.HTTP(g) {
			t.Errorf("Within(%v) = %v, want the guard itself", within, got)
		}
	}
}

func TestWithin(t *testing.T) {
	at := serve(t, hello)
	_, port, _ := strings.Cut(at, ":")
	here := func(string, int) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} }
	g := open(t, Options{Allow: []string{at}, Resolver: nameServer(t, here)})
	for _, tt := range []struct {
		within []tool.Scopes
		host   string
		ok     bool
	}{
		{[]tool.Scopes{hosts("127.0.0.1")}, at, true},
		{[]tool.Scopes{hosts(at)}, at, true},
		{[]tool.Scopes{hosts("127.0.0.1:1")}, at, false},
		{[]tool.Scopes{hosts("127.0.0.2")}, at, false},
		{[]tool.Scopes{hosts("a.example")}, "a.example:" + port, true},
		{[]tool.Scopes{hosts("a.example")}, "A.EXAMPLE.:" + port, true},
		{[]tool.Scopes{hosts("*.example")}, "a.example:" + port, true},
		{[]tool.Scopes{hosts("bücher.example")}, "xn--bcher-kva.example:" + port, true},
		{[]tool.Scopes{hosts("a.example")}, "b.example:" + port, false},
		{[]tool.Scopes{hosts("a.example")}, "b.a.example:" + port, false},
		{[]tool.Scopes{hosts("127.0.0.1")}, "a.example:" + port, false}, // names are compared, not what they resolve to
		{[]tool.Scopes{hosts("*.example"), {}, hosts("a.example", "c.test")}, "a.example:" + port, true},
		{[]tool.Scopes{hosts("*.example"), {}, hosts("a.example", "c.test")}, "b.example:" + port, false},
		{[]tool.Scopes{hosts("*.example"), {}, hosts("a.example", "c.test")}, "c.test:" + port, false},
	} {
		got, err := fetch(t, g.Within(tt.within...), "http://"+tt.host+"/")
		if tt.ok && (err != nil || got != "hello") {
			t.Errorf("%s within %v = %q, %v, want hello", tt.host, tt.within, got, err)
		} else if !tt.ok {
			wantError(t, tt.host, err, tool.PermissionDenied, "is outside what this call may reach; allowed: ")
		}
	}
}

// What is out of scope costs no traffic: neither a question to a name server
// nor a connection.
func TestWithinBeforeDialing(t *testing.T) {
	var asked, served atomic.Int64
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { served.Add(1) })
	g := open(t, Options{Allow: []string{at}, Resolver: nameServer(t, func(string, int) []netip.Addr {
		asked.Add(1)
		return nil
	})})
	port := g.Within(hosts("a.example"))
	for _, to := range []string{at, "b.example", "b.example:443"} {
		_, err := fetch(t, port, "http://"+to+"/")
		wantError(t, to, err, tool.PermissionDenied, "allowed: a.example")
	}
	if asked.Load() != 0 || served.Load() != 0 {
		t.Errorf("%d questions and %d requests went out, want none", asked.Load(), served.Load())
	}
}

func TestWithinRedirects(t *testing.T) {
	var reached atomic.Int64
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { reached.Add(1) })
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		hello(w, r)
	})
	g := open(t, Options{Allow: []string{at, other}})
	port := g.Within(hosts(at))
	if got, err := fetch(t, port, "http://"+at+"/?to=/end"); got != "hello" || err != nil {
		t.Errorf("a redirect within the scope = %q, %v, want hello", got, err)
	}
	back := "http://" + at + "/?to=" + url.QueryEscape("http://"+other+"/")
	for _, to := range []string{"http://" + other + "/", back} {
		_, err := fetch(t, port, "http://"+at+"/?to="+url.QueryEscape(to))
		wantError(t, "redirect to "+to, err, tool.PermissionDenied,
			"is outside what this call may reach; allowed: "+at+" (the server redirected there)")
	}
	if reached.Load() != 0 {
		t.Error("a redirect led to a host out of scope")
	}
}

func TestWithinIgnoresTheHostHeader(t *testing.T) {
	at := serve(t, hello)
	g := open(t, Options{Allow: []string{at}})
	req := request(t, "http://"+at+"/")
	req.Host = "a.example"
	_, err := g.Within(hosts("a.example")).Do(req)
	wantError(t, "an allowed name in the Host header only", err, tool.PermissionDenied, "allowed: a.example")
	_, err = g.Within(hosts(at)).Do(req)
	wantError(t, "another name in the Host header", err, tool.ValidationError, "Host header")
}

func TestWithinOpensNothing(t *testing.T) {
	at := serve(t, hello)
	_, err := fetch(t, open(t, Options{}).Within(hosts(at)), "http://"+at+"/")
	wantError(t, "an internal address in scope", err, tool.PermissionDenied, "is a blocked internal address")
}

// The conversion of a host to ASCII takes time with the square of its length,
// so a name nobody can have must be refused first.
func TestDoRefusesEndlessHosts(t *testing.T) {
	var host strings.Builder
	for i := range 100_000 {
		host.WriteRune(rune(0x4e00 + i%20_000))
	}
	_, err := get(t, open(t, Options{}), "http://"+host.String()+".example/")
	wantError(t, "a host of 300 kB", err, tool.ValidationError, "is not a valid name")
}
