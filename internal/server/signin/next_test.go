package signin

import (
	"strings"
	"testing"
)

func TestNext(t *testing.T) {
	for text, want := range map[string]string{
		"/": "/", "/consents/c-1": "/consents/c-1", "/calls?q=a%20b&status=error": "/calls?q=a%20b&status=error", "/calls#x": "/calls#x",
		"/v10": "/v10", "/tools/v1": "/tools/v1", "/loginx": "/loginx",
		"": "/", "calls": "/", "//evil.example": "/", `/\evil.example`: "/", "/\t/evil.example": "/", "/\n/evil": "/", "\\/evil": "/",
		"https://evil.example/": "/", "javascript:alert(1)": "/", "/%": "/", "/a b": "/", "/a\"b": "/", "/ä": "/", "/v1": "/", "/v1/calls": "/",
		"/login?next=/": "/", "/login": "/",
		"/logout": "/", "/mcp": "/", "/" + strings.Repeat("a", maxNext): "/",
	} {
		if got := Next(text); got != want {
			t.Errorf("Next(%.60q) = %q, want %q", text, got, want)
		}
	}
}
