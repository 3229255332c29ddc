package console

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestCallsFind: the list is live, and search box and filters find calls.
func TestCallsFind(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/calls")
	c.Sees("No calls.")
	system.Execute(t, shared.HTTP(0), tenant,
		system.AsUser(30000, `{"call_id": "find-me-1", "tool": "contract_steps", "arguments": {"n": 1}}`))
	system.Execute(t, shared.HTTP(0), tenant, system.CallAs("u2", `{"tool": "debug.fail", "arguments": {"how": "error"}}`))
	rows := func(want string) {
		t.Helper()
		c.Until(`[...document.querySelectorAll('.row strong')].map((e) => e.innerText.trim()).sort().join() === '` + want + `'`)
	}
	rows("contract_steps,debug.fail")
	c.Type(`input[type=search]`, "find-me")
	rows("contract_steps")
	c.Until(`location.search === '?q=find-me'`)
	c.Type(`input[type=search]`, "")
	rows("contract_steps,debug.fail")
	c.choose("state", "error")
	rows("debug.fail")
	c.Until(`location.search === '?status=error'`)
	c.choose("state", "error")
	c.Until(`location.search === ''`)
	c.Click(`.facet-user summary`)
	c.Type(`input[name=user]`, "u1")
	c.Press("Enter")
	rows("contract_steps")
	c.Visit("/calls?user=u2&from=1h") // a link keeps the filters
	rows("debug.fail")
	c.Click("text=Remove all filters")
	rows("contract_steps,debug.fail")
	c.Click(`.row a[href="/calls/find-me-1"]`)
	c.Until(`document.querySelector('h1').innerText.includes('contract_steps')`)
}

// choose opens a facet of the list and presses one of its values.
func (c *console) choose(facet, value string) {
	c.Click(`.facet-` + facet + ` summary`)
	c.Click(`.facet-` + facet + ` [data-value="` + value + `"]`)
}

// TestCall: the page of a call has its life line, its events as they come, its result, and
// records whose seals are valid.
func TestCall(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	consent, id := park(t, tenant, guarded("k1"))
	c := open(t, tenant, "/calls/"+id)
	c.Sees("This call waits for a person: see the request")
	c.Until(`document.querySelector('.json').innerText.includes('"key": "k1"')`)
	if r := system.Decide(t, shared.HTTP(0), tenant, consent, `{"decision": "grant", "by": "ann"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	steps := `[...document.querySelectorAll('.calls-step strong')].map((e) => e.innerText).join()`
	c.Until(steps + ` === 'Accepted,Queued,A person was asked,Decided,Resumed,Started,Done'`)
	c.Until(`document.querySelector('h1').innerText.includes('Success')`)
	c.Until(`[...document.querySelectorAll('.json')].some((e) => e.innerText.includes('"written": true'))`)
	c.Until(`document.querySelectorAll('table .badge').length >= 4 && [...document.querySelectorAll('table .badge')].every((e) => e.innerText === 'Seal is valid')`)

	told := system.Execute(t, shared.HTTP(0), tenant, system.AsUser(30000, `{"tool": "contract_steps", "arguments": {"n": 300}}`)).Results[0]
	c.Visit("/calls/" + told.CallID)
	c.Until(`document.querySelector('.calls-events').innerText.includes('all steps told')`)
	c.Until(`document.querySelectorAll('.calls-events li').length === 200`) // the newest
	system.Execute(t, shared.HTTP(0), tenant,
		system.AsUser(30000, `{"call_id": "large", "tool": "debug.blob", "arguments": {"bytes": 2000000}}`))
	c.Visit("/calls/large")
	c.Until(`document.querySelector('.json .cut, .buttons .button') !== null`)
}

// TestCallLater: when its events are gone, the page of a call has its life line from what is
// kept, and the reason for which it has no arguments.
func TestCallLater(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Streams.EventsReplay = time.Millisecond }})
	tenant := system.NewTenant()
	e := system.Execute(t, s.HTTP(0), tenant,
		system.AsUser(30000, `{"tool": "debug.echo", "arguments": {"value": "`+strings.Repeat("x", 5000)+`"}}`)).Results[0]
	c := openOn(t, s.URLs[0], tenant, "/calls/"+e.CallID)
	c.Until(`[...document.querySelectorAll('.calls-step strong')].map((e) => e.innerText).join() === 'Accepted and queued,Started,Done'`)
	c.Sees("No arguments were kept with the result: they are larger than 4 KiB")
}

// TestCancel: a running call is cancelled from its page.
func TestCancel(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	e := system.Enqueue(t, shared.HTTP(0), tenant, `{"tool": "debug.sleep", "arguments": {"ms": 600000}}`)
	c := open(t, tenant, "/calls/"+e.CallID)
	c.Until(`document.querySelector('h1').innerText.includes('Running')`)
	c.Until(`document.querySelector('section[aria-labelledby=arguments]').innerText.includes('600000')`)
	c.Click("text=Cancel the call")
	c.Click(`dialog .button.bad`)
	c.Sees("The call was told to end.")
	c.Until(`document.querySelector('h1').innerText.includes('Failed')`)
	c.Sees("cancelled")
	if got := ended(t, tenant, e.CallID); got != "error cancelled" {
		t.Errorf("the call ended in %s", got)
	}
}

// TestAgain: a call is run again as a new one; the page shows whether the arguments are
// those of the old one.
func TestAgain(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	e := system.Execute(t, shared.HTTP(0), tenant,
		system.AsUser(30000, `{"tool": "debug.echo", "arguments": {"value": {"b": [1.50, "ü"], "a": null}}}`)).Results[0]
	c := open(t, tenant, "/calls/"+e.CallID)
	c.Click("text=Run again")
	c.Until(`document.querySelector('dialog textarea').value.includes('"ü"')`) // as the server keeps them
	c.Sees("These are the arguments of the old call")
	c.Type(`dialog textarea`, `{"value": 12345678901234567891}`)
	c.Sees("These are not the arguments of the old call")
	c.Type(`dialog textarea`, `{"value": {"a": null, "b": [1.5, "ü"]`)
	c.Sees("Write the arguments as a JSON object.")
	c.Insert(`}}`)
	c.Sees("These are the arguments of the old call")
	c.Click(`dialog .button.primary`)
	c.Until(`location.pathname.startsWith('/calls/') && location.pathname !== '/calls/` + e.CallID + `'`)
	c.Until(`document.querySelector('h1').innerText.includes('Success') && document.querySelector('dialog') === null`)
	c.Until(`document.querySelector('.facts').innerText.includes('u1')`)
}

// TestTrace: a trace is a waterfall of its calls, nested ones within those that made them.
func TestTrace(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	trace := system.NewTrace()
	c := open(t, tenant, "/traces/"+trace)
	c.Sees("No call of this trace is known.")
	system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"tool": "contract_steps", "arguments": {"n": 1}}`))
	names := `[...document.querySelectorAll('.calls-fall .calls-name')].map((e) => e.innerText).join()`
	c.Until(names + ` === 'contract_steps'`) // the events tell
	batch := `{"tool": "batch_use_tool", "arguments": {"calls": [{"tool": "debug.echo", "arguments": {"value": 1}}, {"tool": "debug.echo", "arguments": {"value": 2}}]}}`
	outer := system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, batch)).Results[0]
	c.Until(fmt.Sprintf(`document.querySelector('.calls-fall a[href="/calls/%s"]') !== null`, outer.CallID))
	c.Until(`[...document.querySelectorAll('.calls-bar')].every((e) => { const r = e.getBoundingClientRect(), t = e.parentElement.getBoundingClientRect(); return r.width > 0 && r.left >= t.left - 1 && r.right <= t.right + 4; })`)
	// The axis has marks over all of its length, and a mark is where its number is.
	c.Until(`(() => {
		const r = document.querySelector('.calls-axis div').getBoundingClientRect(), track = document.querySelector('.calls-track').getBoundingClientRect();
		const marks = [...document.querySelectorAll('.calls-axis span')].map((e) => e.innerText);
		return marks.length >= 4 && marks[0] === '0 ms' && Math.abs(r.left - track.left) < 1 && Math.abs(r.right - track.right) < 1;
	})()`)
	c.Size(360, 740)
	c.Fits()
	c.Size(1280, 900)
	c.Click(`.calls-fall a`)
	c.Until(`location.pathname.startsWith('/calls/')`)
}
