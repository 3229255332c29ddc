package consent

import (
	"testing"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestRecordsKeepOrigin: every record about a parked call names the way in which it was made.
func TestRecordsKeepOrigin(t *testing.T) {
	t.Parallel()
	e := &call.Call{ID: "c", Tenant: "acme", Via: "schedule"}
	r := &protocol.Consent{ID: "k", Verdict: &protocol.Verdict{By: "ann"}}
	for what, record := range map[string]*protocol.AuditRecord{
		"requested": requested(e, r), "answered": answeredRecord(e, r), "ended": endedRecord(e, r, tool.Fail(tool.PermissionDenied, "no")),
	} {
		if record.Origin != "schedule" {
			t.Errorf("%s: the origin is %q, want schedule", what, record.Origin)
		}
	}
}
