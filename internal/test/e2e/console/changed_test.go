package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestFileChange: a request to write a file shows how it changes, where both texts are whole
// and the person may read the file.
func TestFileChange(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.cedar")
	const rule = `@id("ask-before-writing") forbid (principal, action == Action::"auto_approve", resource == Tool::"write_file");`
	if err := os.WriteFile(rules, []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Policy.Rules = []string{rules} }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	const before = "# Plan\n\nrent a room\nsing\nleave\n"
	for user, text := range map[string]string{"u1": before, "other": "of another person\n"} {
		for _, name := range []string{"plan.md", user + ".md"} {
			if r := d.Send(t, "PUT", "/v1/files/"+name+"?user="+user, text, map[string][]string{"Helve-Tenant": {tenant}}); r.Status != 200 &&
				r.Status != 201 {
				t.Fatalf("files.put = %d %s", r.Status, r.Body)
			}
		}
	}
	write := func(path, content, more string) string {
		t.Helper()
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		return system.Park(t, d, tenant,
			fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": %q, "content": %s%s}}`, path, text, more)).ConsentID
	}
	changed := strings.Replace(before, "sing", "<img src=x onerror=window.__owned=1>", 1)
	c := openOn(t, s.URLs[0], tenant, "/")
	shown := write("plan.md", changed, "")
	lines := func(kind string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('%s .diff .%s')].map((e) => e.innerText).join('|')`, card(shown), kind)
	}
	c.Until(lines("removed") + `.includes('sing')`)
	if added, removed := c.Text(lines("added")), c.Text(lines("removed")); !strings.Contains(added, "<img src=x") ||
		strings.Contains(added+removed, "rent") || strings.Contains(removed, "another") {
		t.Errorf("the change is shown as %q and %q", removed, added)
	}
	c.Axe()
	c.press(shown, "Allow once")
	c.Until(in(shown, "Allow once") + ` === undefined`)
	for name, id := range map[string]string{
		"an addition":                   write("plan.md", "and more\n", `, "mode": "append"`),
		"bytes":                         write("plan.md", "AAAA", `, "encoding": "base64"`),
		"a text that is shown in part":  write("plan.md", strings.Repeat("long ", 10_000), ""),
		"a new file, which is read":     write("new.md", "new\n", ""),
		"another's file, which is read": write("other.md", "new\n", ""),
	} {
		c.Visit("/consents/" + id)
		if strings.HasSuffix(name, "read") {
			c.Until(`performance.getEntriesByType('resource').some((e) => e.name.includes('/v1/files/') && e.responseStatus === 404)`)
		}
		c.Until(`document.querySelector('.code') !== null`)
		if got := c.Eval(`document.querySelector('.diff')`); got != "null" {
			t.Errorf("%s is shown as a change: %s", name, got)
		}
	}
	c.Unharmed()
}
