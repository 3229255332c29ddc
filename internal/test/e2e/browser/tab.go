package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// Tab is one page of a person: its cookies and storage are those of no other tab.
type Tab struct {
	t       *testing.T
	b       *Browser
	target  string
	session string
	context string // of the browser: its cookies and storage

	mu     sync.Mutex
	faults []string
	worker string // the registration of its service worker
}

func after() <-chan time.Time { return time.After(testtime.Patience()) }

// Tab opens a page of another person, of 1280 by 900 pixels. At the end of the test the
// page must have had no fault.
func (b *Browser) Tab(t *testing.T) *Tab {
	t.Helper()
	b.started(t)
	var made struct {
		Context   string `json:"browserContextId"`
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	b.ask(t, "", "Target.createBrowserContext", map[string]any{}, &made)
	b.ask(t, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": made.Context}, &made)
	b.ask(t, "", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made)
	p := &Tab{t: t, b: b, target: made.TargetID, session: made.SessionID, context: made.Context}
	p.attached()
	// A page in the background would not be rendered, nor would its timers run.
	p.ask("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	p.Size(1280, 900)
	p.Scheme("light")
	t.Cleanup(func() {
		b.ask(t, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": p.context}, nil)
		b.mu.Lock()
		delete(b.tabs, p.session)
		b.mu.Unlock()
		for _, fault := range p.Faults() {
			t.Errorf("the page had a fault: %s", fault)
		}
	})
	return p
}

// attached receives the events of the page.
func (p *Tab) attached() {
	p.t.Helper()
	p.b.mu.Lock()
	p.b.tabs[p.session] = p
	p.b.mu.Unlock()
	for _, domain := range []string{"Runtime", "Log", "Page"} {
		p.ask(domain+".enable", nil, nil)
	}
}

// Opened returns the page that the page has opened, of the same person.
func (p *Tab) Opened() *Tab {
	p.t.Helper()
	target, session := p.attach("page", p.target)
	o := &Tab{t: p.t, b: p.b, target: target, session: session, context: p.context}
	o.attached()
	return o
}

// Close closes a page that [Tab.Opened] has returned.
func (p *Tab) Close() {
	p.t.Helper()
	p.b.ask(p.t, "", "Target.closeTarget", map[string]any{"targetId": p.target}, nil)
}

func (p *Tab) ask(method string, params, into any) {
	p.t.Helper()
	p.b.ask(p.t, p.session, method, params, into)
}

// happened collects what a correct page never does.
func (p *Tab) happened(method string, params json.RawMessage) {
	var e struct {
		Entry struct {
			Source string `json:"source"`
			Text   string `json:"text"`
		} `json:"entry"`
	}
	_ = json.Unmarshal(params, &e)
	var fault string
	switch {
	case method == "Runtime.exceptionThrown", method == "Page.javascriptDialogOpening":
		fault = method + " " + string(params)
	case method == "Log.entryAdded" && e.Entry.Source == "security", method == "Log.entryAdded" &&
		strings.Contains(e.Entry.Text, "Content Security Policy"):
		fault = e.Entry.Text
	case method == "ServiceWorker.workerRegistrationUpdated":
		p.registered(params)
		return
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fault)
}

// Faults returns the exceptions, violations of the policy and dialogs since the last time.
func (p *Tab) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	faults := p.faults
	p.faults = nil
	return faults
}

// Open loads a page and waits until it has a heading.
func (p *Tab) Open(url string) {
	p.t.Helper()
	p.ask("Page.navigate", map[string]any{"url": url}, nil)
	p.Until(`document.readyState === 'complete' && location.href !== 'about:blank' && document.querySelector('h1') !== null`)
}

// Size sets the size of the page. A page narrower than 600 pixels is a phone's, with
// touch.
func (p *Tab) Size(width, height int) {
	p.t.Helper()
	p.ask("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	p.ask("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": width < 600}, nil)
}

// Scheme makes the system of the person light or dark. It asks for no motion, so that what a
// page shows does not depend on when one looks.
func (p *Tab) Scheme(name string) {
	p.t.Helper()
	p.ask("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}},
	}, nil)
}

// Offline cuts the page off from the network, or connects it again.
func (p *Tab) Offline(yes bool) {
	p.t.Helper()
	p.ask("Network.enable", nil, nil)
	p.ask("Network.emulateNetworkConditions",
		map[string]any{"offline": yes, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, nil)
}

// Allow grants a permission, such as notifications, to the pages of the tab.
func (p *Tab) Allow(permission string) {
	p.t.Helper()
	p.ask("Browser.setPermission",
		map[string]any{"permission": map[string]string{"name": permission}, "setting": "granted", "browserContextId": p.context}, nil)
}

// Eval returns the value of an expression in the page, awaited if it is a promise, as JSON.
func (p *Tab) Eval(expression string) string {
	p.t.Helper()
	value, thrown := p.eval(expression)
	if thrown != "" {
		p.t.Fatalf("%s: %s", expression, thrown)
	}
	return value
}

// Back goes to the page before, once the command is answered: it may replace the page that answers.
func (p *Tab) Back() {
	p.t.Helper()
	p.Eval(`setTimeout(() => history.back()), 1`)
}

// Text returns the value of an expression that is a string.
func (p *Tab) Text(expression string) string {
	p.t.Helper()
	var text string
	if value := p.Eval(expression); json.Unmarshal([]byte(value), &text) != nil {
		p.t.Fatalf("%s = %s, want a string", expression, value)
	}
	return text
}

// eval returns the value of an expression or what it threw. An expression whose page is replaced
// before it has a value throws, too.
func (p *Tab) eval(expression string) (value, thrown string) {
	p.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}
	refused := p.b.request(p.t, p.session, "Runtime.evaluate", params, &got)
	if refused != "" && !strings.Contains(refused, "navigated or closed") {
		p.t.Fatalf("Runtime.evaluate: %s", refused)
	}
	if refused != "" {
		return "", refused
	}
	return string(got.Result.Value), string(got.ExceptionDetails)
}

// Until waits until an expression is true. An exception counts as false: what it needs may
// still be missing.
func (p *Tab) Until(expression string) {
	p.t.Helper()
	end := time.Now().Add(testtime.Patience())
	for pace := 5 * time.Millisecond; ; pace = min(pace*5/4, 100*time.Millisecond) {
		value, thrown := p.eval(expression)
		if value == "true" {
			return
		}
		if time.Now().After(end) {
			page, _ := p.eval(`location.href + '\n' + document.body.innerText.slice(0, 3000)`)
			p.t.Fatalf("waited in vain until %s\nit is %s %s; the page is %s", expression, value, thrown, page)
		}
		<-time.After(pace)
	}
}

// Sees waits until the text of the page, or of an element, contains a text.
func (p *Tab) Sees(text string) {
	p.t.Helper()
	p.Until(fmt.Sprintf(`document.body.innerText.includes(%s)`, quoted(text)))
}

// quoted returns a text as a literal of JavaScript.
func quoted(text string) string {
	literal, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a form
	}
	return string(literal)
}

// Picture returns what is seen of the page, as PNG.
func (p *Tab) Picture() []byte {
	p.t.Helper()
	var shot struct{ Data string }
	p.ask("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	picture, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return picture
}
