package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/test/e2e/browser"
)

// states tests that a card follows its call, shows why it failed, and has arguments and
// result on demand.
func states(t *testing.T, b *browser.Browser) {
	p, _ := begin(t, b, serveModel(t), "joe")
	p.says("hold")
	p.is("running")
	p.Until(last + `.querySelector('.progress').innerText.includes('holding') && document.querySelector('#state').innerText === 'Waiting for demo_hold to finish.'`)
	if got := p.Text(last + `.querySelector('.badge').innerText`); got != "Running" {
		t.Errorf("the state is called %q", got)
	}
	helve, err := client.New(helve.url)
	if err != nil {
		t.Fatal(err)
	}
	defer helve.Close()
	if _, err := helve.Cancel(t.Context(), p.Text(last+`.dataset.call`)); err != nil {
		t.Fatal(err)
	}
	p.is("failed")
	p.Until(last + `.querySelector('.failure-text code').innerText === 'cancelled' && ` + last +
		`.querySelector('.failure-text .plain').innerText !== ''`)

	p.says("guard of-joe")
	p.is("waiting")
	p.press("Deny")
	p.is("failed")
	p.Until(last + `.querySelector('.failure-text code').innerText === 'permission_denied' && ` + last +
		`.innerText.includes('Denied by you')`)

	p.says("steps")
	p.is("done")
	if got := p.Eval(last + `.querySelector('.result')`); got != "null" {
		t.Errorf("a result is shown that nobody asked for")
	}
	p.press("Arguments and result")
	p.Until(last + `.querySelector('.result').innerText.includes('stepped <img src=x onerror=') && ` + last +
		`.querySelector('.args').innerText.includes('The call has no arguments.')`)
	p.says("guard of-joe:0")
	p.is("waiting")
	p.press("Allow once")
	p.is("done")
	p.press("Arguments and result")
	p.Until(last + `.querySelector('.args').innerText.includes('"key": "of-joe:0"') && ` + last +
		`.querySelector('.result').innerText.includes('"written"')`)
}

// consentInPlace tests that a request is answered where its call is shown, with the
// keyboard too, and that a decision made elsewhere is shown there.
func consentInPlace(t *testing.T, b *browser.Browser) {
	m := serveModel(t)
	p, who := begin(t, b, m, "fay")
	p.says("guard of-fay:https://p\u0430ypal.com/")
	p.is("waiting")
	p.Until(last + `.querySelector('.consent')?.innerText.includes("written to look like 'paypal.com'")`)
	p.Until(last +
		`.querySelector('.consent .json').innerText.includes('of-fay') && document.querySelector('#state').innerText === 'Waiting for you, ` +
		who + `: debug.guarded.'`)
	p.TabTo(`.consent [type=submit]`)
	p.Press("Enter")
	p.is("done")
	p.Until(last + `.innerText.includes('Granted by you')`)
	p.answered("It came to: ")
	if got := ledger(t, who); !slices.Equal(got, []string{"of-fay:https://p\u0430ypal.com/"}) {
		t.Errorf("for fay was done %q", got)
	}

	p.says("guard of-fay-2")
	p.Until(last + `.querySelector('.consent.pending') !== null`)
	helve, err := client.New(helve.url, client.WithContext(client.Context{User: who}))
	if err != nil {
		t.Fatal(err)
	}
	defer helve.Close()
	if _, err := helve.Decide(t.Context(), p.Text(last+`.querySelector('.consent').dataset.consent`),
		client.Decision{Comment: "not <b>now</b>"}); err != nil {
		t.Fatal(err)
	}
	p.is("failed")
	p.Until(last + `.querySelector('.inbox-settled').innerText.includes('not <b>now</b>') && ` + last +
		`.querySelector('.inbox-settled b') === null`)
}

// rememberedAnswers tests that an answer for the conversation holds until it is forgotten,
// at the card or in the list.
func rememberedAnswers(t *testing.T, b *browser.Browser) {
	p, who := begin(t, b, serveModel(t), "ida")
	remember := func() {
		t.Helper()
		p.is("waiting")
		p.Until(last + `.querySelector('.consent.pending') !== null`)
		p.Eval(last + `.querySelectorAll('[name=remember]')[1].click()`)
		p.press("Allow in this conversation")
		p.is("done")
	}
	p.says("guard of-ida")
	remember()
	p.says("guard of-ida-again")
	p.Until(`document.querySelectorAll('.call').length === 2`)
	p.is("done")
	p.press("Arguments and result") // nobody was asked
	if got := p.Eval(last + `.querySelector('.consent')`); got != "null" {
		t.Errorf("a remembered answer is asked for")
	}
	p.Click("text=Remembered answers")
	p.Until(`document.querySelector('dialog li')?.innerText.includes('debug.guarded in the conversation chat-web')`)
	p.Axe()
	p.Click("text=Forget")
	p.Until(`document.querySelector('dialog').innerText.includes('No answer of yours is remembered.')`)
	p.Press("Escape")
	p.Until(`document.querySelector('dialog') === null`)

	p.says("guard of-ida-3")
	remember()
	p.press("Take it back")
	p.Sees("Taken back.")
	p.says("guard of-ida-4")
	p.is("waiting")
	p.press("Deny")
	p.is("failed")
	if got := ledger(t, who); !slices.Equal(got, []string{"of-ida", "of-ida-again", "of-ida-3"}) {
		t.Errorf("for ida was done %q", got)
	}
}

// questions tests that a question is a form of its schema, whose texts stay texts, and that
// its answer is the result of the call.
func questions(t *testing.T, b *browser.Browser) {
	p, _ := begin(t, b, serveModel(t), "kim")
	p.says(`ask {"question":"Which <img src=x onerror=window.__owned=1> account?","schema":{"type":"object","required":["account","days"],"properties":{` +
		`"account":{"type":"string","title":"<b>Account</b>","enum":["private","work"]},"days":{"type":"integer","default":3,"maximum":9},` +
		`"urgent":{"type":"boolean","default":true},"why":{"type":"string","description":"<i>Only if odd</i>"}}}}`)
	p.Until(last + `.querySelector('.act')?.innerText === 'Which <img src=x onerror=window.__owned=1> account?'`)
	var fields []string
	if err := json.Unmarshal([]byte(p.Eval(`[...document.querySelectorAll('.consent :is(input, select)[name]')].filter((e) => e.labels[0]?.htmlFor === e.id && e.id).map((e) => e.labels[0].innerText.replace(' (optional)', '') + '=' + e.type)`)), &fields); err != nil ||
		!slices.Equal(fields, []string{"<b>Account</b>=select-one", "days=number", "urgent=checkbox", "why=text"}) {
		t.Errorf("the form is %q, %v", fields, err)
	}
	p.Unharmed()
	if got := p.Eval(`document.querySelectorAll('.consent :is(img, b, i)').length`); got != "0" {
		t.Errorf("%s elements were written by the model", got)
	}
	p.press("Answer") // the account is not chosen
	if got := p.Eval(`document.querySelector('.consent form').checkValidity()`); got != "false" {
		t.Errorf("a form without what is required is valid: %s", got)
	}
	p.Select(`.consent [name=account]`, "1")
	p.Type(`.consent [name=days]`, "7")
	p.press("Answer")
	p.answered(`"account":"work","days":7,"urgent":true`)

	p.says(`ask {"question":"What then?"}`)
	p.Until(last + `.querySelector('.consent [type=text]') !== null`)
	p.Eval(last + `.querySelector('.consent [type=text]').focus()`)
	p.Insert(`my "own" words`)
	p.Press("Enter")
	p.answered(`my "own" words`)

	p.says(`ask {"question":"And this?"}`)
	p.Until(last + `.innerText.includes('And this?')`)
	p.press("Deny")
	p.answered(`does not want to answer`)
}
