package javascript

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/services"
)

const page = "../../docs/javascript.md"

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shown is a block of the page with its file. The line before a block names the file;
// with "from" the block is a part of it.
var shown = regexp.MustCompile("(?m)^(From )?`examples/javascript/([^`]+)`:?\n\n```[a-z]+\n((?:[^`]|`[^`]|``[^`])*?)```$")

// TestPage: the blocks of the page equal the files.
func TestPage(t *testing.T) {
	t.Parallel()
	files := map[string]bool{}
	for _, m := range shown.FindAllStringSubmatch(read(t, page), -1) {
		text := read(t, m[2])
		if whole := m[1] == ""; whole && text != m[3] || !strings.Contains(text, m[3]) {
			t.Errorf("%s is not what the page shows of it", m[2])
		}
		files[m[2]] = true
	}
	for _, name := range []string{
		"tools/lib/rest.js", "tools/weather.js", "tools/weather.json", "tools/weather.test.json",
		"tools/issues.js", "tools/issues.json", "dynamic/exchange_money.js", "dynamic/exchange_money.json",
	} {
		if !files[name] {
			t.Errorf("the page does not show %s", name)
		}
	}
}

// block is the text of the block that begins so, in a file.
func block(t *testing.T, begin string) (path string) {
	t.Helper()
	_, text, ok := strings.Cut(read(t, page), "```yaml\n"+begin)
	text, _, closed := strings.Cut(begin+text, "```")
	if !ok || !closed {
		t.Fatalf("the page has no block that begins with %q", begin)
	}
	path = filepath.Join(t.TempDir(), "block.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPageSettings: the settings on the page mean what it says.
func TestPageSettings(t *testing.T) {
	t.Parallel()
	center, err := services.Open(block(t, "- service: exchange"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ tenant, user, want string }{{"default", "ann", "k1"}, {"acme", "ann", "k2"}, {"acme", "bob", ""}} {
		entries, err := center.For(tt.tenant, tt.user).Entries(t.Context(), "exchange")
		key := ""
		if len(entries) > 0 {
			key = entries[0].Data["api_key"]
		}
		if err != nil || key != tt.want {
			t.Errorf("%s of %s gets %q, %v, want %q", tt.user, tt.tenant, key, err, tt.want)
		}
	}
	cfg, err := config.Load(config.Source{File: block(t, "tool_env:")})
	if err != nil || len(cfg.ToolEnv) != 2 {
		t.Errorf("tool_env is %v, %v", cfg.ToolEnv, err)
	}
}
