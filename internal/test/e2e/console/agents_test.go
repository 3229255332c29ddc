package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestAgentHasNow: of an agent that is chosen the page shows what a model is offered now, which of it
// a person is asked about, and its latest calls.
func TestAgentHasNow(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	if r := shared.HTTP(0).Ask(t, tenant, "agents.put", map[string]string{"agent": "ruled"},
		`{"tools": ["debug.echo", "debug.guarded"]}`); r.Status != http.StatusOK {
		t.Fatalf("agents.put = %d %s", r.Status, r.Body)
	}
	done := system.Execute(t, shared.HTTP(0), tenant,
		`{"context": {"user": "u1", "agent": "seen"}, "wait_ms": 30000, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	c := open(t, tenant, "/agents")
	c.Until(`[...document.querySelectorAll('#agents-known option')].map((o) => o.value).join() === 'ruled,seen'`)
	c.Click(`a[href="/agents?agent=ruled"]`)
	shown := `[...document.querySelectorAll('section[aria-labelledby=effective] tbody tr')].map((r) => [...r.querySelectorAll('.cell')].map((x) => x.innerText).join('|')).join()`
	want := "debug.echo|Low risk|Runs without asking,debug.guarded|Medium risk|A person is asked first"
	c.Until(shown + ` === '` + want + `'`)
	c.Sees("No calls are known.")
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Size(1280, 800)
	// Its rules change on the page, and with them what it has.
	c.Click(`button[aria-label="Change ruled"]`)
	c.Type(`textarea[name=deny]`, "debug.guarded")
	c.Click("text=Save")
	c.Until(shown + ` === 'debug.echo|Low risk|Runs without asking'`)
	if got := offeredTo(t, tenant, "ruled"); got != "debug.echo" {
		t.Errorf("a model is offered %s", got)
	}
	// An agent without rules, which only calls name, for a person.
	c.Type(`input[name=of-agent]`, "seen")
	c.Press("Enter")
	c.Type(`input[name=of-user]`, "u1")
	c.Press("Enter")
	c.Until(`location.search === '?agent=seen&user=u1'`)
	call := `/calls/` + done.Results[0].CallID
	c.Until(`document.querySelector('.agents-calls a')?.pathname === '` + call + `'`)
	rows := `document.querySelectorAll('section[aria-labelledby=effective] tbody tr').length`
	c.Until(rows + ` === 40`) // what is asked about each tool is bounded
	all := strings.Count(offeredTo(t, tenant, "seen"), " ") + 1
	c.Sees(fmt.Sprintf("%d tools", all))
	c.Click("text=Show more")
	c.Until(fmt.Sprintf(rows+` === %d`, min(all, 80)))
	c.Until(`document.querySelector('section[aria-labelledby=effective] tbody [aria-busy]') === null`)
	c.Click(`.agents-calls a`)
	c.Until(`location.pathname === '` + call + `'`)
	c.Visit("/agents?agent=%3Csvg%20onload=window.__owned=1%3E")
	c.Until(`document.querySelector('input[name=of-agent]').value.startsWith('<svg') && document.querySelector('section[aria-labelledby=effective]') === null`)
	c.Unharmed()
}

// offeredTo returns the names of the tools that a model of an agent is offered.
func offeredTo(t *testing.T, tenant, agent string) string {
	t.Helper()
	r := shared.HTTP(0).Ask(t, tenant, "tools.list", map[string]string{"agent": agent}, "")
	var names []string
	for _, x := range system.Decode[protocol.ToolList](t, r).Tools {
		if x.Enabled {
			names = append(names, x.Name)
		}
	}
	return strings.Join(names, " ")
}
