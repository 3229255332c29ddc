package signin

import (
	"net/url"
	"strings"
)

// maxNext bounds the path to which a browser goes after it has signed in, in bytes: a
// cookie holds it.
const maxNext = 1 << 10

// Next returns the path to which a browser goes after it has signed in: text if that is a
// path of a page on this host, otherwise the first page.
func Next(text string) string {
	const first = "/"
	// Browsers read //host, /\host, and either with a tab or line break within, as another host.
	if len(text) > maxNext || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsFunc(text, unsafe) {
		return first
	}
	u, err := url.Parse(text)
	if err != nil || u.IsAbs() || u.Host != "" {
		return first
	}
	for _, not := range []string{"/v1", "/login", "/logout", "/mcp"} {
		if u.Path == not || strings.HasPrefix(u.Path, not+"/") {
			return first
		}
	}
	return text
}

func unsafe(r rune) bool { return r <= ' ' || r == '\\' || r == '"' || r >= 0x7f }
