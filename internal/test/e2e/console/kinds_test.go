package console

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

// cloudTools has a tool that needs an account.
func cloudTools() *tool.Set {
	set := tool.NewSet("Cloud", "cloud")
	tool.Add(set, tool.Spec[struct{}, int]{
		Name: "cloud_count", Description: "Count what is in the cloud.", Risk: tool.Low, Timeout: time.Minute, Needs: tool.NeedSecrets,
		Errors: []tool.Kind{tool.NotConfigured},
		Run: func(ctx context.Context, call *tool.Call, _ struct{}) (int, error) {
			entries, err := call.Secrets.Entries(ctx, "acmecloud")
			return len(entries), err
		},
	})
	return set
}

// TestAccount: a request for an account leads to the page where the person connects it, and
// the call goes on by itself.
func TestAccount(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	s.AddOwnWorker(t, cloudTools(), nil)
	d, provider := s.HTTP(0), oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	if r := d.Ask(t, "default", "services.set", map[string]string{"service": "acmecloud", "label": "default"},
		oauthtest.Body(provider.Discovered())); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	var e system.Element
	system.Eventually(t, "the worker has the registration", func() bool {
		e = system.Execute(t, d, "default", system.CallAs("u1", `{"tool": "cloud_count"}`)).Results[0]
		return e.ErrorType != "not_configured"
	})
	c := openOn(t, s.URLs[0], "default", "/consents/"+e.ConsentID)
	c.Sees("Connect an account of acmecloud")
	if got := c.Eval(`[...document.querySelectorAll('button')].some((b) => /Allow|Always/.test(b.innerText))`); got != "false" {
		t.Error("a request for an account can be granted")
	}
	if got := c.Text(
		`document.querySelector('a.primary').rel + ' ' + new URL(document.querySelector('a.primary').href).pathname`,
	); got != "noopener noreferrer /v1/connect/"+e.ConsentID {
		t.Errorf("the link is %s", got)
	}
	c.Click(`a.primary`)
	c.Sees("Granted by")
	c.Until(`document.querySelector('.inbox-outcome').innerText.includes('Success')`)
}

// TestPicture: a picture that a call is about is shown, whatever it is as a picture only.
func TestPicture(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a b.png":  picture.String(),
		"page.png": `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__owned=1"><script>window.__owned=1</script></svg>`,
	} {
		if r := shared.HTTP(0).Send(t, "PUT", "/v1/files/"+strings.ReplaceAll(name, " ", "%20")+"?user=u1", content,
			map[string][]string{"Helve-Tenant": {tenant}}); r.Status != 200 && r.Status != 201 {
			t.Fatalf("files.put = %d %s", r.Status, r.Body)
		}
	}
	c := open(t, tenant, "/")
	good, _ := park(t, tenant, `{"tool": "contract_long", "arguments": {"text": "a b.png"}}`)
	c.Until(fmt.Sprintf(`document.querySelector('%s figure img')?.naturalWidth === 40`, card(good)))
	bad, _ := park(t, tenant, `{"tool": "contract_long", "arguments": {"text": "page.png"}}`)
	c.show(bad)
	c.Until(fmt.Sprintf(`document.querySelector('%s .json') !== null && document.querySelector('%s figure') === null`, card(bad), card(bad)))
	c.Unharmed()
}

// TestNotifications: a person who allowed it is notified of requests that come while the
// page is hidden, and of no others.
func TestNotifications(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	before, _ := park(t, tenant, guarded("k1"))
	c := open(t, tenant, "/")
	c.Allow("notifications")
	c.Visit("/")
	c.Until(`document.querySelector('` + card(before) + `') !== null`)
	c.Eval(`globalThis.__notes = [], window.Notification = class extends EventTarget { static permission = 'granted'; static requestPermission = async () => 'granted'; constructor(title, o) { super(); __notes.push(title + '|' + o.body + '|' + o.tag); } close() {} }, 1`)
	c.Click("text=Notify me")
	c.Until(`[...document.querySelectorAll('button')].some((b) => b.innerText === 'Do not notify me')`)
	seen, _ := park(t, tenant, guarded("k2"))
	c.Until(`document.querySelector('` + row(seen) + `') !== null`)
	c.Eval(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }), document.dispatchEvent(new Event('visibilitychange'))`)
	hidden, _ := park(t, tenant, guarded("k3"))
	c.Until(`__notes.join() === 'Helve: debug.guarded waits for your yes||` + hidden + `'`)
}
