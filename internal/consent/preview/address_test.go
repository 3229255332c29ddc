package preview

import (
	"slices"
	"strings"
	"testing"
)

// findingsOf returns the remark and the warnings about one string, hidden parts
// hidden.
func findingsOf(text string) (aside string, warnings []string) {
	var f findings
	clean, _ := redact(text, "")
	aside = f.addresses(func() string { return "" }, clean)
	return aside, f.warnings
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, aside string
		warns       []string
	}{
		{"https://example.com/a/../b?c=%2F", "its path '/b'", []string{"the path is '/b' when it is resolved"}},
		{"see https://example.com:8080. And http://127.0.0.1:80/, http://[::1]/", "", nil},
		{"https://münchen.de/", "host 'xn--mnchen-3ya.de'", nil},
		{"https://\u4f8b\u3048.\u30c6\u30b9\u30c8/", "host 'xn--r8jz45g.xn--zckzah'", nil},
		{"https://\u65e5\u672c\u30cb\u30c3\u30dd\u30f3latin.com/", "host 'xn--latin-9r4d2bzi4hy623c16c.com'", nil},
		{"https://p\u0430ypal.com/", "host 'xn--pypal-4ve.com'", []string{"the host 'xn--pypal-4ve.com' is written to look like 'paypal.com'"}},
		{"https://xn--pypal-4ve.com/", "", []string{"the host 'xn--pypal-4ve.com' is written to look like 'paypal.com'"}},
		{"https://\u0430\u0440\u0440\u04cf\u0435.com", "host 'xn--80ak6aa92e.com'", []string{"is written to look like 'apple.com'"}},
		{"https://goo\u0433le.com", "host 'xn--goole-pwe.com'", []string{"look like 'goorle.com'"}},
		{"https://ex\u0436ample.com", "host 'xn--example-hhg.com'", []string{"mixes Latin and Cyrillic letters"}},
		{"https://яндекс.рф", "host 'xn--d1acpjx3f.xn--p1ai'", nil},
		{"https://example\u3002com/", "host 'example.com'", nil},
		{"https://ｅxample.com", "host 'example.com'", nil},
		{"https://xn--a.com", "", []string{"is not a proper name"}},
		{"https://a\uff0fb.com", "host 'a/b.com'", []string{"not a name that can be looked up for certain"}},
		{"https://good.com@evil.com/", "", []string{"before '@' that is not its host, which is 'evil.com'"}},
		{"https://good.com%2f@p\u0430ypal.com", "host 'xn--pypal-4ve.com'", []string{"which is 'xn--pypal-4ve.com'", "look like"}},
		{"https://@evil.com/", "", []string{"which is 'evil.com'"}},
		{`https://good.com\@evil.com/`, "", []string{"backslash"}},
		{"http://2130706433/", "", []string{"the host '2130706433' is the address 127.0.0.1"}},
		{"http://0x7f000001/ http://0x7f.1/ http://127.1/", "", []string{"127.0.0.1", "127.0.0.1", "127.0.0.1"}},
		{"http://0177.0.0.1/", "", []string{"127.0.0.1"}},
		{"http://0300.0250.0.01:80/", "", []string{"192.168.0.1"}},
		{"http://[::ffff:10.0.0.1]/", "", []string{"the address 10.0.0.1"}},
		{"http://１２７.0.0.1/", "host '127.0.0.1'", []string{"the address 127.0.0.1"}},
		{"http://1.2.3.4.5/ http://256.1.1.1.com/ http://4294967296/ http://1.256.1.1/ http://face.b00c/", "", nil},
		{"https://example.com./x", "", []string{"the host 'example.com.' ends in a dot"}},
		{"https://%65vil.com/", "", []string{"percent-encoded"}},
		{"https://" + strings.Repeat("a.", 150) + "com/", "", []string{"longer than any name"}},
		{"p\u0430ypal.com", "as a host 'xn--pypal-4ve.com'", []string{"look like 'paypal.com'"}},
		{"xn--pypal-4ve.com:443", "", []string{"look like 'paypal.com'"}},
		{"someone@p\u0430ypal.com", "as a host 'xn--pypal-4ve.com'", []string{"look like 'paypal.com'"}},
		{"konec.Начало это", "", nil},
		{"example.com", "", nil},
		{"Grüße.", "", nil},
		{"://", "", nil},
		{"https:///x", "", nil},
		{"a/%252e%252e/b", "", []string{"%25"}},
		{"https://example.com/%252fetc", "", []string{"%25"}},
		{"https://example.com/?u=%252f", "", nil},
		{"100%25 sure", "", nil},
		{"a/100%25zz", "", nil},
		{"notes/secret.txt.", "as a path 'notes/secret.txt'", []string{"ends in a dot"}},
		{"notes./secret.txt", "as a path 'notes/secret.txt'", []string{"ends in a dot"}},
		{`notes.\secret.txt`, "", []string{"ends in a dot"}},
		{"secret.txt.", "", []string{"ends in a dot"}},
		{"https://example.com/a./b", "its path '/a/b'", []string{"a name in the path ends in a dot"}},
		{"./a/../b/.../c", "as a path 'b/.../c'", []string{"'b/.../c' when it is resolved"}},
		{"./notes.txt", "as a path 'notes.txt'", nil},
		{"a/./b", "as a path 'a/b'", nil},
		{"a/../../etc/passwd", "as a path '../etc/passwd'", []string{"'../etc/passwd' when it is resolved"}},
		{"../x", "", nil}, // nothing is disguised
		{"a/b/", "", nil},
		{"\uff0e\uff0e\uff0fsecret", "as a path '../secret'", []string{"'../secret' when it is resolved"}},
		{"notes\u2215..\u2215secret", "as a path 'secret'", []string{"'secret' when it is resolved"}},
		{"a\u2044b", "as a path 'a/b'", []string{"'a/b' when it is resolved"}},
		{"\u2025/secret", "as a path '../secret'", []string{"'../secret' when it is resolved"}},
		{"a/%2e%2e/b", "as a path 'b'", []string{"'b' when it is resolved"}},
		{"my notes/../../secret", "as a path '../secret'", []string{"'../secret' when it is resolved"}},
		{"my notes\uff0f\uff0e\uff0e\uff0fsecret", "as a path 'secret'", []string{"'secret' when it is resolved"}},
		{"add 1\u20442 cup and/or more...", "", nil},
		{"text/html", "", nil},
		{"2026/11/23", "", nil},
		{"Done.", "", nil},
		{"See a/b.c. Then go.", "", nil},
	} {
		aside, warns := findingsOf(tt.text)
		if aside != tt.aside {
			t.Errorf("%q: remark = %q, want %q", tt.text, aside, tt.aside)
		}
		if !slices.EqualFunc(warns, tt.warns, strings.Contains) {
			t.Errorf("%q: warnings = %q, want %q", tt.text, warns, tt.warns)
		}
	}
}

func TestOfShowsHosts(t *testing.T) {
	t.Parallel()
	p := of(t, `{"o":{"url":"https://p\u0430ypal.com/?token=abc"},"both":"https://\u044f.com https://u:p@\u0436.com"}`, "")
	want := "o.url: \"https://p\u0430ypal.com/?token=•••\" (host 'xn--pypal-4ve.com')\n" +
		"both: \"https://\u044f.com https://•••@\u0436.com\" (host 'xn--41a.com')\n"
	if p.Text != want {
		t.Errorf("Text = %s, want %s", p.Text, want)
	}
	if len(p.Warnings) != 2 || !strings.HasPrefix(p.Warnings[0], "o.url: the host 'xn--pypal-4ve.com' is") ||
		!strings.HasPrefix(p.Warnings[1], "both: the address has a part before '@'") {
		t.Errorf("Warnings = %q", p.Warnings)
	}
}
