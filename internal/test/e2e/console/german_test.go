package console

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// said is the expression of all that the page itself says: the texts and names of its
// elements, without what comes from outside.
const said = `(() => {
	const outside = 'noscript, .plain, .json, pre, code, option[lang], .brand', all = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walk.nextNode(); n; n = walk.nextNode()) if (!n.parentElement.closest(outside)) all.add(n.data.trim());
	for (const e of document.querySelectorAll('[aria-label], [placeholder], [alt]')) for (const a of ['aria-label', 'placeholder', 'alt']) if (!e.closest(outside)) all.add((e.getAttribute(a) ?? '').trim());
	all.add(document.title.split(' · ').at(-2));
	return [...all].filter((text) => /\p{L}{2}/u.test(text) && !/^[\d.,+ ]+(ms|s|min|h)$/.test(text));
})()`

// TestGerman: a person who chose German reads nothing else, and no names of texts.
func TestGerman(t *testing.T) {
	t.Parallel()
	tenant, trace := system.NewTenant(), system.NewTrace()
	consent, parked := park(t, tenant, guarded("k1"))
	done := system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"tool": "contract_steps", "arguments": {"n": 3}}`)).Results[0]
	system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"tool": "debug.fail", "arguments": {"how": "error"}}`))
	start(t, tenant, system.NewTrace(), "p1", "await program.step('mail', () => tools.debug.echo({value: 1}));\nawait program.sleep('1h');")
	programIn(t, tenant, "p1", protocol.StateWaiting, 1)
	english, german := open(t, tenant, "/"), open(t, tenant, "/")
	german.Click("text=Settings")
	german.Select(`dialog label:nth-of-type(2) select`, "de")
	german.Until(`document.documentElement.lang === 'de'`)
	both := map[string]bool{"Agent": true, "Person": true, "Name": true, "Worker": true, "Pool": true, "Version": true}
	texts := func(c *console) (all []string) {
		t.Helper()
		c.Eval(`document.querySelectorAll('details').forEach((e) => { e.open = true; })`)
		if err := json.Unmarshal([]byte(c.Eval(said)), &all); err != nil || len(all) < 10 {
			t.Fatalf("the page says %q: %v", all, err)
		}
		return all
	}
	for path, says := range map[string]string{
		"/": "Einmal erlauben", "/consents/" + consent: "Nur dieser Aufruf", "/calls": "Erfolg", "/calls/" + done.CallID: "Siegel ist gültig",
		"/calls/" + parked: "Wartet auf eine Person", "/traces/" + trace: "Ablauf",
		"/programs": "ruht bis", "/programs/p1": "wartet hier",
		"/conversations/c1": "Vom ersten bis zum letzten", "/schedules": "Keine geplanten Aufgaben.", "/files": "Keine Dateien.", "/data?user=u1": "Nichts ist aufbewahrt.",
	} {
		german.Visit(path)
		german.Sees(says)
		english.Visit(path)
		left := map[string]bool{}
		for _, text := range texts(english) {
			left[text] = true
		}
		for _, text := range texts(german) {
			if left[text] && !both[text] {
				t.Errorf("%s says %q in both languages", path, text)
			}
		}
		if got := german.Eval(
			`/undefined|\[object|\bt\(\)|\b(common|calls|inbox|nav|status)\.[a-z]/.test(document.body.innerText)`,
		); got != "false" {
			t.Errorf("%s shows the name of a text: %s", path, german.Text(`document.body.innerText`))
		}
	}
}
