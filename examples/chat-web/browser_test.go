package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
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

// evaluate is what an expression is in the page, as JSON.
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
