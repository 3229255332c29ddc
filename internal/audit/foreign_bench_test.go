package audit

import (
	"testing"

	"github.com/helve-dev/helve/protocol"
)

// BenchmarkLeafOf measures what a sealer does for a record beside reading it.
func BenchmarkLeafOf(b *testing.B) {
	r := fullRecord()
	// as of nearly all calls
	r.Tool, r.Decision = "read_file", &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "it only reads", Rule: "r"}
	data, err := Encode(&r)
	if err != nil {
		b.Fatal(err)
	}
	m := Message{Seq: 7, Tenant: r.Tenant, Data: data, About: r.Tool}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, foreign := leafOf(&m, 0, data, nil); foreign {
			b.Fatal("the record is foreign")
		}
	}
}
