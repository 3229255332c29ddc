package audit

import (
	"bytes"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/writer"
	"github.com/helve-dev/helve/protocol"
)

// encoded returns a record in its stored form, with the proof of p unless that is nil.
func encoded(t *testing.T, p *proof.Process, r protocol.AuditRecord) []byte {
	t.Helper()
	data, err := audit.Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	if p != nil {
		data = p.Prove(data)
	}
	return data
}

// TestForgedRecords: a program with access to NATS writes complete records in the name of a worker,
// of a dispatcher and of nobody, and copies of a real one. Each is sealed as forged, and named by
// every way to read the trail; what the processes of the system wrote is proven.
func TestForgedRecords(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	system.Execute(t, d, tenant, `{"calls": [{"call_id": "real", "tool": "debug.echo", "arguments": {"value": 1}}, {"call_id": "no", "tool": "no_such_tool", "arguments": {}}]}`)
	query := func() (all []protocol.AuditRecord) {
		return system.Decode[protocol.AuditPage](t, d.Ask(t, tenant, "audit.query", nil, "")).Records
	}
	var genuine protocol.AuditRecord
	system.Eventually(t, "the records of the calls are proven", func() bool {
		all := query()
		for _, r := range all {
			if !r.Proven || r.Problem != "" {
				return false
			}
			if r.CallID == "real" {
				genuine = r
			}
		}
		return len(all) == 2 && genuine.Worker != ""
	})
	stored := shared.StoredRecords(t, tenant)
	thief := writer.New(t, shared)
	lie := protocol.AuditRecord{
		Tenant: tenant,
		Phase:  protocol.AuditFinished,
		CallID: "never",
		Tool:   "debug.echo",
		Worker: genuine.Worker,
		Result: &protocol.AuditResult{Status: "success"},
	}
	as := func(worker string, phase protocol.AuditPhase) protocol.AuditRecord {
		lie := lie
		lie.Worker, lie.Phase = worker, phase
		return lie
	}
	var forged int
	for _, data := range [][]byte{
		encoded(t, nil, lie),
		encoded(t, nil, as("", protocol.AuditFinished)),
		encoded(t, thief, lie),
		encoded(t, thief, as("d-0", protocol.AuditRefused)),
		encoded(t, thief, as(thief.ID(), protocol.AuditTokenMinted)),
		bytes.Replace([]byte(stored[0]), []byte(`"call_id":"`), []byte(`"call_id":"x`), 1),
		bytes.Replace([]byte(stored[1]), []byte(`"call_id":"`), []byte(`"call_id":"x`), 1),
	} {
		about := "debug.echo"
		if bytes.Contains(data, []byte("no_such_tool")) {
			about = "no_such_tool"
		}
		if err := shared.Conn.Publish("helve.v1."+tenant+".audit."+about, data); err != nil {
			t.Fatal(err)
		}
		forged++
	}
	var v verified
	system.Eventually(t, "the forged records are named", func() bool {
		v = verify(t, d, tenant)
		return len(v.Problems) >= forged
	})
	for _, p := range v.Problems {
		if p.Kind != "forged" {
			t.Errorf("verify names %s, want forged only", p.Detail)
		}
	}
	if len(v.Problems) != forged || v.OK {
		t.Errorf("verify names %d records, %v, want the %d forged ones", len(v.Problems), v.OK, forged)
	}
	var shown int
	system.Eventually(t, "the forged records are shown", func() bool { return len(query()) == 2+forged })
	for _, r := range query() {
		switch {
		case r.Problem == protocol.ProblemForged && !*r.Sealed && !r.Proven:
			shown++
		case r.Problem != "" || !*r.Sealed || !r.Proven:
			t.Errorf("a record is shown as %+v", r)
		}
	}
	if shown != forged {
		t.Errorf("%d records are shown as forged, want %d", shown, forged)
	}
	keys, err := keyfile.ParsePublicPEM(d.Send(t, "GET", "/v1/audit/public-key", "", nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.VerifyFile(bytes.NewReader(exported(t, d, tenant)), keys...)
	if err != nil || report.OK || int(report.Found) != forged || report.Problems[0].Kind != protocol.ProblemForged {
		t.Errorf("VerifyFile = %+v, %v, want the forged ones", report, err)
	}
}
