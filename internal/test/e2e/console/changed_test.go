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

// TestFileChange: a request to write a file shows how it changes.
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
	for name, tt := range map[string]struct{ id, added, removed, note string }{
		"an addition":    {write("plan.md", "and more\n", `, "mode": "append"`), "and more", "", ""},
		"bytes":          {write("plan.md", "AAAA", `, "encoding": "base64"`), "", "rent a room", "These contents go"},
		"a long text":    {write("plan.md", strings.Repeat("long line\n", 10_000), ""), "long line", "rent a room", "the part with the difference"},
		"a new file":     {write("new.md", "new\n", ""), "new", "", "A new file"},
		"another's file": {write("other.md", "new\n", ""), "new", "", "A new file"},
	} {
		c.Visit("/consents/" + tt.id)
		c.Until(`document.querySelector('.inbox-change') !== null`)
		part := func(kind string) string {
			return c.Text(fmt.Sprintf(`[...document.querySelectorAll('.diff .%s')].map((e) => e.innerText).join('|')`, kind))
		}
		added, removed, all := part("added"), part("removed"), c.Text(`document.querySelector('.inbox-change').innerText`)
		if !strings.Contains(added, tt.added) || (added == "") != (tt.added == "") || !strings.Contains(removed, tt.removed) ||
			(removed == "") != (tt.removed == "") || !strings.Contains(all, tt.note) || strings.Contains(all, "another person") {
			t.Errorf("%s is shown as %q and %q, all of it %.300q", name, removed, added, all)
		}
	}
	c.Unharmed()
}
