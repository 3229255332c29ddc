package netguard

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestReach: a context opens exactly its host and port, also by a name, and no connection
// that was made that way serves a request without it.
func TestReach(t *testing.T) {
	at := netip.MustParseAddrPort(serve(t, hello))
	other := serve(t, hello)
	names := nameServer(t, func(string, int) []netip.Addr { return []netip.Addr{at.Addr()} })
	g := open(t, Options{Resolver: names})
	named := "api.example:" + netip.AddrPortFrom(at.Addr(), at.Port()).String()[len(at.Addr().String())+1:]
	reach := func(url string, hosts ...string) (string, error) {
		req := request(t, url)
		return send(t, g, req.WithContext(tool.WithReach(req.Context(), hosts...)))
	}
	for _, host := range []string{at.String(), named} {
		if got, err := reach("http://"+host+"/", host); got != "hello" || err != nil {
			t.Errorf("with reach %s: %q, %v, want hello", host, got, err)
		}
		_, err := get(t, g, "http://"+host+"/")
		wantError(t, "without reach, while a connection is open", err, tool.PermissionDenied, "internal address")
		_, err = reach("http://"+host+"/", other)
		wantError(t, "with another reach", err, tool.PermissionDenied, "internal address")
	}
	_, err := reach("http://"+at.String()+"/", at.Addr().String(), "", "127.0.0.0/8", "*")
	wantError(t, "with entries that are no host and port", err, tool.PermissionDenied, "internal address")
}

// TestReachRedirected: a redirect to another internal host is refused, and the scopes hold.
func TestReachRedirected(t *testing.T) {
	inner := serve(t, hello)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+inner+"/", http.StatusFound)
	})
	g := open(t, Options{})
	req := request(t, "http://"+at+"/")
	req = req.WithContext(tool.WithReach(req.Context(), at))
	_, err := send(t, g, req)
	wantError(t, "redirected", err, tool.PermissionDenied, "redirected")
	resp, err := g.Within(tool.Scopes{Hosts: []string{"example.com"}}).Do(req)
	if resp != nil {
		_ = resp.Body.Close()
	}
	wantError(t, "outside the scopes", err, tool.PermissionDenied, "")
}
