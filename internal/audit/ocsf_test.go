package audit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
)

func TestOCSF(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := OCSF(&out, oneLine(t, fullRecord())); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%q, want one line", &out)
	}
	var got, want any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	err := json.Unmarshal([]byte(`{
		"activity_id": 99, "activity_name": "finished", "category_uid": 6, "class_uid": 6003, "type_uid": 600399,
		"time": 1767323045678, "start_time": 1767323045678, "end_time": 1767323045678, "duration": 1,
		"severity_id": 3, "status_id": 2, "status": "Failure", "status_code": "timeout", "status_detail": "be\"cause\\ ä\n",
		"actor": {"user": {"uid": "u", "name": "u"}, "session": {"uid": "k"}, "app_name": "a"},
		"api": {"operation": "files.read", "version": "1", "request": {"uid": "c"}, "response": {"error": "timeout"}},
		"src_endpoint": {"uid": "w", "name": "w"},
		"metadata": {"version": "1.2.0", "uid": "a-1", "sequence": 7, "correlation_uid": "t", "tenant_uid": "acme",
			"product": {"name": "Helve", "vendor_name": "Helve"}},
		"unmapped": {"phase": "finished", "by": "b", "args_hash": "sha256:00", "consent_id": "ci", "token_id": "ti", "grant_id": "gi", "part": 3.0, "origin": "mcp",
			"decision": {"outcome": "blocked", "reason": "be\"cause\\ ä\n", "rule": "r"},
			"result": {"status": "error", "error_type": "timeout", "summary": "nothing"}, "attempt": 2, "detail": "d"}
	}`), &want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

// TestOCSFHasWhatIsRequired: also of a record that is about no call.
func TestOCSFHasWhatIsRequired(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r                protocol.AuditRecord
		status, severity int
		operation        string
	}{
		{protocol.AuditRecord{Tenant: "acme", Phase: protocol.AuditTokenMinted}, 0, 1, "helve.token_minted"},
		{
			protocol.AuditRecord{Tenant: "acme", Phase: protocol.AuditFinished, Tool: "x", Result: &protocol.AuditResult{Status: "success"}}, 1, 1,
			"x",
		},
		{protocol.AuditRecord{
			Tenant: "acme",
			Phase:  protocol.AuditFinished,
			Tool:   "x",
			Result: &protocol.AuditResult{Status: "error", ErrorType: "timeout"},
		}, 2, 2, "x"},
		{protocol.AuditRecord{
			Tenant:   "acme",
			Phase:    protocol.AuditRefused,
			Tool:     "x",
			Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked},
		}, 2, 3, "x"},
	} {
		e := ocsfOf(&tt.r)
		if e.StatusID != tt.status || e.SeverityID != tt.severity || e.API.Operation != tt.operation {
			t.Errorf("%+v: status %d, severity %d, operation %q, want %d, %d, %q",
				tt.r, e.StatusID, e.SeverityID, e.API.Operation, tt.status, tt.severity, tt.operation)
		}
		if e.Actor == (ocsfActor{}) || e.SrcEndpoint == (ocsfNamed{}) {
			t.Errorf("%+v: no actor or no endpoint", tt.r)
		}
	}
}
