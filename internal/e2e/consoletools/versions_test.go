package consoletools

import (
	"testing"

	"github.com/helve-dev/helve/internal/e2e/system"
)

// TestCustomVersions: who may share a tool sees what that would change for everybody.
func TestCustomVersions(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "greet", Description: "Greets.", Code: "const word = 'hello';\nreturn word;"})
	c := open(t, tenant, "/custom-tools?tool=greet&owner=u1")
	c.Click("text=Share version 1")
	c.Until(`document.querySelector('dialog').innerText.includes('Take back')`)
	e := system.Park(t, d, tenant, `{"tool": "update_custom_tool", "arguments": {"name": "greet", "code": "const word = 'goodbye';\nreturn word;"}}`)
	system.Grant(t, d, tenant, e.ConsentID)
	if done := system.Settled(t, d, tenant, e.CallID); done.Status != "success" {
		t.Fatalf("update_custom_tool ended %v", done)
	}
	c.Visit("/custom-tools?tool=greet&owner=u1")
	c.Until(`document.querySelector('dialog .diff .removed')?.innerText.includes('hello') === true && document.querySelector('dialog .diff .added').innerText.includes('goodbye')`)
	c.Sees("Changes from version 1, which is shared, to version 2")
	c.Axe()
	c.Click("text=Share version 2")
	c.Until(`document.querySelector('dialog .diff') === null && document.querySelector('dialog .code') !== null`)
	if r := d.Ask(t, tenant, "custom.get", map[string]string{"name": "greet", "owner": "u1", "version": "1"}, ""); r.Status != 404 {
		t.Errorf("a version that is not kept = %d %s", r.Status, r.Body)
	}
}
