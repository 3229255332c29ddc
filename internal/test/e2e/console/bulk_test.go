package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// failing answers the decisions about some consents as a server that is overloaded does, until
// stub.off is set. The reason is text that must not run.
const failing = `(() => {
	const ids = %s, real = globalThis.fetch;
	globalThis.stub = { off: false };
	globalThis.fetch = (url, ...rest) => !stub.off && ids.some((id) => String(url).includes(id + '/decision'))
		? Promise.resolve(new Response(JSON.stringify({ error_type: 'overloaded', detail: %q }), { status: 503, headers: { 'Content-Type': 'application/problem+json' } }))
		: real(url, ...rest);
	return true;
})()`

// TestBulkFails: of several requests that are decided together, those whose request failed stay
// selected, are named with the reason, and can be tried again.
func TestBulkFails(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	var consents, calls []string
	for i := range 4 {
		consent, call := park(t, tenant, guarded(fmt.Sprintf("b%d", i)))
		consents, calls = append(consents, consent), append(calls, call)
	}
	c := open(t, tenant, "/")
	c.Until(lines + ` === 4`)
	c.Eval(fmt.Sprintf(failing, fmt.Sprintf(`[%q, %q]`, consents[1], consents[2]), "Busy: "+browser.Hostile[0]))
	c.Click(`.select-all input`)
	c.Sees("4 selected")
	c.Click(`.bulk .button:not(.bad)`)
	c.confirm("Allow once")
	why := `document.querySelector('dialog[open]')?.innerText ?? ''`
	c.Until(`(` + why + `).includes('2 of 4 failed.')`)
	if got := c.Text(why); strings.Count(got, "Busy: ") != 2 || !strings.Contains(got, "debug.guarded") {
		t.Errorf("the dialog shows %q", got)
	}
	c.Unharmed()
	c.Axe()
	c.Click(`text=Close`)
	c.Sees("2 selected")
	for i, consent := range consents {
		want := fmt.Sprint(i == 1 || i == 2)
		if got := c.Eval(`document.querySelector('` + row(consent) + ` input')?.checked ?? false`); got != want {
			t.Errorf("row %d is selected: %s, want %s", i, got, want)
		}
	}
	c.Click(`.bulk .button:not(.bad)`)
	c.confirm("Allow once")
	c.Until(`(` + why + `).includes('2 of 2 failed.')`)
	c.Eval(`stub.off = true`)
	c.Click(`text=Try again`)
	c.confirm("Allow once")
	c.Sees("2 requests decided")
	c.Until(`document.querySelector('.bulk') === null && document.querySelector('dialog[open]') === null`)
	for i, call := range calls {
		if got := ended(t, tenant, call); got != "success" {
			t.Errorf("call %d ended in %s", i, got)
		}
	}
}
