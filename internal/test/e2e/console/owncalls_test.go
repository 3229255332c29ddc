package console

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestOwnCalls: a person lists their own calls and traces, page by page. Nothing of another person
// is in a page, a count or a cursor, whatever the request names; other roles list as before.
func TestOwnCalls(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	traces := map[string]string{"ann": system.NewTrace(), "bob": system.NewTrace()}
	for i := range 5 {
		for name, trace := range traces {
			system.Execute(t, p.door(t, name), "default", fmt.Sprintf(
				`{"trace_id": %q, "calls": [{"call_id": "%s-%d", "tool": "debug.echo", "arguments": {"value": "canary-%[2]s"}}]}`, trace, name, i))
		}
	}
	const waits = "bob-waits"
	system.Execute(t, p.door(t, "bob"), "default",
		`{"wait_ms": 30000, "calls": [{"call_id": "`+waits+`", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)
	list := func(name string, params map[string]string) (protocol.CallList, int) {
		t.Helper()
		r := p.door(t, name).Ask(t, "default", "calls.list", params, "")
		if r.Status != 200 {
			return protocol.CallList{}, r.Status
		}
		return system.Decode[protocol.CallList](t, r), r.Status
	}
	ids := func(l protocol.CallList) string {
		var all []string
		for _, c := range l.Calls {
			all = append(all, c.CallID)
		}
		return strings.Join(all, " ")
	}
	const anns = "ann-4 ann-3 ann-2 ann-1 ann-0"
	for name, want := range map[string]string{"ann": anns, "bob": "bob-waits bob-4 bob-3 bob-2 bob-1 bob-0"} {
		if all, status := list(name, nil); status != 200 || ids(all) != want || all.Next != "" {
			t.Errorf("%s lists %q, next %q (%d), want %q", name, ids(all), all.Next, status, want)
		}
	}
	for _, tt := range []struct {
		params map[string]string
		want   string
		status int
	}{
		{map[string]string{"user": "ann"}, anns, 200},
		{map[string]string{"user": "bob"}, "", 403},
		{map[string]string{"user": "nobody"}, "", 403},
		{map[string]string{"trace_id": traces["ann"]}, anns, 200},
		{map[string]string{"trace_id": traces["bob"]}, "", 200},
		{map[string]string{"q": "bob"}, "", 200},
		{map[string]string{"q": "canary-bob", "contents": "true"}, "", 200},
		{map[string]string{"q": "canary-ann", "contents": "true"}, anns, 200},
		{map[string]string{"status": "pending"}, "", 200},
		{map[string]string{"agent": "bobs"}, "", 200},
	} {
		if got, status := list("ann", tt.params); status != tt.status || ids(got) != tt.want || got.Next != "" {
			t.Errorf("ann lists by %v: %q, next %q (%d), want %q (%d)", tt.params, ids(got), got.Next, status, tt.want, tt.status)
		}
	}
	everybodys, _ := list("eve", map[string]string{"limit": "3"})
	if len(everybodys.Calls) != 3 || everybodys.Calls[0].CallID != "bob-waits" || everybodys.Next == "" {
		t.Errorf("eve lists %q", ids(everybodys))
	}
	for _, cursor := range []string{everybodys.Next, "9000000000000." + waits} {
		var paged []string
		for c := cursor; ; {
			page, status := list("ann", map[string]string{"limit": "2", "cursor": c})
			if status != 200 {
				t.Fatalf("ann's page after another's is %d", status)
			}
			for _, call := range page.Calls {
				paged = append(paged, call.CallID)
			}
			if c = page.Next; c == "" {
				break
			}
		}
		if slices.ContainsFunc(paged, func(id string) bool { return !strings.HasPrefix(id, "ann-") }) || !slices.Contains(paged, "ann-0") {
			t.Errorf("with the cursor %s of another ann lists %v", cursor, paged)
		}
	}
	for _, name := range []string{"cleo", "bot", "far"} {
		if _, status := list(name, nil); status != 403 {
			t.Errorf("%s lists calls: %d", name, status)
		}
	}
	looks, _ := system.QueryRecords(t, p.door(t, "root"), "default", map[string]string{"phase": "call_viewed", "limit": "100"})
	if slices.ContainsFunc(looks, func(r system.Record) bool { return r.By == "ann" }) {
		t.Errorf("looks of ann at her own calls are recorded: %+v", looks)
	}
}
