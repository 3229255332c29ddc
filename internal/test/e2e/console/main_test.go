package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/toolbox/upstream/upstreamtest"
)

// shared is the system of every test without special needs. It has no authentication.
var shared *system.System

// chromium is the browser of every test.
var chromium browser.Browser

func TestMain(m *testing.M) {
	upstreamtest.Child()
	os.Exit(system.Main(chromium.Tests(m), &shared))
}

// console is the page of a person on a system, in a tenant.
type console struct {
	browser.Console

	tenant string
}

// open opens a page of the shared system, in a tenant of the test's own.
func open(t *testing.T, tenant, path string) *console {
	t.Helper()
	return openOn(t, shared.URLs[0], tenant, path)
}

func openOn(t *testing.T, url, tenant, path string) *console {
	t.Helper()
	return &console{chromium.Console(t, url, tenant, path), tenant}
}

// confirm presses the button of the open dialog that does what it asks about.
func (c *console) confirm(label string) {
	c.Until(`document.querySelector('dialog[open]') !== null`)
	c.Eval(`[...document.querySelectorAll('dialog .buttons button')].find((b) => b.innerText === '` + label +
		`').setAttribute('data-confirm', '')`)
	c.Click(`dialog [data-confirm]`)
}

// rows is the expression of the number of rows of the tables of the page.
const rows = `document.querySelectorAll('main table tbody tr').length`

// lines is the expression of the number of rows of the list of the page.
const lines = `document.querySelectorAll('main .row').length`

// row is the selector of the row of a list for the thing with an ID.
func row(id string) string { return fmt.Sprintf(`[data-row=%q]`, id) }

// card is the selector of the consent that is shown beside the list.
func card(id string) string { return fmt.Sprintf(`[data-consent=%q]`, id) }

// show opens a consent beside the list, unless it is shown.
func (c *console) show(id string) {
	c.Until(fmt.Sprintf(`document.querySelector('%s, %s') !== null`, card(id), row(id)))
	if c.Eval(`document.querySelector('`+card(id)+`') === null`) == "true" {
		c.Click(row(id) + ` .row-link`)
	}
	c.Until(`document.querySelector('` + card(id) + `') !== null`)
}

// in returns the expression of the button with a text in the consent that is shown.
func in(id, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('[data-consent=%q] button')].find((b) => b.innerText === %q)`, id, text)
}

// press shows a consent and clicks a button with a text.
func (c *console) press(id, text string) {
	c.show(id)
	c.Until(in(id, text) + ` !== undefined`)
	c.Eval(in(id, text) + `.setAttribute('data-pressed', '')`)
	c.Click(card(id) + ` [data-pressed]`)
}

// park sends a call that waits for a person, and returns its consent and its id.
func park(t *testing.T, tenant, call string) (consent, id string) {
	t.Helper()
	e := system.Park(t, shared.HTTP(0), tenant, call)
	return e.ConsentID, e.CallID
}

func guarded(key string) string {
	text, _ := json.Marshal(key)
	return `{"tool": "debug.guarded", "arguments": {"key": ` + string(text) + `}}`
}

// ended waits until a call is done and returns its status and error type.
func ended(t *testing.T, tenant, id string) string {
	t.Helper()
	var e system.Element
	system.Eventually(t, "the call "+id+" is done", func() bool {
		e = system.Decode[system.Element](t, shared.HTTP(1).Ask(t, tenant, "calls.get", map[string]string{"call_id": id}, ""))
		return e.State == "done"
	})
	return strings.TrimSpace(e.Status + " " + e.ErrorType)
}

// ledger returns the keys of the debug.guarded calls of u1 that ran.
func ledger(t *testing.T, tenant string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared.Config.Data, "workspaces", tenant, "u1", "ledger.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var keys []string
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, " ")
		keys = append(keys, key)
	}
	return strings.Join(keys, " ")
}
