package api

import (
	"testing"
)

func TestAgents(t *testing.T) {
	s, _ := service(t, nil)
	for _, step := range []struct{ op, tenant, agent, body, want string }{
		{"agents.list", "", "", "", `{"agents":[]}`},
		{"agents.put", "", "b", `{"tools":["read_*"],"unknown":1,"agent":"other"}`, `{"agent":"b","tools":["read_*"],"groups":[],"deny":[]}`},
		{"agents.put", "", "a", `{"tools":null}`, `{"agent":"a","tools":[],"groups":[],"deny":[]}`},
		{"agents.put", "t2", "c", `{}`, `{"agent":"c","tools":[],"groups":[],"deny":[]}`},
		{
			"agents.list", "", "", "",
			`{"agents":[{"agent":"a","tools":[],"groups":[],"deny":[]},{"agent":"b","tools":["read_*"],"groups":[],"deny":[]}]}`,
		},
		{"agents.get", "", "b", "", `{"agent":"b","tools":["read_*"],"groups":[],"deny":[]}`},
		{"agents.delete", "", "b", "", `{}`},
		{"agents.list", "", "", "", `{"agents":[{"agent":"a","tools":[],"groups":[],"deny":[]}]}`},
	} {
		reply, err := do(s, step.op, Input{Tenant: step.tenant, Params: map[string]string{"agent": step.agent}, Body: []byte(step.body)})
		if err != nil || string(reply.Body) != step.want {
			t.Errorf("%s %s %s = %s, %v, want %s", step.op, step.agent, step.body, reply.Body, err, step.want)
		}
	}
}

func TestAgentsRefuse(t *testing.T) {
	s, _ := service(t, nil)
	for _, tt := range []struct {
		op, agent, body, kind string
		status                int
		want                  string
	}{
		{"agents.get", "none", "", "not_found", 404, `agent "none" has no record`},
		{"agents.delete", "none", "", "not_found", 404, `agent "none" has no record`},
		{"agents.get", "a b", "", "bad_request", 400, "agent must match"},
		{"agents.delete", "", "", "bad_request", 400, "agent must match"},
		{"agents.put", "a/b", "{}", "bad_request", 400, "agent must match"},
		{"agents.put", "a", "", "bad_request", 400, "the body must be a JSON object"},
		{"agents.put", "a", "[]", "bad_request", 400, "the body must be a JSON object"},
		{"agents.put", "a", "{} {}", "bad_request", 400, "the body must be a JSON object"},
		{"agents.put", "a", `{"tools":"x"}`, "bad_request", 400, "tools"},
		{"agents.put", "a", `{"tools":["a b"]}`, "bad_request", 400, `tools[0] "a b" is not a name`},
		{"agents.put", "a", `{"tools":[],"tools":["x"]}`, "bad_request", 400, "duplicate"},
		{"agents.get", "broken", "", "unavailable", 503, "try again"},
	} {
		_, err := do(s, tt.op, Input{Params: map[string]string{"agent": tt.agent}, Body: []byte(tt.body)})
		failure(t, err, tt.kind, tt.status, tt.want)
	}
}
