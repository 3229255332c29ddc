package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// fill parks calls of several persons, so many each.
func fill(t *testing.T, tenant string, persons, each int) {
	t.Helper()
	for person := range persons {
		var calls []string
		for i := range each {
			calls = append(calls, fmt.Sprintf(`{"tool": "delete_file", "arguments": {"path": "k%d-%d.txt"}}`, person, i))
		}
		body := fmt.Sprintf(`{"context": {"user": "p%d", "agent": "planner"}, "consent": "return", "wait_ms": 30000, "calls": [%s]}`,
			person, strings.Join(calls, ","))
		system.Execute(t, shared.HTTP(0), tenant, body)
	}
}

// TestMany: of many requests all can be reached, and only those near the screen are in the
// document.
func TestMany(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	fill(t, tenant, 3, 80)
	c := open(t, tenant, "/")
	c.Until(lines + ` > 20`)
	c.Eval(`(() => {
		globalThis.met = new Set(), globalThis.drawn = 0;
		const look = () => { const all = [...document.querySelectorAll('.row')]; drawn = Math.max(drawn, all.length); };
		new MutationObserver(look).observe(document.querySelector('.list'), { childList: true, subtree: true });
		look();
	})()`)
	// By screens, as a person scrolls, and from the beginning again.
	c.Until(`(() => {
		const e = document.querySelector('.list-rows'), all = new Map([...document.querySelectorAll('.row')].map((r) => [Number(r.getAttribute('aria-posinset')), r.dataset.row]));
		const seen = Array.from({ length: Math.floor(e.clientHeight / 30) - 1 }, (_, i) => Math.ceil(e.scrollTop / 30) + 1 + i);
		if (!seen.every((n) => all.has(n))) return false; // not drawn yet
		seen.forEach((n) => met.add(all.get(n)));
		const step = (seen.length - 1) * 30;
		e.scrollTop = e.scrollTop + e.clientHeight >= e.scrollHeight - 1 ? 0 : e.scrollTop + step;
		return met.size >= 239;
	})()`)
	c.Until(`(() => { const e = document.querySelector('.list-rows'); e.scrollTop = e.scrollHeight; return document.querySelector('.row:last-child').getAttribute('aria-posinset') === '240'; })()`)
	c.Until(`document.title.startsWith('(240) ')`)
	if got := c.Eval(`drawn <= 150`); got != "true" {
		t.Errorf("%s rows were in the document at a time", c.Eval(`drawn`))
	}
	c.Until(`document.querySelector('.row').getAttribute('aria-setsize') === '240'`)
	c.Axe()
}

// TestTenByKeys: ten requests are decided with keys only; the focus goes to the next, whose name
// a screen reader reads, and a key never answers a request that was only just shown.
func TestTenByKeys(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	var consents, calls []string
	for i := range 10 {
		consent, call := park(t, tenant, guarded(fmt.Sprintf("k%d", i)))
		consents, calls = append(consents, consent), append(calls, call)
	}
	c := open(t, tenant, "/")
	c.Until(lines + ` === 10`)
	c.Press("j")
	c.Until(`document.activeElement.closest('` + row(consents[1]) + `') !== null && document.querySelector('` + card(consents[1]) + `') !== null`)
	c.Press("k")
	c.Until(`document.activeElement.closest('` + row(consents[0]) + `') !== null`)
	name := `document.activeElement.textContent`
	if got := c.Text(name); !strings.Contains(got, "Run the tool debug.guarded") || !strings.HasPrefix(got, "Medium risk: ") {
		t.Errorf("the row is called %q", got)
	}
	for i, consent := range consents {
		ready := `document.querySelector('.detail[data-ready] ` + card(consent) + `') !== null`
		c.Until(ready)
		if i > 0 {
			c.Until(`document.activeElement.tagName === 'H2' && document.activeElement.closest('` + card(consent) + `') !== null`)
		}
		key, word := "a", "Granted"
		if i%3 == 2 {
			key, word = "d", "Denied"
		}
		c.Press(key)
		c.Press(key) // pressed twice: the next request has only just been shown
		c.Until(`document.querySelector('` + row(consent) + `').innerText.includes('` + word + `')`)
	}
	c.Until(`document.title === 'Inbox · Helve'`)
	for i, call := range calls {
		want := "success"
		if i%3 == 2 {
			want = "error permission_denied"
		}
		if got := ended(t, tenant, call); got != want {
			t.Errorf("call %d ended in %s, want %s", i, got, want)
		}
	}
	c.Type(`input[type=search]`, "a")
	c.Until(`location.search === '?q=a'`) // a letter that is typed is no key
}

// TestGroup: what is alike is selected together, and decided after its list was shown.
func TestGroup(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	fill(t, tenant, 2, 4)
	other, _ := park(t, tenant, `{"tool": "contract_high", "arguments": {"word": "w"}}`)
	c := open(t, tenant, "/")
	c.Until(lines + ` === 9`)
	c.Until(`document.querySelector('.groups').innerText.includes('8 × delete_file by planner')`)
	c.Click(`.groups button`)
	c.Sees("8 selected")
	c.Axe()
	c.Click(`.bulk .bad`)
	c.Until(`document.querySelectorAll('dialog .bulk-many li').length === 8`)
	c.Axe()
	c.Click(`dialog .button.bad`)
	c.Sees("8 requests decided")
	c.Until(`document.title.startsWith('(1) ')`)
	c.Click(`.select-all input`)
	c.Sees("1 selected")
	c.Until(`document.querySelector('` + row(other) + ` input').checked`)
}

// TestPhoneBar: on a phone a request is a page whose answers are always seen, far from each
// other, and after an answer the next request is shown.
func TestPhoneBar(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	first, call := park(t, tenant, `{"tool": "contract_long", "arguments": {"text": "`+longWord+`"}}`)
	second, _ := park(t, tenant, guarded("k2"))
	c := open(t, tenant, "/")
	c.Size(360, 740)
	c.Until(`!document.querySelector('.detail').checkVisibility()`)
	c.Click(row(first) + ` .row-link`)
	c.Until(`location.pathname === '/consents/` + first + `' && !document.querySelector('.list').checkVisibility()`)
	seen := `[...document.querySelectorAll('.inbox-answers button')].every((b) => { const r = b.getBoundingClientRect(); return r.top > 500 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth; })`
	c.Until(seen)
	c.Until(`(scrollTo(0, document.body.scrollHeight), ` + seen + `)`)
	apart := c.Eval(`(() => { const [a, b] = [...document.querySelectorAll('.inbox-answers button')].map((b) => b.getBoundingClientRect()); return b.left - a.right > 60; })()`)
	if apart != "true" {
		t.Error("Allow and Deny are close to each other")
	}
	c.Fits()
	c.Axe()
	c.Click(`.inbox-answers [data-answer=grant]`)
	c.Until(`location.pathname === '/consents/` + second + `' && document.activeElement.tagName === 'H1'`)
	c.Sees("Granted by you")
	if got := ended(t, tenant, call); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
	c.Back()
	c.Until(`location.pathname === '/' && document.querySelector('.list').checkVisibility() && document.activeElement.closest('.row') !== null`)
}
