package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// chromium is a real browser with one tab, driven over its debugging pipe.
type chromium struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	asked   int
}

func startChromium(t *testing.T) *chromium {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("THE PAGE IS NOT TESTED: %v", err)
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{theirs, answers} // 3 and 4, as it wants them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() }) // which ends every read below
	_ = theirs.Close()
	_ = answers.Close()
	c := &chromium{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		_, _ = c.to.WriteString(`{"id": 0, "method": "Browser.close"}` + "\x00")
		_ = cmd.Wait()
		late.Stop()
		_ = to.Close()
		_ = from.Close()
	})
	var tab struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	c.ask("Target.createTarget", map[string]any{"url": "about:blank"}, &tab)
	c.ask("Target.attachToTarget", map[string]any{"targetId": tab.TargetID, "flatten": true}, &tab)
	c.session = tab.SessionID
	return c
}

// ask sends one command and waits for its answer.
func (c *chromium) ask(method string, params map[string]any, into any) {
	c.t.Helper()
	c.asked++
	command := map[string]any{"id": c.asked, "method": method, "params": params}
	if c.session != "" {
		command["sessionId"] = c.session
	}
	text, err := json.Marshal(command)
	if err == nil {
		_, err = c.to.Write(append(text, 0))
	}
	if err != nil {
		c.t.Fatal(err)
	}
	for {
		text, err := c.from.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("%s: the browser said nothing: %v", method, err)
		}
		var answer struct {
			ID            int
			Error, Result json.RawMessage
		}
		if err := json.Unmarshal(text[:len(text)-1], &answer); err != nil || answer.Error != nil {
			c.t.Fatalf("%s: %s, %v", method, text, err)
		}
		if answer.ID != c.asked {
			continue // an event
		}
		if into != nil {
			if err := json.Unmarshal(answer.Result, into); err != nil {
				c.t.Fatal(err)
			}
		}
		return
	}
}

// evaluate returns the value of an expression in the page, as JSON.
func (c *chromium) evaluate(expression string) string {
	c.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	c.ask("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &answer)
	if answer.ExceptionDetails != nil {
		return "thrown"
	}
	return string(answer.Result.Value)
}

// until waits until an expression is true.
func (c *chromium) until(expression string) {
	c.t.Helper()
	eventually(c.t, expression, func() bool { return c.evaluate(expression) == "true" })
}

// submit fills a form of the page.
func (c *chromium) submit(form, text string) {
	c.t.Helper()
	c.evaluate(fmt.Sprintf(`document.querySelector('#%s input').value = %q, document.querySelector('#%s').requestSubmit()`, form, text, form))
}

// TestPage: a real browser shows what hostile tools and models say, and does nothing else
// about it; its buttons decide.
func TestPage(t *testing.T) {
	c, m, fay := startChromium(t), serveModel(t), person("fay")
	url, stop := startWeb(t, m, t.TempDir())
	defer stop()
	c.ask("Page.navigate", map[string]any{"url": url}, nil)
	c.until(`!document.querySelector('#login').hidden && document.querySelector('#chat').hidden`)
	c.submit("login", fay)
	c.until(`!document.querySelector('#chat').hidden`)
	c.submit("say", "steps")
	c.until(`document.querySelector('.tool .progress')?.innerText.includes('"step":3')`)
	c.until(`document.querySelector('.tool .result')?.innerText.includes('stepped <img src=x onerror=')`)
	c.until(`document.querySelector('.model')?.innerText.includes('It came to: ')`)
	c.until(`document.querySelector('.model').innerText.includes('<script>')`)
	if got := c.evaluate(`document.querySelectorAll('img, iframe, #chat script').length`); got != "0" {
		t.Errorf("the page has %s elements that a tool or the model wrote", got)
	}
	// Should it ever become markup, the browser would still not run it.
	c.evaluate(`document.querySelector('#log').insertAdjacentHTML('beforeend', '<img src=x onerror="document.title=1">')`)
	c.until(`document.querySelector('#log img').complete`)

	c.submit("say", "guard of-fay:https://p\u0430ypal.com/")
	c.until(`document.querySelector('.card .preview')?.innerText.includes('of-fay')`)
	c.until(`document.querySelector('.card .note')?.innerText.includes("written to look like 'paypal.com'")`)
	c.evaluate(`document.querySelector('.card .grant').click()`)
	c.until(`document.querySelector('.card') === null`)
	c.until(`[...document.querySelectorAll('.result')].some((r) => r.innerText.includes('written'))`)
	if got := ledger(t, fay); !slices.Equal(got, []string{"of-fay:https://p\u0430ypal.com/"}) {
		t.Errorf("for fay was done %q", got)
	}
	if got := c.evaluate(`document.title`); got != `"Helve chat"` {
		t.Errorf("the page is called %s now: something ran", got)
	}
}

// TestPageAsks: a question is a form of its schema, whose texts stay texts, and its answer
// is the result of the call.
func TestPageAsks(t *testing.T) {
	c, m, kim := startChromium(t), serveModel(t), person("kim")
	url, stop := startWeb(t, m, t.TempDir())
	defer stop()
	c.ask("Page.navigate", map[string]any{"url": url}, nil)
	c.until(`!document.querySelector('#login').hidden`)
	c.submit("login", kim)
	c.until(`!document.querySelector('#chat').hidden`)
	answered := func(want string) {
		t.Helper()
		c.until(`document.querySelector('.card') === null && document.querySelector('#state').innerText === ''`)
		c.until(fmt.Sprintf(`[...document.querySelectorAll('.model')].at(-1).innerText.includes(%q)`, want))
	}

	c.submit("say", `ask {"question":"Which <img src=x onerror=document.title=1> account?","schema":{"type":"object","required":["account","days"],"properties":{`+
		`"account":{"type":"string","title":"<b>Account</b>","enum":["private","work"]},"days":{"type":"integer","default":3,"maximum":9},`+
		`"urgent":{"type":"boolean","default":true},"why":{"type":"string","description":"<i>Only if odd</i>"}}}}`)
	c.until(`document.querySelector('.card .what')?.innerText === 'Which <img src=x onerror=document.title=1> account?'`)
	if got := c.evaluate(`[...document.querySelectorAll('.card label')].map((l) => l.innerText + '=' + l.control.type).join()`); got != `"<b>Account</b>=select-one,days=number,urgent=checkbox,why=text"` {
		t.Errorf("the form is %s", got)
	}
	if got := c.evaluate(`document.querySelectorAll('.card img, .card b, .card i').length`); got != "0" {
		t.Errorf("%s elements were written by the model", got)
	}
	c.evaluate(`document.querySelector('.card .grant').click()`) // the account is not chosen
	if got := c.evaluate(`document.querySelector('.card form').checkValidity()`); got != "false" {
		t.Errorf("a form without what is required is valid: %s", got)
	}
	c.evaluate(`document.querySelector('.card select').selectedIndex = 2, document.querySelector('.card [type=number]').value = '7'`)
	c.evaluate(`document.querySelector('.card .grant').click()`)
	answered(`"account":"work","days":7,"urgent":true`)

	c.submit("say", `ask {"question":"What then?"}`)
	c.until(`document.querySelector('.card [type=text]') !== null`)
	c.evaluate(`document.querySelector('.card [type=text]').value = 'my "own" words'`)
	c.evaluate(`document.querySelector('.card .grant').click()`)
	answered(`my \"own\" words`)

	c.submit("say", `ask {"question":"And this?"}`)
	c.until(`document.querySelector('.card .deny') !== null`)
	c.evaluate(`document.querySelector('.card .deny').click()`)
	answered(`does not want to answer`)
	if got := c.evaluate(`document.title`); got != `"Helve chat"` {
		t.Errorf("the page is called %s now: something ran", got)
	}
}

// TestPageComforts: answers are Markdown that cannot harm, the page keeps up with what is
// added and names what it waits for, and a person signs out.
func TestPageComforts(t *testing.T) {
	c, m, ida := startChromium(t), serveModel(t), person("ida")
	data := t.TempDir()
	url, stop := startWeb(t, m, data)
	c.ask("Page.navigate", map[string]any{"url": url}, nil)
	c.until(`!document.querySelector('#login').hidden`)
	if got := c.evaluate(`[...document.querySelectorAll('input')].every((i) => i.labels.length === 1)`); got != "true" {
		t.Errorf("an input has no label")
	}
	c.submit("login", ida)
	c.until(`!document.querySelector('#chat').hidden && document.querySelector('#who').innerText === '` + ida + `'`)

	c.submit("say", "**bold** `a<b>` [docs](https://example.com/x) [bad](javascript:alert(1)) <b>raw</b>")
	c.until(`document.querySelector('.model strong')?.innerText === 'bold' && document.querySelector('.model code')?.innerText === 'a<b>'`)
	c.until(`document.querySelector('.model').innerText.includes('docs (example.com)') && document.querySelector('.model').innerText.includes('[bad](javascript:alert(1)) <b>raw</b>')`)
	if got := c.evaluate(`[...document.querySelectorAll('#log a')].map((a) => a.href + ' ' + a.rel).join()`); got != `"https://example.com/x noopener noreferrer nofollow"` {
		t.Errorf("the links are %s", got)
	}
	if got := c.evaluate(`document.querySelectorAll('#log b').length`); got != "0" {
		t.Errorf("%s elements were written by the model", got)
	}

	for i := range 30 {
		c.submit("say", fmt.Sprintf("line %d", i))
		c.until(fmt.Sprintf(`[...document.querySelectorAll('.model')].at(-1).innerText.includes('You said: line %d')`, i))
		c.until(`document.querySelector('#state').innerText === ''`)
	}
	c.until(`(() => { const l = document.querySelector('#log'); return l.scrollHeight > l.clientHeight && l.scrollHeight - l.scrollTop - l.clientHeight < 40 })()`)

	c.submit("say", "guard of-ida")
	c.until(`document.querySelector('#state').innerText.includes('Waiting for you, ` + ida + `: debug.guarded')`)
	c.evaluate(`document.querySelector('.card .session').click()`)
	c.until(`document.querySelector('.card') === null && document.querySelector('#state').innerText === ''`)
	c.submit("say", "guard of-ida-again")
	c.until(`[...document.querySelectorAll('.model')].filter((m) => m.innerText.includes('It came to')).length === 2`)
	if got := ledger(t, ida); !slices.Equal(got, []string{"of-ida", "of-ida-again"}) {
		t.Errorf("for ida was done %q; want the answer remembered", got)
	}

	// The session outlives the program, until she signs out.
	stop()
	url, stop = startWebAs(t, []string{"--data", data, "--server", helve.url, "--model", "m", "--base-url", m.Base(), "--listen", strings.TrimPrefix(url, "http://")})
	defer stop()
	c.ask("Page.navigate", map[string]any{"url": url}, nil)
	c.until(`!document.querySelector('#chat').hidden && document.querySelector('#log').innerText.includes('You said: line 29')`)
	c.evaluate(`document.querySelector('#logout').click()`)
	c.until(`!document.querySelector('#login').hidden && document.querySelector('#log').innerText === ''`)
	c.ask("Page.navigate", map[string]any{"url": url}, nil)
	c.until(`!document.querySelector('#login').hidden && document.querySelector('#chat').hidden`)
}
