package console

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/outward"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// hurry makes the page look again soon, from its next look on. The window is marked: a page
// that was loaded again is not.
const hurry = `(() => { const real = setTimeout; window.setTimeout = (f, ms, ...rest) => real(f, ms === 15000 ? 250 : ms, ...rest); window.__same = true; })()`

// cards is the expression of the cards of a part, with a badge of a text.
func cards(part, badge string) string {
	return `[...document.querySelectorAll('.check-list li')].filter((li) => li.querySelector('h2 bdi').innerText === '` + part +
		`' && [...li.querySelectorAll('.badge')].some((b) => b.innerText === '` + badge + `'))`
}

// TestCheckFaults: a server outside that fails and broken rules are on the page without
// loading it again, with what to do, and are over there when they are.
func TestCheckFaults(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.cedar")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	var status atomic.Int64
	status.Store(http.StatusServiceUnavailable)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	t.Cleanup(server.Close)
	s := system.Launch(t, system.Plan{
		Workers: 2,
		Groups:  []string{"webFetch"},
		Config:  func(c *config.Config) { c.Policy.Rules = []string{rules} },
	})
	d, tenant := s.HTTP(0), system.NewTenant()
	call := `{"tool": "http_request", "arguments": {"url": "` + server.URL + `"}}`

	c := openOn(t, s.URLs[0], "default", "/check")
	for _, part := range []string{"circuits", "policy"} {
		c.Until(cards(part, "In order") + `.length === 1`)
	}
	c.Eval(hurry)
	c.Click("text=Check again")
	write("this is no rule")
	for range 2 * outward.Threshold { // one of two workers gets as many as it takes
		system.One(t, d, tenant, call)
	}
	seen := cards("policy", "New") + `.length === 1 && ` + cards("circuits", "New") + `.length === 1 && (() => {
		const says = document.querySelector('main .stack [role=status]').innerText;
		return /[2-9] warnings/.test(says) && /New: [^:]*circuits/.test(says) && /New: [^:]*policy/.test(says);
	})()`
	system.Eventually(t, "both faults are on the page", func() bool {
		system.One(t, d, tenant, call) // a circuit that nobody tries is over after a minute
		return c.Eval(seen) == "true"
	})
	said := c.Text(cards("circuits", "New") + `[0].innerText`)
	if host := strings.TrimPrefix(server.URL, "http://"); !strings.Contains(said, host+" keeps failing: requests of tenant "+tenant) ||
		!strings.Contains(said, "What to do:") {
		t.Errorf("the page says %q", said)
	}
	for part, page := range map[string]string{"circuits": "HelveCircuitOpen", "policy": "HelvePolicyReloadFailed"} {
		if got := c.Text(cards(part, "New") + `[0].querySelector('a').getAttribute('href')`); got != "/check/"+page {
			t.Errorf("%s leads to %s", part, got)
		}
	}
	c.Axe()

	write("")
	status.Store(http.StatusOK)
	system.Eventually(t, "each circuit is closed", func() bool {
		system.One(t, d, tenant, call)
		return s.Metric(t, `helve_circuits{state="open"}`)+s.Metric(t, `helve_circuits{state="half_open"}`) == 0
	})
	for _, part := range []string{"circuits", "policy"} {
		c.Until(cards(part, "Over") + `.length === 1 && ` + cards(part, "In order") + `.length === 1`)
	}
	c.Until(`/Over: [^:]*circuits/.test(document.querySelector('main .stack [role=status]').innerText) && window.__same === true`)
	c.Click("text=Check again")
	c.Until(cards("circuits", "Over") + `.length + ` + cards("policy", "Over") + `.length === 0`)
}

// TestCheckKeepsPlace: what comes and goes moves neither what a person reads nor the focus,
// and deceives nobody.
func TestCheckKeepsPlace(t *testing.T) {
	t.Parallel()
	c := open(t, "default", "/fleet")
	c.Eval(hurry)
	c.Eval(`(() => {
		const real = fetch;
		window.__found = (errors, from) => [...Array(errors).keys()].map((i) => ({ level: 'error', part: 'streams', subject: 'S' + i, message: '\u202e<img src=x onerror=window.__owned=1> ' + i, advice: 'Look.', runbook: 'HelveStreamUnusable' }))
			.concat([...Array(30 - from).keys()].map((i) => ({ level: 'warning', part: 'pools', subject: 'p' + (from + i), message: 'They wait for ' + Math.random(), advice: 'Start more.', runbook: 'HelveOldestCallTooOld' })), [{ level: 'ok', part: 'nats', message: 'It answers.' }]);
		window.__now = [0, 0];
		window.fetch = (url, o) => String(url).startsWith('/v1/check') ? Promise.resolve(new Response(JSON.stringify({ findings: window.__found(...window.__now) }))) : real(url, o);
	})()`)
	c.Click(`nav a[href="/check"]`)
	c.Until(`document.querySelectorAll('.check-list li').length === 31 && document.querySelectorAll('main .check-list .badge').length === 31`)

	// A person at the 20th of them, who has focused its link.
	const top = `document.activeElement.getBoundingClientRect().top`
	c.Eval(`(() => { const a = document.querySelectorAll('.check-list li')[19].querySelector('a'); a.scrollIntoView({ block: 'center' }); a.focus({ preventScroll: true }); window.__at = [a, ` + top + `]; })()`)
	c.Eval(`window.__now = [3, 5]`)
	c.Until(cards("streams", "New") + `.length === 3 && ` + cards("pools", "Over") + `.length === 5`)
	const kept = `document.activeElement === window.__at[0] && Math.abs(` + top + ` - window.__at[1]) < 1`
	if got := c.Eval(kept); got != "true" {
		t.Errorf("the focused link is elsewhere: %s", c.Eval(`[document.activeElement.outerHTML, `+top+`, window.__at[1]]`))
	}
	c.Unharmed()

	// A person who only reads.
	c.Eval(`(() => { document.activeElement.blur(); const li = document.querySelectorAll('.check-list li')[12]; li.scrollIntoView(); window.__at = [li, li.getBoundingClientRect().top]; })()`)
	c.Eval(`window.__now = [9, 5]`)
	c.Until(cards("streams", "New") + `.length === 9`)
	const moved = `window.__at[0].getBoundingClientRect().top - window.__at[1]`
	if c.Eval(`Math.abs(`+moved+`) < 1`) != "true" {
		t.Errorf("what is read has moved by %s", c.Eval(moved))
	}
	c.Until(`document.querySelector('main .stack [role=status]').innerText.includes('9 errors, 25 warnings, 1 in order.')`)
	for _, scheme := range []string{"light", "dark"} {
		c.Scheme(scheme)
		c.Size(1280, 900)
		c.Axe()
		c.Size(360, 740)
		c.Fits()
		c.Axe()
	}
}
