package consolefleet

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// shared is the system of every test without special needs.
var shared *system.System

// chromium is the browser of every test.
var chromium browser.Browser

func TestMain(m *testing.M) {
	os.Exit(system.Main(chromium.Tests(m), &shared))
}

// console is the page of a person on a system.
type console struct{ browser.Console }

// open opens a page of the shared system, in a tenant.
func open(t *testing.T, tenant, path string) console {
	t.Helper()
	return openOn(t, shared.URLs[0], tenant, path)
}

func openOn(t *testing.T, url, tenant, path string) console {
	t.Helper()
	return console{chromium.Console(t, url, tenant, path)}
}

// confirm presses the button of the open dialog that does what it asks about.
func (c console) confirm(label string) {
	c.Until(`document.querySelector('dialog[open]') !== null`)
	c.Eval(`[...document.querySelectorAll('dialog .buttons button')].find((b) => b.innerText === '` + label +
		`').setAttribute('data-confirm', '')`)
	c.Click(`dialog [data-confirm]`)
}

// rows is the expression of the number of rows of the tables of the page.
const rows = `document.querySelectorAll('main table tbody tr').length`
