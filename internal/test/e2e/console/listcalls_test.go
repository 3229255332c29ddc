package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestYesterday: the failed calls of an agent to one tool yesterday are found with the keyboard
// only, by what a screen reader reads.
func TestYesterday(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for i, call := range []string{
		`{"call_id": "wanted", "tool": "debug.fail", "arguments": {"how": "error"}}`, `{"call_id": "fine", "tool": "debug.echo", "arguments": {"value": 1}}`,
	} {
		for _, agent := range []string{"helper", "other"} {
			if i == 0 && agent == "other" {
				call = strings.Replace(call, "wanted", "not-hers", 1)
			}
			system.Execute(t, d, tenant, fmt.Sprintf(`{"context": {"user": "ann", "agent": %q}, "wait_ms": 30000, "calls": [%s]}`, agent, call))
		}
	}
	c := open(t, tenant, "/calls")
	c.Until(lines + ` >= 3`)
	c.Eval(`(() => { const real = Date.now; Date.now = () => real() + 86400000; })()`) // the page thinks it is tomorrow
	pick := func(facet, value string) {
		t.Helper()
		c.TabTo(`.facet-` + facet + ` summary`)
		c.Press("Enter")
		c.TabTo(`.facet-` + facet + ` [data-value="` + value + `"]`)
		c.Press("Enter")
		c.Until(`document.activeElement === document.querySelector('.facet-` + facet + ` summary')`)
	}
	c.Press("Tab")
	for _, f := range [][2]string{{"state", "error"}, {"tool", "debug.fail"}, {"agent", "helper"}, {"period", "yesterday"}} {
		pick(f[0], f[1])
	}
	c.Until(lines + ` === 1 && new URLSearchParams(location.search).get('to') !== null`)
	if got := c.Text(`document.querySelector('.list-count').innerText`); got != "1 call" {
		t.Errorf("the list says %q", got)
	}
	c.TabTo(row("wanted") + ` .row-link`)
	if got := c.Text(`document.activeElement.textContent`); !strings.HasPrefix(got, "Failed: debug.fail") {
		t.Errorf("the row is called %q", got)
	}
	c.Press("Enter")
	c.Until(`location.pathname === '/calls/wanted' && location.search.includes('agent=helper') && document.activeElement.tagName === 'H1'`)
	c.Axe()
	c.Press("Escape")
	c.Until(`location.pathname === '/calls' && document.activeElement.closest('` + row("wanted") + `') !== null`)
}

// TestBackToPlace: going back from a call, and from another page, finds the filters, the rows
// and the place again.
func TestBackToPlace(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	var calls []string
	for i := range 150 {
		calls = append(calls, fmt.Sprintf(`{"call_id": "n-%d", "tool": "debug.echo", "arguments": {"value": %d}}`, i, i))
	}
	for i := 0; i < len(calls); i += 50 {
		system.Execute(t, shared.HTTP(0), tenant, system.AsUser(30000, strings.Join(calls[i:i+50], ",")))
	}
	c := open(t, tenant, "/calls?tool=debug.echo")
	c.Until(`document.querySelector('.row')?.getAttribute('aria-setsize') === '100'`)
	scrolled := `document.querySelector('.list-rows').scrollTop`
	c.Until(`(document.querySelector('.list-rows').scrollTop = 3600, document.querySelector('.row:last-child')?.getAttribute('aria-setsize') === '150')`)
	c.Until(scrolled + ` === 3600 && [...document.querySelectorAll('.row')].some((r) => r.getAttribute('aria-posinset') === '125')`)
	c.Eval(`[...document.querySelectorAll('.row')].find((r) => r.getAttribute('aria-posinset') === '125').id = 'chosen'`)
	id := c.Text(`document.querySelector('#chosen').dataset.row`)
	for _, width := range []int{1280, 360} {
		c.Size(width, 900)
		c.Until(`document.querySelector('` + row(id) + `') !== null || (document.querySelector('.list-rows').scrollTop = 3600, scrollTo(0, 7300), false)`)
		c.Eval(`document.querySelector('` + row(id) + `').scrollIntoView({ block: 'center', behavior: 'instant' })`)
		c.Until(`document.querySelector('` + row(id) + `').getBoundingClientRect().top > 0`)
		c.Click(row(id) + ` .row-link`)
		c.Until(`location.pathname === '/calls/` + id + `' && document.querySelector('h1').innerText.includes('debug.echo')`)
		c.Click(`.detail a[href^="/traces/"]`)
		c.Until(`location.pathname.startsWith('/traces/')`)
		c.Back()
		c.Until(`location.pathname === '/calls/` + id + `' && document.querySelector('h1')?.innerText.includes('debug.echo')`)
		c.Back()
		there := `(() => { const r = document.querySelector('` + row(id) + `')?.getBoundingClientRect(); return r && r.top >= 0 && r.bottom <= innerHeight && document.activeElement.closest('` + row(id) + `') !== null; })()`
		c.Until(`location.search === '?tool=debug.echo' && ` + there)
	}
}

// TestHistogram: dragging over the calls of a time chooses it.
func TestHistogram(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.One(t, d, tenant, system.EchoCall("1"))
	system.One(t, d, tenant, `{"tool": "debug.fail", "arguments": {"how": "error"}}`)
	c := open(t, tenant, "/calls?from=1h")
	c.Until(`document.querySelector('.histogram svg')?.getAttribute('aria-label').startsWith('2 from ')`)
	c.Until(`document.querySelectorAll('.histogram rect.good, .histogram rect.bad').length === 2`)
	c.Drag(`.histogram svg`, 0.1, 0.5)
	c.Until(`/from=20.*to=20/.test(location.search)`)
	c.Sees("No call fits these filters.")
	c.Click(`.chosen .chip`)
	c.Until(`location.search === '' && ` + lines + ` === 2`)
}

// TestCopied: a call is copied as a command and as a program, an id by its button; names lead to
// the list that they filter.
func TestCopied(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	e := system.Execute(t, shared.HTTP(0), tenant, system.AsUser(30000, `{"tool": "debug.echo", "arguments": {"value": "it's"}}`)).Results[0]
	c := open(t, tenant, "/calls/"+e.CallID)
	c.Eval(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { globalThis.copied = text; } } })`)
	c.Click("text=curl")
	c.Until(`globalThis.copied?.includes("/v1/execute -H 'Content-Type: application/json' -H 'Helve-Tenant: ` + tenant + `' -d '{\"context\": {\"user\": \"u1\"}, \"calls\": [{\"tool\": \"debug.echo\", \"arguments\": {\"value\": \"it'\\''s\"}}]}'")`)
	c.Click("text=CLI")
	c.Until(`globalThis.copied.startsWith("helve call debug.echo '{\"value\": \"it'\\''s\"}' --server http://127.0.0.1:") && globalThis.copied.endsWith(' --user u1')`)
	c.Click("text=Python")
	c.Until(`globalThis.copied.includes('context=Context(user="u1")') && globalThis.copied.includes('helve.call("debug.echo", {"value": "it\'s"})')`)
	c.Click("text=TypeScript")
	c.Until(`globalThis.copied.includes('await helve.call("debug.echo", {"value": "it\'s"})')`)
	c.Click(`button[aria-label="Copy: Call id"]`)
	c.Until(`globalThis.copied === '` + e.CallID + `'`)

	consent, _ := park(t, tenant, guarded("k1"))
	c.Visit("/consents/" + consent)
	c.Click(`.inbox-asked a[href="/calls?user=u1"]`)
	c.Until(`location.pathname + location.search === '/calls?user=u1' && ` + lines + ` === 2`)
	c.Click(row(e.CallID) + ` .row-who a`)
	c.Until(`document.querySelectorAll('.chosen .chip').length === 1`)
}

// TestGoAnywhere: a key opens the box that leads to pages, tools and ids, and another the keys.
func TestGoAnywhere(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	e := system.One(t, shared.HTTP(0), tenant, system.EchoCall("1"))
	c := open(t, tenant, "/")
	c.Until(`document.querySelector('.go') !== null`)
	c.Press("?")
	c.Until(`document.querySelector('dialog[open] .keys')?.innerText.includes('deny the request that is shown')`)
	c.Axe()
	c.Press("Escape")
	c.Until(`document.querySelector('dialog') === null`)
	reach := func(words, path string) {
		t.Helper()
		c.Press("Control+k")
		c.Until(`document.activeElement.name === 'go'`)
		c.Insert(words)
		c.Until(`[...document.querySelectorAll('[role=option]')].length > 0 && document.querySelector('[role=option][aria-selected=true]') !== null`)
		c.Axe()
		c.Press("Enter")
		c.Until(`location.pathname === '` + path + `' && document.querySelector('dialog') === null`)
	}
	reach("audit", "/audit")
	reach(e.CallID, "/calls/"+e.CallID)
	c.Press("Control+k")
	c.Until(`document.activeElement.name === 'go'`)
	c.Insert("debug.ech")
	c.Until(`document.querySelector('[role=option]')?.innerText === 'Tool debug.echo'`)
	c.Press("ArrowDown")
	c.Press("ArrowUp")
	c.Press("Enter")
	c.Until(`location.pathname === '/tools/debug.echo'`)
	c.Press("Control+k")
	c.Until(`document.activeElement.name === 'go'`)
	c.Insert("<img src=x onerror=window.__owned=1>")
	c.Until(`document.querySelector('[role=option]') !== null`)
	c.Unharmed()
}
