package console

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// inboxPages returns the paths of all pages of these areas, with something on each.
func inboxPages(t *testing.T, tenant string) map[string]string {
	t.Helper()
	consent, parked := park(t, tenant, guarded("k1"))
	trace := system.NewTrace()
	done := system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"tool": "contract_steps", "arguments": {"n": 3}}`)).Results[0]
	system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"tool": "debug.fail", "arguments": {"how": "error"}}`))
	return map[string]string{
		"inbox": "/", "consent": "/consents/" + consent, "calls": "/calls", "call": "/calls/" + done.CallID, "parked": "/calls/" + parked,
		"trace": "/traces/" + trace, "nothing": "/calls/unknown", "login": "/login",
	}
}

// TestAxe: no page breaks a rule of WCAG 2.2 AA, in light or dark, wide or on a phone.
func TestAxeInbox(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	all := inboxPages(t, tenant)
	c := open(t, tenant, "/")
	for _, scheme := range []string{"light", "dark"} {
		c.Scheme(scheme)
		for name, path := range all {
			c.Size(1280, 900)
			c.Visit(path)
			t.Log(scheme, name)
			c.Axe()
			c.Size(360, 740)
			c.Axe()
		}
	}
	c.Visit(all["inbox"])
	c.Click("text=Settings")
	c.Until(`document.querySelector('dialog[open]') !== null`)
	c.Axe()
}

// TestPhone: nothing is wider than a phone's screen, and a person decides on it.
func TestPhone(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	all := inboxPages(t, tenant)
	consent, call := park(t, tenant, `{"tool": "contract_long", "arguments": {"text": "`+longWord+`"}}`)
	c := open(t, tenant, "/")
	c.Size(360, 740)
	for _, path := range all {
		c.Visit(path)
		c.Fits()
	}
	c.Visit("/")
	c.Click("text=Menu")
	c.Click(`nav a[href="/calls"]`)
	c.Until(`location.pathname === '/calls' && document.querySelector('.row .row-when')?.checkVisibility()`)
	c.Visit("/consents/" + consent)
	c.Fits()
	c.Click("text=Allow once")
	c.Sees("Granted by you")
	if got := ended(t, tenant, call); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
}

// longWord has no place where a line could break.
var longWord = func() string {
	word := make([]byte, 3000)
	for i := range word {
		word[i] = "abcdefghijk"[i%11]
	}
	return string(word)
}()

// TestKeyboard: everything is done without a mouse.
func TestKeyboardInbox(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	consent, call := park(t, tenant, guarded("k1"))
	c := open(t, tenant, "/")
	c.Press("Tab")
	c.Until(`document.activeElement.className === 'skip'`)
	c.Press("Enter")
	c.Until(`document.activeElement.id === 'main'`)
	c.TabTo(row(consent) + ` .row-link`)
	c.Press("Enter")
	c.Until(`location.pathname === '/consents/` + consent + `' && document.activeElement.tagName === 'H1'`)
	c.TabTo(`input[name=remember]`)
	c.Press("ArrowDown")
	c.Until(`document.querySelectorAll('input[name=remember]')[1].checked`)
	c.Press("ArrowUp")
	c.TabTo("text=Allow once")
	if got := c.Eval(`getComputedStyle(document.activeElement).outlineStyle`); got != `"solid"` {
		t.Errorf("the focus is shown as %s", got)
	}
	c.Press("Enter")
	c.Sees("Granted by you")
	if got := ended(t, tenant, call); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
	c.Visit("/")
	c.TabTo("text=Settings")
	c.Press("Enter")
	c.Until(`document.querySelector('dialog').contains(document.activeElement)`)
	c.Press("Escape")
	c.Until(`document.querySelector('dialog') === null && document.activeElement.innerText === 'Settings'`)
}

// TestPreferences: theme and language are a person's choice, and stay.
func TestPreferences(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	ground := `getComputedStyle(document.body).backgroundColor`
	light := c.Eval(ground)
	c.Click("text=Settings")
	c.Select(`dialog select`, "dark")
	c.Until(ground + ` !== ` + light)
	c.Select(`dialog label:nth-of-type(2) select`, "de")
	c.Until(`document.documentElement.lang === 'de' && document.querySelector('h1').innerText === 'Eingang'`)
	c.Visit("/calls")
	c.Until(`document.title === 'Aufrufe · Helve' && ` + ground + ` !== ` + light)
	c.Sees("Keine Anmeldung: Jeder Prozess auf diesem Rechner darf hier alles.")
}
