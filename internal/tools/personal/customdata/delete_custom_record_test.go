package customdata

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteCustomRecord(t *testing.T) {
	call := withBooks(t)
	kept := add(t, call, "books", `{"title":"Solaris"}`)
	id := add(t, call, "books", `{"title":"Dune"}`)
	got := play[deleteResult](t, call, "delete_custom_record", `{"table":"books","recordId":"`+id+`"}`)
	if got.Message != "Record deleted from books: "+id+"." || text(t, got.Deleted, "title") != "Dune" {
		t.Errorf("result %+v", got)
	}
	tooltest.Run(t, Set, "delete_custom_record", call, []tooltest.Case{
		{Name: "again", Args: `{"recordId":"` + id + `"}`, Fails: tool.NotFound, Message: "Record not found: " + id},
	})
	if got := play[listResult](t, call, "list_custom_records", `{"table":"books","limit":20}`); got.Total != 1 ||
		text(t, got.Records[0], "id") != kept {
		t.Errorf("left: %+v", got)
	}
	unknownRecord(t, "delete_custom_record", "")
}
