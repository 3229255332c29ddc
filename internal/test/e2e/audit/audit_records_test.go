package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestEveryCallIsOnRecord: there is one final record for each call however it ended, one
// start record before it for each call that could act, and no record contains arguments or
// results.
func TestEveryCallIsOnRecord(t *testing.T) {
	t.Parallel()
	const marker = "m4rk3r-7d1"
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant, trace := system.NewTenant(), system.NewTrace()
		calls := []struct {
			id, tool, args string
			phases         string
			end            string // status, or error_type
		}{
			{"effect", "debug.effect", `{"key": "` + marker + `", "after_ms": 1E0}`, "started finished", "success"},
			{"write", "write_file", `{"path": "` + marker + `.txt", "content": "` + marker + `"}`, "started finished", "success"},
			{"echo", "debug.echo", `{"value": {"b": "` + marker + `", "a": 1.0}}`, "finished", "success"},
			{"read", "read_file", `{"path": "` + marker + `.txt"}`, "finished", "success file_not_found"},
			{"fails", "debug.fail", `{"how": "error", "message": "` + marker + `"}`, "finished", "execution_error"},
			{"panics", "debug.fail", `{"how": "panic", "message": "` + marker + `"}`, "finished", "execution_error"},
			{"outside", "write_file", `{"path": "../` + marker + `", "content": "x"}`, "started finished", "path_not_allowed"},
			{"invalid", "debug.sleep", `{"ms": "` + marker + `"}`, "refused", "validation_error"},
			{"choice", "debug.fail", `{"how": "` + marker + `"}`, "refused", "validation_error"},
			{"nothing", "no_such_tool", `{"x": "` + marker + `"}`, "refused", "tool_not_found"},
			{"nobody", "debug.guarded", `{"key": "` + marker + `"}`, "refused", "confirmation_required"},
		}
		var bodies []string
		for _, c := range calls {
			bodies = append(bodies, fmt.Sprintf(`{"call_id": %q, "tool": %q, "arguments": %s}`, c.id, c.tool, c.args))
		}
		system.Execute(t, d, tenant, fmt.Sprintf(`{"trace_id": %q, "calls": [%s]}`, trace, strings.Join(bodies, ",")))
		for _, c := range calls {
			var got []system.Record
			system.Eventually(t, c.id+" is on record", func() bool {
				got = system.CallRecords(t, d, tenant, c.id)
				return len(got) >= len(strings.Fields(c.phases))
			})
			if by := system.Phases(got); !slices.Equal(by, strings.Fields(c.phases)) {
				t.Errorf("%s: the audit trail has %q, want %q", c.id, by, c.phases)
				continue
			}
			hash, err := schema.Hash([]byte(c.args))
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range got {
				if r.TraceID != trace || r.Tool != c.tool || r.ArgsHash != hash || i > 0 && r.Place() <= got[i-1].Place() {
					t.Errorf("%s: record %+v, want trace %s, tool %s, args_hash %s, in order", c.id, r, trace, c.tool, hash)
				}
			}
			last := got[len(got)-1]
			end := last.Result.ErrorType
			if end == "" {
				end = last.Result.Status
			}
			if !slices.Contains(strings.Fields(c.end), end) {
				t.Errorf("%s ended on record as %+v, want %s", c.id, last.Result, c.end)
			}
			if allowed := last.Phase == "finished"; allowed != (last.Decision.Outcome == "allowed") {
				t.Errorf("%s: %s by the decision %+v", c.id, last.Phase, last.Decision)
			}
		}
		for _, text := range shared.StoredRecords(t, tenant) {
			if strings.Contains(text, marker) {
				t.Errorf("the audit trail shows what was sent: %s", text)
			}
			if !json.Valid([]byte(text)) {
				t.Errorf("a record is no JSON: %s", text)
			}
		}
	})
}

// TestAuditQuery filters by each field, page by page, and as another tenant.
func TestAuditQuery(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant, trace := system.NewTenant(), system.NewTrace()
		system.Execute(t, d, tenant, fmt.Sprintf(`{"trace_id": %q, "context": {"user": "u1", "conversation": "c1"}, "calls": [
			{"call_id": "a", "tool": "debug.effect", "arguments": {"key": "k"}}, {"call_id": "b", "tool": "debug.fail", "arguments": {"how": "error"}}]}`, trace))
		system.Execute(t, d, tenant, `{"context": {"user": "u2"}, "calls": [{"call_id": "c", "tool": "debug.echo", "arguments": {"value": 1}}, {"call_id": "d", "tool": "nope"}]}`)
		const all = 5
		system.Eventually(t, "every call is on record", func() bool { got, _ := system.QueryRecords(t, d, tenant, nil); return len(got) == all })
		for _, tt := range []struct {
			params string
			want   string // call/phase, sorted
		}{
			{"trace_id=" + trace, "a/finished a/started b/finished"},
			{"call_id=a", "a/finished a/started"},
			{"tool=debug.echo", "c/finished"},
			{"user=u1", "a/finished a/started b/finished"},
			{"user=u1&phase=finished", "a/finished b/finished"},
			{"agent=a1", ""},
			{"conversation=c1&tool=debug.fail", "b/finished"},
			{"status=error", "b/finished d/refused"},
			{"error_type=tool_not_found", "d/refused"},
			{"phase=started", "a/started"},
			{"outcome=blocked", "d/refused"},
			{"from=1h", "a/finished a/started b/finished c/finished d/refused"},
			{"to=1h", ""},
			{"from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z", ""},
		} {
			params := map[string]string{}
			for field := range strings.SplitSeq(tt.params, "&") {
				name, value, _ := strings.Cut(field, "=")
				params[name] = value
			}
			found, _ := system.QueryRecords(t, d, tenant, params)
			var got []string
			for _, r := range found {
				got = append(got, r.CallID+"/"+r.Phase)
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("audit.query %s = %q, want %q", tt.params, got, tt.want)
			}
		}
		var paged []uint64
		for params := map[string]string{"limit": "2"}; ; {
			page, next := system.QueryRecords(t, d, tenant, params)
			for _, r := range page {
				paged = append(paged, r.Place())
			}
			if len(page) > 2 {
				t.Errorf("a page of 2 has %d records", len(page))
			}
			if next == "" || len(paged) > all {
				break
			}
			params["cursor"] = next
		}
		if len(paged) != all || !slices.IsSorted(paged) || len(slices.Compact(slices.Clone(paged))) != all {
			t.Errorf("page by page there are %v, want %d records, each once, in order", paged, all)
		}
		if got, _ := system.QueryRecords(t, d, system.NewTenant(), map[string]string{"trace_id": trace}); len(got) != 0 {
			t.Errorf("another tenant sees %+v", got)
		}
	})
}
