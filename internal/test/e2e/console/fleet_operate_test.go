package console

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestFleet: an admin pauses a pool on the page, sees that it is, and resumes it; the charts
// say in a table what they show.
func TestFleet(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 1})
	c := openOn(t, s.URLs[0], "default", "/fleet")
	c.Click(`button[aria-label="Pause: default"]`)
	c.confirm("Pause")
	c.Until(`document.querySelector('section[aria-labelledby=pools] .badge')?.innerText === 'Paused'`)
	if p := poolOf(t, s, "default"); !p.Paused {
		t.Errorf("the pool is %+v", p)
	}
	c.Until(`document.querySelector('section[aria-labelledby=workers] .badge')?.innerText === 'Paused'`)
	c.Axe()
	c.Click(`button[aria-label="Resume: default"]`)
	c.confirm("Resume")
	c.Until(`document.querySelector('section[aria-labelledby=pools] .badge')?.innerText === 'Running'`)
	if p := poolOf(t, s, "default"); p.Paused {
		t.Errorf("the pool is %+v", p)
	}

	c.Visit("/check")
	c.Eval(history)
	c.Click(`nav a[href="/fleet"]`)
	c.Until(drawn)
	c.Until(`document.querySelectorAll('section:not([aria-labelledby=history]) tbody tr').length === 2`)
	// What waits and which slots are busy is seen without scrolling.
	c.Size(1280, 900)
	c.Until(`[...document.querySelectorAll('.chart')].every((e) => e.getBoundingClientRect().bottom <= innerHeight)`)
	c.Select(`select[name=pool]`, "default")
	c.Until(`location.search === '?pool=default'`)
	c.Axe()
	c.Size(1024, 768)
	c.Fits()
	c.Size(360, 740)
	c.Fits()
	c.Axe()
}

func poolOf(t *testing.T, s *system.System, name string) protocol.Pool {
	t.Helper()
	list := system.Decode[protocol.PoolList](t, s.HTTP(0).Ask(t, "default", "pools.list", nil, ""))
	for _, p := range list.Pools {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no pool %s", name)
	return protocol.Pool{}
}

// TestDead: a dead letter is read, put back and dropped on the page; what it holds is text.
func TestDead(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	hostile, err := json.Marshal(strings.Join(browser.Hostile, " "))
	if err != nil {
		t.Fatal(err)
	}
	bury(t, tenant, "debug.fail",
		`{"call_id":"d2","trace_id":"t","tool":"debug.echo","origin":"d-1","arguments":{"value":"s3cret"},"accepted_ms":1,"start_by_ms":1}`)
	bury(t, tenant, "<svg/onload=window[`__owned`]=1>",
		`{"call_id":`+string(hostile)+`,"tool":`+string(hostile)+`,"user":`+string(hostile)+`,"agent":`+string(hostile)+`}`)
	c := open(t, tenant, "/dead")
	c.Until(lines + ` === 2`)
	c.Reveals("not readable")
	c.Axe()
	first := c.Text(`document.querySelector('.row').dataset.row`)
	c.Click(row(first) + ` .row-link`)
	c.Until(`location.pathname === '/dead/` + first + `' && document.querySelector('.detail').innerText.includes('d2')`)
	c.Click("text=Put back on the queue")
	c.Sees("It is on the queue again.")
	// It could be read by nobody again, and has a new number.
	c.Until(`document.querySelector('` + row(first) + `') === null && ` + lines + ` === 2`)
	c.Click(`.row .row-link`)
	c.Until(`document.querySelector('.detail input[name=force]') !== null && [...document.querySelectorAll('.detail button')].find((b) => b.innerText === 'Put back on the queue').disabled`)
	c.Unharmed()
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Click("text=Drop")
	c.Click("text=Yes, drop it")
	c.Until(lines + ` === 1`)
	c.Click(`.row .row-link`)
	c.Click("text=Drop")
	c.Click("text=Yes, drop it")
	c.Sees("No dead letters.")
	if list := deadOf(t, tenant); len(list) != 0 {
		t.Errorf("there are still %+v", list)
	}
	if got := c.Text(`document.body.innerText`); strings.Contains(got, "s3cret") {
		t.Errorf("the page shows an argument: %s", got)
	}
}

// bury puts a message on the queue that no worker can read, and waits until it is a dead
// letter.
func bury(t *testing.T, tenant, tool, body string) {
	t.Helper()
	before := len(deadOf(t, tenant))
	if err := shared.Conn.Publish("helve.v1."+tenant+".call.default."+tool, []byte(body)); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the message is a dead letter", func() bool { return len(deadOf(t, tenant)) == before+1 })
}

func deadOf(t *testing.T, tenant string) []protocol.DeadLetter {
	t.Helper()
	return system.Decode[protocol.DeadList](t, shared.HTTP(0).Ask(t, tenant, "dead.list", nil, "")).Dead
}

// TestServices: a key is set, changed and deleted on the page, which never shows it again.
func TestServices(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/services")
	c.Sees("Nothing is set.")
	c.Click(`button[aria-label="Set up: anthropic"]`)
	c.Type(`input[name="f-base_url"]`, "https://models.example/v1")
	c.Click("text=Save")
	c.Until(`document.activeElement.name === 'f-api_key' && document.activeElement.ariaInvalid === 'true' && document.querySelector('#f-api_key-wrong').innerText === 'Fill this in.'`)
	c.Axe()
	c.Type(`[name="f-api_key"]`, "canary-key")
	c.Type(`input[name="f-text_model"]`, browser.Hostile[0])
	c.Click("text=Save")
	c.Sees("set, not shown")
	c.Unharmed()
	stored := entriesOf(t, tenant)
	if len(stored) != 1 || string(stored[0].Fields["base_url"]) != `"https://models.example/v1"` || stored[0].User != "" {
		t.Fatalf("stored is %+v", stored)
	}
	c.Click(`button[aria-label="Change: anthropic"]`)
	c.Until(`document.querySelector('[name="f-api_key"]').value === '' && document.querySelector('[name="f-base_url"]').value === 'https://models.example/v1'`)
	c.Click(`input[name=active]`)
	c.Click("text=Save")
	c.Sees("Not in use")
	if got := c.Text(`document.documentElement.outerHTML`); strings.Contains(got, "canary-key") {
		t.Error("the page has the secret")
	}
	if stored = entriesOf(t, tenant); stored[0].Active || string(stored[0].Fields["api_key"]) != `{"set":true}` {
		t.Errorf("stored is %+v", stored)
	}
	c.Size(360, 740)
	c.Fits()
	c.Axe()
	c.Click(`button[aria-label="Delete: anthropic"]`)
	c.confirm("Delete")
	c.Sees("Nothing is set.")
	if stored = entriesOf(t, tenant); len(stored) != 0 {
		t.Errorf("still stored is %+v", stored)
	}
}

func entriesOf(t *testing.T, tenant string) []protocol.StoredService {
	t.Helper()
	return system.Decode[protocol.ServiceList](t, shared.HTTP(1).Ask(t, tenant, "services.list", nil, "")).Entries
}
