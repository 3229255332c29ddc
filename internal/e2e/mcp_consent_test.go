package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/config"
)

// person answers what a client is asked to show.
type person struct {
	action   string
	remember string
	asked    atomic.Pointer[mcp.ElicitParams]
	times    atomic.Int32
	before   func()
}

func (p *person) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.asked.Store(req.Params)
		p.times.Add(1)
		if p.before != nil {
			p.before()
		}
		res := &mcp.ElicitResult{Action: p.action}
		if p.remember != "" {
			res.Content = map[string]any{"remember": p.remember}
		}
		return res, nil
	}}
}

// TestMCPConsent: the client of the newest version is asked in the middle of a call,
// and any dispatcher goes on with it.
func TestMCPConsent(t *testing.T) {
	t.Parallel()
	args := map[string]any{"key": "k1"}
	t.Run("granted", func(t *testing.T) {
		t.Parallel()
		tenant, p := newTenant(), &person{action: "accept", remember: "once"}
		c := mcpClient(t, shared, mcpVersions[0], asUser1(tenant), p.options())
		res, text := called(t, c, "debug.guarded", args)
		if res.IsError || !strings.Contains(text, `"written":true`) {
			t.Fatalf("the granted call ended as %s", text)
		}
		if q := p.asked.Load(); q.Mode != "form" || !strings.Contains(q.Message, "debug.guarded") || !strings.Contains(q.Message, "k1") {
			t.Errorf("the person was asked %+v", q)
		}
		id, _ := res.Meta["dev.helve/call_id"].(string)
		records := story(t, shared.http(0), tenant, id)
		if got := strings.Join(phases(records), " "); got != "consent_requested consent_decided started finished" || records[1].By != "u1" {
			t.Errorf("the trail has %s, decided by %q", got, records[1].By)
		}
		if called(t, c, "debug.guarded", args); p.times.Load() != 2 {
			t.Errorf("a yes for once was asked for %d times in two calls", p.times.Load())
		}
		if lines := ledger(t, shared, tenant, "u1"); len(lines) != 2 {
			t.Errorf("the ledger has %q, want one line for each call", lines)
		}
	})
	t.Run("always", func(t *testing.T) {
		t.Parallel()
		tenant, p := newTenant(), &person{action: "accept", remember: "always"}
		c := mcpClient(t, shared, mcpVersions[0], asUser1(tenant), p.options())
		for range 2 {
			if res, text := called(t, c, "debug.guarded", args); res.IsError {
				t.Fatalf("the call ended as %s", text)
			}
			eventually(t, "the grant is remembered", func() bool {
				return strings.Contains(string(shared.http(0).ask(t, tenant, "grants.list", map[string]string{"user": "u1"}, "").body), "debug.guarded")
			})
		}
		if p.times.Load() != 1 {
			t.Errorf("the person was asked %d times, want once for all", p.times.Load())
		}
	})
	t.Run("denied", func(t *testing.T) {
		t.Parallel()
		tenant, p := newTenant(), &person{action: "decline"}
		c := mcpClient(t, shared, mcpVersions[0], asUser1(tenant), p.options())
		if res, text := called(t, c, "debug.guarded", args); !res.IsError || !strings.HasPrefix(text, "permission_denied: ") {
			t.Errorf("the denied call ended as %s", text)
		}
		if lines := ledger(t, shared, tenant, "u1"); len(lines) != 0 {
			t.Errorf("the ledger has %q", lines)
		}
	})
	t.Run("dismissed", func(t *testing.T) {
		t.Parallel()
		tenant, p := newTenant(), &person{action: "cancel"}
		c := mcpClient(t, shared, mcpVersions[0], asUser1(tenant), p.options())
		res, text := called(t, c, "debug.guarded", args)
		id, _ := res.Meta["dev.helve/consent_id"].(string)
		waiting := consents(t, shared.http(0), tenant, "pending")
		if !res.IsError || len(waiting) != 1 || waiting[0].ConsentID != id || !strings.Contains(text, id) || p.times.Load() != 1 {
			t.Errorf("asked %d times the call ended as %s with consent %q; %v wait", p.times.Load(), text, id, waiting)
		}
	})
	t.Run("decided elsewhere", func(t *testing.T) {
		t.Parallel()
		tenant := newTenant()
		p := &person{action: "accept", before: func() {
			decide(t, shared.http(1), tenant, consents(t, shared.http(0), tenant, "pending")[0].ConsentID, `{"decision": "deny", "by": "u1"}`)
		}}
		c := mcpClient(t, shared, mcpVersions[0], asUser1(tenant), p.options())
		if res, text := called(t, c, "debug.guarded", args); !res.IsError || !strings.HasPrefix(text, "permission_denied: ") {
			t.Errorf("the first decision was a no, and the call ended as %s", text)
		}
	})
}

// Who cannot be asked is told what waits, and for whom.
func TestMCPConsentOfOthers(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, version string) {
		tenant := newTenant()
		var o *mcp.ClientOptions
		if version != mcpVersions[0] {
			o = (&person{action: "accept"}).options() // it could show a form, but cannot be reached
		}
		c := mcpClient(t, shared, version, asUser1(tenant), o)
		res, text := called(t, c, "debug.guarded", map[string]any{"key": "k"})
		id, _ := res.Meta["dev.helve/consent_id"].(string)
		if !res.IsError || id == "" || !strings.HasPrefix(text, "confirmation_required: ") || !strings.Contains(text, id) {
			t.Fatalf("the call ended as %s, consent %q", text, id)
		}
		grant(t, shared.http(1), tenant, id)
		callID, _ := res.Meta["dev.helve/call_id"].(string)
		wantResult(t, settled(t, shared.http(0), tenant, callID), `{"written":true}`)
	})
}

// TestMCPState: what a client brings back is what it was given, for its own call.
func TestMCPState(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	o := (&person{action: "accept"}).options()
	o.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	args := json.RawMessage(`{"key":"k"}`)
	c := mcpClient(t, shared, mcpVersions[0], asUser1(tenant), o)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "debug.guarded", Arguments: args})
	if err != nil || !res.NeedsInput() || res.RequestState == "" || len(res.InputRequests) != 1 {
		t.Fatalf("the call was answered %+v, %v", res, err)
	}
	answers := mcp.InputResponseMap{}
	for key := range res.InputRequests {
		answers[key] = &mcp.ElicitResult{Action: "accept"}
	}
	good := mcp.CallToolParams{Name: "debug.guarded", Arguments: args, RequestState: res.RequestState, InputResponses: answers}
	for name, bad := range map[string]struct {
		as     map[string]string
		change func(*mcp.CallToolParams)
		want   string
	}{
		"changed": {asUser1(tenant), func(p *mcp.CallToolParams) {
			p.RequestState = strings.Replace(p.RequestState, ".public.", ".public.A", 1)
		}, "requestState"},
		"made up":   {asUser1(tenant), func(p *mcp.CallToolParams) { p.RequestState = "e30" }, "requestState"},
		"no answer": {asUser1(tenant), func(p *mcp.CallToolParams) { p.InputResponses = nil }, "inputResponses"},
		"other answer": {asUser1(tenant), func(p *mcp.CallToolParams) {
			p.InputResponses = mcp.InputResponseMap{"x": &mcp.ElicitResult{Action: "accept"}}
		}, "inputResponses"},
		"other tool":    {asUser1(tenant), func(p *mcp.CallToolParams) { p.Name = "debug.effect" }, "another call"},
		"other user":    {map[string]string{"Helve-Tenant": tenant, "Helve-User": "u2"}, func(*mcp.CallToolParams) {}, "another call"},
		"other tenant":  {asUser1(newTenant()), func(*mcp.CallToolParams) {}, "another call"},
		"other agent":   {map[string]string{"Helve-Tenant": tenant, "Helve-User": "u1", "Helve-Agent": "a"}, func(*mcp.CallToolParams) {}, "another call"},
		"an odd action": {asUser1(tenant), func(p *mcp.CallToolParams) { p.InputResponses = with(answers, "shrug") }, "shrug"},
	} {
		params := good
		bad.change(&params)
		_, err := mcpClient(t, shared, mcpVersions[0], bad.as, o).CallTool(t.Context(), &params)
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, bad.want)
		}
	}
	other := good
	other.Arguments = json.RawMessage(`{"key":"another"}`)
	if res, err := c.CallTool(t.Context(), &other); err != nil || !res.IsError || !strings.Contains(said(t, res), "other arguments") {
		t.Errorf("a yes for other arguments: %+v, %v", res, err)
	}
	// The yes was for the call that was asked about.
	eventually(t, "that call ran", func() bool { return len(ledger(t, shared, tenant, "u1")) == 1 })
	for range 2 { // brought back twice, it is the same call
		if res, err := c.CallTool(t.Context(), &good); err != nil || res.IsError {
			t.Errorf("brought back: %+v, %v", res, err)
		}
	}
	if lines := ledger(t, shared, tenant, "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %q, want one line", lines)
	}
}

func with(answers mcp.InputResponseMap, action string) mcp.InputResponseMap {
	all := mcp.InputResponseMap{}
	for key := range answers {
		all[key] = &mcp.ElicitResult{Action: action}
	}
	return all
}

// TestMCPConsole: where there is a page for it, the person is sent there, and the call
// waits for what they decide.
func TestMCPConsole(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.MCP.ConsoleURL = "https://console.test/consents/" }})
	p := &person{action: "accept"}
	decided := make(chan struct{})
	p.before = func() {
		go func() {
			defer close(decided)
			id := consents(t, s.http(0), "default", "pending")[0].ConsentID
			if want := "https://console.test/consents/" + id; p.asked.Load().URL != want || p.asked.Load().Mode != "url" {
				t.Errorf("the person is sent to %+v, want %s", p.asked.Load(), want)
			}
			grant(t, s.http(0), "default", id)
		}()
	}
	o := p.options()
	o.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}}
	c := mcpClient(t, s, mcpVersions[0], asUser1("default"), o)
	if res, text := called(t, c, "debug.guarded", map[string]any{"key": "k"}); res.IsError || !strings.Contains(text, "true") {
		t.Errorf("the call ended as %s", text)
	}
	<-decided
}
