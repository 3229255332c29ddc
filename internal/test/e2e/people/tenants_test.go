package people

import (
	"net/http"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestTenantsAreSeparate: the same call_id, file and trace in two tenants are two separate
// objects each.
func TestTenantsAreSeparate(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		first, second := system.NewTenant(), system.NewTenant()
		const effect = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
		const write = `{"call_id": "c2", "tool": "write_file", "arguments": {"path": "a.txt", "content": "of the first"}}`
		const read = `{"call_id": "c3", "tool": "read_file", "arguments": {"path": "a.txt"}}`
		for _, call := range []string{effect, write, read} {
			if e := system.One(t, d, first, call); e.Status != "success" {
				t.Fatalf("%v", e)
			}
		}
		for _, callID := range []string{"c1", "c2", "c3"} {
			params := map[string]string{"call_id": callID}
			for _, door := range []system.Door{d, shared.HTTP(1)} {
				system.WantProblem(t, "calls.get of another tenant's call", door.Ask(t, second, "calls.get", params, ""), 404, "not_found")
				system.WantProblem(t, "calls.cancel of another tenant's call", door.Ask(t, second, "calls.cancel", params, ""), 404, "not_found")
			}
			r := shared.HTTP(0).Send(t, "GET", "/v1/calls/"+callID+"/result", "", http.Header{"Helve-Tenant": {second}})
			system.WantProblem(t, "result of another tenant's call", r, 404, "not_found")
		}
		system.WantResult(t, system.One(t, d, second, effect), `{"written":true}`)
		system.WantError(t, system.One(t, d, second, read), "file_not_found", "")
		shared.WantLedger(t, first, "k c1")
		shared.WantLedger(t, second, "k c1")
	})
}

// TestTenantByDefault: a request without a tenant belongs to "default".
func TestTenantByDefault(t *testing.T) {
	t.Parallel()
	r := shared.HTTP(0).Send(t, "POST", "/v1/execute",
		`{"calls": [{"call_id": "by-default", "tool": "debug.echo", "arguments": {"value": 1}}]}`, nil)
	if r.Status != 200 {
		t.Fatalf("execute = %d %s", r.Status, r.Body)
	}
	system.WantResult(t, system.ByID(t, shared.NATS(), "calls.get", "default", "by-default"), "1")
}

func TestCancelStaysInItsTenant(t *testing.T) {
	t.Parallel()
	mine, other := system.NewTenant(), system.NewTenant()
	const call = `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`
	events, others := shared.Listen(t, mine), shared.Listen(t, other)
	system.Enqueue(t, shared.HTTP(0), mine, call)
	system.Enqueue(t, shared.HTTP(0), other, call)
	events.Until("started", "c1")
	others.Until("started", "c1")
	system.WantError(t, system.ByID(t, shared.HTTP(1), "calls.cancel", other, "c1"), "cancelled", "")
	if e := system.ByID(t, shared.HTTP(1), "calls.get", mine, "c1"); e.State != "running" {
		t.Errorf("after another tenant's cancel the call is %v, want it running", e)
	}
	system.WantError(t, system.ByID(t, shared.HTTP(1), "calls.cancel", mine, "c1"), "cancelled", "")
}
