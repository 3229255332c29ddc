package console

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// signsIn tests the page of signing in, with a link to a page of u1.
func signsIn(t *testing.T, p *roleWorld) {
	t.Helper()
	wrong := p.sign(t, "hk_wrong", "/")
	wrong.Until(`document.querySelector('#login-wrong').innerText !== '' && document.querySelector('input[name=key]').getAttribute('aria-invalid') === 'true'`)
	wrong.Axe()

	u1 := p.sign(t, p.keys["u1"], "/consents/"+p.parked.ConsentID)
	u1.Until(`location.pathname === '/consents/` + p.parked.ConsentID + `'`) // where the link led
	u1.Sees("Run the tool debug.guarded")
	u1.Until(`!document.body.innerText.includes('No authentication')`)
	cleo := p.sign(t, p.keys["cleo"], "/")
	u1.Visit("/")
	cleo.press(p.parked.ConsentID, "Allow once")
	cleo.Until(`document.querySelector('` + card(p.parked.ConsentID) + `').innerText.includes('Granted by you')`)
	u1.Until(`document.querySelector('` + card(p.parked.ConsentID) + `').innerText.includes('Granted by cleo')`)

	u1.Click("text=Settings")
	u1.Click("text=Sign out")
	u1.Until(`location.pathname === '/login' && document.querySelector('input[name=key]') !== null`)
	u1.Back()
	u1.Until(`location.search.startsWith('?next=') && document.querySelector('input[name=key]') !== null`)
	u1.Open(u1.URL + "/")
	u1.Until(`location.pathname === '/login'`)
	dora := &console{Console: browser.Console{Tab: chromium.Tab(t), URL: p.URLs[0]}}
	dora.Open(dora.URL + "/services?at=1")
	dora.Click(`a.primary`) // to the issuer, which agrees
	dora.Until(`location.pathname + location.search === '/services?at=1' && document.querySelector('nav') !== null`)
	dora.Eval(`fetch('/v1/me').then((r) => { globalThis.alone = r.status; })`)
	dora.Until(`globalThis.alone === 401`)

	for _, c := range []*console{wrong, u1, cleo, dora} {
		if stored := c.Text(`JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])`); strings.Contains(stored, "hk_") ||
			strings.Contains(stored, "session") {
			t.Errorf("a script can read %s", stored)
		}
	}
}

// connects tests that a person connects an account of a service that an admin registered: in
// their own browser, and with the code that it shows in a browser without a session.
func connects(t *testing.T, p *roleWorld) {
	t.Helper()
	provider := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	if r := p.doors["root"].Send(t, http.MethodPut, "/v1/services/acmecloud/default", oauthtest.Body(provider.Discovered()),
		http.Header{"Content-Type": {"application/json"}}); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	bob := p.sign(t, p.keys["bob"], "/services")
	bob.Until(`location.pathname === '/services'`) // a visit would end the request that signs bob in
	for _, own := range []bool{true, false} {
		bob.Visit("/services")
		bob.Click(`button[aria-label="Connect an account: acmecloud"]`)
		bob.Click("text=Begin")
		bob.Sees("Waiting for you at the provider.")
		if own {
			bob.Click(`dialog a.primary`)
		} else {
			other := chromium.Tab(t)
			other.Open(bob.Text(`document.querySelector('dialog a.primary').href`))
			bob.Type(`dialog input[name=code]`, other.Text(`document.querySelector('h1').innerText`))
			bob.Axe()
			bob.Click("text=Confirm")
		}
		bob.Sees("The account is connected.")
		bob.Click("text=Done")
		bob.Until(`[...document.querySelectorAll('section[aria-labelledby=entries] tbody tr')].some((r) => r.innerText.includes('acmecloud') && r.innerText.includes('bob') && r.innerText.includes('In use'))`)
	}
	if r := p.doors["bob"].Ask(t, "default", "services.list", nil, ""); strings.Contains(string(r.Body), oauthtest.ClientSecret) ||
		strings.Contains(string(r.Body), provider.URL) {
		t.Errorf("bob sees the registration: %s", r.Body)
	}
}

// actsAsShown tests that a tab does nothing in the name of another person, who has signed in in
// another tab of the browser since, and names that person.
func actsAsShown(t *testing.T, p *roleWorld) {
	t.Helper()
	parked := system.Park(t, p.doors["u1"], "default", guarded("acting"))
	c := p.sign(t, p.keys["u1"], "/")
	c.Until(in(parked.ConsentID, "Deny") + ` !== undefined`)
	c.Eval(`fetch('/login', {
		method: 'POST', headers: { 'Content-Type': 'application/json', 'Helve-Console': localStorage.getItem('helve.page') },
		body: JSON.stringify({ key: '` + p.keys["cleo"] + `' }),
	}).then((r) => { globalThis.other = r.status; })`)
	c.Until(`globalThis.other === 200`)
	c.Eval(`fetch('/v1/consents/` + parked.ConsentID + `/decision', {
		method: 'POST', body: JSON.stringify({ decision: 'deny' }), headers: {
			'Content-Type': 'application/json', 'Helve-Console': localStorage.getItem('helve.page'), 'Helve-Acting-As': 'u1',
		},
	}).then((r) => r.json()).then((r) => { globalThis.denied = r.error_type + ' ' + r.signed_in_as; })`)
	c.Until(`globalThis.denied === 'conflict cleo'`)
	c.Sees("Somebody else is signed in") // the inbox reads itself again
	c.Sees("This page shows u1, but cleo has signed in in another tab of this browser. Nothing was done.")
	c.Axe()
	c.Click("text=Go on as cleo")
	c.Until(`document.querySelector('nav .who')?.innerText.includes('cleo') && document.querySelector('dialog[open]') === null`)
	c.press(parked.ConsentID, "Deny")
	c.Until(`document.querySelector('` + card(parked.ConsentID) + `').innerText.includes('Denied by you')`)
}
