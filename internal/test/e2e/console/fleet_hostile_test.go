package console

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestHostile: texts of workers, tools, people, authors of rules and links are shown as texts
// on every page for operators.
func TestHostileFleet(t *testing.T) {
	t.Parallel()
	const brief = `<img src=x onerror=window.__owned=1>`
	dir, all := t.TempDir(), strings.Join(browser.Hostile, "\n")
	rule := `@id("no-long") @reason("` + brief + `") forbid(principal, action, resource == Tool::"contract_long"); // ` + browser.Hostile[1]
	if err := os.WriteFile(filepath.Join(dir, brief+".cedar"), []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Policy.Rules = []string{dir} }})
	d := s.HTTP(0)
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	system.One(t, d, "default", `{"tool": "contract_long", "arguments": {"text": "x"}}`)
	system.One(t, d, "default", fmt.Sprintf(`{"tool": "debug.fail", "arguments": {"how": "error", "message": %s}}`, text))
	e := system.Park(t, d, "default", guardedCall)
	if r := system.Decide(t, d, "default", e.ConsentID,
		fmt.Sprintf(`{"decision": "grant", "remember": "always", "by": "u1", "comment": %s}`, text)); r.Status != 200 {
		t.Fatalf("consent.decide = %d %s", r.Status, r.Body)
	}
	entry, err := json.Marshal(map[string]any{
		"type": "http", "fields": map[string]string{"base_url": "https://a.example/" + url.PathEscape(brief), "user": browser.Hostile[0]},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := d.Ask(t, "default", "services.set", map[string]string{"service": "crm", "label": "default"}, string(entry)); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}

	c := openOn(t, s.URLs[0], "default", "/policy")
	for path, want := range map[string]string{
		"/policy":                      ".cedar:1:1",
		"/audit":                       "onerror",
		"/audit?phase=consent_decided": "remembered: always",
		"/grants":                      "debug.guarded",
		"/services":                    browser.Hostile[0],
		"/check":                       "default",
	} {
		c.Visit(path)
		c.Reveals(want)
	}
	c.Visit("/policy")
	c.Type(`input[name=tool]`, "contract_long")
	c.Type(`textarea[name=arguments]`, `{"text": "x"}`)
	c.Click("text=Explain")
	c.Until(`document.querySelector('[role=status] dl') !== null`)
	c.Reveals(brief)
	c.Type(`textarea[name=arguments]`, string(`{"text": 1, "`+brief+`": `)+string(text)+`}`)
	c.Click("text=Explain")
	c.Until(`document.querySelector('.failure') !== null`)
	c.Unharmed()
	for _, path := range []string{
		"/audit?tool=", "/audit?user=", "/audit?phase=", "/audit?call_id=", "/grants?user=", "/dead?cursor=", "/fleet?pool=", "/services?x=",
		"/check?x=", "/policy?x=",
	} {
		c.Visit(path + url.QueryEscape(all))
		c.Unharmed()
	}
	// A worker can announce what it likes, below the pools of its credential. No other page
	// works then, as the dispatcher asks workers that do not answer.
	announce := func() {
		t.Helper()
		value, err := json.Marshal(map[string]any{"workspace": all, "version": brief, "kind": brief, "home": brief})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"default.<img/src=x/onerror=window.__owned=1>", "<svg/onload=alert(1)>.w1"} {
			if err := s.Conn.Publish("$KV."+streams.BucketWorkers+"."+key, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Visit("/fleet")
	system.Eventually(t, "the page shows the worker", func() bool {
		announce()
		return c.Eval(`document.querySelector('section[aria-labelledby=workers]').innerText.includes('onerror')`) == "true"
	})
	c.Unharmed()
}
