package scope

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	good := tool.Scopes{
		Paths: []string{"workspace", ".", "notes", "workspace/notes/", "notes/*.md", "**/a", "~backup", ".hidden", "a b", "файл"},
		Hosts: []string{
			"*", "*:8080", "example.com", "*.example.com:8443", "localhost", "192.0.2.1", "192.0.2.1:80", "::1", "[::1]:80",
			"bücher.example", "in_side",
		},
		Apps: []string{"*", "org.example.Mail", "org.example.*", "My Editor"},
	}
	if err := Check(good); err != nil {
		t.Errorf("Check of good scopes: %v", err)
	}
	if err := Check(tool.Scopes{}); err != nil {
		t.Errorf("Check of no scopes: %v", err)
	}
	for _, entry := range []string{
		"", " ", " notes", "notes\n", "a\x00b", "/", "/etc", "..", "../a", "a/../b", "a/..", `a\b`, `C:\a`, "C:/a", "~", "~/a",
		"file:///a", "a**", "a/b**/c", "***", strings.Repeat("a/", 40),
	} {
		wantNamed(t, entry, Check(tool.Scopes{Paths: []string{entry}}), Path("a", inPaths(entry)))
	}
	for _, entry := range []string{
		"", " example.com", "http://example.com", "example.com/a", "user@example.com", "10.0.0.0/8", "example.com:0", "example.com:65536",
		"example.com:http", "example.com:", ":80", "*.", "*.*.example.com", "a.*.com", "*example.com", "**", ".example.com", "a..b", "2130706433",
		"0x7f.1", "127.1", "*.192.0.2.1", "fe80::1%eth0", "[fe80::1%eth0]:80", "[::1]:0", "exa mple.com", "example.com?", "%",
	} {
		wantNamed(t, entry, Check(tool.Scopes{Hosts: []string{entry}}), Host("example.com", 80, inHosts(entry)))
	}
	for _, entry := range []string{"", " a", "a*b", "*a", "**", "a\tb"} {
		wantNamed(t, entry, Check(tool.Scopes{Apps: []string{entry}}), App("a", tool.Scopes{Apps: []string{entry}}))
	}
}

// wantNamed fails unless Check names the entry and the entry allows nothing.
func wantNamed(t *testing.T, entry string, check, use error) {
	t.Helper()
	if check == nil || !strings.Contains(check.Error(), "scope \"") {
		t.Errorf("Check of %q = %v, want an error that names it", entry, check)
	}
	if use == nil {
		t.Errorf("%q lets something through", entry)
	}
}

func TestCheckNamesAll(t *testing.T) {
	t.Parallel()
	err := Check(tool.Scopes{Paths: []string{"/a", "b"}, Hosts: []string{"http://c"}, Apps: []string{"*d"}})
	for _, want := range []string{`path scope "/a"`, `host scope "http://c"`, `app scope "*d"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check = %v, want it to name %s", err, want)
		}
	}
}

func TestRefusalsSayWhatIsAllowed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 500)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{Path("b", inPaths("a", "c/*.md")), "Access denied: b is outside what this call may reach; allowed: a, c/*.md"},
		{
			Path("b", inPaths("1", "2", "3", "4", "5", "6", "7")),
			"Access denied: b is outside what this call may reach; allowed: 1, 2, 3, 4, 5 and 2 more",
		},
		{Path("b", inPaths("b"), inPaths("a")), "Access denied: b is outside what this call may reach; allowed: a"},
		{
			Host("b.example", 80, inHosts("a.example")),
			"Access denied: the host b.example:80 is outside what this call may reach; allowed: a.example",
		},
		{App("b", tool.Scopes{Apps: []string{"a"}}), "Access denied: the app b is outside what this call may use; allowed: a"},
		{Path(long, inPaths("a")), "Access denied: " + long[:maxShown] + "… is outside what this call may reach; allowed: a"},
	} {
		if got := tool.AsError(tt.err).Msg; got != tt.want {
			t.Errorf("message = %q, want %q", got, tt.want)
		}
	}
}

// unrestricted returns the common case: definitions with "workspace" and "*" that are not narrowed.
func unrestricted() []tool.Scopes {
	return []tool.Scopes{{Paths: []string{"workspace"}, Hosts: []string{"*"}}, {}, {}}
}

func free(within []tool.Scopes) error {
	if err := Path("notes/a.md", within...); err != nil {
		return err
	}
	if err := Host("example.com", 443, within...); err != nil {
		return err
	}
	return App("org.example.Mail", within...)
}

func TestNoRestrictionCostsNothing(t *testing.T) {
	within := unrestricted()
	if n := testing.AllocsPerRun(100, func() {
		if err := free(within); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations without a restriction, want none", n)
	}
}

func BenchmarkUnrestricted(b *testing.B) {
	within := unrestricted()
	b.ReportAllocs()
	for b.Loop() {
		if err := free(within); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRestricted(b *testing.B) {
	within := append(unrestricted(), tool.Scopes{
		Paths: []string{"drafts", "notes/**/*.md"}, Hosts: []string{"*.example.org", "example.com:443"},
	})
	b.ReportAllocs()
	for b.Loop() {
		if err := free(within); err != nil {
			b.Fatal(err)
		}
	}
}
