package people

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// TestLostAfterApproval: a call that was approved and then lacks its account runs with that
// approval when the account is connected.
func TestLostAfterApproval(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	connected(t, s, "ann")
	e, asked := waiting(t, d, "ann", `{"tool": "cloud_write"}`)
	if asked.Kind != "" {
		t.Fatalf("the consent is %+v, want an approval", asked)
	}
	if r := d.Ask(t, "default", "services.delete", map[string]string{"service": cloud, "label": "default", "user": "ann"},
		""); r.Status != 200 {
		t.Fatalf("services.delete = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "workers know it", func() bool {
		return call(t, d, "ann", `{"tool": "cloud_read"}`).State == "awaiting_consent"
	})
	if r := d.Ask(t, "default", "consent.decide", map[string]string{"consent_id": asked.ID},
		`{"decision": "grant", "by": "ann"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	var second request
	system.Eventually(t, "the approved call waits for the account", func() bool {
		got := system.Decode[system.Element](t, d.Ask(t, "default", "calls.get", map[string]string{"call_id": e.CallID}, ""))
		if got.State == "awaiting_consent" && got.ConsentID != asked.ID {
			second = consentOf(t, d, "ann", got.ConsentID)
		}
		return second.Kind == "account"
	})
	if status, _ := newBrowser(t, s, "").open(t, second.ConnectURL); status != 200 {
		t.Fatalf("connecting = %d", status)
	}
	used(t, done(t, d, e.CallID))
	var phases []string
	for _, r := range system.CallRecords(t, d, "default", e.CallID) {
		phases = append(phases, r.Phase)
	}
	// The verdict on the account is recorded for the call that opened its request.
	if got := strings.Join(phases, " "); got != "consent_requested consent_decided consent_requested started finished" {
		t.Errorf("the records of the call are %s", got)
	}
}

// TestScript: a script that a model wrote gets the token of the account of its caller. A
// script that changes something does not find out in its middle that there is none.
func TestScript(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 1})
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	for _, tool := range []system.CustomTool{
		{Name: "reads_token", Code: `return utils.getApiKey("acmecloud");`, Keys: []map[string]string{{"name": cloud}}},
		{
			Name:        "writes_token",
			Code:        `await fs.writeFile("t.txt", "x"); return utils.getApiKey("acmecloud");`,
			Permissions: []string{"filesystem"},
			Keys:        []map[string]string{{"name": cloud}},
		},
	} {
		system.CreateTool(t, s, "default", tool)
		var e system.Element
		system.Eventually(t, "the worker has the registration", func() bool {
			e = system.UseTool(t, d, "default", tool.Name, "{}")
			return e.ErrorType != "not_configured"
		})
		if tool.Name == "reads_token" {
			asked := consentOf(t, d, "u1", e.ConsentID)
			if asked.Kind != "account" {
				t.Fatalf("%s waits for %+v", tool.Name, asked)
			}
			if status, _ := newBrowser(t, s, "").open(t, asked.ConnectURL); status != 200 {
				t.Fatalf("connecting = %d", status)
			}
			e = done(t, d, e.CallID)
		}
		var token string
		if json.Unmarshal(e.Result, &token) != nil || !p.Valid(token) {
			t.Errorf("%s ended with %v", tool.Name, e)
		}
	}
	if r := d.Ask(t, "default", "services.delete", map[string]string{"service": cloud, "label": "default", "user": "u1"},
		""); r.Status != 200 {
		t.Fatalf("services.delete = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "a script that changes something waits", func() bool {
		return system.UseTool(t, d, "default", "writes_token", "{}").State == "awaiting_consent"
	})
}

// TestMCP: a client that can open pages sends the person to the link, and the call goes on;
// another one gets the link in the text.
func TestMCP(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	register(t, s.HTTP(0), cloud, oauthtest.Body(p.Fields()))
	waiting(t, s.HTTP(0), "v", `{"tool": "cloud_read"}`)
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		c := mcpclient.Connect(t, s, version, map[string]string{"Helve-User": "w"}, nil)
		if res, text := mcpclient.Call(t, c, "cloud_read", map[string]any{}); !res.IsError ||
			!strings.Contains(text, "must connect it at "+s.URLs[0]+"/v1/connect/c-") ||
			!strings.Contains(res.Meta["dev.helve/connect_url"].(string), "/v1/connect/c-") {
			t.Errorf("%s: a client that cannot ask: %s", version, text)
		}
	})
	forms := (&mcpclient.Person{Action: "accept"}).Options()
	forms.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}}
	c := mcpclient.Connect(t, s, mcpclient.Versions[0], map[string]string{"Helve-User": "x"}, forms)
	if res, text := mcpclient.Call(t, c, "cloud_read", map[string]any{}); !res.IsError || !strings.Contains(text, "/v1/connect/c-") {
		t.Errorf("a client that can only show forms: %s", text)
	}
	person := &mcpclient.Person{Action: "accept"}
	person.Before = func() {
		asked := person.Asked.Load()
		if asked.Mode != "url" || !strings.Contains(asked.Message, "Connect your account of "+cloud) {
			t.Errorf("the person is asked %+v", asked)
		}
		if status, _ := newBrowser(t, s, "").open(t, asked.URL); status != 200 {
			t.Errorf("the page = %d", status)
		}
	}
	o := person.Options()
	o.Capabilities = &mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
	}
	c = mcpclient.Connect(t, s, mcpclient.Versions[0], map[string]string{"Helve-User": "y"}, o)
	if res, text := mcpclient.Call(t, c, "cloud_read", map[string]any{}); res.IsError || !strings.Contains(text, "at-") {
		t.Errorf("the call ended as %s", text)
	}
	no := (&mcpclient.Person{Action: "decline"}).Options()
	no.Capabilities = o.Capabilities
	c = mcpclient.Connect(t, s, mcpclient.Versions[0], map[string]string{"Helve-User": "z"}, no)
	if res, text := mcpclient.Call(t, c, "cloud_read", map[string]any{}); !res.IsError || !strings.Contains(text, "does not want to connect") {
		t.Errorf("a declined call ended as %s", text)
	}
}
