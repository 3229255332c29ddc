package audit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/writer"
	"github.com/helve-dev/helve/protocol"
)

// TestBlocksOfRecords stores messages of many records, one of which contains a line that is
// not a record, and verifies and exports them over the API.
func TestBlocksOfRecords(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	store := func(lines ...[]byte) {
		t.Helper()
		if err := shared.Conn.Publish("helve.v1."+tenant+".audit.helve.block", bytes.Join(lines, []byte{'\n'})); err != nil {
			t.Fatal(err)
		}
	}
	proven := writer.New(t, shared)
	var all [][]byte
	for i := range 20 {
		all = append(all, encoded(t, proven, protocol.AuditRecord{
			Tenant: tenant, Phase: protocol.AuditFinished, CallID: fmt.Sprintf("c%d", i), Tool: "debug.echo", Worker: proven.ID(),
		}))
	}
	store(all[:12]...)
	store(all[12:]...)
	var v verified
	system.Eventually(t, "the blocks are sealed", func() bool {
		v = verify(t, d, tenant)
		return v.OK && v.Records == 20 && v.SealedTo > 0
	})
	key := d.Send(t, "GET", "/v1/audit/public-key", "", nil)
	keys, err := keyfile.ParsePublicPEM(key.Body)
	if err != nil {
		t.Fatal(err)
	}
	file := exported(t, d, tenant)
	report, err := audit.VerifyFile(bytes.NewReader(file), keys...)
	if err != nil || !report.OK || report.Records != 20 {
		t.Fatalf("VerifyFile = %+v, %v, want 20 good records", report, err)
	}
	if !strings.Contains(string(file), `,"part":11,"audit_id":`) {
		t.Errorf("no record of the first block has part 11:\n%s", file)
	}
	store(all[0], []byte("junk"), all[1])
	system.Eventually(t, "the line that is no record is named", func() bool {
		v = verify(t, d, tenant)
		return !v.OK && len(v.Problems) == 1 && v.Problems[0].Kind == "foreign" &&
			strings.HasPrefix(v.Problems[0].Detail, fmt.Sprintf("place %d.1 ", v.Problems[0].Seq))
	})
}
