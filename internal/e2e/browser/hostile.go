package browser

import (
	"os"
	"path/filepath"
	"testing"
)

// Hostile are texts that act on a page which does not treat them as text. Each that runs
// sets window.__owned.
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
}

// Unharmed fails if a hostile text did anything: ran, or became an element.
func (p *Tab) Unharmed() {
	p.t.Helper()
	if got := p.Eval(`window.__owned === undefined`); got != "true" {
		p.t.Errorf("a text ran as a script at %s", p.Text(`location.href`))
	}
	made := p.Text(`[...document.querySelectorAll('body script, body style, body base, body iframe, body svg[onload], img[onerror], a[href^="javascript"], [onmouseover], [onfocus]')]
		.map((e) => e.outerHTML.slice(0, 200)).join('\n')`)
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
