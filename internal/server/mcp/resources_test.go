package mcp

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/identity"
)

// TestResources: the files of the caller's own workspace are resources, as text or as data,
// up to a size; no URI leads anywhere else.
func TestResources(t *testing.T) {
	t.Parallel()
	s := &stage{files: map[string]string{
		"out/a b.txt": "ü", "p.png": "\x89PNG\x00", "empty": "", "large.txt": strings.Repeat("x", maxResource+1), "../secret": "secret",
		"x?y": "question",
	}}
	ask, mixed := s.open(t, identity.Principal{}), s.open(t, identity.Principal{User: "ann"})
	for _, version := range Versions() {
		read := func(uri string, head ...string) string {
			_, text := ask(version, "resources/read", "1", `"uri":"`+uri+`"`, append([]string{"Mcp-Name", uri}, head...)...)
			return text
		}
		code := "-32002"
		if version == Versions()[0] {
			code = "-32602"
		}
		for uri, want := range map[string]string{
			"helve-file:///out/a%20b.txt": `"text":"ü"`, "helve-file:///p.png": `"blob":"iVBORwA="`, "helve-file:///empty": `"blob":""`,
			"helve-file:///x%3Fy": `"text":"question"`, "helve-file:///large.txt": "GET /v1/files/large.txt",
			"helve-file:///none": code, "helve-file:///x?y": code, "helve-file:///": code, "file:///etc/passwd": code, "helve-file://host/a": code,
		} {
			if text := read(uri); !strings.Contains(text, want) {
				t.Errorf("%s: %s is %.300s, want %s", version, uri, text, want)
			}
		}
		if text := read("helve-file:///p.png", "Helve-Agent", "blind"); !strings.Contains(text, "does not have the tool") {
			t.Errorf("%s: an agent that may not read files got %.300s", version, text)
		}
		if _, text := ask(version, "resources/list", "1", ``); !strings.Contains(text, `"uri":"helve-file:///a%20b.txt"`) ||
			!strings.Contains(text, `"nextCursor"`) {
			t.Errorf("%s: the list is %s", version, text)
		}
		if _, text := ask(version, "resources/list", "1", ``, "Helve-Agent", "blind"); !strings.Contains(text, `"resources":[]`) {
			t.Errorf("%s: an agent that may not read files is listed %s", version, text)
		}
		if _, text := ask(version, "resources/templates/list", "1", ``); !strings.Contains(text, `"resourceTemplates":[]`) {
			t.Errorf("%s: the templates are %s", version, text)
		}
		if _, text := mixed(version, "resources/read", "1", `"uri":"helve-file:///p.png"`, "Mcp-Name", "helve-file:///p.png", "Helve-User",
			"bob"); !strings.Contains(text, "own files") {
			t.Errorf("%s: somebody else's file is %s", version, text)
		}
	}
	if _, text := ask("2025-11-25", "initialize", "1",
		`"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{}`); !strings.Contains(text, `"resources":{`) ||
		!strings.Contains(text, `"version":"v1"`) || strings.Contains(text, "prompts") {
		t.Errorf("the capabilities are %s", text)
	}
}
