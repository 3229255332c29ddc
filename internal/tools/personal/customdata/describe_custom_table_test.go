package customdata

import "testing"

func TestDescribeCustomTable(t *testing.T) {
	call := withBooks(t)
	empty := play[describeResult](t, call, "describe_custom_table", `{"table":"books"}`)
	if empty.Message != "Table books: 7 column(s), 0 record(s)." || empty.Table.Stats != (stats{LastChange: empty.Table.UpdatedAt}) {
		t.Errorf("an empty table: %+v", empty)
	}
	id := add(t, call, "books", `{"title":"Dune","pages":412}`)
	add(t, call, "books", `{"title":"Solaris"}`)
	got := play[describeResult](t, call, "describe_custom_table", `{"table":"`+empty.Table.ID+`"}`)
	both := got.Table.Stats
	if both.RecordCount != 2 || both.Bytes < 200 || both.LastChange == "" || got.Table.Name != "books" || len(got.Table.Columns) != 7 {
		t.Errorf("table %+v, want 2 records", got.Table)
	}
	play[deleteResult](t, call, "delete_custom_record", `{"recordId":"`+id+`"}`)
	if got := play[describeResult](t, call, "describe_custom_table", `{"table":"books"}`).Table.Stats; got.RecordCount != 1 ||
		got.Bytes < 100 || got.Bytes >= both.Bytes-100 {
		t.Errorf("after a deletion: %+v, before %+v", got, both)
	}
	unknownTable(t, "describe_custom_table", "")
}
