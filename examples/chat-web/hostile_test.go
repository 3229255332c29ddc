package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
)

// hostileTools tests that a real browser shows what hostile tools and models say, and does
// nothing else about it.
func hostileTools(t *testing.T, b *browser.Browser) {
	p, _ := begin(t, b, serveModel(t), "gil")
	p.says("steps")
	p.is("done")
	p.press("Arguments and result")
	p.Until(last + `.querySelector('.result').innerText.includes('stepped <img src=x onerror=')`)
	p.answered("It came to: ")
	p.answered("<script>")
	if got := p.Eval(`document.querySelectorAll('img, iframe, #chat script').length`); got != "0" {
		t.Errorf("the page has %s elements that a tool or the model wrote", got)
	}
	p.says("guard " + strings.ReplaceAll(strings.Join(browser.Hostile[:3], ""), " ", "/"))
	p.Until(last + `.querySelector('.consent.pending .json')?.innerText.includes('svg/onload')`)
	p.Unharmed()
	p.press("Allow once")
	p.is("done")
	question, err := json.Marshal(strings.Join(browser.Hostile[:len(browser.Hostile)-1], "\n")) // no question may have what deceives
	if err != nil {
		t.Fatal(err)
	}
	p.says(`ask {"question":` + string(question) + `}`)
	p.Until(last + `.querySelector('.consent.pending .act').innerText.includes('onerror')`)
	p.Unharmed()
	p.press("Deny")
	p.is("failed")
	p.idle()
	p.Unharmed()
	// Should it ever become markup, the browser would still not run it.
	p.Eval(`document.querySelector('#log').insertAdjacentHTML('beforeend', '<img id="x" src=x onerror="window.__owned=1">')`)
	p.Until(`document.querySelector('#log #x').complete`)
	if faults := p.Faults(); len(faults) == 0 {
		t.Errorf("the policy of the page allows what a markup of another would do")
	}
	p.Eval(`document.querySelector('#log #x').remove()`)
	p.Unharmed()
	if got := p.Text(`document.title`); got != "Helve chat" {
		t.Errorf("the page is called %s now: something ran", got)
	}
}

// attacks are texts that act on a page whose Markdown becomes markup.
var attacks = append([]string{
	`[a](javascript:window.__owned=1)`, `[a](JaVaScRiPt:window.__owned=1)`, `[a](&#106;avascript:window.__owned=1)`,
	"[a](java\tscript:window.__owned=1)", `[a](<javascript:window.__owned=1>)`, `[a]( javascript&colon;window.__owned=1)`,
	`[a](data:text/html,<script>window.__owned=1</script>)`, `[a](vbscript:x)`, `[a](//evil.example/x)`, `[a](file:///etc/passwd)`,
	`<javascript:window.__owned=1>`, "[a][r]\n\n[r]: javascript:window.__owned=1", "[a]\n\n[a]: data:text/html,x",
	`![a](https://evil.example/pixel.png)`, `![a](javascript:window.__owned=1)`, `![a"onerror="window.__owned=1](x)`,
	`[a](https://evil.example/"onmouseover="window.__owned=1)`, `[a](https://evil.example 'x" onmouseover="window.__owned=1')`,
	"```js\" onmouseover=\"window.__owned=1\n</code></pre><script>window.__owned=1</script>\n```", "`<script>window.__owned=1</script>`",
	`| <img src=x onerror=window.__owned=1> | b |` + "\n|---|---|\n| [a](javascript:1) | <svg onload=window.__owned=1> |",
	`- [x] <input autofocus onfocus=window.__owned=1>`, `# <script>window.__owned=1</script>`, `&lt;img src=x onerror=window.__owned=1&gt;`,
	strings.Repeat("[", 200) + "a" + strings.Repeat("](x)", 200), strings.Repeat("*", 300) + "a",
}, browser.Hostile...)

// hostileMarkdown tests that Markdown becomes elements of a closed set, whatever it says.
func hostileMarkdown(t *testing.T, b *browser.Browser) {
	p, _ := begin(t, b, serveModel(t), "eli")
	p.says("all\n\n" + strings.Join(attacks, "\n\n") + "\n\nthe end")
	p.answered("the end")
	p.says("deep\n\n" + strings.Repeat("> ", 100) + browser.Hostile[0]) // stays as it is
	p.answered(strings.Repeat("> ", 100) + browser.Hostile[0])
	p.idle()
	p.Unharmed()
	elements := p.Text(`[...new Set([...document.querySelectorAll('.markdown *')].map((e) => e.localName))].sort().join()`)
	for name := range strings.SplitSeq(elements, ",") {
		if !strings.Contains(
			" a bdi blockquote br button code del em h3 h4 h5 hr li mark ol p pre span strong table tbody td th thead tr ul div ", " "+name+" ",
		) {
			t.Errorf("Markdown made the element %s", name)
		}
	}
	for _, link := range strings.Split(p.Text(`[...document.querySelectorAll('.markdown a')].map((a) => a.href + ' ' + a.rel).join('\n')`),
		"\n") {
		if !strings.HasPrefix(link, "https://evil.example/") || !strings.HasSuffix(link, " noopener noreferrer nofollow") {
			t.Errorf("a link is %s", link)
		}
	}
	if got := p.Eval(
		`[...document.querySelectorAll('.markdown *')].filter((e) => [...e.attributes].some((a) => /^on|style|src/.test(a.name))).length`,
	); got != "0" {
		t.Errorf("%s elements have attributes of the model's", got)
	}
	p.Fits()
}

// comforts tests that answers are Markdown, that the page keeps to the end of the
// conversation, that conversation and session outlive the program, and that a person signs
// out.
func comforts(t *testing.T, b *browser.Browser) {
	m, data, ida := serveModel(t), t.TempDir(), person("ida")
	url, stop := startWeb(t, m, data)
	p := openPage(t, b, url)
	p.signIn(ida)
	p.says("**bold** `a<b>` [docs](https://example.com/x) [bad](javascript:alert(1)) <b>raw</b> [me](mailto:a@example.com)\n\n- one\n- two\n" +
		"\n```go\nx := 1\n```")
	p.Until(`document.querySelector('.model strong')?.innerText === 'bold' && document.querySelector('.model p code')?.innerText === 'a<b>' && document.querySelector('.model pre')?.innerText === 'x := 1'`)
	p.answered("docs (example.com) [bad](javascript:alert(1)) <b>raw</b> me (a@example.com)")
	if got := p.Text(
		`[...document.querySelectorAll('#log a')].map((a) => a.href + ' ' + a.rel).join()`,
	); got != "https://example.com/x noopener noreferrer nofollow,mailto:a@example.com noopener noreferrer nofollow" {
		t.Errorf("the links are %s", got)
	}
	if got := p.Eval(`document.querySelectorAll('#log b').length`); got != "0" {
		t.Errorf("%s elements were written by the model", got)
	}
	for i := range 12 {
		p.says(fmt.Sprintf("line %d", i))
		p.answered(fmt.Sprintf("You said: line %d", i))
	}
	p.idle()
	p.Until(`(() => { const l = document.querySelector('#log'); return l.scrollHeight > l.clientHeight && l.scrollHeight - l.scrollTop - l.clientHeight < 40 })()`)

	// The session outlives the program, until she signs out.
	stop()
	_, stop = startWebAs(t, []string{
		"--data", data, "--server", helve.url, "--model", "m", "--base-url", m.Base(), "--listen", strings.TrimPrefix(url, "http://"),
	})
	defer stop()
	p.Open(url)
	p.Until(`document.querySelector('#log')?.innerText.includes('You said: line 11')`)
	p.Click("text=Sign out")
	p.Until(`document.querySelector('#login') !== null && document.querySelector('#log') === null`)
	p.Open(url)
	p.Until(`document.querySelector('#login') !== null && document.querySelector('#log') === null`)

	// A session that ends elsewhere ends here too, without a click.
	p.signIn(ida)
	p.Until(`document.querySelector('#log')?.innerText.includes('You said: line 11')`)
	p.Eval(`(fetch('logout', { method: 'POST' }), 0)`)
	p.Until(`document.querySelector('#login') !== null && document.querySelector('#log') === null`)
}

// phone tests that nothing is wider than a phone's screen, and that axe finds nothing, in
// light and dark.
func phone(t *testing.T, b *browser.Browser) {
	url, _ := startWeb(t, serveModel(t), t.TempDir())
	p := openPage(t, b, url)
	p.Size(360, 740)
	p.Axe()
	p.Fits()
	p.signIn(person("uma"))
	p.says("# Head\n\n" + strings.Repeat("abcdefghijk", 60) + "\n\n| a | b |\n|---|---|\n| " + strings.Repeat("wide ", 40) +
		" | c |\n\n```\n" + strings.Repeat("x", 500) + "\n```")
	p.answered("Head")
	p.says("steps")
	p.is("done")
	p.press("Arguments and result")
	p.says("guard " + strings.Repeat("k", 190))
	p.is("waiting")
	p.Until(last + `.querySelector('.consent.pending') !== null`)
	for _, scheme := range []string{"light", "dark"} {
		p.Scheme(scheme)
		p.Size(360, 740)
		p.Fits()
		p.Axe()
		p.Size(1280, 900)
		p.Axe()
	}
	p.Size(360, 740)
	p.press("Allow once")
	p.is("done")
	p.Fits()
}
