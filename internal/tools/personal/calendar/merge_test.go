package calendar

import (
	"fmt"
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// Pages of any offset and limit are parts of the whole list.
func TestPages(t *testing.T) {
	call := ann(t)
	for i := range 30 {
		add(t, call, fmt.Sprintf(`{"title":"s%d","startTime":"2026-11-%02dT09:00Z"}`, i, i+1))
	}
	add(t, call, `{"title":"a","startTime":"2026-11-05T09:00Z","recurrence":"FREQ=DAILY;INTERVAL=3;COUNT=8"}`)
	add(t, call, `{"title":"b","startTime":"2026-10-28T09:00Z","recurrence":"FREQ=WEEKLY;COUNT=9"}`)
	store := forAnn(call)
	names := func(limit, offset int) (list []string) {
		t.Helper()
		found, counts, cut, err := window{}.read(t.Context(), store, tool.Query{Limit: limit}, offset)
		if err != nil || cut || counts.Total != 47 || counts.Count != len(found) || counts.Truncated != (offset+len(found) < 47 && offset < 47) {
			t.Fatalf("limit %d, offset %d: %+v, %v, %v", limit, offset, counts, cut, err)
		}
		for _, h := range found {
			list = append(list, h.record.Value.Title+h.at.UTC().Format(" 01-02"))
		}
		return list
	}
	all := names(50, 0)
	if len(all) != 47 || all[0] != "b 10-28" || all[46] != "b 12-23" {
		t.Fatalf("the list is %v", all)
	}
	for _, limit := range []int{1, 7, 20} {
		for offset := range 49 {
			want := all[min(offset, 47):min(offset+limit, 47)]
			if got := names(limit, offset); !slices.Equal(got, want) {
				t.Fatalf("limit %d, offset %d: %v, want %v", limit, offset, got, want)
			}
		}
	}
}
