package consolepages

import (
	"strings"
	"testing"
)

// signsIn tests the page of signing in, with a link to a page of u1.
func signsIn(t *testing.T, p *people) {
	t.Helper()
	wrong := p.sign(t, "hk_wrong", "/")
	wrong.Until(`document.querySelector('#login-wrong').innerText !== '' && document.querySelector('input[name=key]').getAttribute('aria-invalid') === 'true'`)
	wrong.Axe()

	u1 := p.sign(t, p.keys["u1"], "/consents/"+p.parked.ConsentID)
	u1.Until(`location.pathname === '/consents/` + p.parked.ConsentID + `'`) // where the link led
	u1.Sees("Run the tool debug.guarded")
	u1.Until(`!document.body.innerText.includes('No authentication')`)
	cleo := p.sign(t, p.keys["cleo"], "/")
	u1.visit("/")
	cleo.press(p.parked.ConsentID, "Allow once")
	cleo.Until(`document.querySelector('` + card(p.parked.ConsentID) + `').innerText.includes('Granted by you')`)
	u1.Until(`document.querySelector('` + card(p.parked.ConsentID) + `').innerText.includes('Granted by cleo')`)

	u1.Click("text=Settings")
	u1.Click("text=Sign out")
	u1.Until(`location.pathname === '/login' && document.querySelector('input[name=key]') !== null`)
	u1.Open(u1.url + "/")
	u1.Until(`location.pathname === '/login'`)
	for _, c := range []*console{wrong, u1, cleo} {
		if stored := c.Text(`JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])`); strings.Contains(stored, "hk_") || strings.Contains(stored, "session") {
			t.Errorf("a script can read %s", stored)
		}
	}
}
