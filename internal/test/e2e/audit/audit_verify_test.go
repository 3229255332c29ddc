package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// verified is an answer of audit.verify.
type verified struct {
	OK       bool   `json:"ok"`
	Records  uint64 `json:"records"`
	SealedTo uint64 `json:"sealed_to"`
	Problems []struct {
		Seq    uint64 `json:"seq"`
		Kind   string `json:"kind"`
		Detail string `json:"detail"`
	} `json:"problems"`
}

func verify(t testing.TB, d system.Door, tenant string) verified {
	t.Helper()
	r := d.Ask(t, tenant, "audit.verify", nil, "")
	if r.Status != 200 {
		t.Fatalf("audit.verify = %d %s", r.Status, r.Body)
	}
	return system.Decode[verified](t, r)
}

// exported returns a tenant's complete trail as a file.
func exported(t testing.TB, d system.Door, tenant string) []byte {
	t.Helper()
	var file bytes.Buffer
	for cursor := ""; ; {
		r := d.Ask(t, tenant, "audit.export", map[string]string{"limit": "7", "cursor": cursor}, "")
		if r.Status != 200 {
			t.Fatalf("audit.export = %d %s", r.Status, r.Body)
		}
		page := system.Decode[struct {
			Lines []string `json:"lines"`
			Next  string   `json:"next"`
		}](t, r)
		for _, line := range page.Lines {
			fmt.Fprintln(&file, line)
		}
		if page.Next == "" {
			return file.Bytes()
		}
		cursor = page.Next
	}
}

// TestExportIsVerified exports a live trail and verifies it with only the published key;
// then with one byte changed, at many places.
func TestExportIsVerified(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for i := range 10 {
		system.Execute(t, d, tenant,
			fmt.Sprintf(`{"calls": [{"tool": "debug.effect", "arguments": {"key": "k%d"}}, {"tool": "debug.echo", "arguments": {"value": %[1]d}}]}`,
				i))
	}
	const all = 30
	var v verified
	var got []system.Record
	defer func() {
		if t.Failed() && len(got) != all {
			t.Logf("%d records are indexed; verified: %+v", len(got), v)
		}
	}()
	system.Eventually(t, "all is on record, and sealed", func() bool {
		v = verify(t, d, tenant)
		if !v.OK {
			t.Fatalf("a trail that nobody touched: %+v", v)
		}
		got, _ = system.QueryRecords(t, d, tenant, nil)
		return v.Records == all && len(got) == all && v.SealedTo == got[all-1].Seq
	})
	pem := d.Send(t, "GET", "/v1/audit/public-key", "", http.Header{})
	keys, err := keyfile.ParsePublicPEM(pem.Body)
	if err != nil {
		t.Fatalf("public-key = %d %s: %v", pem.Status, pem.Body, err)
	}
	file := exported(t, d, tenant)
	report, err := audit.VerifyFile(bytes.NewReader(file), keys...)
	if err != nil || !report.OK || report.Records != all {
		t.Fatalf("VerifyFile = %+v, %v, want %d good records", report, err, all)
	}
	if alien, err := audit.VerifyFile(bytes.NewReader(file), otherKey(t)); err != nil || alien.OK {
		t.Errorf("VerifyFile with another key = %+v, %v, want problems", alien, err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		bad := bytes.Clone(file)
		at := random.IntN(len(bad))
		bad[at] ^= 1 << random.IntN(8)
		report, err := audit.VerifyFile(bytes.NewReader(bad), keys...)
		if err != nil || report.OK || len(report.Problems) == 0 {
			t.Errorf("byte %d was changed, in %.120q, and VerifyFile = %+v, %v", at, lineAt(bad, at), report, err)
			continue
		}
		var seq uint64
		if _, err := fmt.Sscanf(lineAt(file, at), `{"seq":%d,`, &seq); err == nil && bad[at] != '\n' && file[at] != '\n' && !tells(report, seq) {
			t.Errorf("byte %d of record %d was changed, and the report names %+v", at, seq, report.Problems)
		}
	}
}

// tells reports whether a problem names a record.
func tells(r protocol.AuditReport, seq uint64) bool {
	return slices.ContainsFunc(r.Problems, func(p protocol.AuditProblem) bool { return p.Seq == seq })
}

func otherKey(t testing.TB) []byte {
	t.Helper()
	key, err := keyfile.Load(t.TempDir(), "other")
	if err != nil {
		t.Fatal(err)
	}
	return key[32:]
}

// lineAt returns the line that contains a byte.
func lineAt(file []byte, at int) string {
	begin := bytes.LastIndexByte(file[:at], '\n') + 1
	line, _, _ := strings.Cut(string(file[begin:]), "\n")
	return line
}

// TestLinesTakenOut: removing, doubling or moving any line of an export is detected.
func TestLinesTakenOut(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	for range 3 {
		system.One(t, d, tenant, `{"tool": "debug.effect", "arguments": {"key": "k"}}`)
	}
	system.Eventually(t, "all is on record", func() bool { got, _ := system.QueryRecords(t, d, tenant, nil); return len(got) == 6 })
	pem := d.Send(t, "GET", "/v1/audit/public-key", "", http.Header{})
	keys, err := keyfile.ParsePublicPEM(pem.Body)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(exported(t, d, tenant), []byte("\n"))
	lines = lines[:len(lines)-1] // nothing follows the last line break
	check := func(what string, changed ...[]byte) {
		report, err := audit.VerifyFile(bytes.NewReader(bytes.Join(changed, nil)), keys...)
		if err != nil || report.OK {
			t.Errorf("%s: VerifyFile = %+v, %v, want problems", what, report, err)
		}
	}
	for i := range lines {
		head, rest := lines[:i:i], lines[i+1:]
		check(fmt.Sprintf("without line %d", i+1), append(head, rest...)...)
		check(fmt.Sprintf("line %d twice", i+1), append(append(head, lines[i], lines[i]), rest...)...)
		if i > 0 {
			moved := append([][]byte{}, lines...)
			moved[i-1], moved[i] = moved[i], moved[i-1]
			check(fmt.Sprintf("lines %d and %d changed places", i, i+1), moved...)
			check(fmt.Sprintf("cut off behind line %d", i), lines[:i]...)
		}
	}
}
