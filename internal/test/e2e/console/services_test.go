package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestServicesOfOwnNames: entries of services that Helve does not know by name are changed in place;
// what is not filled in stays, and no secret is shown.
func TestServicesOfOwnNames(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	for name, body := range map[string]string{
		"crm":    `{"type": "http", "fields": {"base_url": "https://crm.example", "api_key": "canary-key"}}`,
		"ledger": `{"type": "custom", "fields": {"token": "canary-token", "pin": "canary-pin"}}`,
	} {
		if r := shared.HTTP(0).Ask(t, tenant, "services.set", map[string]string{"service": name, "label": "default"}, body); r.Status != http.StatusOK {
			t.Fatalf("services.set = %d %s", r.Status, r.Body)
		}
	}
	c := open(t, tenant, "/services")
	c.Click(`button[aria-label="Change: crm"]`)
	c.Until(`document.querySelector('[name="f-base_url"]').value === 'https://crm.example' && document.querySelector('[name=service]') === null`)
	c.Type(`[name="f-user"]`, "ann")
	c.Click("text=Save")
	c.Until(`document.querySelector('dialog[open]') === null`)
	c.Click(`button[aria-label="Change: ledger"]`)
	c.Until(`document.querySelector('[name="f-pin"]').value === '' && document.querySelector('[name="f-token"]').value === ''`)
	c.Axe()
	c.Type(`[name="f-pin"]`, "canary-new")
	c.Type(`[name="own-name"]`, "account_id")
	c.Type(`[name="own-value"]`, "canary-id")
	c.Click("text=Save")
	c.Until(`document.querySelector('dialog[open]') === null`)
	stored := map[string]protocol.StoredService{}
	for _, e := range entriesOf(t, tenant) {
		stored[e.Service] = e
	}
	crm, ledger := stored["crm"], stored["ledger"]
	if crm.Type != "http" || string(crm.Fields["user"]) != `"ann"` || string(crm.Fields["base_url"]) != `"https://crm.example"` ||
		string(crm.Fields["api_key"]) != `{"set":true}` {
		t.Errorf("crm is %+v", crm)
	}
	for _, name := range []string{"token", "pin", "account_id"} {
		if ledger.Type != "custom" || len(ledger.Fields) != 3 || string(ledger.Fields[name]) != `{"set":true}` {
			t.Errorf("the field %s of ledger is %s: %+v", name, ledger.Fields[name], ledger)
		}
	}
	if got := c.Text(`document.documentElement.outerHTML`); strings.Contains(got, "canary") {
		t.Error("the page has a secret")
	}
}
