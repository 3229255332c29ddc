package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestBatch: each item of a batch has its own outcome, decision and record, and none
// reaches a tool that its caller could not call directly.
func TestBatch(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		b := system.ExecuteBatch(t, d, tenant, `"context": {"user": "u1"}, `,
			`{"tool_name": "debug.echo", "arguments": {"value": 9007199254740993}},
			{"tool_name": "debug.fail", "arguments": {"how": "panic"}}, {"tool_name": "debug.guarded", "arguments": {"key": "k"}},
			{"tool_name": "debug.sleep"}, {"tool_name": "debug.ecko", "arguments": {}}, {"tool_name": "batch_use_tool", "arguments": {"calls": [{"tool_name": "debug.echo"}]}},
			{"tool_name": "use_tool", "arguments": {"tool_name": "debug.guarded", "arguments": {"key": "k"}}},
			{"tool_name": "use_tool", "arguments": {"tool_name": "debug.effect", "arguments": {"key": "once"}}},
			{"tool_name": "debug.sleep", "arguments": {"ms": 1}}`)
		want := []string{
			"", "execution_error", "confirmation_required", "validation_error", "tool_not_found", "validation_error",
			"confirmation_required", "", "",
		}
		if len(b.Results) != len(want) || b.Total != len(want) || b.Succeeded != 3 || b.Failed != 6 {
			t.Fatalf("batch = %+v, want %d outcomes, 3 of them successes", b, len(want))
		}
		for i, r := range b.Results {
			if r.Error != want[i] || (r.Status == "success") != (want[i] == "") {
				t.Errorf("item %d, %s: %s %s %s, want %q", i, r.Tool, r.Status, r.Error, r.Message, want[i])
			}
		}
		if got := string(b.Results[0].Result); got != "9007199254740993" {
			t.Errorf("the first item = %s, want every digit", got)
		}
		for i, id := range []string{tenant + "-batch", tenant + "-batch~1", tenant + "-batch~3", tenant + "-batch~8"} {
			system.Eventually(t, "the record of "+id, func() bool {
				r := d.Ask(t, tenant, "audit.query", map[string]string{"call_id": id}, "")
				phase := []string{"finished", "finished", "refused", "started"}[i]
				return r.Status == 200 && strings.Contains(string(r.Body), `"phase":"`+phase+`"`)
			})
		}
	})
}

// TestBatchItems: a malformed item fails separately and is recorded, at every position; the
// other items run.
func TestBatchItems(t *testing.T) {
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	b := system.ExecuteBatch(t, d, tenant, "",
		`{"tool_name": "debug.echo", "arguments": [1]}, null, {"tool_name": "", "arguments": {}}, {"arguments": {}}, {"tool_name": 7},
		{"tool_name": "debug.echo", "arguments": 5}, {"tool_name": "debug.echo", "arguments": "{\"value\": 9007199254740993}"},
		{"tool_name": "debug.echo", "extra": 1, "arguments": {"value": 2, "odd": 3}}`)
	want := []string{
		"arguments: expected object, got array", "expected object, got null", "at least 1 character", "missing required parameter 'tool_name'",
		"tool_name: expected string, got number", "arguments: expected object, got number", "", "",
	}
	if len(b.Results) != len(want) || b.Succeeded != 2 || b.Failed != 6 {
		t.Fatalf("batch = %+v, want %d outcomes, 2 of them successes", b, len(want))
	}
	for i, r := range b.Results {
		if want[i] != "" && (r.Error != "validation_error" || !strings.Contains(r.Message, want[i])) || want[i] == "" && r.Status != "success" {
			t.Errorf("item %d: %s %s %q, want %q", i, r.Status, r.Error, r.Message, want[i])
		}
	}
	if got := string(b.Results[6].Result) + fmt.Sprint(b.Results[7].Metadata.Ignored); got != "9007199254740993[extra odd]" {
		t.Errorf("the last two = %s, want the number and what was ignored", got)
	}
	for _, n := range []int{1, 2, 7} {
		id := fmt.Sprintf("%s-batch~%d", tenant, n)
		system.Eventually(t, "the record of "+id, func() bool {
			r := d.Ask(t, tenant, "audit.query", map[string]string{"call_id": id}, "")
			return r.Status == 200 && strings.Contains(string(r.Body), `"phase":"`)
		})
	}
}

// TestBatchIsNoWayAround: an agent that may not use a tool cannot use it in a batch either.
func TestBatchIsNoWayAround(t *testing.T) {
	t.Parallel()
	d := shared.HTTP(0)
	tenant := system.NewTenant()
	system.PutAgent(t, d, tenant, "tame",
		`{"tools": ["batch_use_tool", "use_tool", "debug.echo", "search_tools", "get_tool_help", "list_tool_groups"]}`)
	system.Eventually(t, "the record counts", func() bool {
		return system.Execute(
			t, d, tenant, `{"context": {"agent": "tame"}, "calls": [{"tool": "debug.sleep", "arguments": {"ms": 1}}]}`,
		).Results[0].ErrorType == "tool_not_available"
	})
	// A worker may receive the record after the dispatcher.
	system.Eventually(t, "the batch may call debug.echo and nothing else", func() bool {
		b := system.ExecuteBatch(t, d, tenant, `"context": {"agent": "tame"}, `, `{"tool_name": "debug.echo", "arguments": {"value": 1}},
			{"tool_name": "debug.sleep", "arguments": {"ms": 1}}, {"tool_name": "use_tool", "arguments": {"tool_name": "debug.effect", "arguments": {"key": "k"}}}`)
		return b.Results[0].Error == "" && b.Results[1].Error == "tool_not_available" && b.Results[2].Error == "tool_not_available"
	})
	system.Eventually(t, "search_tools shows an agent debug.echo only", func() bool {
		found := discover(t, d, tenant, "tame", "search_tools", `{"query": "debug", "include_params": false}`)
		return strings.Contains(found, `"debug.echo"`) && !strings.Contains(found, "debug.sleep")
	})
	if all := discover(t, d, tenant, "", "search_tools", `{"query": "all"}`); !strings.Contains(all, "debug.sleep") ||
		strings.Contains(all, `"search_tools"`) {
		t.Errorf("search_tools shows %.300s, want all but the tools that find tools", all)
	}
	system.Eventually(t, "list_tool_groups shows the groups of its own tools", func() bool {
		groups := discover(t, d, tenant, "tame", "list_tool_groups", `{"enabled_only": true}`)
		return strings.Contains(groups, `"debug.echo"`) && !strings.Contains(groups, "read_file")
	})
}

func discover(t testing.TB, d system.Door, tenant, agent, tool, args string) string {
	t.Helper()
	context := ""
	if agent != "" {
		context = fmt.Sprintf(`"context": {"agent": %q}, `, agent)
	}
	e := system.Execute(t, d, tenant, fmt.Sprintf(`{%s"calls": [{"tool": %q, "arguments": %s}]}`, context, tool, args)).Results[0]
	if e.Status != "success" {
		t.Errorf("%s(%s) = %s %s", tool, args, e.ErrorType, e.Message)
	}
	return string(e.Result)
}

// TestUseToolHelps: the error for a wrong name or argument contains the right one.
func TestUseToolHelps(t *testing.T) {
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	wrong := system.Execute(t, d, tenant,
		`{"calls": [{"tool": "use_tool", "arguments": {"tool_name": "read_fil", "arguments": {}}}]}`).Results[0]
	system.WantError(t, wrong, "tool_not_found", "read_file")
	system.WantError(t, wrong, "tool_not_found", "Parameters of 'read_file':\n- path (string, required): File to read")
	lost := system.Execute(t, d, tenant,
		`{"calls": [{"tool": "use_tool", "arguments": {"tool_name": "nope_nope", "arguments": {}}}]}`).Results[0]
	if system.WantError(t, lost, "tool_not_found", "search_tools"); strings.Contains(lost.Message, "nearest") {
		t.Errorf("a name like no other is told %q, want no names", lost.Message)
	}
	system.WantResult(t,
		system.One(t, d, tenant, `{"tool": "use_tool", "arguments": {"tool_name": "debug.echo", "arguments": "{\"value\": 9007199254740993}"}}`),
		"9007199254740993")
	wrong = system.Execute(t, d, tenant,
		`{"calls": [{"tool": "use_tool", "arguments": {"tool_name": "read_file", "arguments": {}}}]}`).Results[0]
	system.WantError(t, wrong, "validation_error", "- path (string, required): File to read")
	if e := system.Execute(t, d, tenant,
		`{"calls": [{"tool": "read_file", "arguments": {}}]}`).Results[0]; strings.Contains(e.Message, "- path") {
		t.Errorf("a direct call is told %q, want no parameters: its caller has them", e.Message)
	}
}
