package console

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestNoPage: an address without a page is answered 404 with a page that says so and leads every
// role to the first page that it may see; a program's credential has none.
func TestNoPage(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	for name, back := range map[string]string{"ann": "/", "cleo": "/", "eve": "/", "root": "/", "bot": "/tools", "far": ""} {
		c := (&roleWorld{System: p.System}).sign(t, p.keys[name], "/unknown/page")
		c.Until(`document.querySelector('h1')?.innerText === 'Not found'`)
		if got := c.Text(`[location.pathname, document.querySelector('main code').innerText, document.querySelector('main p a')?.pathname ?? ''].join()`); got != "/unknown/page,/unknown/page,"+back {
			t.Errorf("%s is shown %s, want the way to %q", name, got, back)
		}
		c.Visit("/unknown/page")
		c.Until(`document.querySelector('h1')?.innerText === 'Not found'`)
		if got := c.Eval(`performance.getEntriesByType('navigation')[0].responseStatus`); got != "404" {
			t.Errorf("the document has the status %s", got)
		}
		if back == "" {
			continue
		}
		c.Click(`main p a`)
		c.Until(`location.pathname === '` + back + `' && ![undefined, 'Not found'].includes(document.querySelector('h1')?.innerText)`)
	}
}

// TestCodeComesLater: a page whose code could not be loaded is shown once it can be, without a
// person doing anything.
func TestCodeComesLater(t *testing.T) {
	t.Parallel()
	c := open(t, system.NewTenant(), "/")
	c.Until(`document.querySelector('main .empty') !== null`)
	c.Offline(true)
	c.follow("/grants")
	c.Sees("Helve does not answer.")
	c.Offline(false)
	c.Until(`location.pathname === '/grants' && document.querySelector('main .failure') === null && document.querySelector('h1') !== null`)
	c.Until(`document.querySelector('nav [aria-current=page]').pathname === '/grants'`)
}

// TestServerClock: on a device whose clock is hours wrong a request has the time left that it has.
func TestServerClock(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"7_200_000", "-7_200_000"} {
		tenant := system.NewTenant()
		c := open(t, tenant, "/")
		c.Eval(`(() => { const real = Date.now.bind(Date); Date.now = () => real() + ` + wrong + `; return 1; })()`)
		id, _ := park(t, tenant, guarded("k1")) // its card is shown by an answer to the device with the wrong clock
		left := shared.Config.Consent.TTL
		c.Until(`(() => {
			const parts = document.querySelector('` + card(id) + ` [role=timer]')?.innerText.split(':').map(Number) ?? [NaN];
			const seconds = parts.reduce((sum, n) => sum * 60 + n, 0);
			return seconds > ` + seconds(left-5*time.Minute) + ` && seconds <= ` + seconds(left+2*time.Second) + `;
		})()`)
	}
}

// TestNotificationsThatCannotCome: the inbox names what keeps notifications from coming, in place
// of the button.
func TestNotificationsThatCannotCome(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	c.Until(`[...document.querySelectorAll('button')].some((b) => b.innerText === 'Notify me')`)
	c.Eval(`window.Notification = class { static permission = 'denied'; static requestPermission = async () => 'denied'; }, 1`)
	c.Click("text=Notify me")
	c.Sees("No notifications: they are blocked for this site in the settings of the browser.")
	c.Eval(`Notification.permission = 'granted', dispatchEvent(new Event('focus')), 1`)
	c.Until(`[...document.querySelectorAll('button')].some((b) => b.innerText === 'Notify me')`)
	c.Eval(`window.Notification = class { static permission = 'granted'; static requestPermission = async () => 'granted'; constructor() { throw new TypeError('Illegal constructor'); } }, 1`)
	c.Click("text=Notify me")
	c.Until(`[...document.querySelectorAll('button')].some((b) => b.innerText === 'Do not notify me')`)
	c.Eval(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }), 1`)
	park(t, tenant, guarded("k1"))
	c.Sees("No notifications: this browser does not show those of pages.")
	c.Axe()
}

// TestConnectIsForItsPerson: a request for an account has the link for the person whose account
// it will be; an approver sees who that is.
func TestConnectIsForItsPerson(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	p.AddOwnWorker(t, cloudTools(), nil)
	provider := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	if r := p.browser(t, "root").send(0, http.MethodPut, "/v1/services/acmecloud/default", oauthtest.Body(provider.Discovered())); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	var e system.Element
	system.Eventually(t, "the worker has the registration", func() bool {
		e = system.Execute(t, p.door(t, "ann"), "default", `{"wait_ms": 30000, "calls": [{"tool": "cloud_count"}]}`).Results[0]
		return e.ConsentID != ""
	})
	for name, link := range map[string]string{"ann": "true", "cleo": "false"} {
		c := (&roleWorld{System: p.System}).sign(t, p.keys[name], "/consents/"+e.ConsentID)
		c.Until(`document.querySelector('main [role=group] form button') !== null`)
		if got := c.Eval(`document.querySelector('main a[href*="/v1/connect/"]') !== null`); got != link {
			t.Errorf("%s is offered the link: %s", name, got)
		}
		if says := c.Eval(`document.querySelector('main').innerText.includes('Only ann can connect this account')`); says == link {
			t.Errorf("%s is told whose account it will be: %s", name, says)
		}
	}
}

// TestTenantOffers: what only the tenant default may do is not offered in another one.
func TestTenantOffers(t *testing.T) {
	t.Parallel()
	c := open(t, system.NewTenant(), "/fleet")
	c.Until(`document.querySelector('section[aria-labelledby=pools] tbody tr') !== null && document.querySelector('section[aria-labelledby=workers] tbody tr') !== null`)
	if got := c.Text(`[...document.querySelectorAll('main button')].map((b) => b.innerText).filter((x) => /Pause|Resume|Drain/.test(x)).join()`); got != "" {
		t.Errorf("orders to workers are offered: %s", got)
	}
	if got := c.Eval(`document.querySelector('nav a[href="/check"]') !== null`); got != "false" {
		t.Error("the check is offered")
	}
	c.Visit("/check")
	c.Sees("It needs a person of the tenant default.")
	d := open(t, "default", "/fleet")
	d.Until(`document.querySelector('button[aria-label="Pause: default"]') !== null && document.querySelector('nav a[href="/check"]') !== null`)
}

// seconds returns a time in whole seconds.
func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
