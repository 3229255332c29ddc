package console

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestFindAndTry: a person finds a tool by a word, fills its form in, and sees the result.
func TestFindAndTry(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/tools")
	c.Until(rows + ` > 3`)
	c.Type(`input[type=search]`, "Tell n steps")
	c.Until(rows + ` === 1`)
	c.Click(`a[href="/tools/contract_steps"]`)
	c.Until(`location.pathname === '/tools/contract_steps' && document.querySelector('h1').innerText === 'contract_steps'`)
	c.Type("#try-0", "3")
	c.Click("text=Run")
	c.Until(`document.querySelector('.tools-tried .badge')?.innerText === 'Success'`)
	c.Sees("told")
	system.Eventually(t, "the call is counted", func() bool {
		c.Visit("/tools/contract_steps")
		return c.Eval(`document.querySelector('.tools-stats a')?.innerText === '1'`) == "true"
	})
}

// TestFieldErrors: what is wrong is said at the field, which gets the focus, and no call is
// made; what only the server finds is said there too.
func TestFieldErrors(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/tools/contract_steps")
	for given, want := range map[string]string{
		"": "Fill this in.", "2.5": "Enter a whole number.", "-1": "Enter 0 or more.", "100001": "Enter 100,000 or less.",
	} {
		c.Type("#try-0", given)
		c.Click("text=Run")
		c.Until(`document.querySelector('#try-0-error').innerText === '` + want +
			`' && document.activeElement.id === 'try-0' && document.activeElement.ariaInvalid === 'true'`)
		if got := c.Eval(`document.querySelector('#try-0').getAttribute('aria-describedby').includes('try-0-error')`); got != "true" {
			t.Errorf("the field is not described by its error")
		}
		c.Axe()
	}
	if got := c.Eval(`document.querySelector('.tools-tried') === null`); got != "true" {
		t.Errorf("a call was made with wrong arguments")
	}
	c.Type("#try-0", "1")
	c.Until(`document.querySelector('#try-0-error').innerText === ''`)

	shared.RemoteProcess(t, tenant, "w1").Register(shared.HTTP(0), system.LongTTL,
		`{"name": "strict_word", "description": "Takes words of a pattern.", "mutates": false,
		"parameters": {"type": "object", "required": ["word"], "properties": {"word": {"type": "string", "pattern": "^[a-c]+$"}}}}`)
	system.UseTool(t, shared.HTTP(0), tenant, "strict_word", `{}`)
	c.Visit("/tools/strict_word")
	c.Type("#try-0", "xyz")
	c.Click("text=Run")
	c.Until(`document.querySelector('#try-0-error').innerText !== '' && document.activeElement.id === 'try-0'`)
	c.Until(`document.querySelector('.tools-tried .badge')?.innerText === 'Failed'`)
}

// TestConsent: a call that needs a person waits on the page until it is decided there.
func TestConsent(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/tools/contract_long")
	c.Type("#try-0", "four")
	c.Type(`input[name="helve-user"]`, "u1")
	c.Click("text=Run")
	c.Until(`document.querySelector('.tools-tried a[href^="/consents/"]') !== null`)
	consent := c.Text(`document.querySelector('.tools-tried a[href^="/consents/"]').pathname.split('/').pop()`)
	system.Grant(t, shared.HTTP(1), tenant, consent)
	c.Until(`document.querySelector('.tools-tried .badge')?.innerText === 'Success' && document.querySelector('.tools-tried .json').innerText === '4'`)
}
