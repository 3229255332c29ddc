package customdata

import (
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListCustomTables(t *testing.T) {
	call := withBooks(t)
	play[oneTable](t, call, "create_custom_table",
		`{"table":"wines","displayName":"The cellar","description":"What we have","columns":[{"name":"year","displayName":"Year","type":"number"}]}`)
	got := play[listTablesResult](t, call, "list_custom_tables", `{}`)
	if got.Message != "2 table(s) found." || got.Total != 2 || got.Count != 2 || got.Truncated || got.Tables[0].Name != "wines" ||
		got.Tables[0].DisplayName != "The cellar" ||
		got.Tables[0].Description != "What we have" || len(got.Tables[1].Columns) != 7 ||
		string(*got.Tables[1].Columns[3].DefaultValue) != "false" {
		t.Errorf("result %+v", got)
	}
	if got := play[listTablesResult](t, call, "list_custom_tables", `{"offset":1}`); got.Count != 1 || got.Total != 2 ||
		got.Tables[0].Name != "books" {
		t.Errorf("from the second on: %+v", got)
	}
	call.User = "bob"
	tooltest.Run(t, Set, "list_custom_tables", call, []tooltest.Case{
		{Name: "nothing of others", Args: `{}`, Want: `{"message":"0 table(s) found.","tables":[],"total":0,"count":0,"truncated":false}`},
	})
}
