package console

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestDecisions: an auditor reads who allowed what and how fast, and saves it.
func TestDecisions(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/decisions")
	c.Sees("Nobody decided anything in this time.")
	consent, call := park(t, tenant, guarded("k1"))
	if r := system.Decide(t, shared.HTTP(0), tenant, consent, `{"decision": "grant", "by": "ann"}`); r.Status != 200 {
		t.Fatalf("consent.decide = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "the decision is on the trail", func() bool {
		decided, _ := system.QueryRecords(t, shared.HTTP(0), tenant, map[string]string{"phase": "consent_decided"})
		asked, _ := system.QueryRecords(t, shared.HTTP(0), tenant, map[string]string{"phase": "consent_requested"})
		return len(decided) == 1 && len(asked) == 1
	})
	c.Visit("/decisions")
	c.Until(`document.querySelector('section[aria-labelledby=deciders] tbody th .cell').innerText === 'ann'`)
	c.Until(`/^[\d.]+ (ms|s)$/.test(document.querySelector('section[aria-labelledby=deciders] tbody td:last-child .cell').innerText)`)
	c.Until(`document.querySelector('section[aria-labelledby=decided] a[href="/calls/` + call + `"]') !== null`)
	c.Eval(`URL.createObjectURL = (blob) => { blob.text().then((text) => { globalThis.saved = text; }); return ''; }`)
	c.Click("text=Save as CSV")
	c.Until(`globalThis.saved?.includes('"ann","allowed"') && globalThis.saved.startsWith('"time","by"')`)
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Axe()
}
