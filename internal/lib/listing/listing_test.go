package listing

import (
	"fmt"
	"math"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

type thing struct {
	N int `json:"n"`
}

func TestRead(t *testing.T) {
	const stored = 60
	things, db, ctx := tool.NewCollection[thing]("things"), tooltest.NewStore(t), t.Context()
	for i := range stored {
		if _, err := things.Insert(ctx, db, thing{i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		offset, limit, first int
		want                 Counts
	}{
		{0, 20, 0, Counts{Total: stored, Count: 20, Truncated: true}},
		{-5, 1, 0, Counts{Total: stored, Count: 1, Truncated: true}},
		{math.MinInt, 1, 0, Counts{Total: stored, Count: 1, Truncated: true}},
		{15, 10, 15, Counts{Total: stored, Count: 10, Truncated: true}},
		{stored - 25, 10, stored - 25, Counts{Total: stored, Count: 10, Truncated: true}},
		{stored - 10, 10, stored - 10, Counts{Total: stored, Count: 10}},
		{stored - 3, 10, stored - 3, Counts{Total: stored, Count: 3}},
		{stored, 10, -1, Counts{Total: stored}},
		{math.MaxInt, 10, -1, Counts{Total: stored}},
	} {
		t.Run(fmt.Sprint(tt.offset), func(t *testing.T) {
			list, counts, err := Read(ctx, things, db, tool.Query{Order: []tool.Order{{Field: "n"}}, Limit: tt.limit}, tt.offset)
			if err != nil || counts != tt.want || len(list) != counts.Count {
				t.Fatalf("%d records, %+v, %v, want %+v", len(list), counts, err, tt.want)
			}
			for i, r := range list {
				if r.Value.N != tt.first+i {
					t.Errorf("record %d is %d, want %d", i, r.Value.N, tt.first+i)
				}
			}
		})
	}
	if _, _, err := Read(ctx, things, db, tool.Query{Limit: 1, Order: []tool.Order{{Field: "none"}}}, 0); err == nil {
		t.Error("an unknown field is accepted")
	}
}
