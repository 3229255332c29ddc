package everywhere

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const heading = "\n## The same tool, from everywhere\n"

// TestReadme holds the snippets of the README to the files, byte for byte. What it says
// that they print is held to what they print by readme.test.mjs.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(readme), heading)
	if !found {
		t.Fatalf("README.md has no section %q", heading)
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
			t.Errorf("README.md must hold %s once, as it is, and then a block of what %q prints:\n%s", snippet.file, snippet.command, want)
		}
	}
}
