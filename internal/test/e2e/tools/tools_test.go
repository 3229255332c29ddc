package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestToolsList(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		all := system.ToolNames(t, d, system.NewTenant(), nil)
		for _, want := range []string{
			"get_current_time", "read_file", "write_file", "http_request", "debug.echo", "debug.effect", "debug.restricted",
		} {
			if !slices.Contains(all, want) {
				t.Errorf("tools.list has no %s: %v", want, all)
			}
		}
		if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("tools.list is not sorted or names a tool twice: %v", all)
		}
		first := d.Ask(t, system.NewTenant(), "tools.list", nil, "").Body
		if again := shared.HTTP(1).Ask(t, system.NewTenant(), "tools.list", nil,
			"").Body; strings.TrimSpace(string(first)) != strings.TrimSpace(string(again)) {
			t.Error("two dispatchers list the tools differently")
		}
		for _, tt := range []struct {
			filter map[string]string
			want   string
		}{
			{map[string]string{"group": "pdf"}, "create_pdf pdf_info read_pdf"},
			{map[string]string{"category": "File System", "q": "write"}, "files.write_text write_file"},
			{map[string]string{"q": "CURRENT time"}, "get_current_datetime get_current_time"},
			{map[string]string{"group": "nothing"}, ""},
			{map[string]string{"agent": "a1", "group": "diagnostics"}, ""},
			{
				map[string]string{"format": "native", "group": "contract"},
				"contract_both contract_high contract_long contract_permitted contract_steps",
			},
		} {
			if got := strings.Join(system.ToolNames(t, d, system.NewTenant(), tt.filter), " "); got != tt.want {
				t.Errorf("tools.list %v = %q, want %q", tt.filter, got, tt.want)
			}
		}
		system.WantProblem(t, "unknown format", d.Ask(t, system.NewTenant(), "tools.list", map[string]string{"format": "morse"}, ""), 400,
			"bad_request")
		system.WantProblem(t, "bad agent", d.Ask(t, system.NewTenant(), "tools.list", map[string]string{"agent": "a b"}, ""), 400, "bad_request")
	})
}

func TestToolsGet(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		r := d.Ask(t, system.NewTenant(), "tools.get", map[string]string{"name": "debug.effect"}, "")
		got := system.Decode[map[string]json.RawMessage](t, r)
		for field, want := range map[string]string{
			"name": `"debug.effect"`, "group": `"diagnostics"`, "category": `"Diagnostics"`, "risk": `"low"`, "mutates": `true`,
			"destructive": `false`, "idempotent": `false`, "open_world": `false`, "pool": `"default"`, "kind": `"builtin"`, "enabled": `true`,
			"requires_confirmation": `false`, "timeout_seconds": `600`, "scopes": `{"paths":["workspace"],"hosts":[],"apps":[]}`,
			"required_permissions": `[]`,
		} {
			if string(got[field]) != want {
				t.Errorf("%s = %s, want %s", field, got[field], want)
			}
		}
		for _, field := range []string{"description", "version", "parameters", "result_schema", "confirmation", "tags"} {
			if len(got[field]) == 0 {
				t.Errorf("the definition has no %s, only %v", field, slices.Sorted(maps.Keys(got)))
			}
		}
	})
}

func TestGroupsList(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		list := system.Decode[struct {
			Groups []struct {
				Name    string
				Enabled bool
			}
		}](t, d.Ask(t, system.NewTenant(), "groups.list", nil, ""))
		enabled := map[string]bool{}
		for _, g := range list.Groups {
			enabled[g.Name] = g.Enabled
		}
		for _, want := range []string{"filesystem", "diagnostics", "contract"} {
			if !enabled[want] {
				t.Errorf("groups.list = %+v, want %s enabled", list.Groups, want)
			}
		}
	})
}
