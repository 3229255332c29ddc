package browser

import (
	"os"
	"path/filepath"
	"testing"
)

// Hostile are texts that act on a page which does not treat them as text. Each that runs
// sets window.__owned. The last one deceives a reader instead.
var Hostile = []string{
	`<img src=x onerror="window.__owned=1">`,
	`<script>window.__owned=1</script>`,
	`"><svg onload=window.__owned=1>`,
	`' onmouseover='window.__owned=1' autofocus onfocus='window.__owned=1`,
	`javascript:window.__owned=1//`,
	`<iframe srcdoc="<script>parent.__owned=1</script>"></iframe>`,
	`</title></style></textarea></script><script>window.__owned=1</script>`,
	`<a href="javascript:window.__owned=1">click</a>`,
	`{{constructor.constructor('window.__owned=1')()}} ${window.__owned=1}`,
	`<style>*{display:none!important}</style><base href=//127.0.0.1:1/>`,
	"pay\u202epal\u2066 \u0000\u0007 zero\u200bwidth p\u0430ypal.com",
}

// revealed opens what a page shows on demand only.
const revealed = `document.querySelectorAll('details').forEach((e) => { e.open = true; }), document.querySelectorAll('.cut').forEach((b) => b.click())`

// Reveals opens all that the page shows on demand, and waits until it shows a hostile text,
// as the text that it is.
func (p *Tab) Reveals(text string) {
	p.t.Helper()
	p.Sees(text)
	p.Eval(revealed)
	p.Unharmed()
}

// Marks waits until the page marks the characters of the last hostile text that nobody can
// see, or that look like others.
func (p *Tab) Marks() {
	p.t.Helper()
	p.Until(`['direction', 'control', 'invisible', 'lookalike'].every((kind) => document.querySelector('.mark.' + kind) !== null)`)
}

// unseen are the characters that turn a text around or cannot be seen.
const unseen = `/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/`

// Unharmed fails if a hostile text did anything: ran, became an element, or is shown with a
// character that nobody can see.
func (p *Tab) Unharmed() {
	p.t.Helper()
	if got := p.Eval(`window.__owned === undefined`); got != "true" {
		p.t.Errorf("a text ran as a script at %s", p.Text(`location.href`))
	}
	made := p.Text(`[...document.querySelectorAll('body script, body style, body base, body iframe, body svg[onload], img[onerror], a[href^="javascript"], [onmouseover], [onfocus]')]
		.map((e) => e.outerHTML.slice(0, 200)).join('\n')`)
	if got := p.Eval(`[...document.body.innerText].filter((c) => ` + unseen +
		`.test(c)).map((c) => c.codePointAt(0).toString(16))`); got != "[]" {
		p.t.Errorf("the page %s shows characters that nobody can see: %s", p.Text(`location.href`), got)
	}
	if made != "" {
		p.t.Errorf("texts became elements at %s:\n%s", p.Text(`location.href`), made)
	}
}

// root returns the folder of the repository.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the folder of the test")
		}
		dir = up
	}
}
