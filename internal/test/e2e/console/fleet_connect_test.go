package console

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestConnect: a person connects an account from the page: they agree at the provider in
// another tab, and the page lists the account. What a provider refuses is said there.
func TestConnect(t *testing.T) {
	t.Parallel()
	tenant, provider := system.NewTenant(), oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	if r := shared.HTTP(0).Ask(t, tenant, "services.set", map[string]string{"service": "acmecloud", "label": "default"},
		oauthtest.Body(provider.Discovered())); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	c := open(t, tenant, "/services")
	begin := func() *browser.Tab {
		t.Helper()
		c.Click(`button[aria-label="Connect an account: acmecloud"]`)
		c.Type(`dialog input[name=user]`, "u1")
		c.Click("text=Begin")
		c.Sees("Waiting for you at the provider.")
		c.Click(`dialog a.primary`)
		o := c.Opened()
		o.Until(`location.pathname.startsWith('/v1/connect') && document.querySelector('h1') !== null`)
		return o
	}
	agreed := begin()
	agreed.Until(`document.querySelector('h1').innerText === 'Connected'`)
	agreed.Close()
	c.Sees("The account is connected.")
	c.Axe()
	c.Click("text=Done")
	c.Until(`[...document.querySelectorAll('section[aria-labelledby=entries] tbody tr')].some((r) => r.innerText.includes('acmecloud') && r.innerText.includes('u1') && r.innerText.includes('In use'))`)
	accounts := func() (all []protocol.StoredService) {
		for _, e := range entriesOf(t, tenant) {
			if e.User == "u1" {
				all = append(all, e)
			}
		}
		return all
	}
	if got := accounts(); len(got) != 1 || got[0].Service != "acmecloud" {
		t.Errorf("the accounts of u1 are %+v", got)
	}

	provider.Set(func(b *oauthtest.Behaviour) { b.Refuse = browser.Hostile[1] })
	c.Visit("/services")
	refused := begin()
	refused.Until(`document.querySelector('h1').innerText === 'Not connected'`)
	refused.Unharmed()
	c.Sees("The connection was refused.")
}
