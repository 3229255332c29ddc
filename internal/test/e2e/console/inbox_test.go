package console

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestGrant: a request appears while a person looks, describes the call, and a yes makes
// the parked call end in success.
func TestGrant(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	c.Sees("Nothing waits for you.")
	consent, call := park(t, tenant, guarded("k1"))
	c.Until(`document.querySelector('` + card(consent) + `')?.innerText.includes('Run the tool debug.guarded')`)
	c.Until(`document.querySelector('` + card(consent) + `').innerText.includes('"key": "k1"')`)
	c.Until(`/expires in \d+:\d\d/.test(document.querySelector('` + card(consent) + `').innerText)`)
	c.Until(`document.title === '(1) Inbox · Helve'`)
	c.press(consent, "Allow once")
	c.Until(`document.querySelector('` + card(consent) + `').innerText.includes('Granted by you')`)
	if got := ended(t, tenant, call); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
	if got := ledger(t, tenant); got != "k1" {
		t.Errorf("the ledger has %q", got)
	}
	c.Click(card(consent) + ` a[href^="/calls/"]`)
	c.Until(`document.activeElement.tagName === 'H1' && document.activeElement.innerText.includes('debug.guarded')`)
	c.Sees("Success")
	c.Back()
	c.Until(`location.pathname === '/' && document.querySelector('h1').innerText === 'Inbox'`)
}

// TestDeny: a no ends the call; with "never ask" it is remembered until it is taken back.
func TestDeny(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	consent, call := park(t, tenant, guarded("k1"))
	c.press(consent, "Deny")
	if got := ended(t, tenant, call); got != "error permission_denied" {
		t.Errorf("the call ended in %s", got)
	}

	consent, call = park(t, tenant, guarded("k2"))
	c.show(consent)
	c.Type(card(consent)+` textarea`, "not on Fridays <b>")
	c.Click(card(consent) + ` .inbox-options input[type="checkbox"]`)
	c.press(consent, "Deny and never ask")
	c.Until(`document.querySelector('` + card(consent) + `').innerText.includes('You are not asked this again.')`)
	c.Until(`document.querySelector('` + card(consent) + `').innerText.includes('not on Fridays <b>')`)
	if got := ended(t, tenant, call); got != "error permission_denied" {
		t.Errorf("the call ended in %s", got)
	}
	next := system.Execute(t, shared.HTTP(0), tenant, system.AsUser(30000, guarded("k3"))).Results[0]
	if next.Status != "error" || next.ErrorType != "permission_denied" {
		t.Errorf("the next call is %v, want a call that is denied without asking", next)
	}
	c.press(consent, "Take it back")
	c.Sees("Taken back. The next such call asks again.")
	park(t, tenant, guarded("k4"))
	if got := ledger(t, tenant); got != "" {
		t.Errorf("the ledger has %q", got)
	}
}

// TestRemember: a yes for the conversation, and a lasting yes, are remembered as the page
// says, and can be taken back.
func TestRemember(t *testing.T) {
	t.Parallel()
	for choice, button := range map[string]string{"This conversation": "Allow in this conversation", "Until I take it back": "Always allow"} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			tenant := system.NewTenant()
			c := open(t, tenant, "/")
			consent, call := park(t, tenant, guarded("k1"))
			c.Until(`document.querySelector('` + card(consent) + `') !== null`)
			c.Click("text=" + choice)
			c.Until(`document.querySelector('` + card(consent) + `').innerText.includes('Remembered: debug.guarded')`)
			c.press(consent, button)
			if got := ended(t, tenant, call); got != "success" {
				t.Errorf("the call ended in %s", got)
			}
			next := system.Execute(t, shared.HTTP(0), tenant, system.AsUser(30000, guarded("k2"))).Results[0]
			if next.Status != "success" {
				t.Errorf("the next call is %v, want a call that runs without asking", next)
			}
			c.press(consent, "Take it back")
			c.Sees("Taken back.")
			park(t, tenant, guarded("k3"))
		})
	}
}

// TestHighRisk: a call of high risk can be granted only once.
func TestHighRisk(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	consent, call := park(t, tenant, `{"tool": "contract_high", "arguments": {"word": "w"}}`)
	c.Until(`document.querySelector('` + card(consent) + `')?.innerText.includes('High risk')`)
	if got := c.Eval(`document.querySelectorAll('` + card(consent) + ` input[type=radio]').length`); got != "0" {
		t.Errorf("%s ways to remember are offered", got)
	}
	c.press(consent, "Allow once")
	if got := ended(t, tenant, call); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
}

// TestSeveral: several requests are decided together, and those that are not chosen stay.
func TestSeveral(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	first, firstCall := park(t, tenant, guarded("k1"))
	second, secondCall := park(t, tenant, guarded("k2"))
	third, _ := park(t, tenant, guarded("k3"))
	c.Until(`[...document.querySelectorAll('.row')].map((e) => e.dataset.row).join() === '` + first + `,` + second + `,` + third + `'`)
	c.Click(row(first) + ` input`)
	c.Click(row(second) + ` input`)
	c.Sees("2 selected")
	c.Click(`.bulk button`)
	c.Sees("Allow 2 calls once?")
	c.Click(`dialog .button.primary`)
	c.Sees("2 requests decided")
	for _, call := range []string{firstCall, secondCall} {
		if got := ended(t, tenant, call); got != "success" {
			t.Errorf("a call ended in %s", got)
		}
	}
	c.Click("text=Remove decided ones")
	c.Until(`[...document.querySelectorAll('.row')].map((e) => e.dataset.row).join() === '` + third + `'`)
}

// TestQuestion: a question is a form, and its answer the result of the call.
func TestQuestion(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	if r := shared.HTTP(0).Ask(t, tenant, "agents.put", map[string]string{"agent": "a1"}, `{"groups": ["customTools"]}`); r.Status != 200 {
		t.Fatalf("agents.put = %d %s", r.Status, r.Body)
	}
	asked := system.Execute(t, shared.HTTP(0), tenant,
		`{"context": {"user": "u1", "agent": "a1"}, "calls": [{"tool": "ask_user", "arguments": {"question": "Which <i>account</i>?",
		"schema": {"type": "object", "required": ["account"], "properties": {"account": {"type": "string", "enum": ["private", "work"]}, "days": {"type": "integer", "default": 3}, "urgent": {"type": "boolean"}}}}}]}`).Results[0]
	if asked.State != "awaiting_consent" {
		t.Fatalf("the question is %v", asked)
	}
	c := open(t, tenant, "/consents/"+asked.ConsentID)
	c.Until(`document.querySelector('h1').innerText === 'Which <i>account</i>?'`)
	c.Click("text=Answer") // without the account
	c.Until(`document.querySelector('select[name=account]').matches(':invalid')`)
	c.Select(`select[name=account]`, "1")
	c.Type(`input[name=days]`, "7")
	c.Click(`input[name=urgent]`)
	c.Click("text=Answer")
	c.Sees("Granted by you")
	if got := ended(t, tenant, asked.CallID); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
	reply := shared.HTTP(0).Send(t, "GET", "/v1/calls/"+asked.CallID+"/result", "", map[string][]string{"Helve-Tenant": {tenant}})
	if want := `{"account":"work","days":7,"urgent":true}`; string(reply.Body) != want+"\n" && string(reply.Body) != want {
		t.Errorf("the answer is %s, want %s", reply.Body, want)
	}
}
