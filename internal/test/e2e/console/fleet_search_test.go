package console

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestSearchCalls: a call is found by a word of its arguments, in any case, and by one of its
// result; another word finds nothing.
func TestSearchCalls(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.One(t, d, tenant, `{"call_id": "with-word", "tool": "debug.echo", "arguments": {"value": "the Blue invoice"}}`)
	system.One(t, d, tenant, `{"call_id": "without", "tool": "calculate", "arguments": {"expression": "2 * 21000"}}`)
	c := open(t, tenant, "/calls")
	c.Until(lines + ` === 2`)
	c.Type(`input[name=q]`, "blue INVOICE")
	c.Until(`location.search === '?q=blue+INVOICE' && ` + lines + ` === 1 && document.querySelector('.row').dataset.row === 'with-word'`)
	c.Visit("/calls?q=42000")
	c.Until(lines + ` === 1 && document.querySelector('.row').dataset.row === 'without'`)
	c.Visit("/calls?q=red")
	c.Sees("No call fits")
	c.Axe()
}

// TestSearchAudit: records are found by a word, and the time that is chosen is verified, with
// the key that signed it.
func TestSearchAudit(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.One(t, d, tenant, `{"tool": "debug.echo", "arguments": {"value": 1}}`)
	call := system.Park(t, d, tenant, guardedCall)
	if r := system.Decide(t, d, tenant, call.ConsentID, `{"decision": "deny", "by": "judge-dredd"}`); r.Status != 200 {
		t.Fatalf("consent.decide = %d %s", r.Status, r.Body)
	}
	c := open(t, tenant, "/audit")
	c.Until(lines + ` >= 4 && /Of these (\d+) records \1 have a valid seal/.test(document.body.innerText)`)
	c.Type(`input[name=text]`, "Judge-DREDD")
	c.Until(`location.search === '?text=Judge-DREDD' && ` + lines +
		` > 0 && [...document.querySelectorAll('main .row')].every((r) => r.innerText.includes('judge-dredd'))`)
	c.Axe()

	c.Visit("/audit?from=2020-01-01T00:00:00.000Z")
	c.Click("text=Verification")
	c.Click("text=Verify the chosen time")
	c.Sees("This part matches its seals")
	c.Click("text=Public key of the seals")
	c.Until(`(() => { const ids = [...document.querySelectorAll('section[aria-labelledby=verify] code')].map((x) => x.innerText); return ids.length === 2 && ids[0] === ids[1] && /^[0-9a-f]{16}$/.test(ids[0]); })()`)
	c.Visit("/audit?to=2020-01-01T00:00:00.000Z")
	c.Click("text=Verification")
	c.Click("text=Verify the chosen time")
	c.Sees("There are no records in this time.")
	c.Size(360, 740)
	c.Fits()
	c.Axe()
}

// TestRemoteProcesses: a process in another language is listed with its tools.
func TestRemoteProcesses(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	p := shared.RemoteProcess(t, tenant, "ruby-1")
	if r := p.TryRegister(shared.HTTP(0), 300_000, system.ReadingTool("weather_of", "")); r.Status != 200 {
		t.Fatalf("remote.register = %d %s", r.Status, r.Body)
	}
	c := open(t, tenant, "/fleet")
	c.Until(`document.querySelectorAll('section[aria-labelledby=remote] tbody tr').length === 1 && document.querySelector('section[aria-labelledby=remote] a').getAttribute('href') === '/tools/weather_of'`)
	c.Until(`document.querySelector('section[aria-labelledby=remote] tbody').innerText.includes('ruby-1')`)
	c.Axe()
}

// TestRunbooks: a finding leads to what it means and what to do, also without a server that
// has the documents.
func TestRunbooks(t *testing.T) {
	t.Parallel()
	c := open(t, "default", "/fleet")
	c.Eval(`(() => { const real = fetch; window.fetch = (url, o) => String(url).startsWith('/v1/check') ? Promise.resolve(new Response(JSON.stringify({ findings: [{ level: 'warning', part: 'pools', message: 'They wait.', advice: 'Start more.', runbook: 'HelveOldestCallTooOld' }] }))) : real(url, o); })()`)
	c.Click(`nav a[href="/check"]`)
	c.Click("text=Read what it means and what to do")
	c.Until(`location.pathname === '/check/HelveOldestCallTooOld' && document.querySelectorAll('article h2').length === 4 && document.querySelector('article ol li') !== null`)
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Click(`article a[href="/check/HelvePoolWithoutWorkers"]`)
	c.Sees("No live worker takes calls of a pool")
	c.Visit("/check/HelveNothing")
	c.Sees("There is no such page.")
	c.Scheme("dark")
	c.Visit("/check/HelveSealLag")
	c.Sees("no dispatcher holds the lease")
	c.Axe()
	if text := c.Eval(`document.querySelector('article').innerText`); strings.Contains(text, "`") {
		t.Errorf("the page shows its Markdown: %s", text)
	}
}
