package customdata

import "testing"

func TestGetCustomRecord(t *testing.T) {
	call := withBooks(t)
	id := add(t, call, "books", `{"title":"Dune"}`)
	for _, args := range []string{`{"recordId":"` + id + `"}`, `{"recordId":" ` + id + ` ","table":"BOOKS"}`} {
		got := play[oneRecord](t, call, "get_custom_record", args)
		if got.Message != "Record of books found." || text(t, got.Record, "title") != "Dune" || text(t, got.Record, "id") != id ||
			text(t, got.Record, "_createdAt") == "" || text(t, got.Record, "_updatedAt") == "" {
			t.Errorf("%s = %+v", args, got)
		}
	}
	unknownRecord(t, "get_custom_record", "")
}
