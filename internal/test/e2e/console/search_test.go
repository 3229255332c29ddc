package console

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// found returns the IDs of the calls that a search finds.
func found(t *testing.T, door system.Door, tenant string, params map[string]string) []string {
	t.Helper()
	var ids []string
	for _, c := range system.Decode[protocol.CallList](t, door.Ask(t, tenant, "calls.list", params, "")).Calls {
		ids = append(ids, c.CallID)
	}
	slices.Sort(ids)
	return ids
}

// TestSearchInContents: a call is found by a word of its arguments or its result, but not by
// a secret; and by the words of what it shows as before.
func TestSearchInContents(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.One(t, d, tenant, `{"call_id": "words", "tool": "calculate", "arguments": {"expression": "6000 * 7 + 0"}}`)
	system.One(t, d, tenant,
		`{"call_id": "other", "tool": "read_file", "arguments": {"api_key": "sk-abcdefghijklmnopqrstuvwx", "note": "Über Invoices"}}`)
	system.One(t, d, tenant, `{"call_id": "wrong", "tool": "debug.fail", "arguments": {"how": "error", "message": "the Printer is on fire"}}`)
	for text, want := range map[string][]string{
		"6000 * 7": {"words"}, "42000": {"words"}, "über invoices": {"other"}, "printer": {"wrong"}, "sk-abc": nil, "success": nil,
		"calculate": {"words"},
	} {
		if got := found(t, d, tenant, map[string]string{"q": text, "contents": "true"}); !slices.Equal(got, want) {
			t.Errorf("by %q in contents %q are found, want %q", text, got, want)
		}
	}
	if got := found(t, d, tenant, map[string]string{"q": "6000 * 7"}); len(got) != 0 {
		t.Errorf("without contents %q are found", got)
	}
	if r := d.Ask(t, tenant, "calls.list", map[string]string{"contents": "true"}, ""); r.Status != 400 {
		t.Errorf("contents without q = %d %s", r.Status, r.Body)
	}
}

// TestSearchIsALook: an auditor who finds a call of another person by its arguments is on the
// trail, once for each call.
func TestSearchIsALook(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	system.One(t, p.door(t, "ann"), "default", `{"call_id": "seen-1", "tool": "debug.echo", "arguments": {"value": "a-private-word"}}`)
	eve := p.door(t, "eve")
	system.Eventually(t, "the index has the call", func() bool { return len(found(t, eve, "default", map[string]string{"q": "seen-1"})) == 1 })
	for range 2 {
		if got := found(t, eve, "default", map[string]string{"q": "PRIVATE-word", "contents": "true"}); !slices.Equal(got, []string{"seen-1"}) {
			t.Errorf("%q are found, want the call", got)
		}
	}
	records, _ := system.QueryRecords(t, eve, "default", map[string]string{"phase": "call_viewed"})
	if len(records) != 1 || records[0].CallID != "seen-1" || records[0].User != "ann" || records[0].By != "eve" {
		t.Errorf("the looks are %+v, want one of eve at the call of ann", records)
	}
	if got := found(t, p.door(t, "bob"), "default", map[string]string{"q": "private", "contents": "true"}); len(got) != 0 {
		t.Errorf("a user finds %q among the calls of others", got)
	}
}
