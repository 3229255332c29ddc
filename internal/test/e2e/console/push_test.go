package console

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// imitation takes the place of the browser's subscription, since a Chromium without a window has
// no push service. Requests to its address are refused by the guard.
const imitation = `(async () => {
	const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
	const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
	const keys = { p256dh: text(await crypto.subtle.exportKey('raw', pair.publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))) };
	let now = null;
	PushManager.prototype.getSubscription = async () => now;
	PushManager.prototype.subscribe = async (o) => (now = {
		endpoint: 'https://127.0.0.1:1/' + o.applicationServerKey.length + o.userVisibleOnly, toJSON: () => ({ endpoint: now.endpoint, keys, expirationTime: null }),
		unsubscribe: async () => { now = null; return true; },
	});
})()`

// devices returns the devices of u1.
func devices(t *testing.T, tenant string) []protocol.PushDevice {
	t.Helper()
	r := shared.HTTP(0).Ask(t, tenant, "push.list", map[string]string{"user": "u1"}, "")
	if r.Status != http.StatusOK {
		t.Fatalf("push.list = %d %s", r.Status, r.Body)
	}
	return system.Decode[protocol.PushDeviceList](t, r).Devices
}

// TestPush: a person switches notifications of a device on; a pushed request is a notification,
// even if it comes twice, and a click on it opens the request's page; the decision closes it.
func TestPush(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	state := func(name string) { c.Until(`document.querySelector('dialog [data-push="` + name + `"]') !== null`) }
	c.Allow("notifications")
	c.Eval(imitation)
	c.Click("text=Settings")
	state("nobody")
	c.Type(`dialog input[maxlength="64"]`, "u1")
	c.Press("Tab")
	state("off")
	c.Axe()
	c.Click(`dialog [data-push]`)
	state("on")
	c.Sees("What you are asked is shown on this device")
	got := devices(t, tenant)
	if len(got) != 1 || got[0].Endpoint != "https://127.0.0.1:1/65true" || got[0].Language != "en" {
		t.Fatalf("the devices of u1 are %+v", got)
	}

	consent, _ := park(t, tenant, guarded("k1"))
	message, err := json.Marshal(map[string]string{
		"consent_id": consent, "title": "helper asks for approval", "body": "Run the tool <b>", "lang": "en", "path": "/consents/" + consent,
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := `navigator.serviceWorker.ready.then((r) => r.getNotifications()).then((all) => all.map((n) => [n.title, n.body, n.tag].join('|')).join() === `
	for range 2 {
		c.Push(string(message))
		c.Until(shown + strconv.Quote("helper asks for approval|Run the tool <b>|"+consent) + `)`)
	}
	c.Push("no JSON") // a browser withdraws the permission if nothing is shown
	c.Until(`navigator.serviceWorker.ready.then((r) => r.getNotifications()).then((all) => all.some((n) => n.title === 'Helve'))`)

	// A script may not click on a notification, nor open a window without a click: so the event is one of the
	// test's, and the window is noted.
	worker := c.Worker()
	worker.Eval(`(async () => {
		Clients.prototype.openWindow = async (url) => { self.opened = url; };
		const [n] = await registration.getNotifications({ tag: ` + strconv.Quote(consent) + ` });
		self.dispatchEvent(new NotificationEvent('notificationclick', { notification: n }));
	})()`)
	worker.Until(`self.opened === ` + strconv.Quote(c.URL+"/consents/"+consent))
	c.Until(`navigator.serviceWorker.ready.then((r) => r.getNotifications({ tag: ` + strconv.Quote(consent) + ` })).then((all) => all.length === 0)`)

	c.Push(string(message))
	c.Visit("/consents/" + consent)
	c.Until(`document.querySelector('main')?.innerText.includes('Run the tool debug.guarded')`)
	system.Decide(t, shared.HTTP(0), tenant, consent, `{"by": "u1", "decision": "deny"}`)
	c.Until(`navigator.serviceWorker.ready.then((r) => r.getNotifications({ tag: ` + strconv.Quote(consent) + ` })).then((all) => all.length === 0)`)
}

// TestPushOff: the switch turns notifications off again, and names what is missing where it cannot turn them on.
func TestPushOff(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	c := open(t, tenant, "/")
	c.Allow("notifications")
	c.Eval(`localStorage.setItem('helve.actor', 'u1')`)
	c.Visit("/")
	c.Eval(imitation)
	c.Click("text=Settings")
	for _, on := range []bool{true, false} {
		c.Until(`document.querySelector('dialog [data-push="` + map[bool]string{true: "off", false: "on"}[on] + `"]')?.disabled === false`)
		c.Click(`dialog [data-push]`)
		c.Until(`document.querySelector('dialog [data-push="` + map[bool]string{true: "on", false: "off"}[on] + `"]')?.disabled === false`)
		if got := devices(t, tenant); (len(got) == 1) != on {
			t.Errorf("the devices are %+v, want one: %v", got, on)
		}
	}
	for script, says := range map[string]string{
		`Object.defineProperty(Notification, 'permission', { value: 'denied', configurable: true })`: "The browser forbids notifications",
		`delete globalThis.PushManager`: "This browser cannot notify",
		`delete globalThis.PushManager; Object.defineProperty(Navigator.prototype, 'standalone', { value: false, configurable: true })`: "Add to Home Screen",
		`Object.defineProperty(globalThis, 'isSecureContext', { value: false, configurable: true })`:                                    "over HTTPS only",
	} {
		c.Visit("/")
		c.Eval(`(() => { ` + script + ` })()`)
		c.Click("text=Settings")
		c.Sees(says)
		c.Until(`document.querySelector('dialog [data-push]').disabled`)
	}
}

// TestInstallable: the manifest and its icons are there, the service worker may serve all pages, and browsers
// look for a new one each time.
func TestInstallable(t *testing.T) {
	t.Parallel()
	get := func(path string) system.Reply {
		t.Helper()
		return shared.HTTP(0).Send(t, http.MethodGet, path, "", nil)
	}
	worker := get("/sw.js")
	if worker.Status != http.StatusOK || worker.Header.Get("Content-Type") != "text/javascript; charset=utf-8" ||
		worker.Header.Get("Cache-Control") != "no-cache" || !strings.Contains(worker.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the service worker is %d %v", worker.Status, worker.Header)
	}
	var manifest struct {
		Display  string
		StartURL string `json:"start_url"`
		Icons    []struct{ Src, Type string }
	}
	resp := get("/manifest.webmanifest")
	if err := json.Unmarshal(resp.Body, &manifest); err != nil || resp.Header.Get("Content-Type") != "application/manifest+json" ||
		manifest.Display != "standalone" || manifest.StartURL != "/" || len(manifest.Icons) != 2 {
		t.Errorf("the manifest is %+v, %v, %v", manifest, err, resp.Header)
	}
	for _, icon := range manifest.Icons {
		if r := get(icon.Src); r.Status != http.StatusOK || r.Header.Get("Content-Type") != icon.Type {
			t.Errorf("%s is %d %v", icon.Src, r.Status, r.Header)
		}
	}
	c := open(t, system.NewTenant(), "/")
	c.Until(`fetch(document.querySelector('link[rel="manifest"]').href).then((r) => r.ok)`)
	c.Until(`fetch(document.querySelector('link[rel="apple-touch-icon"]').href).then((r) => r.ok)`)
}
