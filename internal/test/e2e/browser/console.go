package browser

import (
	"fmt"
	"testing"
)

// Console is a tab with the console of a system.
type Console struct {
	*Tab
	URL string
}

// Console opens a page of the console of the system at url, in a tenant.
func (b *Browser) Console(t *testing.T, url, tenant, path string) Console {
	t.Helper()
	c := Console{b.Tab(t), url}
	c.Open(url + "/login") // a page to keep the tenant at
	c.Eval(fmt.Sprintf(`localStorage.setItem('helve.tenant', %q)`, tenant))
	c.Visit(path)
	return c
}

// Visit loads a page, and waits until all of it is loaded.
func (c Console) Visit(path string) {
	c.t.Helper()
	c.Open(c.URL + path)
	c.Until(`document.querySelector('main [aria-busy="true"]') === null`)
}
