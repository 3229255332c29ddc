package console

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

var measure = flag.Bool("measure", false, "measure an inbox with 1,000 requests in the browser (docs/decisions/console.md)")

// visits is the number of times that the page is loaded to measure it.
const visits = 10

// framesOf scrolls through the list for 300 frames, and has the times between them.
const framesOf = `(() => {
	const e = document.querySelector('.list-rows');
	globalThis.frames300 = undefined;
	const all = [];
	let before = performance.now();
	const step = (now) => {
		all.push(now - before);
		before = now;
		e.scrollTop += 90;
		if (all.length < 300) requestAnimationFrame(step);
		else globalThis.frames300 = all.slice(1).sort((a, b) => a - b);
	};
	requestAnimationFrame(step);
	return true;
})()`

// TestMeasureInbox: of 1,000 requests at most 150 rows are in the document. With -measure it logs how
// long the first rows take, what the page loads, and the frames while it is scrolled; with -artifacts
// it keeps a picture of 2,560 pixels.
func TestMeasureInbox(t *testing.T) {
	if !*measure {
		t.Skip("needs -measure: it parks 1,000 calls")
	}
	tenant := system.NewTenant()
	fill(t, tenant, 10, 100)
	c := open(t, tenant, "/")
	c.Size(1440, 900)
	var first []int
	for range visits {
		c.Open(c.URL + "/")
		c.Until(lines + ` > 0 && (globalThis.firstRows ??= Math.round(performance.now())) > 0`)
		took, err := strconv.Atoi(c.Eval(`firstRows`))
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, took)
	}
	slices.Sort(first)
	t.Logf("milliseconds from the navigation to the first rows: %v", first)
	c.Until(`document.querySelector('main [aria-busy="true"]') === null`)
	c.Eval(`(() => { globalThis.drawn = 0; new MutationObserver(() => { drawn = Math.max(drawn, document.querySelectorAll('.row').length); }).observe(document.querySelector('.list'), { childList: true, subtree: true }); })()`)
	c.Eval(framesOf)
	c.Until(`globalThis.frames300 !== undefined`)
	t.Logf("frames while scrolling: median %s ms, 95 of 100 within %s ms, longest %s ms", c.Eval(`frames300[150]`), c.Eval(`frames300[284]`),
		c.Eval(`frames300.at(-1)`))
	c.Until(`(() => { const e = document.querySelector('.list-rows'); e.scrollTop = e.scrollHeight; return document.querySelector('.row:last-child').getAttribute('aria-posinset') === '1000'; })()`)
	if got := c.Eval(`drawn <= 150`); got != "true" {
		t.Errorf("%s rows were in the document at a time", c.Eval(`drawn`))
	}
	t.Logf("most rows in the document: %s, elements: %s", c.Eval(`drawn`), c.Eval(`document.querySelectorAll('*').length`))
	t.Logf("KiB of the page as they were sent: %s",
		c.Eval(`[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].filter((e) => !e.name.includes('/v1/')).reduce((n, e) => n + e.encodedBodySize, 0) / 1024`))
	c.Size(2560, 1440)
	c.Visit("/")
	c.Until(lines + ` > 20`)
	c.Fits()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "inbox-2560.png"), c.Picture(), 0o600); err != nil {
		t.Fatal(err)
	}
}
