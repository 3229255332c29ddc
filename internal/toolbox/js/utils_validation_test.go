package js

import (
	"strconv"
	"strings"
	"testing"
)

func TestUtilsValidation(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct{ yes, no []string }{
		"isEmail": {
			[]string{"a@b.co", "first.last+tag@sub.example.com", "o'neil@example.org", "josé@exämple.de", "x@xn--exmple-cua.de", "1@2.museum"},
			[]string{
				"", "a", "@b.co", "a@", "a@b", "a@b.c", "a@@b.co", "a@b@c.co", "a b@c.co", ".a@b.co", "a.@b.co", "a..b@c.co", "a@-b.co", "a@b-.co",
				"a@b..co", "a@b.co.", "A <a@b.co>", "a@b.co\n", "a@[127.0.0.1]", "a@1.2.3.4", strings.Repeat("a", 65) + "@b.co",
				"a@" + strings.Repeat("b.", 130) + "co",
			},
		},
		"isUrl": {
			[]string{
				"https://example.com", "http://user@host:8080/a?b=c#d", "HTTPS://EXAMPLE.com/", "ws://h", "ftp://h/f", "http://[::1]:80/",
				"https://münchen.de/straße",
			},
			[]string{
				"", "example.com", "//example.com", "http://", "http://:80", "https:///path", "javascript:alert(1)", "data:text/html,x",
				"mailto:a@b.co", "http://a b", "http://a\n", " http://a", "http://[::1", "http://a:port", "file:///etc/passwd", "https://a/%zz",
			},
		},
		"isJson": {
			[]string{"{}", "[1, 2]", `"x"`, "null", " 1.5e3 "},
			[]string{"", "{", "{a: 1}", "undefined", "NaN", "[1,]", "'x'", "{} {}"},
		},
		"isUuid": {
			[]string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-42D3-A456-426614174000", "00000000-0000-0000-0000-000000000000"},
			[]string{
				"", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
				"123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456-426614174000 ",
			},
		},
	} {
		for _, text := range is.yes {
			cases{{"utils." + name + "(" + strconv.Quote(text) + ")", "true"}}.run(t, nil)
		}
		for _, text := range is.no {
			cases{{"utils." + name + "(" + strconv.Quote(text) + ")", "false"}}.run(t, nil)
		}
		for _, v := range []string{
			"", "null", "undefined", "42", "true", "{}", "[]", "new String('https://a.co')", "'x'.repeat(8192).repeat(1024) + 'x'",
		} {
			cases{{"utils." + name + "(" + v + ")", "false"}}.run(t, nil)
		}
	}
}
