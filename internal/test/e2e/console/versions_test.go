package console

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestCustomVersions: who may share a tool sees what that would change for everybody, and its
// owner brings an older version back as any change, by a call that asks.
func TestCustomVersions(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "greet", Description: "Greets.", Code: "const word = 'hello';\nreturn word;"})
	c := open(t, tenant, "/custom-tools?tool=greet&owner=u1")
	c.Click("text=Share version 1")
	c.Until(`document.querySelector('dialog').innerText.includes('Take back')`)
	e := system.Park(t, d, tenant,
		`{"tool": "update_custom_tool", "arguments": {"name": "greet", "code": "const word = 'goodbye';\nreturn word;"}}`)
	system.Grant(t, d, tenant, e.ConsentID)
	if done := system.Settled(t, d, tenant, e.CallID); done.Status != "success" {
		t.Fatalf("update_custom_tool ended %v", done)
	}
	c.Visit("/custom-tools?tool=greet&owner=u1")
	c.Until(`document.querySelector('dialog .diff .removed')?.innerText.includes('hello') === true && document.querySelector('dialog .diff .added').innerText.includes('goodbye')`)
	c.Sees("Changes from version 1, which is shared, to version 2")
	c.Axe()
	c.Click("text=Share version 2")
	c.Until(`[...document.querySelectorAll('dialog button')].some((b) => b.innerText.includes('Take back')) && !document.querySelector('dialog').innerText.includes('which is shared')`)
	c.Sees("Changes from version 1 to version 2")
	c.Click("text=Bring version 1 back")
	c.Until(`location.pathname.startsWith('/calls/')`)
	callID := strings.TrimPrefix(c.Text(`location.pathname`), "/calls/")
	var asked []system.Consent
	system.Eventually(t, "its owner is asked", func() bool { asked = system.Consents(t, d, tenant, "pending"); return len(asked) == 1 })
	system.Grant(t, d, tenant, asked[0].ConsentID)
	done := system.Settled(t, d, tenant, callID)
	if done.Status != "success" {
		t.Fatalf("bringing version 1 back ended %v", done)
	}
	var tool struct{ Code string }
	if r := d.Ask(t, tenant, "custom.get", map[string]string{"name": "greet", "owner": "u1"}, ""); r.Status != 200 ||
		json.Unmarshal(r.Body, &tool) != nil || !strings.Contains(tool.Code, "hello") {
		t.Errorf("the tool is now %d %s, want the code of version 1", r.Status, r.Body)
	}
	if r := d.Ask(t, tenant, "custom.get", map[string]string{"name": "greet", "owner": "u1", "version": "9"}, ""); r.Status != 404 {
		t.Errorf("a version that is not kept = %d %s", r.Status, r.Body)
	}
}
