package console

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestExpiredCall: the page of a failed call shows after its result has expired what it showed
// before, and once the call is not kept either how it ended; it never reads "Done".
func TestExpiredCall(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	e := system.Execute(t, shared.HTTP(0), tenant,
		system.AsUser(30000, `{"tool": "debug.fail", "arguments": {"how": "error", "message": "the quokka left"}}`)).Results[0]
	const kept = ".kept.u1"
	system.Eventually(t, "the call is kept", func() bool {
		return len(shared.StoredMessages(t, "HELVE_KEPT", "helve.v1."+tenant+kept)) > 0
	})
	purge(t, "HELVE_RESULTS", "helve.v1."+tenant+".result.>")
	c := open(t, tenant, "/calls/"+e.CallID)
	c.Until(`document.querySelector('h1').innerText.includes('Failed')`)
	c.Sees("This is from the history, where it expires")
	c.Until(`document.querySelector('.calls-error').innerText.includes('the quokka left')`)
	c.Until(`document.querySelector('section[aria-labelledby=arguments]').innerText.includes('quokka')`)
	c.Until(`document.querySelector('.facts').innerText.includes('` + e.Worker + `')`)
	c.Click("text=Run again")
	c.Sees("These are the arguments of the old call")
	c.Until(`document.querySelector('dialog').innerText.includes('It runs as u1')`)

	purge(t, "HELVE_KEPT", "helve.v1."+tenant+kept)
	c.Visit("/calls/" + e.CallID)
	c.Sees("The arguments and the result of this call are no longer kept.")
	c.Until(`document.querySelector('h1').innerText.includes('Failed') && !document.querySelector('h1').innerText.includes('Done')`)
	c.Until(`document.querySelector('.calls-error').innerText.includes('` + e.ErrorType + `')`)
	c.Until(`document.querySelector('.facts').innerText.includes('` + e.Worker + `')`)
}

// TestRerun: a call that is run again names the old one on the trail.
func TestRerun(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	old := system.One(t, shared.HTTP(0), tenant, `{"tool": "debug.echo", "arguments": {"value": 1}}`)
	c := open(t, tenant, "/calls/"+old.CallID)
	c.Click("text=Run again")
	c.Sees("It runs without a person")
	c.Click(`dialog .button.primary`)
	c.Until(`location.pathname.startsWith('/calls/') && location.pathname !== '/calls/` + old.CallID + `'`)
	system.Eventually(t, "a record names the old call", func() bool {
		r := shared.HTTP(0).Ask(t, tenant, "audit.query", map[string]string{"phase": "finished"}, "")
		return strings.Contains(string(r.Body), `"detail":"rerun of call `+old.CallID+`"`)
	})
}

func purge(t *testing.T, stream, subject string) {
	t.Helper()
	if err := shared.Stream(t, stream).Purge(t.Context(), jetstream.WithPurgeSubject(subject)); err != nil {
		t.Fatal(err)
	}
}
