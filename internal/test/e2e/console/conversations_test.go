package console

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// inTrip is a request of a person with a call in the conversation trip.
func inTrip(call string) string {
	return `{"context": {"conversation": "trip"}, "wait_ms": 30000, "calls": [` + call + `]}`
}

// shown is the expression of the ids of the rows, in their order.
const shown = `[...document.querySelectorAll('main .row')].map((r) => r.dataset.row).join(' ')`

// TestConversation: the page of a conversation has its calls from the first to the last, with who
// allowed them, and only those that the person may see; each call leads to what it has in common
// with others, and is cancelled there.
func TestConversation(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	ann, bob := p.door(t, "ann"), p.door(t, "bob")
	first := system.Execute(t, ann, "default", `{"context": {"agent": "planner", "conversation": "trip"}, "wait_ms": 30000,
		"calls": [{"call_id": "ann-1", "tool": "calculate", "arguments": {"expression": "1+1"}}]}`).Results[0]
	allowed := system.Execute(t, ann, "default", inTrip(`{"call_id": "ann-2", "tool": "debug.guarded", "arguments": {"key": "k1"}}`)).Results[0]
	if r := system.Decide(t, p.door(t, "cleo"), "default", allowed.ConsentID, `{"decision": "grant"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	system.Execute(t, bob, "default", inTrip(`{"call_id": "bob-1", "tool": "debug.echo", "arguments": {"value": 2}}`))
	system.Execute(t, ann, "default", inTrip(`{"call_id": "ann-3", "tool": "debug.guarded", "arguments": {"key": "k2"}}`))

	c := signed(t, p.URLs[0], p.keys["ann"], "/conversations/trip")
	c.Until(shown + ` === 'ann-1 ann-2 ann-3'`)
	c.Until(`document.querySelector('` + row("ann-2") + `').innerText.includes('allowed by cleo')`)
	c.Until(`document.querySelector('main dl a').href === location.origin + '/conversations/trip' && document.querySelector('main dl a').innerText === location.href`)
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Size(1280, 900)

	c.Click(row("ann-1") + ` .row-link`)
	c.Until(`location.pathname === '/conversations/trip/ann-1'`)
	links := `[...document.querySelectorAll('.detail dl a')].map((a) => decodeURIComponent(a.pathname + a.search)).join(' ')`
	c.Until(links + ` === '/calls?tool=calculate /calls?tool=calculate&version=1 /calls?user=ann /calls?agent=planner /conversations/trip /calls?pool=default ' +
		'/calls?worker=` + first.Worker + ` /calls/ann-1 /traces/` + first.TraceID + `'`)
	c.Until(`[...document.querySelectorAll('.detail dl a')].every((a) => a.closest('div').querySelector('.copy') !== null)`)
	c.Axe()
	c.Click(`.detail a[href^="/calls?worker="]`)
	c.Until(`location.pathname === '/calls' && ` + shown + ` === 'ann-2 ann-1'`)

	c.Visit("/conversations/trip/ann-3")
	c.Click("text=Cancel the call")
	c.Click(`dialog .button.bad`)
	c.Until(`document.querySelector('` + row("ann-3") + `').innerText.includes('Cancelled')`)
	records, _ := system.QueryRecords(t, p.door(t, "root"), "default", map[string]string{"call_id": "ann-3", "phase": "cancelled"})
	if len(records) != 1 || records[0].User != "ann" {
		t.Errorf("the trail has %+v of the cancelled call", records)
	}

	c.Visit("/conversations/trip/bob-1")
	c.Until(`document.querySelector('.detail .failure') !== null && ` + shown + ` === 'ann-1 ann-2 ann-3'`)
	eve := signed(t, p.URLs[0], p.keys["eve"], "/conversations/trip")
	eve.Until(shown + ` === 'ann-1 ann-2 bob-1 ann-3'`)
	eve.Until(`document.querySelector('` + row("ann-2") + `').innerText.includes('allowed by cleo')`)
	none := signed(t, p.URLs[0], p.keys["bob"], "/conversations/none")
	none.Sees("No call of this conversation is known that you may see.")
	cleo := signed(t, p.URLs[0], p.keys["cleo"], "/conversations/trip")
	cleo.Sees("This page needs the role user or auditor or admin.")
}
