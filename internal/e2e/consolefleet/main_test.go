package consolefleet

import (
	"fmt"
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/e2e/browser"
	"github.com/helve-dev/helve/internal/e2e/system"
)

// shared is the system of every test without special needs.
var shared *system.System

// chromium is the browser of every test.
var chromium browser.Browser

func TestMain(m *testing.M) {
	os.Exit(system.Main(chromium.Tests(m), &shared))
}

// console is the page of a person on a system.
type console struct {
	*browser.Tab
	url string
}

// open opens a page of the shared system, in a tenant.
func open(t *testing.T, tenant, path string) console {
	t.Helper()
	return openOn(t, shared.URLs[0], tenant, path)
}

func openOn(t *testing.T, url, tenant, path string) console {
	t.Helper()
	c := console{chromium.Tab(t), url}
	c.Open(url + "/login") // a page to keep the tenant at
	c.Eval(fmt.Sprintf(`localStorage.setItem('helve.tenant', %q)`, tenant))
	c.visit(path)
	return c
}

// visit loads a page, and waits until all of it is loaded.
func (c console) visit(path string) {
	c.Open(c.url + path)
	c.Until(`document.querySelector('main [aria-busy="true"]') === null`)
}

// confirm presses the button of the open dialog that does what it asks about.
func (c console) confirm(label string) {
	c.Until(`document.querySelector('dialog[open]') !== null`)
	c.Eval(`[...document.querySelectorAll('dialog .buttons button')].find((b) => b.innerText === '` + label + `').setAttribute('data-confirm', '')`)
	c.Click(`dialog [data-confirm]`)
}

// rows is the expression of the number of rows of the tables of the page.
const rows = `document.querySelectorAll('main table tbody tr').length`
