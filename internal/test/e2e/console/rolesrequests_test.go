package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// hidden sends what the pages of a person do not offer: every operation that is not of their
// roles, and those that are but on what is u1's.
func (p *roleWorld) hidden(t *testing.T, c *console, person int) {
	t.Helper()
	p.operations(t, c, persons[person])
	var sent []request
	var want []int
	for _, r := range p.foreign() {
		if r.want[person] == 0 {
			continue
		}
		sent, want = append(sent, request{r.method, r.path, r.body, true}), append(want, r.want[person])
		sent, want = append(sent, request{r.method, r.path, r.body, false}), append(want, http.StatusUnauthorized)
	}
	for i, a := range c.send(t, sent) {
		if a.Status != want[i] || a.Status == http.StatusForbidden && !a.refused() || a.Status >= 400 && strings.Contains(a.Text, private) ||
			strings.Contains(a.Text, "canary-key") {
			t.Errorf("%+v = %d %s, want %d", sent[i], a.Status, a.Text, want[i])
		}
	}
}

// operations sends every operation that a person's role does not permit.
func (p *roleWorld) operations(t *testing.T, c *console, name string) {
	t.Helper()
	roles := map[string]identity.Role{
		"u1": identity.User, "bob": identity.User, "cleo": identity.Approver, "eve": identity.Auditor, "root": identity.Admin,
	}
	fill := strings.NewReplacer("{call_id}", "u1-done", "{agent}", "helper", "{consent_id}", p.parked.ConsentID, "{grant_id}", p.grant,
		"{pool}", "default", "{seq}", "1",
		"{service}", "crm", "{label}", "default", "{path}", "own.txt", "{name}", "report", "{worker}", "w1", "{id}", "s1")
	var sent []request
	for _, op := range api.Operations() {
		if op.Permits(identity.Principal{Tenant: "default", User: name, Roles: []identity.Role{roles[name]}}) == nil {
			continue
		}
		body := ""
		if op.Body {
			body = `{}`
		}
		for _, header := range []bool{true, false} {
			sent = append(sent, request{op.Method, fill.Replace(op.Path), body, header})
		}
	}
	if len(sent) == 0 {
		t.Error("there is no operation that the role does not permit")
	}
	for i, a := range c.send(t, sent) {
		if sent[i].Header && (!a.refused() || !strings.Contains(a.Text, " needs the role ")) ||
			!sent[i].Header && a.Status != http.StatusUnauthorized {
			t.Errorf("%+v = %d %s", sent[i], a.Status, a.Text)
		}
	}
}

type foreignRequest struct {
	method, path, body string
	want               [5]int // by person; 0 if it would change something that they may change
}

// foreign returns requests about what is u1's, and about what only an admin sets.
func (p *roleWorld) foreign() []foreignRequest {
	return []foreignRequest{
		{"POST", "/v1/calls/" + p.parked.CallID + "/cancel", "", [5]int{0, 404, 404, 403, 0}},
		{"GET", "/v1/calls/u1-done?include=arguments", "", [5]int{200, 404, 404, 200, 200}},
		{"GET", "/v1/calls/u1-done/result", "", [5]int{200, 404, 404, 200, 200}},
		{
			"POST", "/v1/execute", `{"context": {"user": "u1"}, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`,
			[5]int{200, 403, 403, 403, 403},
		},
		{"GET", "/v1/tools?user=u1", "", [5]int{200, 403, 403, 403, 403}},
		{"GET", "/v1/consents?user=u1", "", [5]int{200, 403, 200, 200, 200}},
		{"GET", "/v1/consents/" + p.parked.ConsentID, "", [5]int{200, 404, 200, 200, 200}},
		{"POST", "/v1/consents/" + p.parked.ConsentID + "/decision", `{"decision": "grant"}`, [5]int{0, 404, 0, 403, 403}},
		{"POST", "/v1/tokens", `{"user": "u1", "trace_id": "` + p.done + `", "tools": ["debug.guarded"]}`, [5]int{200, 403, 200, 403, 403}},
		{"GET", "/v1/grants?user=u1", "", [5]int{200, 403, 200, 403, 200}},
		{"DELETE", "/v1/grants/" + p.grant, "", [5]int{0, 404, 0, 403, 0}},
		{"GET", "/v1/custom-tools?owner=u1", "", [5]int{200, 403, 200, 200, 200}},
		{"GET", "/v1/custom-tools/report?owner=u1", "", [5]int{200, 403, 200, 200, 200}},
		{"POST", "/v1/custom-tools/report/toggle", `{"owner": "u1", "enabled": false}`, [5]int{0, 403, 403, 403, 0}},
		{"DELETE", "/v1/custom-tools/report?owner=u1", "", [5]int{0, 403, 403, 403, 0}},
		{"POST", "/v1/custom-tools/report/share", `{"owner": "u1", "version": 1}`, [5]int{403, 403, 0, 403, 0}},
		{"DELETE", "/v1/custom-tools/report/share", "", [5]int{404, 404, 404, 403, 404}},
		{"GET", "/v1/services?user=u1", "", [5]int{200, 403, 403, 403, 200}},
		{"PUT", "/v1/services/crm/default", `{"user": "u1", "fields": {"base_url": "https://other.example"}}`, [5]int{0, 403, 403, 403, 0}},
		{"DELETE", "/v1/services/crm/default?user=u1", "", [5]int{0, 403, 403, 403, 0}},
		{"POST", "/v1/services/crm/default/test?user=u1", "", [5]int{0, 403, 403, 403, 0}},
		{"POST", "/v1/services/crm/default/connect?user=u1", "", [5]int{0, 403, 403, 403, 403}},
		{"PUT", "/v1/services/shell/default", `{"fields": {"enabled": true}}`, [5]int{403, 403, 403, 403, 0}},
		{"GET", "/v1/files/own.txt?user=u1", "", [5]int{200, 403, 403, 403, 200}},
		{"DELETE", "/v1/files/own.txt?user=u1", "", [5]int{0, 403, 403, 403, 0}},
		{"GET", "/v1/data/export?user=u1", "", [5]int{200, 403, 403, 403, 200}},
		{"DELETE", "/v1/data?user=u1", "", [5]int{0, 403, 403, 403, 0}},
		{"GET", "/v1/programs?user=u1", "", [5]int{200, 403, 403, 200, 200}},
		{"GET", "/v1/schedules?user=u1", "", [5]int{200, 403, 403, 200, 200}},
	}
}
