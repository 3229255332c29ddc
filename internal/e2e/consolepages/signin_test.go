package consolepages

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/e2e/browser"
	"github.com/helve-dev/helve/internal/e2e/system"
	"github.com/helve-dev/helve/internal/e2e/system/mcpclient"
	"github.com/helve-dev/helve/internal/identity"
)

// TestRoles: people sign in with their keys, and see and do what their roles allow.
func TestRoles(t *testing.T) {
	t.Parallel()
	file, keys := system.KeysFile(t,
		identity.Entry{User: "u1", Roles: []string{"user", "agent"}}, identity.Entry{User: "bob", Roles: []string{"user"}},
		identity.Entry{User: "eve", Roles: []string{"auditor"}}, identity.Entry{User: "app", Roles: []string{"user", "approver"}})
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Auth.KeysFile = file }})
	front := system.HTTPDoor{Client: mcpclient.Web(t, s, map[string]string{"Authorization": "Bearer " + keys[0]}), URL: s.URLs[0]}
	parked := system.Park(t, front, "default", guarded("k1"))
	high := system.Park(t, front, "default", `{"tool": "contract_high", "arguments": {"word": "w"}}`)

	b := browser.Start(t)
	sign := func(key, next string) *console {
		t.Helper()
		c := &console{Tab: b.Tab(t), url: s.URLs[0]}
		c.Open(c.url + next)
		c.Until(`location.pathname === '/login' && document.querySelector('input[name=key]') !== null`)
		c.Axe()
		c.Type(`input[name=key]`, key)
		c.Press("Enter")
		return c
	}

	wrong := sign("hk_wrong", "/")
	wrong.Until(`document.querySelector('#login-wrong').innerText !== '' && document.querySelector('input[name=key]').getAttribute('aria-invalid') === 'true'`)

	u1 := sign(keys[0], "/consents/"+parked.ConsentID)
	u1.Until(`location.pathname === '/consents/` + parked.ConsentID + `'`) // where the link led
	u1.Sees("Run the tool debug.guarded")
	u1.Until(`!document.body.innerText.includes('No authentication') && document.querySelector('nav a[href="/calls"]') === null`)
	u1.visit("/calls")
	u1.Sees("This page needs the role auditor or admin.")
	u1.visit("/")
	u1.Until(`document.querySelectorAll('[data-consent]').length === 2`)

	bob := sign(keys[1], "/consents/"+parked.ConsentID)
	bob.Until(`document.querySelector('.failure') !== null && !document.body.innerText.includes('debug.guarded')`) // what is another's does not exist
	bob.visit("/")
	bob.Sees("Nothing waits for you.")

	eve := sign(keys[2], "/?whose=all")
	eve.Until(`document.querySelectorAll('[data-consent]').length === 2`)
	if got := eve.Eval(`document.querySelectorAll('[data-consent] form, [data-consent] input').length`); got != "0" {
		t.Errorf("an auditor is offered %s ways to decide", got)
	}
	eve.visit("/calls/" + parked.CallID)
	eve.Sees("Audit records")
	eve.Until(`![...document.querySelectorAll('button')].some((b) => /Cancel|again/.test(b.innerText))`)

	app := sign(keys[3], "/")
	app.press(high.ConsentID, "Allow once")
	app.Until(`document.querySelector('` + card(high.ConsentID) + `').innerText.includes('Granted by you')`)
	u1.Until(`document.querySelector('` + card(high.ConsentID) + `').innerText.includes('Granted by app')`)

	u1.Click("text=Settings")
	u1.Click("text=Sign out")
	u1.Until(`location.pathname === '/login' && document.querySelector('input[name=key]') !== null`)
	u1.Open(u1.url + "/")
	u1.Until(`location.pathname === '/login'`)
	for _, c := range []*console{u1, bob, eve, app} {
		if stored := c.Text(`JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])`); strings.Contains(stored, "hk_") || strings.Contains(stored, "session") {
			t.Errorf("a script can read %s", stored)
		}
	}
}
