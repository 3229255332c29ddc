package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestLooks: nobody sees what another person's agents want without a role for it, and each
// look is on the trail, by cookie as by key.
func TestLooks(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	ann := p.door(t, "ann")
	parked := system.Execute(t, ann, "default",
		`{"calls": [{"call_id": "look-1", "tool": "debug.guarded", "arguments": {"key": "a-private-word"}}]}`).Results[0]
	system.One(t, ann, "default", `{"call_id": "look-2", "tool": "debug.echo", "arguments": {"value": "a-private-word"}}`)
	paths := []string{"/v1/consents/" + parked.ConsentID, "/v1/calls/look-1", "/v1/calls/look-2?include=arguments", "/v1/calls/look-2/result"}
	shows := func(b *session, path string) bool {
		r := b.send(0, http.MethodGet, path, "")
		return r.Status == 200 && (strings.Contains(string(r.Body), "a-private-word") || strings.Contains(string(r.Body), "look-1"))
	}
	looks := func(by string) (list []system.Record) {
		t.Helper()
		all, _ := system.QueryRecords(t, p.door(t, "eve"), "default", map[string]string{"phase": "call_viewed", "newest": "true", "limit": "100"})
		for _, r := range all {
			if r.By == by {
				list = append(list, r)
			}
		}
		return list
	}
	for name, may := range map[string][]string{"ann": paths, "bob": nil, "cleo": paths[:1], "eve": paths, "root": paths} {
		b := p.browser(t, name)
		for _, path := range paths {
			want := false
			for _, one := range may {
				want = want || one == path
			}
			if got := shows(b, path); got != want {
				t.Errorf("%s sees %s: %v, want %v", name, path, got, want)
			}
		}
		r := b.send(0, http.MethodGet, "/v1/consents", "")
		if got, want := strings.Contains(string(r.Body), "a-private-word"), len(may) > 0; got != want {
			t.Errorf("%s sees the consent in the list: %v, want %v", name, got, want)
		}
		want := len(may)
		if name == "ann" {
			want = 0
		}
		records := looks(name)
		if len(records) != want {
			t.Errorf("%d looks of %s are recorded, want %d: %+v", len(records), name, want, records)
		}
		for _, r := range records {
			if r.User != "ann" || r.CallID == "" {
				t.Errorf("a look of %s is %+v", name, r)
			}
		}
	}
}
