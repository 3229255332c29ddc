package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/modeltest"
)

// chromium is the browser of every test.
var chromium browser.Browser

// tab is the page of a person in a real browser.
type tab struct{ *browser.Tab }

// openPage opens the page, which shows the sign-in.
func openPage(t *testing.T, b *browser.Browser, url string) tab {
	t.Helper()
	p := tab{b.Tab(t)}
	p.Open(url)
	p.Until(`document.querySelector('#login') !== null && document.querySelector('#chat') === null`)
	return p
}

func (p tab) signIn(name string) {
	p.Type("#name", name)
	p.Press("Enter")
	p.Until(fmt.Sprintf(`document.querySelector('#who')?.innerText === %q`, name))
}

// says writes a message and sends it, once the one before is answered.
func (p tab) says(text string) {
	p.idle()
	p.Type("#text", text)
	p.Press("Enter")
	p.Until(`document.querySelector('#text').value === ''`)
}

// idle waits until the page waits for nothing.
func (p tab) idle() {
	p.Until(`document.querySelector('#state').innerText === '' && !document.querySelector('#say button').hasAttribute('aria-busy')`)
}

// last is the expression of the newest card of a call.
const last = `[...document.querySelectorAll('.call')].at(-1)`

// is waits until the newest card has a state.
func (p tab) is(state string) { p.Until(last + `?.dataset.state === '` + state + `'`) }

// answered waits until the newest answer of the model has a text.
func (p tab) answered(text string) {
	p.Until(fmt.Sprintf(`[...document.querySelectorAll('.model')].at(-1)?.innerText.includes(%q)`, text))
}

// press presses a button of the newest card.
func (p tab) press(label string) {
	button := fmt.Sprintf(`[...%s.querySelectorAll('button, summary')].find((b) => b.innerText === %q)`, last, label)
	p.Until(button + ` !== undefined`)
	p.Eval(button + `.click()`) // wherever the conversation has moved it by now
}

// TestPage: what a person sees and does in a real browser.
func TestPage(t *testing.T) {
	b := &chromium
	for name, test := range map[string]func(*testing.T, *browser.Browser){
		"hostile tools": hostileTools, "hostile Markdown": hostileMarkdown, "questions": questions, "comforts": comforts, "streams": streams,
		"states": states, "consent": consentInPlace, "remembered": rememberedAnswers, "phone": phone,
		"pictures": pictures, "changes": changes,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

// begin starts the program and signs somebody in.
func begin(t *testing.T, b *browser.Browser, m *modeltest.Server, name string) (p tab, who string) {
	t.Helper()
	url, _ := startWeb(t, m, t.TempDir())
	p, who = openPage(t, b, url), person(name)
	p.signIn(who)
	return p, who
}

// streams tests that a piece of the answer is on the page before the next one exists, and
// that a person who has scrolled up to read is left there.
func streams(t *testing.T, b *browser.Browser) {
	more := make(chan string, 3)
	m := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
	answer:
		for {
			var piece string
			select {
			case piece = <-more:
			case <-r.Context().Done():
				return
			}
			if piece == "" {
				break answer
			}
			fmt.Fprintf(w,
				"data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"m\","+
					"\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%q},\"finish_reason\":null}]}\n\n",
				piece)
			_ = http.NewResponseController(w).Flush()
		}
		fmt.Fprint(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"m\","+
			"\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(m.Close)
	url, _ := startWebAs(t, []string{"--data", t.TempDir(), "--server", helve.url, "--model", "m", "--base-url", m.URL + "/v1"})
	p := openPage(t, b, url)
	p.signIn(person("liv"))
	p.says("tell me")
	more <- "One **b"
	p.answered("One **b")
	p.Until(
		`document.querySelector('#state').innerText === 'Waiting for the model to answer.' && document.querySelector('#log').ariaBusy === 'true'`,
	)
	more <- "old** word.\n\n" + strings.Repeat("And a line.\n\n", 100)
	p.Until(`document.querySelector('.model strong')?.innerText === 'bold' && document.querySelectorAll('.model').length === 1`)
	p.Until(`(() => { const l = document.querySelector('#log'); return l.scrollHeight > 2 * l.clientHeight && l.scrollHeight - l.scrollTop - l.clientHeight < 40 })()`)
	p.Eval(`document.querySelector('#log').scrollTop = 10`)
	p.Until(`document.querySelector('.newest') !== null`)
	more <- "The end."
	p.answered("The end.")
	if got := p.Eval(`document.querySelector('#log').scrollTop`); got != "10" {
		t.Errorf("the reader was moved from 10 to %s", got)
	}
	p.Click("text=To the newest")
	p.Until(`document.querySelector('.newest') === null`)
	close(more)
	p.idle()
}
