package tools

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// TestMCPConsent: the client of the newest version is asked in the middle of a call, and
// any dispatcher continues it.
func TestMCPConsent(t *testing.T) {
	t.Parallel()
	args := map[string]any{"key": "k1"}
	t.Run("granted", func(t *testing.T) {
		t.Parallel()
		tenant, p := system.NewTenant(), &mcpclient.Person{Action: "accept", Remember: "once"}
		c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), p.Options())
		res, text := mcpclient.Call(t, c, "debug.guarded", args)
		if res.IsError || !strings.Contains(text, `"written":true`) {
			t.Fatalf("the granted call ended as %s", text)
		}
		if q := p.Asked.Load(); q.Mode != "form" || !strings.Contains(q.Message, "debug.guarded") || !strings.Contains(q.Message, "k1") {
			t.Errorf("the person was asked %+v", q)
		}
		id, _ := res.Meta["dev.helve/call_id"].(string)
		records := system.CallRecords(t, shared.HTTP(0), tenant, id)
		if got := strings.Join(system.Phases(records), " "); got != "consent_requested consent_decided started finished" ||
			records[1].By != "u1" {
			t.Errorf("the trail has %s, decided by %q", got, records[1].By)
		}
		if mcpclient.Call(t, c, "debug.guarded", args); p.Times.Load() != 2 {
			t.Errorf("a yes for once was asked for %d times in two calls", p.Times.Load())
		}
		if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 2 {
			t.Errorf("the ledger has %q, want one line for each call", lines)
		}
	})
	t.Run("always", func(t *testing.T) {
		t.Parallel()
		tenant, p := system.NewTenant(), &mcpclient.Person{Action: "accept", Remember: "always"}
		c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), p.Options())
		for range 2 {
			if res, text := mcpclient.Call(t, c, "debug.guarded", args); res.IsError {
				t.Fatalf("the call ended as %s", text)
			}
			system.Eventually(t, "the grant is remembered", func() bool {
				return strings.Contains(string(shared.HTTP(0).Ask(t, tenant, "grants.list", map[string]string{"user": "u1"}, "").Body), "debug.guarded")
			})
		}
		if p.Times.Load() != 1 {
			t.Errorf("the person was asked %d times, want once for all", p.Times.Load())
		}
	})
	t.Run("denied", func(t *testing.T) {
		t.Parallel()
		tenant, p := system.NewTenant(), &mcpclient.Person{Action: "decline"}
		c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), p.Options())
		if res, text := mcpclient.Call(t, c, "debug.guarded", args); !res.IsError || !strings.HasPrefix(text, "permission_denied: ") {
			t.Errorf("the denied call ended as %s", text)
		}
		if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 0 {
			t.Errorf("the ledger has %q", lines)
		}
	})
	t.Run("dismissed", func(t *testing.T) {
		t.Parallel()
		tenant, p := system.NewTenant(), &mcpclient.Person{Action: "cancel"}
		c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), p.Options())
		res, text := mcpclient.Call(t, c, "debug.guarded", args)
		id, _ := res.Meta["dev.helve/consent_id"].(string)
		waiting := system.Consents(t, shared.HTTP(0), tenant, "pending")
		if !res.IsError || len(waiting) != 1 || waiting[0].ConsentID != id || !strings.Contains(text, id) || p.Times.Load() != 1 {
			t.Errorf("asked %d times the call ended as %s with consent %q; %v wait", p.Times.Load(), text, id, waiting)
		}
	})
	t.Run("decided elsewhere", func(t *testing.T) {
		t.Parallel()
		tenant := system.NewTenant()
		p := &mcpclient.Person{Action: "accept", Before: func() {
			system.Decide(t, shared.HTTP(1), tenant, system.Consents(t, shared.HTTP(0), tenant, "pending")[0].ConsentID,
				`{"decision": "deny", "by": "u1"}`)
		}}
		c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), p.Options())
		if res, text := mcpclient.Call(t, c, "debug.guarded", args); !res.IsError || !strings.HasPrefix(text, "permission_denied: ") {
			t.Errorf("the first decision was a no, and the call ended as %s", text)
		}
	})
}

// TestMCPConsentOfOthers: a client that cannot be asked is informed about the pending
// request and its person.
func TestMCPConsentOfOthers(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant := system.NewTenant()
		var o *mcp.ClientOptions
		if version != mcpclient.Versions[0] {
			o = (&mcpclient.Person{Action: "accept"}).Options() // it could show a form, but cannot be reached
		}
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(tenant), o)
		res, text := mcpclient.Call(t, c, "debug.guarded", map[string]any{"key": "k"})
		id, _ := res.Meta["dev.helve/consent_id"].(string)
		if !res.IsError || id == "" || !strings.HasPrefix(text, "confirmation_required: ") || !strings.Contains(text, id) {
			t.Fatalf("the call ended as %s, consent %q", text, id)
		}
		system.Grant(t, shared.HTTP(1), tenant, id)
		callID, _ := res.Meta["dev.helve/call_id"].(string)
		system.WantResult(t, system.Settled(t, shared.HTTP(0), tenant, callID), `{"written":true}`)
	})
}

// TestMCPState: the state that a client returns is valid only unchanged, and for its own
// call.
func TestMCPState(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	o := (&mcpclient.Person{Action: "accept"}).Options()
	o.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	args := json.RawMessage(`{"key":"k"}`)
	c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), o)
	res, err := c.CallTool(system.Context(t), &mcp.CallToolParams{Name: "debug.guarded", Arguments: args})
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
		"changed": {mcpclient.AsUser1(tenant), func(p *mcp.CallToolParams) {
			p.RequestState = strings.Replace(p.RequestState, ".public.", ".public.A", 1)
		}, "requestState"},
		"made up":   {mcpclient.AsUser1(tenant), func(p *mcp.CallToolParams) { p.RequestState = "e30" }, "requestState"},
		"no answer": {mcpclient.AsUser1(tenant), func(p *mcp.CallToolParams) { p.InputResponses = nil }, "inputResponses"},
		"other answer": {mcpclient.AsUser1(tenant), func(p *mcp.CallToolParams) {
			p.InputResponses = mcp.InputResponseMap{"x": &mcp.ElicitResult{Action: "accept"}}
		}, "inputResponses"},
		"other tool":   {mcpclient.AsUser1(tenant), func(p *mcp.CallToolParams) { p.Name = "debug.effect" }, "another call"},
		"other user":   {map[string]string{"Helve-Tenant": tenant, "Helve-User": "u2"}, func(*mcp.CallToolParams) {}, "another call"},
		"other tenant": {mcpclient.AsUser1(system.NewTenant()), func(*mcp.CallToolParams) {}, "another call"},
		"other agent": {
			map[string]string{"Helve-Tenant": tenant, "Helve-User": "u1", "Helve-Agent": "a"}, func(*mcp.CallToolParams) {}, "another call",
		},
		"other tool set": {mcpclient.AsUser1(tenant), func(*mcp.CallToolParams) {}, "another call"},
		"an odd action":  {mcpclient.AsUser1(tenant), func(p *mcp.CallToolParams) { p.InputResponses = with(answers, "shrug") }, "shrug"},
	} {
		params := good
		bad.change(&params)
		path := map[string]string{"other tool set": "/mcp/search"}[name]
		_, err := mcpclient.ConnectTo(t, shared, cmp.Or(path, "/mcp"), mcpclient.Versions[0], bad.as, o).CallTool(system.Context(t), &params)
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, bad.want)
		}
	}
	other := good
	other.Arguments = json.RawMessage(`{"key":"another"}`)
	if res, err := c.CallTool(system.Context(t), &other); err != nil || !res.IsError ||
		!strings.Contains(mcpclient.Text(t, res), "other arguments") {
		t.Errorf("a yes for other arguments: %+v, %v", res, err)
	}
	for id := range answers { // the refused requests have decided nothing
		id = strings.TrimPrefix(id, "consent-")
		if c := shared.HTTP(0).Ask(t, tenant, "consent.get", map[string]string{"consent_id": id, "user": "u1"},
			""); !strings.Contains(string(c.Body), `"status":"pending"`) {
			t.Errorf("after refused requests the consent is %s", c.Body)
		}
	}
	for range 2 { // returned twice, it is the same call
		if res, err := c.CallTool(system.Context(t), &good); err != nil || res.IsError {
			t.Errorf("brought back: %+v, %v", res, err)
		}
	}
	if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 1 {
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

// TestMCPConsole: if there is a page for it, the person is sent there, and the call waits
// for the decision.
func TestMCPConsole(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.MCP.ConsoleURL = "https://console.test/consents/" }})
	p := &mcpclient.Person{Action: "accept"}
	decided := make(chan struct{})
	p.Before = func() {
		go func() {
			defer close(decided)
			id := system.Consents(t, s.HTTP(0), "default", "pending")[0].ConsentID
			if want := "https://console.test/consents/" + id; p.Asked.Load().URL != want || p.Asked.Load().Mode != "url" {
				t.Errorf("the person is sent to %+v, want %s", p.Asked.Load(), want)
			}
			system.Grant(t, s.HTTP(0), "default", id)
		}()
	}
	o := p.Options()
	o.Capabilities = &mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
	}
	c := mcpclient.Connect(t, s, mcpclient.Versions[0], mcpclient.AsUser1("default"), o)
	if res, text := mcpclient.Call(t, c, "debug.guarded", map[string]any{"key": "k"}); res.IsError || !strings.Contains(text, "true") {
		t.Errorf("the call ended as %s", text)
	}
	system.Receive(t, "the person has decided", decided)
}
