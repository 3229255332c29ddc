package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/keyfile"
)

// verified is what audit.verify answers.
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

func verify(t testing.TB, d door, tenant string) verified {
	t.Helper()
	r := d.ask(t, tenant, "audit.verify", nil, "")
	if r.status != 200 {
		t.Fatalf("audit.verify = %d %s", r.status, r.body)
	}
	return decode[verified](t, r)
}

// exported is a tenant's whole trail as a file.
func exported(t testing.TB, d door, tenant string) []byte {
	t.Helper()
	var file bytes.Buffer
	for cursor := ""; ; {
		r := d.ask(t, tenant, "audit.export", map[string]string{"limit": "7", "cursor": cursor}, "")
		if r.status != 200 {
			t.Fatalf("audit.export = %d %s", r.status, r.body)
		}
		page := decode[struct {
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

// TestExportIsVerified exports a live trail and verifies it with the published
// key and nothing else; then with one byte changed, at many places.
func TestExportIsVerified(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	for i := range 10 {
		execute(t, d, tenant, fmt.Sprintf(`{"calls": [{"tool": "debug.effect", "arguments": {"key": "k%d"}}, {"tool": "debug.echo", "arguments": {"value": %[1]d}}]}`, i))
	}
	const all = 30
	var v verified
	var got []record
	defer func() {
		if t.Failed() && len(got) != all {
			t.Logf("%d records are indexed; verified: %+v", len(got), v)
		}
	}()
	eventually(t, "all is on record, and sealed", func() bool {
		v = verify(t, d, tenant)
		if !v.OK {
			t.Fatalf("a trail that nobody touched: %+v", v)
		}
		got, _ = records(t, d, tenant, nil)
		return v.Records == all && len(got) == all && v.SealedTo == got[all-1].Seq
	})
	pem := d.send(t, "GET", "/v1/audit/public-key", "", http.Header{})
	keys, err := keyfile.ParsePublicPEM(pem.body)
	if err != nil {
		t.Fatalf("public-key = %d %s: %v", pem.status, pem.body, err)
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
func tells(r audit.Report, seq uint64) bool {
	return slices.ContainsFunc(r.Problems, func(p audit.Problem) bool { return p.Seq == seq })
}

func otherKey(t testing.TB) []byte {
	t.Helper()
	key, err := keyfile.Load(t.TempDir(), "other")
	if err != nil {
		t.Fatal(err)
	}
	return key[32:]
}

// lineAt is the line that holds a byte.
func lineAt(file []byte, at int) string {
	begin := bytes.LastIndexByte(file[:at], '\n') + 1
	line, _, _ := strings.Cut(string(file[begin:]), "\n")
	return line
}

// TestLinesTakenOut: each line of an export that is taken out, doubled or moved
// is missed.
func TestLinesTakenOut(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	for range 3 {
		one(t, d, tenant, `{"tool": "debug.effect", "arguments": {"key": "k"}}`)
	}
	eventually(t, "all is on record", func() bool { got, _ := records(t, d, tenant, nil); return len(got) == 6 })
	pem := d.send(t, "GET", "/v1/audit/public-key", "", http.Header{})
	keys, err := keyfile.ParsePublicPEM(pem.body)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(exported(t, d, tenant), []byte("\n"))
	lines = lines[:len(lines)-1] // behind the last line end is nothing
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
