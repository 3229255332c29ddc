package customdata

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteCustomTable(t *testing.T) {
	call := withBooks(t)
	id := add(t, call, "books", `{"title":"Dune"}`)
	for range 11 {
		add(t, call, "books", `{"title":"Solaris"}`)
	}
	tooltest.Run(t, Set, "delete_custom_table", call, []tooltest.Case{
		{Name: "not confirmed", Args: `{"table":"books","confirm":false}`, Fails: tool.ValidationError, Message: "set confirm to true"},
	})
	found := play[listTablesResult](t, call, "list_custom_tables", `{}`).Tables[0]
	if docs := documents(t, call, found.ID); len(docs) != 12 {
		t.Fatalf("%d records are stored, want 12", len(docs))
	}
	got := play[deleteTableResult](t, call, "delete_custom_table", `{"table":"books","confirm":true}`)
	if got.Message != "Table deleted: books, with 12 record(s)." || got.Deleted.Name != "books" || got.Deleted.RecordCount != 12 {
		t.Errorf("result %+v", got)
	}
	if docs := documents(t, call, found.ID); len(docs) != 0 {
		t.Errorf("%d records are left", len(docs))
	}
	tooltest.Run(t, Set, "get_custom_record", call, []tooltest.Case{
		{Name: "a record of it", Args: `{"recordId":"` + id + `"}`, Fails: tool.NotFound},
	})
	play[oneTable](t, call, "create_custom_table", books) // the name is free
	if got := play[listResult](t, call, "list_custom_records", `{"table":"books","limit":5}`).Total; got != 0 {
		t.Errorf("a new table has %d records", got)
	}
	unknownTable(t, "delete_custom_table", "")
}
