package everywhere

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const heading = "\n## The same tool, from everywhere\n"

// TestPage compares the snippets of docs/clients.md with the files, byte for byte.
// page.test.mjs compares the output that the page shows with what they print.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), heading)
	if !found {
		t.Fatalf("docs/clients.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for _, snippet := range []struct{ file, language, command string }{
		{"openai.mjs", "js", "node openai.mjs"},
		{"anthropic.mjs", "js", "node anthropic.mjs"},
		{"gemini.mjs", "js", "node gemini.mjs"},
		{"mcp.mjs", "js", "node mcp.mjs"},
		{"curl.sh", "sh", "sh curl.sh"},
		{"nats.mjs", "js", "node nats.mjs"},
		{"go/main.go", "go", "go run ./go"},
	} {
		text, err := os.ReadFile(snippet.file)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("\n```%s\n%s```\n\n```console\n$ %s\n", snippet.language, text, snippet.command)
		if strings.Count(section, want) != 1 {
			t.Errorf("docs/clients.md must hold %s once, as it is, and then a block of what %q prints:\n%s", snippet.file, snippet.command, want)
		}
	}
}
