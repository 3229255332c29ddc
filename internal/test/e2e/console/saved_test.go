package console

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// savedNames is the expression of the names of the saved filters of the list.
const savedNames = `[...document.querySelectorAll('.saved .value')].map((b) => b.innerText).join()`

// save opens the saved filters and saves those that are chosen.
func (c *console) save(name string) {
	c.Click(`.facet-saved summary`)
	c.Type(`input[name=saved-name]`, name)
	c.Press("Enter")
}

// TestSavedFilters: filters of a list are saved under a name, which may be any text, chosen on the page
// and in the palette, also after a reload, and deleted. They are of their list and tenant only.
func TestSavedFilters(t *testing.T) {
	t.Parallel()
	tenant, other := system.NewTenant(), system.NewTenant()
	for _, tenant := range []string{tenant, other} {
		system.One(t, shared.HTTP(0), tenant, system.EchoCall("1"))
	}
	c := open(t, tenant, "/calls?tool=debug.echo&status=success&from=24h")
	c.Until(lines + ` === 1`)
	c.save("Echo of a day")
	c.Until(savedNames + ` === 'Echo of a day'`)
	c.Axe()
	c.Type(`input[name=saved-name]`, browser.Hostile[0])
	c.Press("Enter")
	c.Until(`document.querySelectorAll('.saved').length === 2`)
	c.Unharmed()
	for _, path := range []string{"/", "/audit", "/dead"} {
		c.Visit(path)
		c.Click(`.facet-saved summary`)
		c.Sees("No filters are saved.")
		c.Sees("Choose filters to save them.")
	}
	c.Visit("/calls?agent=nobody")
	c.Until(`document.querySelector('.empty') !== null`)
	c.Click(`.facet-saved summary`)
	c.Click(`.saved .value`)
	c.Until(`location.search === '?tool=debug.echo&status=success&from=24h' && ` + lines + ` === 1`)
	c.Visit("/audit?tool=debug.echo")
	c.save("Echo")
	c.Until(savedNames + ` === 'Echo'`)
	c.Visit("/")
	c.Press("Control+k")
	c.Until(`document.activeElement.name === 'go'`)
	c.Insert("echo of")
	c.Until(`document.querySelector('[role=option]')?.innerText === 'Calls: Echo of a day'`)
	c.Axe()
	c.Press("Enter")
	c.Until(`location.pathname === '/calls' && location.search === '?tool=debug.echo&status=success&from=24h'`)
	c.Click(`.facet-saved summary`)
	c.Click(`.saved .quiet`)
	c.Until(`document.querySelectorAll('.saved').length === 1`)
	c.Size(360, 740)
	c.Fits()
	// Another tenant in the same browser has none.
	c.Eval(`localStorage.setItem('helve.tenant', '` + other + `')`)
	c.Visit("/calls?tool=debug.echo")
	c.Until(lines + ` === 1`)
	c.Click(`.facet-saved summary`)
	c.Sees("No filters are saved.")
}

// TestSavedFiltersOfPersons: a person who signs in after another in the same browser sees nothing of
// what that one has saved.
func TestSavedFiltersOfPersons(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	c := &console{Console: browser.Console{Tab: chromium.Tab(t), URL: p.URLs[0]}}
	in := func(name string) {
		t.Helper()
		c.Open(c.URL + "/calls?tool=debug.echo")
		c.Until(`location.pathname === '/login' && document.querySelector('input[name=key]') !== null`)
		c.Type(`input[name=key]`, p.keys[name])
		c.Press("Enter")
		c.Until(`location.pathname === '/calls' && document.querySelector('.facet-saved') !== null`)
	}
	in("bob")
	c.save("Mine")
	c.Until(savedNames + ` === 'Mine'`)
	c.Click("text=Settings")
	c.Click("text=Sign out")
	c.Until(`location.pathname === '/login'`)
	in("ann")
	c.Click(`.facet-saved summary`)
	c.Sees("No filters are saved.")
}
