package consoletools

import (
	"fmt"
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/e2e/browser"
	"github.com/helve-dev/helve/internal/e2e/system"
)

// shared is the system of every test without special needs.
var shared *system.System

func TestMain(m *testing.M) {
	os.Exit(system.Main(m, &shared))
}

// console is the page of a person on the shared system, in a tenant.
type console struct {
	*browser.Tab
}

// open opens a page in a tenant of the test's own.
func open(t *testing.T, tenant, path string) console {
	t.Helper()
	c := console{browser.Start(t).Tab(t)}
	c.Open(shared.URLs[0] + "/login") // a page to keep the tenant at
	c.Eval(fmt.Sprintf(`localStorage.setItem('helve.tenant', %q)`, tenant))
	c.visit(path)
	return c
}

// visit loads a page, and waits until all of it is loaded.
func (c console) visit(path string) {
	c.Open(shared.URLs[0] + path)
	c.Until(`document.querySelector('main [aria-busy="true"]') === null`)
}

// rows is the expression of the number of rows that the table of the page has.
const rows = `document.querySelectorAll('main table tbody tr').length`
