package e2e

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// names are the names of the tools that tools.list answers.
func names(t testing.TB, d door, tenant string, filter map[string]string) []string {
	t.Helper()
	r := d.ask(t, tenant, "tools.list", filter, "")
	if r.status != 200 {
		t.Fatalf("tools.list = %d %s", r.status, r.body)
	}
	list := decode[struct {
		Tools []struct{ Name string }
	}](t, r)
	var all []string
	for _, tl := range list.Tools {
		all = append(all, tl.Name)
	}
	return all
}

func TestToolsList(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		all := names(t, d, newTenant(), nil)
		for _, want := range []string{"get_current_time", "read_file", "write_file", "http_request", "debug.echo", "debug.effect", "debug.restricted"} {
			if !slices.Contains(all, want) {
				t.Errorf("tools.list has no %s: %v", want, all)
			}
		}
		if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("tools.list is not sorted or names a tool twice: %v", all)
		}
		first := d.ask(t, newTenant(), "tools.list", nil, "").body
		if again := shared.http(1).ask(t, newTenant(), "tools.list", nil, "").body; strings.TrimSpace(string(first)) != strings.TrimSpace(string(again)) {
			t.Error("two dispatchers list the tools differently")
		}
		for _, tt := range []struct {
			filter map[string]string
			want   string
		}{
			{map[string]string{"group": "filesystem"}, "read_file write_file"},
			{map[string]string{"category": "File System", "q": "write"}, "write_file"},
			{map[string]string{"q": "CURRENT time"}, "get_current_datetime get_current_time"},
			{map[string]string{"group": "nothing"}, ""},
			{map[string]string{"agent": "a1", "group": "diagnostics"}, ""},
			{map[string]string{"format": "native", "group": "contract"}, "contract_both contract_high contract_long contract_permitted contract_steps"},
		} {
			if got := strings.Join(names(t, d, newTenant(), tt.filter), " "); got != tt.want {
				t.Errorf("tools.list %v = %q, want %q", tt.filter, got, tt.want)
			}
		}
		wantProblem(t, "unknown format", d.ask(t, newTenant(), "tools.list", map[string]string{"format": "morse"}, ""), 400, "bad_request")
		wantProblem(t, "bad agent", d.ask(t, newTenant(), "tools.list", map[string]string{"agent": "a b"}, ""), 400, "bad_request")
	})
}

func TestToolsGet(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		r := d.ask(t, newTenant(), "tools.get", map[string]string{"name": "debug.effect"}, "")
		got := decode[map[string]json.RawMessage](t, r)
		for field, want := range map[string]string{
			"name": `"debug.effect"`, "group": `"diagnostics"`, "category": `"Diagnostics"`, "risk": `"low"`, "mutates": `true`,
			"destructive": `false`, "idempotent": `false`, "open_world": `false`, "pool": `"default"`, "kind": `"builtin"`, "enabled": `true`,
			"requires_confirmation": `false`, "timeout_seconds": `600`, "scopes": `{"paths":["workspace"],"hosts":[],"apps":[]}`, "required_permissions": `[]`,
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
	everyDoor(t, shared, func(t *testing.T, d door) {
		list := decode[struct {
			Groups []struct {
				Name    string
				Enabled bool
			}
		}](t, d.ask(t, newTenant(), "groups.list", nil, ""))
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
