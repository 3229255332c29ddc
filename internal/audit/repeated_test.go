package audit

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
)

// TestOnce: the second copy of a last record is removed behind a sealed one, on one
// page and over pages, also where another worker wrote it. A record that is not sealed
// hides nothing: a record that was put into the copy of the trail, changed there,
// belongs to another call, or is newer than the last seal.
func TestOnce(t *testing.T) {
	t.Parallel()
	tr := newTrail(t)
	final := func(callID, auditID, worker string) {
		r := fullRecord()
		r.Tenant, r.CallID, r.ID, r.Worker = "acme", callID, auditID, worker
		data, err := Encode(&r)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.On(tr.q.Conn).RecordWait(t.Context(), "acme", r.Tool, data); err != nil {
			t.Fatal(err)
		}
	}
	final("evil", "f-b-1", "w-0") // an id of another call
	final("a", "f-a-1", "w-1")
	final("a", "f-a-1", "w-1")
	final("b", "s-b-1", "w-1") // a start
	final("b", "f-b-1", "w-1")
	final("c", "f-c-1", "w-1")
	final("b", "f-b-1", "w-2")
	final("c", "f-c-2", "w-1") // of another attempt
	tr.sealFours("acme")
	final("d", "f-d-1", "w-1") // not sealed yet
	final("d", "f-d-1", "w-1")
	all := Query{Tenant: "acme"}
	for _, tt := range []struct {
		name   string
		change func(p *Page)
		want   []uint64
	}{
		{"as it is", func(*Page) {}, []uint64{1, 2, 4, 5, 6, 8, 9, 10}},
		{"changed in the copy", func(p *Page) { p.Stored[1] = append(bytes.Clone(p.Stored[1]), ' ') }, []uint64{1, 2, 3, 4, 5, 6, 8, 9, 10}},
		{"put into the copy", func(p *Page) {
			forged := p.Records[5] // the last record of c, in the place of the start of b
			forged.Seq = 4
			p.Records[3], p.Stored[3] = forged, p.Stored[5]
		}, []uint64{1, 2, 4, 5, 6, 8, 9, 10}},
	} {
		for _, cut := range []int{0, 2, 3, 6} {
			t.Run(fmt.Sprintf("%s, from %d", tt.name, cut), func(t *testing.T) {
				l, _ := tr.lookup()
				p := tr.page("acme")
				tt.change(&p)
				if cut > 0 {
					p.Before = &Page{Records: slices.Clone(p.Records[:cut]), Stored: slices.Clone(p.Stored[:cut])}
				}
				p.Records, p.Stored = p.Records[cut:], p.Stored[cut:]
				if _, err := l.Mark(t.Context(), &all, &p); err != nil {
					t.Fatal(err)
				}
				if err := l.Once(t.Context(), &all, &p); err != nil {
					t.Fatal(err)
				}
				var got []uint64
				for i := range p.Records {
					got = append(got, p.Records[i].Seq)
				}
				want := slices.DeleteFunc(slices.Clone(tt.want), func(seq uint64) bool { return seq <= uint64(cut) })
				if !slices.Equal(got, want) || len(p.Stored) != len(want) {
					t.Errorf("the page holds %v, want %v", got, want)
				}
			})
		}
	}
}
