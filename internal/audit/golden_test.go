package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/protocol"
)

// keptTrail is a trail that the version before blocks wrote and sealed: fifteen records
// of acme, three of which are junk, and one of another tenant.
type keptTrail struct {
	messages []Message
	seals    [][]byte
	note     []byte
}

func golden(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "v1", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func keptV1(t *testing.T) (k keptTrail) {
	t.Helper()
	in := bufio.NewScanner(bytes.NewReader(golden(t, "messages.jsonl")))
	for in.Scan() {
		var m Message
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		k.messages = append(k.messages, m)
	}
	k.seals = bytes.Split(bytes.TrimSpace(golden(t, "seals.jsonl")), newline)
	k.note = golden(t, "note.json")
	if len(k.messages) != 16 || len(k.seals) != 4 {
		t.Fatalf("%d messages and %d seals are kept", len(k.messages), len(k.seals))
	}
	return k
}

// keptMessages are the messages of a kept trail, as a [Source].
type keptMessages struct{ keptTrail }

func (k keptMessages) Follow(ctx context.Context, _ uint64, _ func(Message) error) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func (k keptMessages) Read(_ context.Context, from, to uint64, tenant string, each func(Message) error) error {
	for _, m := range k.messages {
		if m.Seq < from || m.Seq > to || tenant != "" && m.Tenant != tenant {
			continue
		}
		m.Data = bytes.Clone(m.Data)
		if err := each(m); err != nil {
			return err
		}
	}
	return nil
}

func (k keptMessages) Extent(context.Context, string) (Extent, error) {
	return Extent{First: 1, Last: 16, Own: 15, LastOwn: 16}, nil
}

// keptSeals are the seals of a kept trail, as [Seals] that nobody writes.
type keptSeals struct {
	Seals
	keptTrail
}

func (k keptSeals) Get(_ context.Context, _ string, n uint64) ([]byte, error) {
	if n < 1 || n > uint64(len(k.seals)) {
		return nil, nil
	}
	return k.seals[n-1], nil
}

func (k keptSeals) Last(context.Context, string) ([]byte, error) { return k.seals[len(k.seals)-1], nil }

func (k keptSeals) Read(_ context.Context, _ string, each func(uint64, []byte) error) error {
	for i, data := range k.seals {
		if err := each(uint64(i+1), data); err != nil {
			return err
		}
	}
	return nil
}

func (k keptSeals) Noted(context.Context, string) ([]byte, error) { return k.note, nil }

// junkAlone fails the test unless a report names the junk of the kept trail and
// nothing else.
func junkAlone(t *testing.T, what string, r protocol.AuditReport) {
	t.Helper()
	if r.Found != 3 || !has(r, protocol.ProblemForeign, 7) || !has(r, protocol.ProblemForeign, 8) || !has(r, protocol.ProblemForeign, 9) ||
		r.Records != 15 || r.SealedTo != 16 {
		t.Errorf("%s: %+v, want places 7 to 9 as foreign and nothing else", what, r)
	}
}

// TestTrailOfTheVersionBefore verifies, exports and reads a trail that was written and
// sealed before there were blocks.
func TestTrailOfTheVersionBefore(t *testing.T) {
	t.Parallel()
	kept, key := keptV1(t), testKey("sealer")
	v := Verifier{Source: keptMessages{kept}, Seals: keptSeals{keptTrail: kept}, Keys: []ed25519.PublicKey{publicOf(key)}}
	r, err := v.Verify(t.Context(), "acme", Range{})
	if err != nil {
		t.Fatal(err)
	}
	junkAlone(t, "where it lies", r)

	var last head
	for i, data := range kept.seals {
		o, err := open(data, ring(publicOf(key)))
		if err != nil {
			t.Fatal(err)
		}
		var l leaves
		for _, m := range kept.messages {
			if m.Tenant == "acme" && m.Seq >= o.From && m.Seq <= o.To {
				for part, record := range m.Records() {
					h, _, _ := leafOf(&m, part, record, nil)
					l.add(Place{m.Seq, part}, h)
				}
			}
		}
		again := seal("acme", last, l, o.Time, key)
		if text, err := again.encode(); err != nil || !bytes.Equal(text, data) {
			t.Errorf("seal %d is made as %s, %v, want it as it was: %s", i+1, text, err, data)
		}
		last = o.head()
	}
}

// TestExportOfTheVersionBefore verifies exports that were written before blocks
// existed, and continues one. One of their records begins with a member `part`.
func TestExportOfTheVersionBefore(t *testing.T) {
	t.Parallel()
	kept, key := keptV1(t), testKey("sealer")
	verify := func(export []byte) protocol.AuditReport {
		t.Helper()
		r, err := VerifyFile(bytes.NewReader(export), publicOf(key))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	junkAlone(t, "exported", verify(golden(t, "export.jsonl")))
	ok(t, "exported with a filter", verify(golden(t, "filtered.jsonl")), 2)

	e := Exporter{Source: keptMessages{kept}, Seals: keptSeals{keptTrail: kept}, Key: key}
	cursor := strings.TrimSpace(string(golden(t, "page.cursor")))
	begun := golden(t, "page.jsonl")
	for cursor != "" {
		lines, next, err := e.Page(t.Context(), "acme", Query{}, cursor, 4)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			begun = append(append(begun, line...), '\n')
		}
		cursor = next
	}
	junkAlone(t, "begun by the version before", verify(begun))
	body := func(export []byte) [][]byte { // without the header and the trailer, and record 10, which is written as bytes now
		lines := bytes.Split(bytes.TrimSpace(export), newline)
		return slices.DeleteFunc(lines[1:len(lines)-1], func(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"seq":10,`)) })
	}
	if !slices.EqualFunc(body(begun), body(golden(t, "export.jsonl")), bytes.Equal) {
		t.Error("the export that was gone on with differs from the one that the version before wrote")
	}

	var csv bytes.Buffer
	if err := CSV(&csv, bytes.NewReader(golden(t, "export.jsonl"))); err != nil {
		t.Fatal(err)
	}
	if rows := strings.Split(csv.String(), "\n"); !slices.ContainsFunc(rows, func(row string) bool {
		return strings.HasPrefix(row, "10,01a2072f-a8af-7606-b7ce-ab3ac8b4173b,") && strings.HasSuffix(row, ",0,,,") // part, result_seq, origin, accepted_at
	}) {
		t.Errorf("record 10 is not whole, with part 0, in\n%s", &csv)
	}
	// What the trail holds today is exported with places, and such a record as bytes.
	lines, _, err := e.Page(t.Context(), "acme", Query{}, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	whole := append(bytes.Join(asBytes(lines), newline), '\n')
	junkAlone(t, "exported again", verify(whole))
	if bytes.Contains(whole, []byte(`"part"`)) {
		t.Errorf("a record of its own is exported with a part:\n%s", whole)
	}
	// An export of version 1 has no room for parts.
	kept.messages = slices.Clone(kept.messages)
	last := &kept.messages[len(kept.messages)-1]
	last.About, last.Data = BlockAbout, slices.Concat(last.Data, newline, last.Data)
	e.Source = keptMessages{kept}
	cursor = strings.TrimSpace(string(golden(t, "page.cursor")))
	for cursor != "" && err == nil {
		_, cursor, err = e.Page(t.Context(), "acme", Query{}, cursor, 4)
	}
	if err != ErrCursor { // that very error
		t.Errorf("an export of version 1 that comes to a block ends with %v, want ErrCursor", err)
	}
}

func asBytes[T ~[]byte](all []T) (lines [][]byte) {
	for _, line := range all {
		lines = append(lines, line)
	}
	return lines
}
