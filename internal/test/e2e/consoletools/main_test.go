package consoletools

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/toolbox/upstream/upstreamtest"
)

// shared is the system of every test without special needs.
var shared *system.System

// chromium is the browser of every test.
var chromium browser.Browser

func TestMain(m *testing.M) {
	upstreamtest.Child()
	os.Exit(system.Main(chromium.Tests(m), &shared))
}

// console is the page of a person on a system, in a tenant.
type console struct{ browser.Console }

// open opens a page of the shared system, in a tenant of the test's own.
func open(t *testing.T, tenant, path string) console {
	t.Helper()
	return openOn(t, shared.URLs[0], tenant, path)
}

func openOn(t *testing.T, url, tenant, path string) console {
	t.Helper()
	return console{chromium.Console(t, url, tenant, path)}
}

// rows is the expression of the number of rows that the table of the page has.
const rows = `document.querySelectorAll('main table tbody tr').length`
