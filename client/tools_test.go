package client

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

const oneTool = `{"name":"read_file","description":"Reads.","risk":"low","parameters":{"type":"object","properties":{"path":{"type":"string"}}},"limit":{"param":"limit","max":50,"default":20},"timeout_seconds":10,"enabled":true}`

var wantTool = tool.Definition{
	Name: "read_file", Description: "Reads.", Risk: tool.Low, TimeoutSeconds: 10, Enabled: true,
	Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
	Limit:      &tool.Limit{Param: "limit", Max: 50, Default: 20},
}

func TestTools(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(`{"tools":[`+oneTool+`]}`))
			c := connect(t, f)
			got, err := c.Tools(t.Context(), Filter{Agent: "a1", Group: "files", Category: "File System", Query: "read & write"})
			if diff := cmp.Diff([]tool.Definition{wantTool}, got); err != nil || diff != "" {
				t.Errorf("Tools: %v (-want +got):\n%s", err, diff)
			}
			want := asked{
				op:     "tools.list",
				tenant: "default",
				body:   map[string]any{"agent": "a1", "group": "files", "category": "File System", "q": "read & write"},
			}
			if diff := cmp.Diff(want.body, f.last().body); diff != "" || f.last().op != want.op || f.last().tenant != want.tenant {
				t.Errorf("Tools asked %+v, want %+v", f.last(), want)
			}
			raw, err := c.ToolsAs(t.Context(), "openai", Filter{})
			if err != nil || string(raw) != "["+oneTool+"]" {
				t.Errorf("ToolsAs = %s, %v", raw, err)
			}
			if diff := cmp.Diff(map[string]any{"format": "openai"}, f.last().body); diff != "" {
				t.Errorf("ToolsAs asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTool(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(oneTool))
			c := connect(t, f)
			got, err := c.Tool(t.Context(), "files.read_text")
			if diff := cmp.Diff(wantTool, got); err != nil || diff != "" {
				t.Errorf("Tool: %v (-want +got):\n%s", err, diff)
			}
			if a := f.last(); a.op != "tools.get" || a.body["name"] != "files.read_text" {
				t.Errorf("Tool asked %+v", a)
			}
			asked := f.count()
			for _, name := range []string{"", "..", "a/b", "a?b"} {
				if _, err := c.Tool(t.Context(), name); err == nil || f.count() != asked {
					t.Errorf("Tool(%q): error %v, want one without a request", name, err)
				}
			}
		})
	}
}

func TestAgents(t *testing.T) {
	const record = `{"agent":"a1","tools":["read_*"],"groups":[],"deny":["web"]}`
	want := Agent{Name: "a1", Tools: []string{"read_*"}, Groups: []string{}, Deny: []string{"web"}}
	answer := func(a asked) reply {
		return reply{body: map[string]string{
			"agents.list": `{"agents":[` + record + `]}`, "agents.get": record, "agents.put": record, "agents.delete": `{}`,
		}[a.op]}
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, answer)
			c := connect(t, f)
			list, err := c.Agents(t.Context())
			if diff := cmp.Diff([]Agent{want}, list); err != nil || diff != "" {
				t.Errorf("Agents: %v (-want +got):\n%s", err, diff)
			}
			got, err := c.Agent(t.Context(), "a1")
			if diff := cmp.Diff(want, got); err != nil || diff != "" || f.last().body["agent"] != "a1" {
				t.Errorf("Agent asked %v: %v (-want +got):\n%s", f.last(), err, diff)
			}
			got, err = c.PutAgent(t.Context(), Agent{Name: "a1", Tools: []string{"read_*"}})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("PutAgent: %v (-want +got):\n%s", err, diff)
			}
			if a := f.last(); a.op != "agents.put" || a.raw != `{"agent":"a1","tools":["read_*"],"groups":[],"deny":[]}` {
				t.Errorf("PutAgent asked %+v", a)
			}
			if err := c.DeleteAgent(t.Context(), "a1"); err != nil || f.last().op != "agents.delete" || f.last().body["agent"] != "a1" {
				t.Errorf("DeleteAgent asked %+v: %v", f.last(), err)
			}
			asked := f.count()
			if _, err := c.PutAgent(t.Context(), Agent{Name: "a/b"}); err == nil || f.count() != asked {
				t.Errorf("PutAgent of a bad name: error %v, want one without a request", err)
			}
		})
	}
}

func TestGroups(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(`{"groups":[{"name":"files","category":"File System","enabled":true,"tools":["read_file"]}]}`))
			got, err := connect(t, f).Groups(t.Context())
			want := []Group{{Name: "files", Category: "File System", Enabled: true, Tools: []string{"read_file"}}}
			if diff := cmp.Diff(want, got); err != nil || diff != "" || f.last().op != "groups.list" {
				t.Errorf("Groups asked %+v: %v (-want +got):\n%s", f.last(), err, diff)
			}
		})
	}
}

// TestManyTools: a list that no message can hold is requested in pages, which become smaller
// until they fit.
func TestManyTools(t *testing.T) {
	tooLarge := reply{413, `{"error_type":"too_large","detail":"the answer has 9 bytes"}`, ""}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, func(a asked) reply {
				limit, _ := strconv.Atoi(fmt.Sprint(a.body["limit"]))
				cursor, _ := a.body["cursor"].(string)
				switch {
				case limit == 0 || limit > 64:
					return tooLarge
				case cursor == "":
					return reply{body: `{"tools":[{"name":"a"},{"name":"b"}],"next":"b"}`}
				}
				return reply{body: `{"tools":[{"name":"c"}]}`}
			})
			c := connect(t, f)
			got, err := c.Tools(t.Context(), Filter{Group: "g"})
			if err != nil || len(got) != 3 || got[2].Name != "c" || f.last().body["cursor"] != "b" || f.last().body["group"] != "g" ||
				fmt.Sprint(f.last().body["limit"]) != "64" {
				t.Errorf("Tools = %v, %v; asked last: %v", got, err, f.last())
			}
			f = start(t, always(`{"tools":[{"name":"a"}],"next":"a"}`))
			if _, err := connect(t, f).Tools(t.Context(), Filter{}); err == nil {
				t.Error("a list without an end is returned")
			}
			f = start(t, func(asked) reply { return tooLarge })
			if _, err := connect(t, f).Tools(t.Context(), Filter{}); err == nil {
				t.Error("a definition that no message can hold is returned")
			}
		})
	}
}
