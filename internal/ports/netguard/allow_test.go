package netguard

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestAllow(t *testing.T) {
	for _, tt := range []struct {
		allow, url string
		want       bool
	}{
		{"127.0.0.1", "http://127.0.0.1:9999/", true},
		{"127.0.0.1", "http://127.0.0.2/", false},
		{"127.0.0.1", "http://[::ffff:127.0.0.1]/", true},
		{"127.0.0.1", "http://localhost:8080/", true},
		{"127.0.0.1:8080", "http://localhost:8080/", true},
		{"127.0.0.1:8080", "http://127.0.0.1:8080/", true},
		{"127.0.0.1:8080", "http://127.0.0.1:8081/", false},
		{"127.0.0.1", "http://2130706433/", false},
		{"::1", "http://[::1]:80/", true},
		{"::1", "http://localhost/", true},
		{"[::1]", "http://[::1]:80/", true},
		{"[::1]:443", "https://[::1]/", true},
		{"[::1]:443", "http://[::1]/", false},
		{"::ffff:10.0.0.1", "http://10.0.0.1/", true},
		{"10.0.0.0/8", "http://10.200.0.1:6379/", true},
		{"10.1.2.3/8", "http://10.200.0.1/", true},
		{"10.0.0.0/8", "http://11.0.0.1:25/", false},
		{"fd00::/8", "http://[fd12::1]/", true},
		{"localhost", "http://LOCALHOST.:1/", true},
		{"localhost", "http://127.0.0.1/", false},
		{"localhost:81", "http://localhost/", false},
		{"my_host.internal:25", "http://my_host.internal:25/", true},
		{"my_host.internal", "http://my_host.internal:25/", true},
		{"bücher.example:25", "http://xn--bcher-kva.example:25/", true},
		{"10.0.0.0/8", "http://name.example:25/", true}, // judged again when it is dialed
	} {
		g := open(t, Options{Allow: []string{tt.allow}})
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkURL(g, u); (err == nil) != tt.want {
			t.Errorf("allow %s: check(%s) = %v, want allowed %v", tt.allow, tt.url, err, tt.want)
		}
	}
}

func TestAllowStillJudgesThePort(t *testing.T) {
	g := open(t, Options{Allow: []string{"10.0.0.0/8"}})
	if err := g.checkAddr("name.example", netip.MustParseAddrPort("1.1.1.1:25")); err == nil {
		t.Error("a public host's mail port is open because a private range is")
	}
}

func TestNewNamesEveryBadEntry(t *testing.T) {
	bad := []string{
		"", "http://x", "x:0", "x:99999", "10.0.0.0/40", "1.2.3", "*.example.com", "a b", "x:y", "fe80::1%eth0", "127.0.0.1:0", ":80",
	}
	_, err := New(Options{Allow: append([]string{"fine.example"}, bad...)})
	if err == nil {
		t.Fatal("New accepted bad entries")
	}
	for _, entry := range bad {
		if !strings.Contains(err.Error(), `"`+entry+`"`) {
			t.Errorf("the error does not name %q: %v", entry, err)
		}
	}
	if strings.Contains(err.Error(), "fine.example:") {
		t.Errorf("the error names a good entry: %v", err)
	}
}
