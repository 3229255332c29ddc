package console

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// toolPages are the paths of the pages of these areas.
var toolPages = []string{
	"/tools", "/tools?q=nothing-has-this", "/tools/contract_steps", "/tools/contract_permitted", "/tools/unknown", "/agents", "/custom-tools",
}

// TestAxe: no page breaks a rule of WCAG 2.2 AA, in light or dark, and none is wider than a
// phone.
func TestAxeTools(t *testing.T) {
	t.Parallel()
	c := open(t, system.NewTenant(), "/tools")
	for _, scheme := range []string{"light", "dark"} {
		c.Scheme(scheme)
		for _, path := range toolPages {
			c.Size(1280, 900)
			c.Visit(path)
			c.Axe()
			c.Size(360, 740)
			c.Fits()
			c.Axe()
		}
	}
}

// TestKeyboard: a tool is found, opened and run without a mouse.
func TestKeyboardTools(t *testing.T) {
	t.Parallel()
	c := open(t, system.NewTenant(), "/tools")
	c.TabTo(`input[type=search]`)
	c.Insert("Tell n steps")
	c.Until(rows + ` === 1`)
	c.TabTo(`a[href="/tools/contract_steps"]`)
	c.Press("Enter")
	c.Until(`document.activeElement === document.querySelector('h1') && document.activeElement.innerText === 'contract_steps'`)
	c.TabTo("#try-0")
	c.Insert("2")
	c.TabTo("text=Run")
	c.Press("Enter")
	c.Until(`document.querySelector('.tools-tried .badge')?.innerText === 'Success'`)
}

// TestHostile: what a tool says of itself, its parameters, results and errors are text.
func TestHostileTools(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	all, err := json.Marshal(strings.Join(browser.Hostile, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for i, text := range browser.Hostile {
		value, _ := json.Marshal(text)
		values := fmt.Sprintf(`, "enum": [%s], "default": %[1]s`, value)
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) }) {
			values = "" // refused in values; in descriptions removed
		}
		fields = append(fields, fmt.Sprintf(`"p%d": {"type": "string", "description": %s%s}`, i, value, values))
	}
	p := shared.RemoteProcess(t, tenant, "w1")
	p.Always("hostile_tool", fmt.Sprintf(`{"status": "success", "result": %s}`, all))
	p.Always("hostile_failure", fmt.Sprintf(`{"status": "error", "error_type": "execution_error", "message": %s}`, all))
	p.Register(shared.HTTP(0), system.LongTTL,
		fmt.Sprintf(`{"name": "hostile_tool", "description": %s, "mutates": false, "parameters": {"type": "object", "properties": {%s}}},
		{"name": "hostile_failure", "description": %[1]s, "mutates": false, "parameters": {"type": "object"}}`, all, strings.Join(fields, ", ")))
	system.UseTool(t, shared.HTTP(0), tenant, "hostile_tool", `{}`)
	c := open(t, tenant, "/tools?q=hostile_tool")
	c.Until(rows + ` === 1`)
	c.Unharmed()
	c.Visit("/tools/hostile_tool")
	c.Sees(browser.Hostile[0])
	c.Eval(`document.querySelectorAll('details').forEach((d) => { d.open = true; })`)
	c.Click("text=Run")
	c.Until(`document.querySelector('.tools-tried .json')?.innerText.includes('onerror') === true`)
	c.Unharmed()
	c.Size(360, 740)
	c.Fits()
	c.Marks()
	c.Visit("/tools/hostile_failure")
	c.Click("text=Run")
	c.Until(`document.querySelector('.tools-tried .badge')?.innerText === 'Failed'`)
	c.Reveals("onerror")
	c.Visit("/tools/" + url.PathEscape(browser.Hostile[0]+browser.Hostile[len(browser.Hostile)-1]))
	c.Unharmed()
	for _, path := range []string{
		"/tools?q=", "/tools?group=", "/tools?category=", "/custom-tools?tool=", "/custom-tools?tool=x&owner=", "/upstream?review=", "/agents?x=",
	} {
		c.Visit(path + url.QueryEscape(strings.Join(browser.Hostile, "\n")))
		c.Unharmed()
	}
	if r := shared.HTTP(0).Ask(t, tenant, "agents.put", map[string]string{"agent": "a1"},
		fmt.Sprintf(`{"tools": [%s], "groups": [%[1]s], "deny": [%[1]s]}`, all)); r.Status == 200 {
		c.Visit("/agents")
		c.Reveals("onerror")
	} else if r.Status != 400 {
		t.Errorf("agents.put = %d %s", r.Status, r.Body)
	}
}
