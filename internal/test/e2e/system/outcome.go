package system

import (
	"fmt"
	"strings"
	"testing"
)

// ByID sends calls.get or calls.cancel for one call, again while the answer is 503: on a busy
// machine the audit index, which knows where results are stored, may be behind.
func ByID(t testing.TB, d Door, operation, tenant, callID string) Element {
	t.Helper()
	var r Reply
	Eventually(t, operation+" "+callID+" can be answered", func() bool {
		r = d.Ask(t, tenant, operation, map[string]string{"call_id": callID}, "")
		return r.Status != 503
	})
	if r.Status != 200 {
		t.Fatalf("%s %s = %d %.300s, want 200", operation, callID, r.Status, r.Body)
	}
	return Decode[Element](t, r)
}

// Settled polls a call with calls.get until it is done.
func Settled(t testing.TB, d Door, tenant, callID string) (e Element) {
	t.Helper()
	Eventually(t, callID+" is done", func() bool {
		e = ByID(t, d, "calls.get", tenant, callID)
		return e.State == "done"
	})
	return e
}

// RunsOut makes a call whose time ends while it runs. The time counts from the call's
// acceptance, so on a busy machine some may have passed before a worker has the call; then
// it is repeated with more.
func RunsOut(t testing.TB, d Door, tenant, call string) (e Element) {
	t.Helper()
	for _, ms := range []int{40, 400, 4000, 20000} {
		if e = One(t, d, tenant, fmt.Sprintf(call, ms)); !strings.Contains(e.Message, "did not run") {
			break
		}
	}
	return e
}
