package audit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/protocol"
)

// lines returns n records of a tenant, numbered from first on, as the lines of a block.
func (tr *trail) lines(tenant string, first, n int) (lines [][]byte) {
	tr.t.Helper()
	for i := range n {
		lines = append(lines, encoded(tr.t, func(r *protocol.AuditRecord) {
			r.Tenant, r.CallID, r.User = tenant, fmt.Sprintf("%s-%04d", tenant, first+i), "u1"
			r.Tool = []string{"read_file", "echo"}[i%2]
		}))
	}
	return lines
}

// block stores lines as one message.
func (tr *trail) block(tenant string, lines ...[]byte) {
	tr.t.Helper()
	if err := stream.On(tr.q.Conn).RecordWait(tr.t.Context(), tenant, BlockAbout, bytes.Join(lines, newline)); err != nil {
		tr.t.Fatal(err)
	}
}

// mixed returns a trail of messages of one record and of many: 1, 2.0-2.4, 3, 4.0-4.2,
// 6 (in a block of its own), 7.0-7.5 of acme, 17 records, under five seals: of 1, of 2,
// of 3 and 4, of 6 and of 7; and 5.0-5.3 of another tenant.
func mixed(t *testing.T) *trail {
	t.Helper()
	tr := newTrail(t)
	tr.record("acme", 0)
	tr.block("acme", tr.lines("acme", 1, 5)...)
	tr.record("acme", 6)
	tr.block("acme", tr.lines("acme", 7, 3)...)
	tr.block("other", tr.lines("other", 0, 4)...)
	tr.block("acme", tr.lines("acme", 10, 1)...)
	tr.block("acme", tr.lines("acme", 11, 6)...)
	s := tr.sealer()
	s.Every = time.Hour
	stop := tr.start(s)
	defer stop()
	tr.sealedTo("acme")
	tr.sealedTo("other")
	return tr
}

// TestBlocksAreSealedAndVerified checks a trail of messages of one record and of many:
// where it lies, exported in pages of any size, by a filter, and converted.
func TestBlocksAreSealedAndVerified(t *testing.T) {
	t.Parallel()
	tr := mixed(t)
	if r := tr.verify("acme"); !r.OK || r.Records != 17 || r.SealedTo != 7 {
		t.Errorf("report %+v, want 17 records sealed up to message 7", r)
	}
	ok(t, "another tenant's", tr.verify("other"), 4)
	if len(tr.trouble) > 0 {
		t.Errorf("troubles: %q, want none", tr.trouble)
	}
	whole := tr.export("acme", Query{}, 0)
	if r := tr.verifyFile(whole); !r.OK || r.Records != 17 || r.SealedTo != 7 {
		t.Errorf("exported: %+v, want 17 records sealed up to message 7", r)
	}
	body := func(export []byte) []byte {
		return export[bytes.IndexByte(export, '\n'):bytes.LastIndex(export, []byte(`{"trailer"`))]
	}
	for limit := range 25 {
		if paged := tr.export("acme", Query{}, limit); !tr.verifyFile(paged).OK || !bytes.Equal(body(paged), body(whole)) {
			t.Errorf("pages of %d differ from the whole: %+v", limit, tr.verifyFile(paged))
		}
	}
	ok(t, "one line of a block", tr.verifyFile(tr.export("acme", Query{CallID: "acme-0013"}, 2)), 1)
	ok(t, "every other line", tr.verifyFile(tr.export("acme", Query{Tool: "echo"}, 2)), 6)
	ok(t, "none", tr.verifyFile(tr.export("acme", Query{CallID: "none"}, 2)), 0)

	var out bytes.Buffer
	if err := CSV(&out, bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 18 {
		t.Fatalf("%d rows, %v, want header and 17 records", len(rows), err)
	}
	if row := rows[17]; row[0] != "7" || row[5] != "acme-0016" || row[slices.Index(rows[0], "part")] != "5" {
		t.Errorf("the last row is %q, want record 7.5", row)
	}
	out.Reset()
	if err := OCSF(&out, bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	events := bytes.Split(bytes.TrimSpace(out.Bytes()), newline)
	var event struct {
		Metadata struct{ Sequence int }
		Unmapped struct{ Part int }
	}
	if err := json.Unmarshal(events[len(events)-1], &event); err != nil || len(events) != 17 || event.Metadata.Sequence != 7 ||
		event.Unmapped.Part != 5 {
		t.Errorf("%d events, the last %s, %v, want 17 up to 7.5", len(events), events[len(events)-1], err)
	}
}

// TestUnknownVersionsAreRefused checks that what a newer version wrote is not taken for
// damage: the problem names the version.
func TestUnknownVersionsAreRefused(t *testing.T) {
	t.Parallel()
	tr := mixed(t)
	export := tr.export("acme", Query{}, 0)
	newer := bytes.Replace(export, []byte(`_export":2`), []byte(`_export":3`), 1)
	if r := tr.verifyFile(newer); len(r.Problems) == 0 || !strings.Contains(r.Problems[0].Detail, "version 3") {
		t.Errorf("an export of version 3: %+v, want that named first", r)
	}
	if err := CSV(new(bytes.Buffer), bytes.NewReader(newer)); err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("CSV of an export of version 3: %v, want that named", err)
	}
	data, err := tr.sls.Get(t.Context(), "acme", 2)
	if err != nil || !bytes.Contains(data, []byte(`"version":2`)) {
		t.Fatalf("seal 2 is %s, %v, want version 2", data, err)
	}
	if _, err := open(bytes.Replace(data, []byte(`"version":2`), []byte(`"version":3`), 1), ring(publicOf(tr.key))); err == nil ||
		!strings.Contains(err.Error(), "version 3") {
		t.Errorf("a seal of version 3: %v, want that named", err)
	}
	for _, version := range []string{"", `"version":0,`} {
		if _, err := open(bytes.Replace(data, []byte(`"version":2,`), []byte(version), 1), ring(publicOf(tr.key))); err == nil {
			t.Errorf("the seal opens with %q in place of its version", version)
		}
	}
}

// TestHostileBlocks stores what somebody may who may publish. All of it is sealed, and
// what is no record is named with its place.
func TestHostileBlocks(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	good := tr.lines("acme", 0, 3)
	tr.block("acme", good[0], []byte("junk"), good[1])                         // 1
	tr.block("acme", nil, good[0], nil)                                        // 2
	tr.block("acme", good[0], tr.lines("other", 0, 1)[0])                      // 3
	tr.block("acme", bytes.Repeat([]byte(strings.Repeat("x", 64)+"\n"), 3000)) // 4
	tr.block("acme", good...)                                                  // 5
	odd := strings.Repeat(" ", 64)
	tr.block("acme", []byte(`{"part":5,"seq":1`+odd+`}`), []byte(`{"raw":"eA"`+odd+`}`)) // 6
	tr.record("acme", 9)                                                                 // 7
	tr.block("acme", bytes.Repeat(newline, 3000))                                        // 8: as few as 47
	bad := []Place{{1, 1}, {2, 0}, {2, 2}, {3, 1}, {6, 0}, {6, 1}}
	for _, when := range []string{"before", "after"} {
		reports := map[string]protocol.AuditReport{"online": tr.verify("acme"), "exported": tr.verifyFile(tr.export("acme", Query{}, 300))}
		for what, r := range reports {
			if r.OK || r.Records != 3+3+2+1000+3+2+1+47 || r.Found != 1000+6+47 {
				t.Errorf("%s, %s it is sealed: %+v", what, when, r)
			}
			for i, p := range r.Problems {
				if p.Kind != protocol.ProblemForeign || i < 4 && !hasAt(r, protocol.ProblemForeign, bad[i]) {
					t.Errorf("%s, %s it is sealed: problem %+v", what, when, p)
				}
			}
		}
		if when == "before" {
			tr.seal("acme")
		}
	}
	for line := range bytes.Lines(tr.export("acme", Query{}, 0)) {
		if !jsontext.Value(line).IsValid() {
			t.Errorf("line %q is not JSON", line)
		}
	}
	ok(t, "filtered", tr.verifyFile(tr.export("acme", Query{User: "u1"}, 5)), 8)
}

// TestLookupMarksRecordsOfBlocks checks pages of records that are parts of messages.
func TestLookupMarksRecordsOfBlocks(t *testing.T) {
	t.Parallel()
	tr := mixed(t)
	for _, tt := range []struct {
		name   string
		change func(*Page)
		at     Place
		kind   protocol.AuditProblemKind
	}{
		{"as it is", func(*Page) {}, Place{}, ""},
		{"changed", func(p *Page) { p.Stored[4][30] ^= 1 }, Place{2, 3}, protocol.ProblemChanged},
		{"moved", func(p *Page) { p.Stored[4] = p.Stored[5] }, Place{2, 3}, protocol.ProblemChanged},
		{"invented", func(p *Page) { p.Records[5].Part = 5 }, Place{2, 5}, protocol.ProblemAdded},
	} {
		l, _ := tr.lookup()
		p := tr.page("acme")
		tt.change(&p)
		problems, err := l.Mark(t.Context(), &Query{Tenant: "acme"}, &p)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Records) != 17 || len(problems) > 1 || (len(problems) == 1) != (tt.kind != "") {
			t.Fatalf("%s: %d records with the problems %+v", tt.name, len(p.Records), problems)
		}
		for i := range p.Records {
			r := &p.Records[i]
			wrong := tt.kind != "" && placeOf(r) == tt.at
			if *r.Sealed == wrong || (r.Problem == tt.kind) != wrong && tt.kind != "" {
				t.Errorf("%s: record %v is sealed %v with problem %q", tt.name, placeOf(r), *r.Sealed, r.Problem)
			}
		}
		if tt.kind != "" && (problems[0].Part != tt.at.Part || problems[0].Seq != tt.at.Seq) {
			t.Errorf("%s: problem %+v, want it at %v", tt.name, problems[0], tt.at)
		}
	}
}

// TestSealsAreBoundedByRecords checks that a seal of blocks covers whole messages, and
// no more records than it may or one message has.
func TestSealsAreBoundedByRecords(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	sizes := []int{300, 300, 500, 1000, 1, 1, 700}
	total := 0
	for _, n := range sizes {
		tr.block("acme", tr.lines("acme", total, n)...)
		total += n
	}
	s := tr.sealer()
	s.Records = 700
	stop := tr.start(s)
	tr.sealedTo("acme")
	stop()
	var seals []string
	err := tr.sls.Read(t.Context(), "acme", func(_ uint64, data []byte) error {
		o, err := open(data, ring(publicOf(tr.key)))
		if err == nil {
			seals = append(seals, fmt.Sprintf("%d-%d: %d", o.From, o.To, o.Count))
			if most := 48*o.Count + 2000; len(data) > most {
				t.Errorf("a seal of %d records has %d bytes, want at most %d", o.Count, len(data), most)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, seal := range seals {
		var from, to, n int
		if _, err := fmt.Sscanf(seal, "%d-%d: %d", &from, &to, &n); err != nil || n > 700 && (from != to || n != 1000) {
			t.Errorf("seals %q, want none of more than 700 records but for the message of 1000", seals)
		}
	}
	ok(t, "blocks of many sizes", tr.verify("acme"), uint64(total))
	stop = tr.start(tr.sealer()) // a next sealer goes on behind a whole message
	tr.record("acme", 0)
	tr.sealedTo("acme")
	stop()
	ok(t, "one record more", tr.verify("acme"), uint64(total+1))
}

// TestBlockFormatStays: exports are verified years later.
func TestBlockFormatStays(t *testing.T) {
	t.Parallel()
	record := digest([]byte("record"))
	for tag, got := range map[byte]Hash{'\x09': leaf(Place{7, 3}, record), '\x0a': foreignLeaf(Place{7, 3}, record)} {
		if want := digest(slices.Concat([]byte("helve.audit.v1"), []byte{tag}, u64(7), u64(3), record[:])); got != want {
			t.Errorf("leaf with tag %d = %x, want %x", tag, got, want)
		}
	}
	var l leaves
	for i, at := range []Place{{5, 0}, {300, 0}, {300, 1}} {
		l.add(at, Hash{byte(i + 1)})
	}
	o := seal("acme", head{N: 3, To: 4}, l, time.Unix(1, 2), testKey("sealer"))
	zeros := make([]byte, 31)
	if packed := slices.Concat([]byte{1, 1, 1}, zeros, []byte{0xa7, 2, 2, 2}, zeros, []byte{3}, zeros); !bytes.Equal(o.Leaves, packed) {
		t.Errorf("leaves = %x, want %x", o.Leaves, packed)
	}
	if got := o.statement(); !bytes.HasPrefix(got, slices.Concat([]byte("helve.audit.v1\x0b"), u64(4), u64(5), u64(300), u64(3), o.Root[:])) {
		t.Errorf("statement = %x", got)
	}
}
