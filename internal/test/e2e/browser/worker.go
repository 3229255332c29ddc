package browser

import (
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// registered notes the service worker that an event of the page names.
func (p *Tab) registered(params json.RawMessage) {
	var e struct {
		Registrations []struct {
			ID      string `json:"registrationId"`
			Deleted bool   `json:"isDeleted"`
		} `json:"registrations"`
	}
	_ = json.Unmarshal(params, &e)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range e.Registrations {
		if !r.Deleted {
			p.worker = r.ID
		}
	}
}

// Push delivers a message to the service worker of the page, as the browser does when its push
// service has one.
func (p *Tab) Push(message string) {
	p.t.Helper()
	p.ask("ServiceWorker.enable", nil, nil)
	id := ""
	for end := time.Now().Add(testtime.Patience()); id == ""; {
		p.mu.Lock()
		id = p.worker
		p.mu.Unlock()
		if id == "" && time.Now().After(end) {
			p.t.Fatal("the page has registered no service worker")
		}
	}
	p.ask("ServiceWorker.deliverPushMessage", map[string]any{
		"origin": p.Text(`location.origin`), "registrationId": id, "data": message,
	}, nil)
}

// Worker returns the running service worker of the page's person, in which expressions can be
// evaluated.
func (p *Tab) Worker() *Tab {
	p.t.Helper()
	target, session := p.attach("service_worker", "")
	return &Tab{t: p.t, b: p.b, target: target, session: session, context: p.context}
}

// attach waits for another target of a type, of the same person, and attaches to it.
func (p *Tab) attach(kind, but string) (target, session string) {
	p.t.Helper()
	for end := time.Now().Add(testtime.Patience()); target == ""; {
		var all struct {
			TargetInfos []struct {
				TargetID         string `json:"targetId"`
				Type             string `json:"type"`
				BrowserContextID string `json:"browserContextId"`
			} `json:"targetInfos"`
		}
		p.b.ask(p.t, "", "Target.getTargets", nil, &all)
		for _, i := range all.TargetInfos {
			if i.Type == kind && i.BrowserContextID == p.context && i.TargetID != but {
				target = i.TargetID
			}
		}
		if target == "" && time.Now().After(end) {
			p.t.Fatalf("the person has no other %s", kind)
		}
	}
	var made struct {
		SessionID string `json:"sessionId"`
	}
	p.b.ask(p.t, "", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &made)
	return target, made.SessionID
}
