package e2e

import (
	"net/http"
	"testing"
)

// TestTenantsAreSeparate: the same call_id, the same file, the same trace in
// two tenants are two of each.
func TestTenantsAreSeparate(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		first, second := newTenant(), newTenant()
		const effect = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
		const write = `{"call_id": "c2", "tool": "write_file", "arguments": {"path": "a.txt", "content": "of the first"}}`
		const read = `{"call_id": "c3", "tool": "read_file", "arguments": {"path": "a.txt"}}`
		for _, call := range []string{effect, write, read} {
			if e := one(t, d, first, call); e.Status != "success" {
				t.Fatalf("%v", e)
			}
		}
		for _, callID := range []string{"c1", "c2", "c3"} {
			params := map[string]string{"call_id": callID}
			for _, door := range []door{d, shared.http(1)} {
				wantProblem(t, "calls.get of another tenant's call", door.ask(t, second, "calls.get", params, ""), 404, "not_found")
				wantProblem(t, "calls.cancel of another tenant's call", door.ask(t, second, "calls.cancel", params, ""), 404, "not_found")
			}
			r := shared.http(0).send(t, "GET", "/v1/calls/"+callID+"/result", "", http.Header{"Helve-Tenant": {second}})
			wantProblem(t, "result of another tenant's call", r, 404, "not_found")
		}
		wantResult(t, one(t, d, second, effect), `{"written":true}`)
		wantError(t, one(t, d, second, read), "file_not_found", "")
		shared.wantLedger(t, first, "k c1")
		shared.wantLedger(t, second, "k c1")
	})
}

// TestTenantByDefault: a request that names none belongs to "default".
func TestTenantByDefault(t *testing.T) {
	t.Parallel()
	r := shared.http(0).send(t, "POST", "/v1/execute", `{"calls": [{"call_id": "by-default", "tool": "debug.echo", "arguments": {"value": 1}}]}`, nil)
	if r.status != 200 {
		t.Fatalf("execute = %d %s", r.status, r.body)
	}
	wantResult(t, byID(t, shared.nats(), "calls.get", "default", "by-default"), "1")
}

func TestCancelStaysInItsTenant(t *testing.T) {
	t.Parallel()
	mine, other := newTenant(), newTenant()
	const call = `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`
	events, others := shared.listen(t, mine), shared.listen(t, other)
	queue(t, shared.http(0), mine, call)
	queue(t, shared.http(0), other, call)
	events.until("started", "c1")
	others.until("started", "c1")
	wantError(t, byID(t, shared.http(1), "calls.cancel", other, "c1"), "cancelled", "")
	if e := byID(t, shared.http(1), "calls.get", mine, "c1"); e.State != "running" {
		t.Errorf("after another tenant's cancel the call is %v, want it running", e)
	}
	wantError(t, byID(t, shared.http(1), "calls.cancel", mine, "c1"), "cancelled", "")
}
