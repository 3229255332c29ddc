package console

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestTwoBrowsers: of two people who decide concurrently one wins, and the other is told; who
// only looks sees it too.
func TestTwoBrowsers(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	ann, bob, eve := open(t, tenant, "/"), openOn(t, shared.URLs[1], tenant, "/"), open(t, tenant, "/")
	for name, c := range map[string]*console{"ann": ann, "bob": bob, "eve": eve} {
		c.Eval(`localStorage.setItem('helve.actor', '` + name + `')`)
		c.Visit("/")
	}
	consent, call := park(t, tenant, guarded("k1"))
	for _, c := range []*console{ann, bob, eve} {
		c.Until(in(consent, "Allow once") + ` !== undefined`)
	}
	// Bob's page receives nothing until he has decided.
	bob.Eval(`(() => { const real = fetch; window.fetch = (url, o) => o?.method === 'GET' && !globalThis.__free && !String(url).includes('/consents/c-') ? new Promise(() => {}) : real(url, o); })()`)
	bob.Until(`(document.dispatchEvent(new Event('visibilitychange')), true)`)
	ann.press(consent, "Allow once")
	ann.Until(`document.querySelector('` + card(consent) + `').innerText.includes('Granted by you')`)
	eve.Until(`document.querySelector('` + card(consent) + `').innerText.includes('Granted by ann')`)
	bob.press(consent, "Deny")
	bob.Sees("the request was already granted by ann")
	bob.Until(`document.querySelector('` + card(consent) + `').innerText.includes('Granted by ann')`)
	if got := ended(t, tenant, call); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
	if got := ledger(t, tenant); got != "k1" {
		t.Errorf("the ledger has %q", got)
	}
}

// TestExpiry: a request that expires while a person looks at it says so, and can no longer
// be decided.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Consent.TTL = 10 * time.Second }})
	c := openOn(t, s.URLs[0], "default", "/")
	c.Sees("Nothing waits for you.")
	e := system.Park(t, s.HTTP(0), "default", guarded("k1"))
	c.Until(`/expires in 0:\d\d/.test(document.querySelector('` + card(e.ConsentID) + `')?.innerText)`)
	c.Until(`document.querySelector('` + card(e.ConsentID) + `').innerText.includes('Nobody decided in time.')`)
	if got := c.Eval(in(e.ConsentID, "Allow once") + ` === undefined`); got != "true" {
		t.Error("it can still be granted")
	}
}

// TestReconnect: a page outlives its dispatcher. It reports when what it shows may be old, and
// goes on by itself when there is a dispatcher again.
func TestReconnect(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	c := openOn(t, s.URLs[0], "default", "/")
	first := system.Park(t, s.HTTP(0), "default", guarded("k1"))
	c.Until(in(first.ConsentID, "Allow once") + ` !== undefined`)
	address := strings.TrimPrefix(s.URLs[0], "http://")
	if err := s.Drains[0](); err != nil {
		t.Fatal(err)
	}
	c.Sees("What you see may be old. Helve does not answer.")
	s.Client.CloseIdleConnections()
	s.Config.HTTP.Addr = address
	system.Eventually(t, "the address is free", func() bool {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		return err == nil && l.Close() == nil
	})
	if _, err := s.AddDispatcher(); err != nil {
		t.Fatal(err)
	}
	c.Until(`!document.body.innerText.includes('may be old')`)
	second := system.Park(t, s.HTTP(1), "default", guarded("k2"))
	c.press(second.ConsentID, "Allow once")
	c.Until(`document.querySelector('` + row(second.ConsentID) + `').innerText.includes('Granted')`)
	c.press(first.ConsentID, "Deny")
	c.Until(`document.querySelector('` + card(first.ConsentID) + `').innerText.includes('Denied by you')`)
}
