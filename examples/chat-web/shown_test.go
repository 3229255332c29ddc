package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
)

// pictures tests that a request about a picture shows it, whatever it is as a picture only,
// and that one of somebody else's workspace is not shown.
func pictures(t *testing.T, b *browser.Browser) {
	p, who := begin(t, b, serveModel(t), "pia")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	put(t, who, "dir/a%b.png", picture.String())
	put(t, who, "page.png", `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__owned=1"><script>window.__owned=1</script></svg>`)
	put(t, person("other"), "theirs.png", picture.String())

	p.says("guard dir/a%b.png")
	p.is("waiting")
	p.Until(last + `.querySelector('.consent figure img')?.naturalWidth === 40`)
	p.Axe()
	p.press("Allow once")
	p.is("done")
	p.press("Arguments and result")
	p.Until(last + `.querySelector('.args figure img')?.naturalWidth === 40`)

	for name, status := range map[string]int{"page.png": http.StatusOK, "theirs.png": http.StatusNotFound} {
		p.says("guard " + name)
		p.Until(last + `.querySelector('.consent.pending .json')?.innerText.includes('` + name + `')`)
		p.Until(fmt.Sprintf(`performance.getEntriesByType('resource').some((e) => e.name.endsWith('/v1/files/%s') && e.responseStatus === %d)`,
			name, status))
		p.Until(last + `.querySelector('.json') !== null && ` + last + `.querySelector('figure') === null`)
		p.press("Deny")
		p.is("failed")
	}
	p.Unharmed()
}

// changes tests that a request to change a tool shows how its code changes.
func changes(t *testing.T, b *browser.Browser) {
	p, _ := begin(t, b, serveModel(t), "ben")
	p.says(`call create_tool {"name":"stay_cost","description":"Tell what a stay costs.","parameters":{"type":"object","properties":{"nights":{"type":"number"}}},` +
		`"code":"const price = 80\nconst tax = 1.1\nreturn args.nights * price * tax"}`)
	p.is("waiting")
	p.Until(last + `.querySelector('.consent.pending') !== null`)
	if got := p.Eval(last + `.querySelector('.diff')`); got != "null" {
		t.Error("a new tool is shown as a change")
	}
	p.press("Allow once")
	p.is("done")
	p.says(`call update_custom_tool {"name":"stay_cost","code":"const price = 95\nconst tax = 1.1\nreturn args.nights * price * tax // <img src=x onerror=window.__owned=1>"}`)
	p.is("waiting")
	p.Until(last + `.querySelector('.consent .diff') !== null`)
	changed := func(kind string) string {
		return p.Text(`[...` + last + `.querySelectorAll('.diff .` + kind + `')].map((e) => e.innerText).join('|')`)
	}
	if removed, added := changed("removed"), changed("added"); !strings.Contains(removed, "const price = 80") ||
		!strings.Contains(added, "const price = 95") || !strings.Contains(added, "<img src=x") ||
		strings.Contains(removed+added, "const tax") {
		t.Errorf("the change is shown as %q and %q", removed, added)
	}
	p.Axe()
	p.Unharmed()
	p.press("Allow once")
	p.is("done")
}
