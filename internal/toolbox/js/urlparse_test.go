package js

import (
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ input, base, want string }{
		{"http://example.com", "", "http://example.com/"},
		{"HTTP://User:Pa ss@EXAMPLE.com:80/a/../b/./c%2e?q=a b'#f g", "", "http://User:Pa%20ss@example.com/b/c%2e?q=a%20b%27#f%20g"},
		{"  https://example.com:443/\t\n", "", "https://example.com/"},
		{"https://example.com:444", "", "https://example.com:444/"},
		{"http:example.com", "", "http://example.com/"},
		{`http:\\example.com\a\b`, "", "http://example.com/a/b"},
		{"http:////example.com", "", "http://example.com/"},
		{"http://ex%41mple.com/%41", "", "http://example.com/%41"},
		{"http://münchen.de/ä", "", "http://xn--mnchen-3ya.de/%C3%A4"},
		{"http://καλό.gr", "", "http://xn--mxare2e.gr/"},
		{"http://xn--mnchen-3ya.de", "", "http://xn--mnchen-3ya.de/"},
		{"http://faß.example", "", "http://xn--fa-hia.example/"},
		{"http://a_b.example/", "", "http://a_b.example/"},
		{"http://0x7f.1/", "", "http://127.0.0.1/"},
		{"http://2130706433", "", "http://127.0.0.1/"},
		{"http://0177.0.0.01", "", "http://127.0.0.1/"},
		{"http://１２７.0.0.1/", "", "http://127.0.0.1/"},
		{"http://1.2.3.4./", "", "http://1.2.3.4/"},
		{"http://[::1]:8080/", "", "http://[::1]:8080/"},
		{"http://[2001:DB8:0:0:1:0:0:1]", "", "http://[2001:db8::1:0:0:1]/"},
		{"http://[::ffff:1.2.3.4]", "", "http://[::ffff:102:304]/"},
		{"http://a.b/?", "", "http://a.b/?"},
		{"http://a.b/#", "", "http://a.b/#"},
		{"http://a@b@c/", "", "http://a%40b@c/"},
		{"http://:@c/", "", "http://c/"},
		{"http://a:b:c@d/", "", "http://a:b%3Ac@d/"},
		{"http://h:/", "", "http://h/"},
		{"http://h/a/..", "", "http://h/"},
		{"http://h/a/.%2E/b/%2e", "", "http://h/b/"},
		{"http://h//a//b", "", "http://h//a//b"},
		{"http://h/../../x", "", "http://h/x"},
		{"file:///etc/passwd", "", "file:///etc/passwd"},
		{"file://localhost/a", "", "file:///a"},
		{"file:a", "", "file:///a"},
		{"mailto:a b@c?x#y", "", "mailto:a b@c?x#y"},
		{"data:text/plain,hé", "", "data:text/plain,h%C3%A9"},
		{"custom://Host/a b", "", "custom://Host/a%20b"},
		{"custom:/a/../b", "", "custom:/b"},
		{"custom://", "", "custom://"},
		{"javascript:alert(1)", "", "javascript:alert(1)"},

		{"x", "http://h/a/b?q#f", "http://h/a/x"},
		{"../x", "http://h/a/b/c", "http://h/a/x"},
		{"/x", "http://u:p@h:81/a/b", "http://u:p@h:81/x"},
		{"//o/x", "https://h/a", "https://o/x"},
		{"?n", "http://h/a?q#f", "http://h/a?n"},
		{"#n", "http://h/a?q#f", "http://h/a?q#n"},
		{"", "http://h/a?q#f", "http://h/a?q"},
		{"http:x", "http://h/a/b", "http://h/a/x"},
		{"http:x", "https://h/a/b", "http://x/"},
		{`\x`, "http://h/a", "http://h/x"},
		{"#n", "mailto:a", "mailto:a#n"},
		{"x", "file:///a/b", "file:///a/x"},
		{".", "http://h/a/b", "http://h/a/"},
		{"x", "custom://h", "custom://h/x"},

		{"", "", ""},
		{"example.com", "", ""},
		{"/a", "", ""},
		{"http://", "", ""},
		{"http://:80", "", ""},
		{"http://a b/", "", ""},
		{"http://a%00b/", "", ""},
		{"http://a<b", "", ""},
		{"http://a:65536", "", ""},
		{"http://a:b", "", ""},
		{"http://u@/x", "", ""},
		{"http://[::1", "", ""},
		{"http://[::1%25eth0]/", "", ""},
		{"http://[1.2.3.4]/", "", ""},
		{"http://1.2.3.256/", "", ""},
		{"http://256.256.256.256.256", "", ""},
		{"http://1.2.3.08", "", ""},
		{"http://xn--a", "", ""},
		{"http://\u00ad/", "", ""},
		{"http://" + strings.Repeat("é", maxHost) + "/", "", ""},
		{"custom://a b/", "", ""},
		{"x", "mailto:a", ""},
		{"x", "nonsense", ""},
		// Here it differs from browsers, which take the drive for a part of the path.
		{"file://C:/x", "", ""},
	} {
		if got := joined(tt.input, tt.base); got != tt.want {
			t.Errorf("%q on %q: got %q, want %q", tt.input, tt.base, got, tt.want)
		}
	}
}

// joined is the URL in one spelling, or "" if it is none.
func joined(input, base string) string {
	var on *urlRecord
	if base != "" {
		var ok bool
		if on, ok = parseURL(base, nil); !ok {
			return ""
		}
	}
	u, ok := parseURL(input, on)
	if !ok {
		return ""
	}
	return u.href()
}

// FuzzParseURL holds that a URL in its one spelling stays as it is, and that
// nothing in it could end a line of a request.
func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"http://a/b", "x", "//a", `\\a:1`, "custom:/.//a", "http://[::1]", "file://a/..", "a:b#c?d", "http://１.2", "custom:/..//a",
	} {
		f.Add(seed, "http://u:p@h:1/a/b?c#d")
		f.Add(seed, "custom://h")
	}
	f.Fuzz(func(t *testing.T, input, base string) {
		first := joined(input, base)
		if strings.ContainsAny(first, "\r\n") {
			t.Errorf("%q on %q: a line break in %q", input, base, first)
		}
		if first != "" && joined(first, "") != first {
			t.Errorf("%q on %q: %q is read as %q", input, base, first, joined(first, ""))
		}
	})
}
