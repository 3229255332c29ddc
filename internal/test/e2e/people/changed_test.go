package people

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestChangedMeanwhile follows a call that a person allowed for a file which somebody changes
// before the call runs: the person is asked again, and nothing happens to the file until then.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant, web := system.NewTenant(), shared.HTTP(0)
		put := func(text string) {
			t.Helper()
			r := web.Send(t, http.MethodPut, "/v1/files/plan.txt?user=u1", text, http.Header{"Helve-Tenant": {tenant}})
			if r.Status >= 300 {
				t.Fatalf("files.put = %d %s", r.Status, r.Body)
			}
		}
		get := func() system.Reply {
			return web.Send(t, http.MethodGet, "/v1/files/plan.txt?user=u1", "", http.Header{"Helve-Tenant": {tenant}})
		}
		asked := func(id string) protocol.Consent {
			t.Helper()
			return system.Decode[protocol.Consent](t, d.Ask(t, tenant, "consent.get", map[string]string{"consent_id": id}, ""))
		}
		put("one\npassword=hunter22hunter\n")
		first := system.Park(t, d, tenant, `{"call_id": "d1", "tool": "delete_file", "arguments": {"path": "plan.txt"}}`)
		sum := sha256.Sum256([]byte("one\npassword=hunter22hunter\n"))
		c := asked(first.ConsentID)
		if len(c.Changes) != 1 || c.Changes[0].Path != "plan.txt" || c.Changes[0].OldSHA256 != hex.EncodeToString(sum[:]) ||
			c.Changes[0].Old == nil || !strings.HasPrefix(*c.Changes[0].Old, "one\n") || strings.Contains(*c.Changes[0].Old, "hunter") {
			t.Fatalf("the request shows %+v, want what is deleted without its secret", c.Changes)
		}
		put("two\n")
		system.Grant(t, shared.HTTP(1), tenant, first.ConsentID)
		var second string
		system.Eventually(t, "the person is asked again", func() bool {
			e := system.ByID(t, d, "calls.get", tenant, "d1")
			second = e.ConsentID
			return e.State == "awaiting_consent" && second != first.ConsentID
		})
		if c = asked(second); len(c.Changes) != 1 || c.Changes[0].Old == nil || *c.Changes[0].Old != "two\n" || !strings.Contains(c.Reason, "again") {
			t.Errorf("the second request is %q with %+v, want the file as it is now and why it asks again", c.Reason, c.Changes)
		}
		if r := get(); r.Status != http.StatusOK || string(r.Body) != "two\n" {
			t.Errorf("the file is %d %q before anybody agreed to its end", r.Status, r.Body)
		}
		system.Grant(t, shared.HTTP(0), tenant, second)
		if e := system.Settled(t, d, tenant, "d1"); e.Status != "success" {
			t.Errorf("the call ended as %v, want success", e)
		}
		if r := get(); r.Status != http.StatusNotFound {
			t.Errorf("the file is still there: %d %q", r.Status, r.Body)
		}
		var asks int
		for _, phase := range system.Phases(system.CallRecords(t, d, tenant, "d1")) {
			if phase == "consent_requested" {
				asks++
			}
		}
		if asks != 2 {
			t.Errorf("the trail has %d requests, want both", asks)
		}
	})
}

// TestChangesOfAList shows that a list of requests keeps to a size: the texts that would make it
// longer are read with the request.
func TestChangesOfAList(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	text := strings.Repeat("a line of the file\n", 3000)
	for i := range 8 {
		name := fmt.Sprintf("long%d.txt", i)
		if r := d.Send(t, http.MethodPut, "/v1/files/"+name+"?user=u1", text, http.Header{"Helve-Tenant": {tenant}}); r.Status >= 300 {
			t.Fatalf("files.put = %d %s", r.Status, r.Body)
		}
		system.Park(t, d, tenant, fmt.Sprintf(`{"tool": "delete_file", "arguments": {"path": %q}}`, name))
	}
	r := d.Ask(t, tenant, "consent.list", map[string]string{"user": "u1"}, "")
	list := system.Decode[protocol.ConsentList](t, r).Consents
	var whole, short int
	for _, c := range list {
		switch {
		case len(c.Changes) != 1:
			t.Errorf("a request lists the changes %+v, want one", c.Changes)
		case c.Changes[0].Old != nil && *c.Changes[0].Old == text:
			whole++
		case c.Changes[0].Old == nil && c.Changes[0].Cut && c.Changes[0].OldSHA256 != "":
			short++
			got := system.Decode[protocol.Consent](t, d.Ask(t, tenant, "consent.get", map[string]string{"consent_id": c.ID}, ""))
			if got.Changes[0].Old == nil || *got.Changes[0].Old != text {
				t.Errorf("the request itself shows %.100v, want the text", got.Changes)
			}
		}
	}
	if whole == 0 || short == 0 || whole+short != len(list) || len(list) != 8 || len(r.Body) > 400<<10 {
		t.Errorf("of %d requests %d have the text and %d say that it is left out, in %d bytes", len(list), whole, short, len(r.Body))
	}
}
