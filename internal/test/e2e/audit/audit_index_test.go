package audit

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	_ "modernc.org/sqlite" // to edit the index file directly

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// sealedRecord is a record in an answer of audit.query.
type sealedRecord struct {
	Seq     uint64 `json:"seq"`
	CallID  string `json:"call_id"`
	User    string `json:"user"`
	Sealed  *bool  `json:"sealed"`
	Problem string `json:"problem"`
}

// TestIndexIsHeldAgainstTheSeals changes the index of a running system, and publishes junk
// on its audit subjects.
func TestIndexIsHeldAgainstTheSeals(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	tenant, d := system.NewTenant(), s.HTTP(0)
	for i := range 6 {
		system.One(t, d, tenant, fmt.Sprintf(`{"tool": "debug.echo", "call_id": "c%d", "arguments": {"value": 1}}`, i))
	}
	query := func() map[string]sealedRecord {
		t.Helper()
		r := d.Ask(t, tenant, "audit.query", nil, "")
		if r.Status != 200 {
			t.Fatalf("audit.query = %d %s", r.Status, r.Body)
		}
		got := map[string]sealedRecord{}
		for _, rec := range system.Decode[struct {
			Records []sealedRecord `json:"records"`
		}](t, r).Records {
			if rec.Sealed == nil {
				t.Fatalf("record %d does not say whether it is sealed: %s", rec.Seq, r.Body)
			}
			got[rec.CallID] = rec
		}
		return got
	}
	var before map[string]sealedRecord
	system.Eventually(t, "all is sealed", func() bool {
		before = query()
		n := 0
		for _, r := range before {
			if *r.Sealed && r.Problem == "" {
				n++
			}
		}
		return n == 6
	})

	db, err := sql.Open("sqlite", filepath.Join(s.Config.Data, "store", "audit.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	editChunks(t, db, tenant, map[string]string{
		`"call_id":"c1"`: `"call_id":"cX"`,
		`"call_id":"c3","tenant":"` + tenant + `"`: `"call_id":"c3","tenant":"` + strings.Repeat("x", len(tenant)) + `"`,
	})
	after := query()
	if r := after["cX"]; r.Sealed == nil || *r.Sealed || r.Problem != "changed" {
		t.Errorf("the changed record is shown as %+v", r)
	}
	if r := after["c0"]; r.Sealed == nil || !*r.Sealed || r.Problem != "" {
		t.Errorf("a record that nobody touched is shown as %+v", r)
	}
	if text := s.Logs.String(); !strings.Contains(text, "audit record not as sealed") {
		t.Error("the log does not tell of the changed record")
	}

	if v := verify(t, d, tenant); !v.OK {
		t.Errorf("the stream, which nobody touched: %+v", v)
	}
	kinds := func(v verified) string {
		var kinds []string
		for _, p := range v.Problems {
			kinds = append(kinds, fmt.Sprintf("%s %d", p.Kind, p.Seq))
		}
		return strings.Join(kinds, ", ")
	}
	withIndex := func() verified {
		t.Helper()
		r := d.Ask(t, tenant, "audit.verify", map[string]string{"index": "true"}, "")
		if r.Status != 200 {
			t.Fatalf("audit.verify = %d %s", r.Status, r.Body)
		}
		return system.Decode[verified](t, r)
	}
	rebuild := func(want string, repaired int) {
		t.Helper()
		if v := withIndex(); v.OK || kinds(v) != want {
			t.Errorf("verify with the index found %q, want %q", kinds(v), want)
		}
		if r := d.Ask(t, tenant, "audit.rebuild", nil, ""); r.Status != 200 ||
			!strings.Contains(string(r.Body), fmt.Sprintf(`"repaired_count":%d`, repaired)) {
			t.Errorf("audit.rebuild = %d %s", r.Status, r.Body)
		}
		if v := withIndex(); !v.OK {
			t.Errorf("after the index was rebuilt: %+v", v)
		}
	}
	rebuild(fmt.Sprintf("index_changed %d, index_changed %d", before["c1"].Seq, before["c3"].Seq), 2)
	if _, err := db.Exec(`DELETE FROM audit_chunk WHERE tenant = ?`, tenant); err != nil {
		t.Fatal(err)
	}
	var missing []string
	for i := range 6 {
		missing = append(missing, fmt.Sprintf("index_missing %d", before[fmt.Sprintf("c%d", i)].Seq))
	}
	rebuild(strings.Join(missing, ", "), 6)
	for id, r := range query() {
		if r != before[id] && (r.Seq != before[id].Seq || !*r.Sealed || r.Problem != "") {
			t.Errorf("call %s is shown as %+v after the index was rebuilt", id, r)
		}
	}

	if err := s.Conn.Publish("helve.v1."+tenant+".audit.read_file", []byte("junk")); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the junk is named", func() bool { return strings.Contains(kinds(verify(t, d, tenant)), "foreign") })
	system.Eventually(t, "the junk is sealed as junk", func() bool {
		junk := query()[""]
		return junk.Seq > 0 && !*junk.Sealed && junk.Problem == "foreign"
	})
	if got := d.Send(t, "GET", "/v1/audit/verify?index=maybe", "", http.Header{}); got.Status != 400 {
		t.Errorf("verify?index=maybe = %d %s", got.Status, got.Body)
	}
}

// editChunks replaces texts by others of the same length in the chunks of a tenant's
// records.
func editChunks(t *testing.T, db *sql.DB, tenant string, texts map[string]string) {
	t.Helper()
	rows, err := db.Query(`SELECT first, data FROM audit_chunk WHERE tenant = ?`, tenant)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	chunks := map[int64][]byte{}
	for rows.Next() {
		var first int64
		var data []byte
		if err := rows.Scan(&first, &data); err != nil {
			t.Fatal(err)
		}
		chunks[first] = data
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for first, data := range chunks {
		raw, err := s2.Decode(nil, data[:len(data)-crc32.Size])
		if err != nil {
			t.Fatal(err)
		}
		for before, after := range texts {
			raw = bytes.ReplaceAll(raw, []byte(before), []byte(after))
		}
		data = s2.Encode(nil, raw)
		data = binary.BigEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
		if _, err := db.Exec(`UPDATE audit_chunk SET data = ? WHERE tenant = ? AND first = ?`, data, tenant, first); err != nil {
			t.Fatal(err)
		}
	}
}
