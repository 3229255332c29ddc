package consent

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func filled(t *testing.T) *inbox {
	t.Helper()
	made := newInbox()
	in := &made
	for i := range 10 {
		r := protocol.Consent{
			ID: fmt.Sprint("c", i), User: []string{"u1", "u2"}[i%2], Agent: "a1", Tool: "echo",
			RequestedAt: noon.Add(time.Duration(i) * time.Second), ExpiresAt: noon.Add(time.Duration(i) * time.Minute),
		}
		in.asked(uint64(i+1), "acme", encoded(t, r))
	}
	in.asked(11, "beta", encoded(t, protocol.Consent{ID: "c0", User: "u1"}))
	return in
}

func encoded(t *testing.T, r protocol.Consent) []byte {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestInboxFinds(t *testing.T) {
	in := filled(t)
	in.decided("acme", encoded(t, protocol.Consent{ID: "c9", User: "u2", Status: protocol.GrantedConsent}))
	for _, tt := range []struct {
		f    Filter
		want []string
	}{
		{Filter{User: "u1"}, []string{"c8", "c6", "c4", "c2", "c0"}},
		{Filter{User: "u2", Status: protocol.PendingConsent}, []string{"c7", "c5", "c3", "c1"}},
		{Filter{Status: protocol.GrantedConsent}, []string{"c9"}},
		{Filter{Agent: "nobody"}, nil},
		{Filter{Tool: "other"}, nil},
	} {
		if got, next := in.find("acme", tt.f); !slices.Equal(got, tt.want) || next != "" {
			t.Errorf("find(%+v) = %v, %q, want %v", tt.f, got, next, tt.want)
		}
	}
	if got := in.waiting(); got != 10 {
		t.Errorf("%d wait, want 10", got)
	}
}

func TestInboxPages(t *testing.T) {
	in := filled(t)
	var all []string
	f := Filter{Limit: 3}
	for range 10 {
		ids, next := in.find("acme", f)
		all = append(all, ids...)
		if next == "" {
			break
		}
		f.Cursor = next
	}
	want := []string{"c9", "c8", "c7", "c6", "c5", "c4", "c3", "c2", "c1", "c0"}
	if !slices.Equal(all, want) {
		t.Errorf("pages = %v, want %v", all, want)
	}
	slices.Reverse(want)
	all = nil
	f = Filter{Limit: 3, Oldest: true}
	for range 10 {
		ids, next := in.find("acme", f)
		all = append(all, ids...)
		if next == "" {
			break
		}
		f.Cursor = next
	}
	if !slices.Equal(all, want) {
		t.Errorf("pages from the oldest = %v, want %v", all, want)
	}
}

func TestInboxForgetsAndFindsWhatIsOver(t *testing.T) {
	in := filled(t)
	over := in.overdue(noon.Add(150 * time.Second))
	if len(over) != 4 { // c0, c1 and c2 of acme, and that of beta, which has no time
		t.Errorf("overdue = %v, want 4", over)
	}
	in.decided("acme", encoded(t, protocol.Consent{ID: "c0", Status: protocol.ExpiredConsent}))
	in.decided("acme", encoded(t, protocol.Consent{ID: "c0", Status: protocol.GrantedConsent})) // the first word counts
	if ids, _ := in.find("acme", Filter{Status: protocol.ExpiredConsent}); !slices.Equal(ids, []string{"c0"}) {
		t.Errorf("expired = %v, want c0", ids)
	}
	if got := in.seqs("acme", "c0"); !slices.Equal(got, []uint64{1}) {
		t.Errorf("seqs = %v, want 1", got)
	}
	in.forget(noon.Add(time.Hour))
	if ids, _ := in.find("acme", Filter{Status: protocol.ExpiredConsent}); len(ids) != 0 || in.seqs("acme", "c0") != nil {
		t.Errorf("after forget: %v, want nothing of what was decided", ids)
	}
	if ids, _ := in.find("acme", Filter{}); len(ids) != 9 {
		t.Errorf("forget left %d, want the 9 that wait", len(ids))
	}
}

// What was decided and still lies in the stream is found until it is gone.
func TestInboxLeftover(t *testing.T) {
	in := filled(t)
	in.decided("acme", encoded(t, protocol.Consent{ID: "c3", Status: protocol.DeniedConsent}))
	in.asked(99, "acme", encoded(t, protocol.Consent{ID: "c3"})) // the request came behind its verdict
	if left := in.leftover(10); len(left) != 1 || left[0].consentID != "c3" {
		t.Fatalf("leftover = %v, want c3", left)
	}
	for _, seq := range in.seqs("acme", "c3") {
		in.gone("acme", "c3", seq)
	}
	if left := in.leftover(10); len(left) != 0 {
		t.Errorf("leftover = %v, want nothing", left)
	}
	if !in.knows(99) || in.knows(100) {
		t.Error("the inbox does not say which requests it has seen")
	}
}
