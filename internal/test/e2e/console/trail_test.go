package console

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// remember lets a person allow the calls of debug.guarded from now on.
func remember(t *testing.T, tenant string) {
	t.Helper()
	d := shared.HTTP(0)
	e := system.Park(t, d, tenant, guardedCall)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "remember": "always", "by": "u1"}`); r.Status != 200 {
		t.Fatalf("consent.decide = %d %s", r.Status, r.Body)
	}
}

const guardedCall = `{"tool": "debug.guarded", "arguments": {"key": "k1"}}`

// TestGrants: what is remembered is revoked on the page, and a person is asked again.
func TestGrants(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	remember(t, tenant)
	c := open(t, tenant, "/grants")
	c.Until(rows + ` === 1 && document.querySelector('main tbody .badge').innerText === 'Allowed'`)
	c.TabTo(`main tbody button`)
	c.Press("Enter")
	c.Until(`document.querySelector('dialog[open]') !== null`)
	c.Axe()
	c.Press("Escape")
	c.Until(`document.querySelector('dialog') === null && document.activeElement.closest('tbody') !== null`)
	c.Press("Enter")
	c.confirm("Revoke")
	c.Sees("Nothing is remembered.")
	if list := system.Decode[protocol.GrantList](t, shared.HTTP(1).Ask(t, tenant, "grants.list", nil, "")); len(list.Grants) != 0 {
		t.Errorf("still remembered: %+v", list.Grants)
	}
	system.Eventually(t, "a person is asked again", func() bool {
		return system.Execute(t, shared.HTTP(0), tenant, system.AsUser(30000, guardedCall)).Results[0].ConsentID != ""
	})
}

// TestAudit: records are found by a filter, the seals are verified on the page with the key
// shown, and the export has what was found.
func TestAudit(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	d := shared.HTTP(0)
	system.One(t, d, tenant, `{"tool": "contract_steps", "arguments": {"n": 2}}`)
	call := system.Park(t, d, tenant, guardedCall)
	deny := `{"decision": "deny", "by": "u1", "comment": "` + strings.ReplaceAll(browser.Hostile[0], `"`, `\"`) + `"}`
	if r := system.Decide(t, d, tenant, call.ConsentID, deny); r.Status != 200 {
		t.Fatalf("consent.decide = %d %s", r.Status, r.Body)
	}
	c := open(t, tenant, "/audit")
	c.Until(lines + ` >= 4`)
	c.Unharmed()
	c.Click(`.facet-tool summary`)
	c.Type(`input[name=tool]`, "contract_steps")
	c.Press("Enter")
	c.Until(`location.search === '?tool=contract_steps' && ` + lines +
		` > 0 && [...document.querySelectorAll('main .row')].every((r) => r.innerText.includes('contract_steps'))`)
	c.Until(`/Of these (\d+) records \1 have a valid seal, 0 wait/.test(document.body.innerText)`)

	c.Click("text=Verification")
	c.Click("text=Verify the trail")
	c.Sees("The trail matches its seals")
	c.Click("text=Public key of the seals")
	c.Sees("BEGIN PUBLIC KEY")
	c.Eval(`(() => { const real = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then((x) => { window.__exported = x; }); return real.call(URL, b); }; })()`)
	c.Click("text=Export with seals")
	c.Until(`window.__exported?.includes('helve_audit_export') && window.__exported.includes('contract_steps') && !window.__exported.includes('debug.guarded') && window.__exported.endsWith('}\n')`)

	c.Click("text=Remove all filters")
	c.choose("phase", "consent_decided")
	c.Until(lines + ` === 1 && document.querySelector('main .row').innerText.includes('A person decided')`) // not the row from before
	c.Click(`.row .row-link`)
	c.Until(`document.querySelector('.detail a[href="/consents/` + call.ConsentID + `"]') !== null && location.pathname.startsWith('/audit/')`)
	c.Unharmed()
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.TabTo(`.detail a[href^="/calls/"]`)
	c.Press("Enter")
	c.Until(`location.pathname === '/calls/` + call.CallID + `'`)
}

// TestPolicy: the page explains what would be decided about a call, and makes none.
func TestPolicy(t *testing.T) {
	t.Parallel()
	c := open(t, "default", "/policy")
	c.Sees("There are no rule files.")
	c.Type(`textarea[name=arguments]`, `[1]`)
	c.Click("text=Explain")
	c.Until(`document.activeElement.name === 'tool' && document.querySelector('#arguments-wrong').innerText === 'Enter a JSON object.'`)
	c.Axe()
	c.Type(`input[name=tool]`, "debug.guarded")
	c.Type(`textarea[name=arguments]`, `{"key": "k1"}`)
	c.TabTo("text=Explain")
	c.Press("Enter")
	c.Sees("A person would be asked")
	c.Axe()
	c.Type(`textarea[name=arguments]`, `{"kye": "k1"}`)
	c.Click("text=Explain")
	c.Until(`document.querySelector('.failure') !== null`)
}

// TestUsable: no page breaks a rule of WCAG 2.2 AA, in light or dark, wide or on a phone, and
// none is wider than a phone; other tenants are told what is not theirs.
func TestUsable(t *testing.T) {
	t.Parallel()
	c := open(t, "default", "/check")
	c.Until(`document.querySelectorAll('.check-list li').length > 3`)
	for _, scheme := range []string{"light", "dark"} {
		c.Scheme(scheme)
		for _, path := range []string{"/fleet", "/check", "/audit", "/grants", "/services", "/dead", "/policy", "/schedules", "/files", "/data?user=u1",
			"/conversations/c1"} {
			c.Size(1280, 900)
			c.Visit(path)
			c.Axe()
			c.Size(360, 740)
			c.Fits()
			c.Axe()
		}
	}
	other := open(t, system.NewTenant(), "/check")
	other.Sees("needs a person of the tenant default")
}
