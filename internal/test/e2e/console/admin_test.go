package console

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestAgents: an admin gives an agent rules on the page, changes and removes them.
func TestAgents(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/agents")
	c.Click("text=Add an agent")
	c.Type(`input[name=agent]`, "helper")
	c.Type(`textarea[name=tools]`, "contract_steps contract_setps")
	c.Sees("contract_setps")
	c.Axe()
	c.Click("text=Save")
	c.Until(rows + ` === 1`)
	if got := rulesOf(t, tenant, "helper"); !slices.Equal(got.Tools, []string{"contract_steps", "contract_setps"}) {
		t.Errorf("the rules are %+v", got)
	}
	c.Size(360, 740)
	c.Fits()
	c.Click(`button[aria-label="Change helper"]`)
	c.Type(`textarea[name=deny]`, "contract_steps")
	c.Sees("now: contract_setps") // which moves the buttons
	c.Fits()
	c.Click("text=Save")
	c.Until(`document.querySelector('dialog') === null`)
	if got := rulesOf(t, tenant, "helper"); !slices.Equal(got.Deny, []string{"contract_steps"}) {
		t.Errorf("the rules are %+v", got)
	}
	c.Click(`button[aria-label="Change helper"]`)
	c.Sees("now: contract_setps")
	c.Click("text=Remove its rules")
	c.Click("text=Yes, remove its rules")
	c.Sees("No agent has rules of its own.")
	if r := shared.HTTP(0).Ask(t, tenant, "agents.get", map[string]string{"agent": "helper"}, ""); r.Status != 404 {
		t.Errorf("agents.get = %d %s", r.Status, r.Body)
	}
}

func rulesOf(t *testing.T, tenant, agent string) protocol.Agent {
	t.Helper()
	return system.Decode[protocol.Agent](t, shared.HTTP(0).Ask(t, tenant, "agents.get", map[string]string{"agent": agent}, ""))
}

// TestCustom: a person reads a tool's code on the page, switches it off, shares it and
// deletes it; what a model wrote is text.
func TestCustom(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	system.CreateTool(t, shared, tenant, system.CustomTool{Name: "greet", Description: hostile, Code: "return 'hello'; // " + hostile,
		Parameters: `{"type": "object", "properties": {"x": {"type": "string", "description": "<svg onload=window.__owned=1>"}}}`})
	c := open(t, tenant, "/custom-tools")
	c.Until(rows + ` === 1`)
	c.Click(`button[aria-label="Open greet"]`)
	c.Until(`document.querySelector('dialog .code')?.innerText.includes('hello') === true`)
	c.Reveals("<svg onload")
	c.Marks()
	c.Axe()
	c.Click("text=Switch off")
	c.Until(`document.querySelector('dialog').innerText.includes('Switch on')`)
	if got := customOf(t, tenant, "greet"); got.Enabled {
		t.Errorf("the tool is still on")
	}
	c.Click("text=Switch on")
	c.Click("text=Share version 3") // switching off and on made two versions
	c.Click("text=Take back")
	c.Until(`document.querySelector('dialog').innerText.includes('Share version 3')`)
	c.Size(360, 740)
	c.Fits()
	c.Click("text=Delete")
	c.Click("text=Yes, delete it")
	c.Sees("No custom tools.")
}

// hostile is text that must not run.
var hostile = strings.ReplaceAll(strings.Join(browser.Hostile, " "), "\x00", "")

func customOf(t *testing.T, tenant, name string) (tool protocol.CustomTool) {
	t.Helper()
	r := shared.HTTP(0).Ask(t, tenant, "custom.get", map[string]string{"name": name, "owner": "u1"}, "")
	if err := json.Unmarshal(r.Body, &tool); err != nil {
		t.Fatalf("custom.get = %d %s", r.Status, r.Body)
	}
	return tool
}
