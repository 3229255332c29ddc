package scope

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func inHosts(entries ...string) tool.Scopes { return tool.Scopes{Hosts: entries} }

func TestHost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ entry, within, outside string }{
		{"*", "example.com 192.0.2.1 ::1", ""},
		{
			"example.com", "example.com EXAMPLE.com example.com. ｅxample.com",
			"www.example.com example.com.evil.net notexample.com example.org example com example.com:80 user@example.com",
		},
		{"Example.COM.", "example.com", "example.co"},
		{"*.example.com", "www.example.com a.b.example.com", "example.com evilexample.com .example.com example.com.evil.net"},
		{"bücher.example", "bücher.example BÜCHER.example xn--bcher-kva.example", "bucher.example"},
		{"xn--bcher-kva.example", "bücher.example", "bcher.example"},
		{"in_side.example", "in_side.example", "inside.example"},
		{"192.0.2.1", "192.0.2.1 ::ffff:192.0.2.1", "192.0.2.10 1.192.0.2.1 3221225985"},
		{"2001:db8::1", "2001:db8::1 2001:DB8:0:0::1", "2001:db8::2 ::1"},
		{"[2001:db8::1]", "2001:db8::1", "2001:db8::2"},
		{"::ffff:192.0.2.1", "192.0.2.1", "192.0.2.2"},
	} {
		for host := range strings.FieldsSeq(tt.within) {
			wantRefused(t, tt.entry+" for "+host, Host(host, 443, inHosts(tt.entry)), false, "")
		}
		for host := range strings.FieldsSeq(tt.outside) {
			wantRefused(t, tt.entry+" for "+host, Host(host, 443, inHosts(tt.entry)), true, tool.PermissionDenied)
		}
	}
	wantRefused(t, "the empty host", Host("", 443, inHosts("example.com")), true, tool.PermissionDenied)
}

func TestPlainHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"Example.COM.": "example.com", "bücher.example": "xn--bcher-kva.example", "In_Side": "in_side",
		"2001:DB8:0::1": "2001:db8::1", "::ffff:192.0.2.1": "::ffff:192.0.2.1", "": "",
		"exa mple": "an error", "a/b": "an error", strings.Repeat("a", maxHost): strings.Repeat("a", maxHost),
		strings.Repeat("a", maxHost+1): "an error",
	} {
		got, err := PlainHost(host)
		if err != nil {
			got = "an error"
		}
		if got != want {
			t.Errorf("PlainHost(%q) = %q, %v, want %q", clip(host), got, err, want)
		}
	}
}

func TestHostPort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		entry, host string
		port        uint16
		refused     bool
	}{
		{"example.com", "example.com", 8080, false},
		{"example.com:8080", "example.com", 8080, false},
		{"example.com:8080", "example.com", 443, true},
		{"*.example.com:8080", "a.example.com", 8080, false},
		{"*.example.com:8080", "a.example.com", 80, true},
		{"*:8080", "anything.example", 8080, false},
		{"*:8080", "anything.example", 8081, true},
		{"192.0.2.1:80", "192.0.2.1", 80, false},
		{"192.0.2.1:80", "192.0.2.1", 81, true},
		{"[::1]:80", "::1", 80, false},
		{"[::1]:80", "::1", 81, true},
	} {
		wantRefused(t, tt.entry+" for "+tt.host, Host(tt.host, tt.port, inHosts(tt.entry)), tt.refused, tool.PermissionDenied)
	}
}

func TestHostWithinEveryScope(t *testing.T) {
	t.Parallel()
	all := []tool.Scopes{inHosts("*"), inHosts("*.example.com", "192.0.2.1"), {}, inHosts("api.example.com", "example.org")}
	for host, refused := range map[string]bool{"api.example.com": false, "www.example.com": true, "example.org": true, "192.0.2.1": true} {
		wantRefused(t, host, Host(host, 443, all...), refused, tool.PermissionDenied)
	}
	wantRefused(t, "only a bad entry", Host("example.com", 443, inHosts("http://example.com")), true, tool.PermissionDenied)
	if AnyHost(all...) || AnyHost(inHosts("*:443")) || !AnyHost() ||
		!AnyHost(inHosts("*"), inHosts("a", "*"), tool.Scopes{Paths: []string{"a"}}) {
		t.Error("AnyHost must be true for no list and lists with *, and for nothing else")
	}
}

func TestApp(t *testing.T) {
	t.Parallel()
	apps := tool.Scopes{Apps: []string{"org.example.Mail", "com.example.*", "a*b"}}
	for app, refused := range map[string]bool{
		"org.example.Mail": false, "com.example.Notes": false, "com.example.": false,
		"org.example.mail": true, "org.example.Mailer": true, "com.example": true, "axb": true, "a*b": true, "": true,
	} {
		wantRefused(t, app, App(app, apps, tool.Scopes{}), refused, tool.PermissionDenied)
	}
	wantRefused(t, "no list", App("anything"), false, "")
	wantRefused(t, "every app", App("anything", tool.Scopes{Apps: []string{"*"}}), false, "")
	wantRefused(t, "disjoint scopes", App("org.example.Mail", apps, tool.Scopes{Apps: []string{"com.*"}}), true, tool.PermissionDenied)
}

func FuzzHost(f *testing.F) {
	f.Add("*.example.com:80", "a.example.com", uint16(80))
	f.Add("[::1]:80", "::1", uint16(80))
	f.Fuzz(func(t *testing.T, entry, host string, port uint16) {
		within := inHosts(entry)
		if Host(host, port, within) == nil && !AnyHost(within) && (host == "" || Check(within) != nil) {
			t.Errorf("Host(%q, %d) is within %q", host, port, entry)
		}
	})
}
