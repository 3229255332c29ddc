package api

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestListTools(t *testing.T) {
	s, _ := service(t, nil)
	for _, tt := range []struct {
		name   string
		params map[string]string
		want   []string
	}{
		{"everything", nil, []string{"debug.echo", "read_file"}},
		{"native", map[string]string{"format": "native"}, []string{"debug.echo", "read_file"}},
		{"an agent without a record", map[string]string{"agent": "new"}, []string{"read_file"}},
		{"an agent with a record", map[string]string{"agent": "a1"}, []string{"debug.echo"}},
		{"group", map[string]string{"group": "filesystem"}, []string{"read_file"}},
		{"category", map[string]string{"category": "Diagnostics"}, []string{"debug.echo"}},
		{"query", map[string]string{"q": "FILE system"}, []string{"read_file"}},
		{"nothing", map[string]string{"q": "nope"}, []string{}},
	} {
		if _, err := do(s, "agents.put", Input{Params: map[string]string{"agent": "a1"}, Body: []byte(`{"tools":["debug.*"]}`)}); err != nil {
			t.Fatal(err)
		}
		reply, err := do(s, "tools.list", Input{Params: tt.params})
		var answer struct {
			Tools []tool.Definition `json:"tools"`
		}
		if err != nil || json.Unmarshal(reply.Body, &answer) != nil || answer.Tools == nil {
			t.Errorf("%s: tools.list = %s, %v", tt.name, reply.Body, err)
			continue
		}
		got := []string{}
		for _, def := range answer.Tools {
			got = append(got, def.Name)
		}
		if !cmp.Equal(got, tt.want) {
			t.Errorf("%s: tools.list = %q, want %q", tt.name, got, tt.want)
		}
	}

	_, err := do(s, "tools.list", Input{Params: map[string]string{"format": "grok"}})
	failure(t, err, "bad_request", 400, `format "grok" is not known; use one of native, openai, openai_responses, anthropic, gemini, mcp`)
	_, err = do(s, "tools.list", Input{Params: map[string]string{"agent": "a b"}})
	failure(t, err, "bad_request", 400, "agent must match")
	_, err = do(s, "tools.list", Input{Params: map[string]string{"agent": "broken"}})
	failure(t, err, "unavailable", 503, "try again")
}

// TestToolsOfAnotherAgent: a credential of one agent does not see what others may use.
func TestToolsOfAnotherAgent(t *testing.T) {
	s, _ := service(t, nil)
	by := identity.Principal{Tenant: DefaultTenant, Agent: "a2", Roles: []identity.Role{identity.Agent}}
	for _, operation := range []string{"tools.list", "groups.list"} {
		if _, err := do(s, operation, Input{By: by, Params: map[string]string{"agent": "a2"}}); err != nil {
			t.Errorf("%s of its own: %v", operation, err)
		}
		_, err := do(s, operation, Input{By: by, Params: map[string]string{"agent": "a1"}})
		failure(t, err, "forbidden", 403, `the agent "a1"`)
	}
}

func TestGetTool(t *testing.T) {
	s, _ := service(t, nil)
	for _, name := range []string{"read_file", "open_file"} {
		reply, err := do(s, "tools.get", Input{Params: map[string]string{"name": name}})
		if err != nil || !strings.HasPrefix(string(reply.Body), `{"name":"read_file","description":"Reads <a> file.",`) {
			t.Errorf("tools.get %s = %s, %v", name, reply.Body, err)
		}
	}
	_, err := do(s, "tools.get", Input{Params: map[string]string{"name": "nope"}})
	failure(t, err, "not_found", 404, `no tool "nope"`)
}

// TestToolsOfACredential: the credential of one agent is shown what that agent may call,
// without naming it.
func TestToolsOfACredential(t *testing.T) {
	t.Parallel()
	s, _ := service(t, nil)
	by := identity.Principal{Tenant: DefaultTenant, Agent: "a1", Roles: []identity.Role{identity.Agent}}
	reply, err := do(s, "tools.list", Input{Tenant: DefaultTenant, By: by})
	if err != nil || strings.Contains(string(reply.Body), "debug.echo") || !strings.Contains(string(reply.Body), "read_file") {
		t.Errorf("tools.list = %.200s, %v, want no diagnostics", reply.Body, err)
	}
	for name, want := range map[string]bool{"read_file": true, "debug.echo": false} {
		reply, err := do(s, "tools.get", Input{Tenant: DefaultTenant, By: by, Params: map[string]string{"name": name}})
		var got protocol.ToolDetail
		if err != nil || json.Unmarshal(reply.Body, &got) != nil || got.Enabled != want || want != (got.Unavailable == "") {
			t.Errorf("tools.get %s = %+v, %v, want enabled %v", name, got, err, want)
		}
	}
}

func TestListGroups(t *testing.T) {
	s, _ := service(t, nil)
	type answer struct {
		Groups []protocol.Group    `json:"groups"`
		Stats  protocol.GroupStats `json:"stats"`
	}
	for name, want := range map[string]string{"": "", "read_file": "filesystem", "open_file": "filesystem", "debug.echo": "diagnostics"} {
		reply, err := do(s, "groups.list", Input{Params: map[string]string{"tool": name}})
		var got answer
		if err := json.Unmarshal(reply.Body, &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case err != nil || got.Stats.Tools != 2:
			t.Errorf("groups.list of %q: %v, %+v, want two tools", name, err, got.Stats)
		case name == "" && len(got.Groups) < 31:
			t.Errorf("groups.list has %d groups, want every one there can be", len(got.Groups))
		case name != "" && (len(got.Groups) != 1 || got.Groups[0].Name != want || !got.Groups[0].Enabled):
			t.Errorf("groups.list of %s = %+v, want %s, enabled", name, got.Groups, want)
		}
	}
	_, err := do(s, "groups.list", Input{Params: map[string]string{"tool": "nope"}})
	failure(t, err, "not_found", 404, `no tool "nope"`)
}

// TestToolPages: with limit or cursor tools.list has pages, each of them whole in any format;
// without, it has everything.
func TestToolPages(t *testing.T) {
	t.Parallel()
	s, _ := service(t, nil)
	for _, tt := range []struct {
		params map[string]string
		names  []string
		next   string
	}{
		{nil, []string{"debug.echo", "read_file"}, ""},
		{map[string]string{"limit": "1"}, []string{"debug.echo"}, "debug.echo"},
		{map[string]string{"limit": "1", "cursor": "debug.echo"}, []string{"read_file"}, ""},
		{map[string]string{"limit": "2"}, []string{"debug.echo", "read_file"}, ""},
		{map[string]string{"cursor": "debug.zzz"}, []string{"read_file"}, ""}, // it is gone since
		{map[string]string{"cursor": "read_file"}, []string{}, ""},
		{map[string]string{"limit": "1", "group": "filesystem"}, []string{"read_file"}, ""},
	} {
		for _, format := range []string{"native", "mcp"} {
			params := maps.Clone(tt.params)
			if params == nil {
				params = map[string]string{}
			}
			params["format"] = format
			reply, err := do(s, "tools.list", Input{Params: params})
			var answer struct {
				Tools []struct{ Name string } `json:"tools"`
				Next  string                  `json:"next"`
			}
			if err != nil || json.Unmarshal(reply.Body, &answer) != nil || answer.Tools == nil || len(answer.Tools) != len(tt.names) ||
				answer.Next != tt.next {
				t.Errorf("%v: %s, %v, want %q and %q", params, reply.Body, err, tt.names, tt.next)
				continue
			}
			for i, want := range tt.names {
				if got := answer.Tools[i].Name; format == "native" && got != want {
					t.Errorf("%v: tool %d is %s, want %s", params, i, got, want)
				}
			}
			if tt.next == "" && strings.Contains(string(reply.Body), `"next"`) {
				t.Errorf("%v: the last page has a next one: %s", params, reply.Body)
			}
		}
	}
	_, err := do(s, "tools.list", Input{Params: map[string]string{"limit": "0"}})
	failure(t, err, "bad_request", 400, "limit must be 1 to 1000")
	_, err = do(s, "tools.list", Input{Params: map[string]string{"cursor": "a/b"}})
	failure(t, err, "bad_request", 400, "cursor")
}
