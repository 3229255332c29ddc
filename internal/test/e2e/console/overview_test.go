package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// history replaces the answer of metrics.history, whose numbers are otherwise known minutes after
// the start of a system: in step i of 60, from the tenth on, i calls a second succeeded.
const history = `(() => {
	const n = 60, times = Array.from({ length: n }, (_, i) => new Date(Date.now() - (n - 1 - i) * 60000).toISOString());
	const known = times.map((_, i) => i >= 10);
	const of = (name) => ({ name, success: times.map((_, i) => i), error: times.map((_, i) => i % 3), p50_ms: times.map((_, i) => i % 9 ? 12 : null), p99_ms: times.map((_, i) => 80 + i), backlog: times.map((_, i) => i % 5), busy: times.map(() => 1), slots: times.map(() => 4) });
	const real = fetch;
	window.fetch = (url, o) => String(url).startsWith('/v1/metrics/history') ? Promise.resolve(new Response(JSON.stringify({ step_seconds: 60, since: times[10], times, known, total: of(''), pools: [of('default')] }))) : real(url, o);
})()`

// drawn is the condition that the charts are drawn.
const drawn = `document.querySelectorAll('.chart canvas').length === 4 && [...document.querySelectorAll('.chart canvas')].every((e) => e.width > 0)`

// value is the expression of what a reader is told of a chart.
func value(chart int) string {
	return fmt.Sprintf(`document.querySelectorAll('.chart-plot')[%d].getAttribute('aria-valuetext')`, chart)
}

// figure is the expression of the number on a card of the overview.
func figure(href string) string {
	return `document.querySelector('.overview-now a[href="` + href + `"]')?.closest('li').querySelector('.overview-value').innerText`
}

// TestOverview: an operator sees what waits and runs, with the numbers of the API.
func TestOverview(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 1})
	d := s.HTTP(0)
	system.Park(t, d, "default", guardedCall)
	system.One(t, d, "default", system.EchoCall("1"))
	c := openOn(t, s.URLs[0], "default", "/overview")
	c.Until(figure("/") + ` === '1'`)
	c.Until(`document.querySelector('nav a[href="/"] .nav-count .number')?.innerText === '1'`)
	counts := system.Decode[protocol.Counts](t, d.Ask(t, "default", "system.counts", nil, ""))
	c.Until(figure("/dead") + ` === '0'`)
	c.Until(figure("/check") + fmt.Sprintf(` === '%d'`, counts.Findings.Errors+counts.Findings.Warnings))
	p := poolOf(t, s, "default")
	c.Until(fmt.Sprintf(`[...document.querySelectorAll('.overview-value')].some((e) => e.innerText === '%d of %d')`, p.Busy, p.Slots))
	// The calls are seen a few seconds later.
	system.Eventually(t, "the calls are counted", func() bool { return counted(historyOf(t, s, 0, "1h")) })
	m := historyOf(t, s, 0, "24h")
	c.Select(`select[name=range]`, "24h")
	c.Until(drawn)
	i := len(m.Times) - 1
	c.Until(value(3) + fmt.Sprintf(`.includes('All slots: %d')`, m.Total.Slots[i]))
	c.Click("text=Show as a table")
	c.Until(`document.querySelector('details tbody tr td:last-child .number').innerText === '` + fmt.Sprint(m.Total.Slots[i]) + `'`)
	c.Select(`select[name=range]`, "7d")
	c.Until(`location.search === '?range=7d' && ` + drawn)
	// Nothing of another tenant's and of the system's is counted for an operator of a tenant.
	other := openOn(t, s.URLs[0], system.NewTenant(), "/overview")
	other.Until(figure("/") + ` === '0' && document.querySelector('nav .nav-count') === null && document.querySelector('.overview-now a[href="/check"]') === null`)
}

// TestCharts: the values of a chart are read with the mouse, the keyboard and in a table.
func TestCharts(t *testing.T) {
	t.Parallel()
	c := openOn(t, shared.URLs[0], "default", "/policy")
	c.Eval(history)
	c.Click(`nav a[href="/overview"]`)
	c.Until(drawn)
	c.Until(value(0) + `.endsWith('Succeeded: 59/s, Failed: 2/s')`) // the newest
	c.TabTo(`.chart-plot`)
	c.Press("Home")
	c.Until(value(0) + `.endsWith('Succeeded: –, Failed: –')`)
	c.Press("End")
	c.Press("ArrowLeft")
	c.Until(value(0) + `.endsWith('Succeeded: 58/s, Failed: 1/s') && document.querySelector('.chart figcaption').innerText.includes('58/s')`)
	c.Eval(`(() => {
		const over = document.querySelectorAll('.chart .u-over')[1], r = over.getBoundingClientRect();
		for (const type of ['mouseenter', 'mousemove']) over.dispatchEvent(new MouseEvent(type, { clientX: r.left + r.width / 2, clientY: r.top + 20, bubbles: true }));
	})()`)
	c.Until(`/99th percentile: 1(09|10) ms$/.test(` + value(1) + `)`)
	c.Click("text=Show as a table")
	c.Until(`document.querySelectorAll('details tbody tr').length === 17 && document.querySelector('details tbody td .number').innerText === '58'`)
	for _, scheme := range []string{"light", "dark"} {
		c.Scheme(scheme)
		c.Size(1280, 900)
		c.Axe()
		c.Size(360, 740)
		c.Fits()
		c.Axe()
	}
	c.Size(1280, 900)
	c.Visit("/policy")
	c.Eval(strings.Replace(history, "i >= 10", "false", 1))
	c.Click(`nav a[href="/overview"]`)
	c.Sees("There are no measurements yet.")
	c.Visit("/policy")
	c.Eval(history)
	c.Click(`nav a[href="/overview"]`)
	c.Until(drawn)
	c.Click("text=Settings")
	c.Select(`dialog label:nth-of-type(2) select`, "de")
	c.Press("Escape")
	c.Until(`document.querySelector('h1').innerText === 'Überblick'`)
	c.Until(value(0) + `.endsWith('Erfolgreich: 59/s, Fehlgeschlagen: 2/s')`)
	if said := c.Text(`document.querySelector('main').innerText`); strings.Contains(said, "Succeeded") || strings.Contains(said, "undefined") {
		t.Errorf("the German page says %s", said)
	}
}

// TestToolsOrdered: the tools are ordered by their calls, with a line of a day.
func TestToolsOrdered(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	for range 2 {
		system.One(t, shared.HTTP(0), tenant, system.EchoCall("1"))
	}
	system.One(t, shared.HTTP(0), tenant, `{"tool": "debug.fail", "arguments": {"how": "error"}}`)
	c := open(t, tenant, "/tools")
	const first = `document.querySelector('main tbody tr th .cell')?.innerText`
	system.Eventually(t, "the records are counted", func() bool {
		stats := system.Decode[protocol.ToolStats](t, shared.HTTP(0).Ask(t, tenant, "tools.stats", nil, ""))
		return stats.Records == 3
	})
	c.Visit("/tools?sort=calls")
	c.Until(first + ` === 'debug.echo' && document.querySelector('.tools-spark').getAttribute('aria-label') === '2 calls in 24 hours, 0 failed'`)
	c.Select(`select[name=sort]`, "errors")
	c.Until(first + ` === 'debug.fail' && document.querySelector('main tbody').innerText.includes('1 (100%)')`)
	c.Axe()
	c.Size(1024, 768)
	c.Fits()
	c.Size(360, 740)
	c.Fits()
}

// TestExactTimes: a person who wants it reads date and clock beside "3 minutes ago".
func TestExactTimes(t *testing.T) {
	t.Parallel()
	c := openOn(t, shared.URLs[0], "default", "/fleet")
	const since = `document.querySelector('section[aria-labelledby=workers] td time')`
	c.Until(since + ` !== null && document.querySelector('.time-exact') === null`)
	c.Click("text=Settings")
	c.Select(`select[name=times]`, "both")
	c.Press("Escape")
	c.Until(since + `.querySelector('.time-exact')?.innerText.trim() === ` + since + `.title`)
	c.Visit("/fleet")
	c.Until(`document.querySelector('.time-exact') !== null`)
	c.Size(360, 740)
	c.Fits()
	c.Click("text=Settings")
	c.Select(`select[name=times]`, "relative")
	c.Press("Escape")
	c.Until(`document.querySelector('.time-exact') === null`)
}
