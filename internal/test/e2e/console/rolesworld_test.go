package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/protocol"
)

// private is in everything that belongs to u1, and in no address.
const private = "for-u1-only"

// roleWorld is a system on which persons have keys, one of each role and u1, who has one of
// everything that the console shows.
type roleWorld struct {
	*system.System
	keys  map[string]string
	doors map[string]system.HTTPDoor

	parked, granted system.Element
	grant           string // the id of what is remembered
	done            string // the trace of a call that is done
	task            string // the id of a scheduled task
}

func newRoleWorld(t *testing.T) *roleWorld {
	t.Helper()
	entries := []identity.Entry{
		{User: "u1", Roles: []string{"user"}}, {User: "bob", Roles: []string{"user"}}, {User: "cleo", Roles: []string{"approver"}},
		{User: "eve", Roles: []string{"auditor"}}, {User: "root", Roles: []string{"admin"}},
	}
	file, keys := system.KeysFile(t, entries...)
	issuer := oauthtest.New(t, oauthtest.Behaviour{Claims: map[string]any{"sub": "dora", "tenant": "default", "roles": []string{"user"}}})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(oauthtest.ClientSecret), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &roleWorld{
		System: system.Launch(t, system.Plan{Config: func(c *config.Config) {
			c.Auth.KeysFile, c.Auth.Issuer, c.Auth.ClientID, c.Auth.ClientSecretFile = file, issuer.URL, oauthtest.ClientID, secret
		}}),
		keys: map[string]string{}, doors: map[string]system.HTTPDoor{},
	}
	for i, e := range entries {
		p.keys[e.User] = keys[i]
		p.doors[e.User] = system.HTTPDoor{
			Client: mcpclient.Web(t, p.System, map[string]string{"Authorization": "Bearer " + keys[i]}), URL: p.URLs[0],
		}
	}
	p.furnish(t)
	return p
}

// furnish gives u1 one of everything.
func (p *roleWorld) furnish(t *testing.T) {
	t.Helper()
	u1 := p.doors["u1"]
	p.done = system.NewTrace()
	system.Execute(t, u1, "default", fmt.Sprintf(`{"trace_id": %q, "context": {"conversation": %q}, "calls": [{"call_id": "u1-done", "tool": "debug.echo", "arguments": {"value": %[2]q}}]}`, p.done, private))
	p.parked = system.Park(t, u1, "default", guarded(private))
	p.granted = system.Park(t, u1, "default", `{"tool": "contract_long", "arguments": {"text": "`+private+`"}}`)
	if r := system.Decide(t, u1, "default", p.granted.ConsentID,
		`{"decision": "grant", "remember": "always", "comment": "`+private+`"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "the answer is remembered", func() bool {
		list := system.Decode[protocol.GrantList](t, u1.Ask(t, "default", "grants.list", nil, "")).Grants
		if len(list) > 0 {
			p.grant = list[0].ID
		}
		return p.grant != ""
	})
	p.task = plan(t, u1, private)
	system.CreateToolBy(t, u1, "default", system.CustomTool{Name: "report", Description: private, Code: "return '" + private + "'"})
	for at, body := range map[string]string{
		"services/crm/default": `{"type": "http", "fields": {"base_url": "https://` + private + `.example", "api_key": "canary-key"}}`,
		"files/own.txt":        private,
	} {
		if r := u1.Send(t, http.MethodPut, "/v1/"+at, body, http.Header{"Content-Type": {"application/json"}}); r.Status/100 != 2 {
			t.Fatalf("PUT %s = %d %s", at, r.Status, r.Body)
		}
	}
	system.PutAgent(t, p.doors["root"], "default", "helper", `{"groups": ["*"]}`)
	dead := `{"call_id": "u1-dead", "trace_id": "t", "tool": "debug.echo", "origin": "d-1", "user": "u1", "arguments": {"value": "` + private +
		`"}, "accepted_ms": 1, "start_by_ms": 1}`
	if err := p.Conn.Publish("helve.v1.default.call.default.debug.fail", []byte(dead)); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the message is a dead letter", func() bool {
		return len(system.Decode[protocol.DeadList](t, p.doors["root"].Ask(t, "default", "dead.list", nil, "")).Dead) == 1
	})
}

// unchanged fails if anything of u1 is not as it was.
func (p *roleWorld) unchanged(t *testing.T) {
	t.Helper()
	u1, root := p.doors["u1"], p.doors["root"]
	for operation, want := range map[string]string{
		"consent.list":   p.parked.ConsentID,
		"grants.list":    p.grant,
		"services.list":  private,
		"custom.list":    `"enabled":true`,
		"files.list":     "own.txt",
		"schedules.list": `"enabled":true`,
		"calls.get":      "awaiting_consent",
		"agents.list":    `"groups":["*"]`,
		"dead.list":      `"seq":1`,
		"pools.list":     `"pools":[{`,
	} {
		d, params := u1, map[string]string{}
		switch operation {
		case "dead.list", "pools.list":
			d = root
		case "calls.get":
			params["call_id"] = p.parked.CallID
		case "consent.list":
			params["status"] = "pending"
		}
		if r := d.Ask(t, "default", operation, params, ""); r.Status != 200 || !strings.Contains(string(r.Body), want) ||
			strings.Contains(string(r.Body), `"paused":true`) {
			t.Errorf("after all requests %s = %d %s, want %s as before", operation, r.Status, r.Body, want)
		}
	}
}

// sign signs a person in who opened a page.
func (p *roleWorld) sign(t *testing.T, key, next string) *console {
	t.Helper()
	return signed(t, p.URLs[0], key, next)
}

// signed is the page of a person who signs in with a key on the way to it.
func signed(t *testing.T, url, key, next string) *console {
	t.Helper()
	c := &console{Console: browser.Console{Tab: chromium.Tab(t), URL: url}}
	c.Open(c.URL + next)
	c.Until(`location.pathname === '/login' && document.querySelector('input[name=key]') !== null`)
	c.Type(`input[name=key]`, key)
	c.Press("Enter")
	return c
}

// request is a request that a script of a page sends with its session, as the pages do or
// without the header that has their secret.
type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body"`
	Header bool   `json:"header"`
}

// answer is the answer to a request.
type answer struct {
	Status int
	Text   string
}

// send sends requests and returns their answers.
func (c *console) send(t *testing.T, all []request) (answers []answer) {
	t.Helper()
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Eval(fmt.Sprintf(`Promise.all(%s.map(({ method, path, body, header }) => fetch(path, {
		method, headers: { ...(header ? { 'Helve-Console': localStorage.getItem('helve.page') } : {}), ...(body ? { 'Content-Type': 'application/json' } : {}) }, ...(body ? { body } : {}),
	}).then(async (r) => ({ status: r.status, text: await r.text() }))))`, text))
	if err := json.Unmarshal([]byte(got), &answers); err != nil || len(answers) != len(all) {
		t.Fatalf("%d requests are answered %s", len(all), got)
	}
	return answers
}

// refused reports whether the answer is the problem forbidden, with a sentence.
func (a answer) refused() bool {
	var p protocol.Problem
	return a.Status == http.StatusForbidden && json.Unmarshal([]byte(a.Text), &p) == nil && p.ErrorType == "forbidden" &&
		strings.Contains(p.Detail, " ")
}
