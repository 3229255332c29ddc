package tools

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// TestUnknownToolIsAnsweredWithTheNearest: the error for an unknown name lists similar
// names of tools that the model may use.
func TestUnknownToolIsAnsweredWithTheNearest(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	system.PutAgent(t, shared.HTTP(0), tenant, "reader", `{"tools": ["read_*", "list_directory"]}`)
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		system.WantError(t, system.Execute(t, d, tenant, `{"calls": [{"tool": "reed_file"}]}`).Results[0], "tool_not_found",
			"Tool 'reed_file' not found; the nearest are read_file")
		system.WantError(t, system.Execute(t, d, tenant, `{"calls": [{"tool": "writefile"}]}`).Results[0], "tool_not_found", "write_file")
		if e := system.Execute(t, d, tenant, `{"calls": [{"tool": "qqqqzzzz"}]}`).Results[0]; e.ErrorType != "tool_not_found" ||
			strings.Contains(e.Message, "nearest") {
			t.Errorf("a name like none is answered %s %q, want no names", e.ErrorType, e.Message)
		}
		system.Eventually(t, "an agent reads no names of tools that it may not use", func() bool {
			e := system.Execute(t, d, tenant, `{"context": {"agent": "reader"}, "calls": [{"tool": "write_fille"}]}`).Results[0]
			return e.ErrorType == "tool_not_found" && !strings.Contains(e.Message, "write_file")
		})
	})
	c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(tenant), nil)
	res, err := c.CallTool(system.Context(t), &mcp.CallToolParams{Name: "reed_file", Arguments: map[string]any{}})
	text := ""
	if err != nil {
		text = err.Error()
	} else if data, err := json.Marshal(res); err == nil {
		text = string(data)
	}
	if !strings.Contains(text, "the nearest are read_file") {
		t.Errorf("over MCP an unknown tool is answered %s, want the nearest names", text)
	}
}

// TestGroupsAgree: list_tool_groups returns the same as GET /v1/groups.
func TestGroupsAgree(t *testing.T) {
	t.Parallel()
	type listed struct {
		Groups []struct {
			Name    string
			Enabled bool
			Tools   []string
		}
	}
	flat := func(l listed) map[string]string {
		all := map[string]string{}
		for _, g := range l.Groups {
			all[g.Name] = strings.Join(slices.Sorted(slices.Values(g.Tools)), " ") + map[bool]string{true: " on", false: " off"}[g.Enabled]
		}
		return all
	}
	tenant := system.NewTenant()
	system.PutAgent(t, shared.HTTP(0), tenant, "reader",
		`{"tools": ["read_*", "list_tool_groups"], "groups": ["git"], "deny": ["git_commit"]}`)
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for _, agent := range []string{"", "reader", "unknown-agent"} {
			query := map[string]string{}
			if agent != "" {
				query["agent"] = agent
			}
			var byTool, byAPI map[string]string
			system.Eventually(t, "both list the same groups for the agent "+agent, func() bool {
				byAPI = flat(system.Decode[listed](t, d.Ask(t, tenant, "groups.list", query, "")))
				byTool = flat(system.Decode[listed](t,
					system.Reply{Status: 200, Body: []byte(discover(t, d, tenant, agent, "list_tool_groups", `{}`))}))
				return len(byAPI) > 0 && maps.Equal(byAPI, byTool)
			})
			if git := byAPI["git"]; agent == "reader" &&
				(!strings.Contains(git, "git_log") || strings.Contains(git, "git_commit") || !strings.HasSuffix(git, " on")) {
				t.Errorf("the group git of the agent is %q", git)
			}
		}
	})
}

// TestRunCLIToolAsksByTheList: the operator's list allows commands without consent,
// requests consent for some, and refuses others.
func TestRunCLIToolAsksByTheList(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "services.yaml")
	entries := `
- {service: cli_tools, label: wc, data: {policy: allowed}}
- {service: cli_tools, label: sort, data: {policy: prompt}}
- {service: cli_tools, label: diff, data: {policy: blocked}}
`
	if err := os.WriteFile(file, []byte(entries), 0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Groups: []string{"cliTools"}, Config: func(c *config.Config) { c.ServicesFile = file }})
	tenant, d := "default", s.HTTP(0) // whose entries are those without a tenant
	call := func(id, name string) string {
		return `{"call_id": "` + id + `", "tool": "run_cli_tool", "arguments": {"name": "` + name + `", "args": ["--version"]}}`
	}
	e := system.Execute(t, d, tenant, system.AsUser(30000, call("c1", "wc"))).Results[0]
	if e.Status != "success" || !strings.Contains(string(e.Result), "wc") {
		t.Errorf("an allowed program = %v %s, want it run", e, e.Result)
	}
	for _, r := range system.CallRecords(t, d, tenant, "c1") {
		if r.Phase == "consent_requested" {
			t.Errorf("a person was asked about an allowed program: %+v", r)
		}
	}
	e = system.Park(t, d, tenant, call("c2", "sort"))
	system.Grant(t, d, tenant, e.ConsentID)
	if e := system.Settled(t, d, tenant, "c2"); e.Status != "success" || !strings.Contains(string(e.Result), "sort") {
		t.Errorf("a program that a person granted = %v %s, want it run", e, e.Result)
	}
	system.WantError(t, system.Execute(t, d, tenant, system.AsUser(30000, call("c3", "diff"))).Results[0], "policy_denied",
		"'diff' is blocked")
	if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 0 {
		t.Errorf("%+v wait, want nothing", waiting)
	}
}
