package customdata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// names returns the names of columns.
func names(t shownTable) string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = c.Name
	}
	return strings.Join(list, " ")
}

func TestUpdateCustomTable(t *testing.T) {
	call := withBooks(t)
	id := add(t, call, "books", `{"title":"Dune","isbn":"1","pages":412,"extra":{"secret":"sandworm"}}`)
	get := func() string {
		return string(play[oneRecord](t, call, "get_custom_record", `{"recordId":"`+id+`"}`).Record)
	}
	update := func(args string) updateTableResult {
		return play[updateTableResult](t, call, "update_custom_table", `{"table":"books",`+args+`}`)
	}
	got := update(`"displayName":"My books","rename":{"title":"pages","Pages":"Title"}`)
	if diff := cmp.Diff([]string{"displayName", "rename"}, got.Changed); diff != "" ||
		names(got.Table) != "pages isbn Title read bought due extra" || got.Table.DisplayName != "My books" {
		t.Errorf("%+v, changed (-want +got):\n%s", got, diff)
	}
	if want := `{"id":"` + id + `","pages":"Dune","isbn":"1","Title":412,"read":false,"extra"`; !strings.HasPrefix(get(), want) {
		t.Errorf("record %s, want %s…", get(), want)
	}
	if got := found(t, call, "list_custom_records", `{"table":"books","limit":9,"filter":{"Title":412}}`, "pages"); got != "Dune" {
		t.Errorf("a renamed column finds %q", got)
	}
	update(`"rename":{"pages":"title","Title":"pages"}`)
	got = update(`"drop":["extra","isbn"],"rename":{"bought":"extra"},"add":[{"name":"isbn","type":"text","defaultValue":"none"},{"name":"stars","type":"number","required":true,"defaultValue":3}]`)
	if got.Message != "Table updated: books (drop, rename, add)." || names(got.Table) != "title pages read extra due isbn stars" {
		t.Errorf("%s: columns %s", got.Message, names(got.Table))
	}
	if want := `{"id":"` + id + `","title":"Dune","pages":412,"read":false,"isbn":"none","stars":3,"_createdAt"`; !strings.HasPrefix(get(),
		want) {
		t.Errorf("record %s, want %s…", get(), want)
	}
	for args, want := range map[string]string{
		`{"table":"books","limit":9,"filter":{"stars":3,"isbn":"none"}}`: "Dune", `{"table":"books","limit":9,"filter":{"extra":null}}`: "Dune",
	} {
		if got := found(t, call, "list_custom_records", args, "title"); got != want {
			t.Errorf("%s lists %q, want %q", args, got, want)
		}
	}
	if got := found(t, call, "search_custom_records", `{"table":"books","limit":9,"query":"sandworm"}`, "title"); got != "" {
		t.Errorf("a dropped value is found in %q", got)
	}
	if docs := documents(t, call, got.Table.ID); len(docs) != 1 || strings.Contains(docs[0], "sandworm") {
		t.Errorf("the documents are %s", docs)
	}
	if again := update(`"displayName":"My books","rename":{"pages":"pages"}`); len(again.Changed) != 0 ||
		!strings.Contains(again.Message, "nothing changed") {
		t.Errorf("the same again: %+v", again)
	}
}

func TestUpdateCustomTableRefuses(t *testing.T) {
	call := withBooks(t)
	add(t, call, "books", `{"title":"Dune"}`)
	var cases []tooltest.Case
	for args, want := range map[string]string{
		``:                                    "nothing to change was given",
		`,"drop":[],"add":[],"rename":{}`:     "nothing to change was given",
		`,"rename":{"writer":"x"}`:            `rename: the table books has no column "writer"`,
		`,"rename":{"title":"isbn"}`:          `two columns "isbn"`,
		`,"rename":{"isbn":"TITLE"}`:          `two columns "TITLE"`,
		`,"rename":{"title":"pg_x"}`:          "rename.title: the name \"pg_x\" is reserved",
		`,"rename":{"title":"a b"}`:           "cannot be a name",
		`,"rename":{"title":"a","TITLE":"b"}`: "to be renamed twice",
		`,"drop":["writer"]`:                  `drop: the table books has no column "writer"`,
		`,"drop":["isbn","isbn"]`:             `has no column "isbn"`,
		`,"drop":["title","isbn","pages","read","bought","due","extra"]`: "at least one column",
		`,"add":[{"name":"Title","type":"text"}]`:                        `add[0].name: the table has two columns "Title"`,
		`,"add":[{"name":"x","type":"text","required":true}]`: "required and the table has 1 record(s) without it: " +
			"give a defaultValue",
		`,"add":[{"name":"x","type":"blob"}]`: "must be text, number",
		`,"add":["x"]`:                        "add[0]: it does not have the form",
		`,"add":[` + columnsOf(94, "") + `]`:  "at most 100 columns, not 101",
	} {
		cases = append(cases, tooltest.Case{Name: args, Args: `{"table":"books"` + args + `}`, Fails: tool.ValidationError, Message: want})
	}
	before := play[listTablesResult](t, call, "list_custom_tables", `{}`)
	tooltest.Run(t, Set, "update_custom_table", call, cases)
	if diff := cmp.Diff(before, play[listTablesResult](t, call, "list_custom_tables", `{}`)); diff != "" {
		t.Errorf("a refused call changed the table:\n%s", diff)
	}
	unknownTable(t, "update_custom_table", `,"displayName":"x"`)
}

// TestUpdateRisk: a call that drops nothing has a low risk.
func TestUpdateRisk(t *testing.T) {
	books := withBooks(t)
	if kept, ok := books.Store.(*tooltest.Store); ok {
		books.Store = kept.For("default", books.User)
	}
	for args, want := range map[string]tool.Risk{`"displayName":"x"`: tool.Low, `"drop":["isbn"]`: ""} {
		for _, tl := range Set.Tools() {
			if tl.Name != "update_custom_table" {
				continue
			}
			inv, err := tl.Bind([]byte(`{"table":"books",` + args + `}`))
			if err != nil {
				t.Fatal(err)
			}
			call := books
			if err := inv.Check(t.Context(), &call); err != nil || call.Risk != want {
				t.Errorf("%s: risk %q, %v, want %q", args, call.Risk, err, want)
			}
		}
	}
}

// TestManyRecordsRewritten: all records of more than one page lose a dropped value and get
// a default one.
func TestManyRecordsRewritten(t *testing.T) {
	call := withBooks(t)
	var all []string
	for i := range 1050 {
		all = append(all, fmt.Sprintf(`{"title":"t%d","pages":%d}`, i, i))
		if len(all) == 50 {
			play[batchResult](t, call, "batch_add_custom_records", `{"table":"books","records":[`+strings.Join(all, ",")+`]}`)
			all = nil
		}
	}
	play[updateTableResult](t, call, "update_custom_table",
		`{"table":"books","drop":["pages"],"add":[{"name":"seen","type":"boolean","defaultValue":true}]}`)
	got := play[listResult](t, call, "list_custom_records", `{"table":"books","limit":1,"offset":1049,"filter":{"seen":true}}`)
	if got.Total != 1050 || !strings.Contains(string(got.Records[0]), `"title":"t0","read":false,"seen":true,"_c`) {
		t.Errorf("%d records, the last is %s", got.Total, got.Records)
	}
	if got := play[deleteTableResult](t, call, "delete_custom_table", `{"table":"books"}`); got.Deleted.RecordCount != 1050 {
		t.Errorf("%d records were deleted", got.Deleted.RecordCount)
	}
}
