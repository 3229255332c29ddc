package customdata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateCustomTable(t *testing.T) {
	call := ann(t)
	got := play[oneTable](t, call, "create_custom_table", books)
	if got.Message != "Table created: books, with 7 column(s)." || got.Table.DisplayName != "Books" || got.Table.ID == "" ||
		got.Table.CreatedAt == "" {
		t.Errorf("result %+v", got)
	}
	var columns []string
	for _, c := range got.Table.Columns {
		columns = append(columns, fmt.Sprint(c.Name, " ", c.DisplayName, " ", c.Type, " ", c.Required, c.Unique, c.DefaultValue != nil))
	}
	want := []string{
		"title Title text true false false", "isbn ISBN text false true false", "pages Pages number false false false",
		"read Read boolean false false true",
		"bought Bought date false false false", "due Due datetime false false false", "extra Extra json false false false",
	}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	one := func(column string) string { return `{"table":"t","columns":[` + column + `]}` }
	tooltest.Run(t, Set, "create_custom_table", call, []tooltest.Case{
		{
			Name: "taken", Args: strings.Replace(books, "books", "BOOKS", 1), Fails: tool.ValidationError, Message: "there is a table books already",
		},
		{Name: "no table", Args: `{"columns":[{"name":"a","displayName":"A","type":"text"}]}`, Fails: tool.ValidationError, Message: "table"},
		{Name: "no columns", Args: `{"table":"t"}`, Fails: tool.ValidationError, Message: "columns"},
		{Name: "empty columns", Args: `{"table":"t","columns":[]}`, Fails: tool.ValidationError, Message: "columns"},
		{
			Name: "columns of another form", Args: one(`"title"`), Fails: tool.ValidationError,
			Message: `columns[0]: it does not have the form of a column`,
		},
		{
			Name: "type", Args: one(`{"name":"a","displayName":"A","type":"varchar"}`), Fails: tool.ValidationError,
			Message: `columns[0].type of a is "varchar", and must be text, number`,
		},
		{Name: "no type", Args: one(`{"name":"a","displayName":"A"}`), Fails: tool.ValidationError, Message: "must be text"},
		{
			Name: "two of a name", Args: one(`{"name":"a","type":"text"},{"name":"A","type":"text"}`), Fails: tool.ValidationError,
			Message: `columns[1].name: the table has two columns "A"`,
		},
		{Name: "unique json", Args: one(`{"name":"a","type":"json","unique":true}`), Fails: tool.ValidationError, Message: "cannot be unique"},
		{
			Name: "default of another type", Args: one(`{"name":"a","type":"number","defaultValue":"1"}`), Fails: tool.ValidationError,
			Message: "columns[0].defaultValue: it must be a number",
		},
		{
			Name: "default of a unique column", Args: one(`{"name":"a","type":"number","unique":true,"defaultValue":1}`),
			Fails: tool.ValidationError, Message: "unique column cannot have a default",
		},
		{
			Name: "default too long", Args: one(`{"name":"a","type":"text","defaultValue":"` + strings.Repeat("x", maxDefault) + `"}`),
			Fails: tool.ValidationError, Message: "at most 10000",
		},
		{Name: "too many columns", Args: one(columnsOf(maxColumns+1, "")), Fails: tool.ValidationError, Message: "at most 100 columns, not 101"},
		{
			Name: "too many unique columns", Args: one(columnsOf(maxUnique+1, `,"unique":true`)), Fails: tool.ValidationError,
			Message: "at most 4 unique columns, not 5",
		},
		{
			Name: "long title", Args: `{"table":"t","displayName":"` + strings.Repeat("x", 201) + `","columns":[{"name":"a","type":"text"}]}`,
			Fails: tool.ValidationError, Message: "displayName",
		},
		{
			Name: "NUL", Args: `{"table":"t","description":"a\u0000","columns":[{"name":"a","type":"text"}]}`, Fails: tool.ValidationError,
			Message: "NUL",
		},
	})
	if got := play[listTablesResult](t, call, "list_custom_tables", `{}`); got.Total != 1 {
		t.Errorf("%d tables, want 1", got.Total)
	}
	named := play[oneTable](t, call, "create_custom_table",
		`{"name":"by_alias","displayName":"Книги 📚 ספר","columns":[{"name":"a","type":"text"}]}`).Table
	if named.Name != "by_alias" || named.DisplayName != "Книги 📚 ספר" || named.Columns[0].DisplayName != "A" {
		t.Errorf("table %+v", named)
	}
}

// columnsOf returns columns, each with more members.
func columnsOf(n int, more string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"name":"c%d","displayName":"C","type":"text"%s}`, i, more)
	}
	return strings.Join(list, ",")
}

// TestMostTables: a person has at most so many tables, and another one is not concerned.
func TestMostTables(t *testing.T) {
	call := ann(t)
	args := func(i int) string { return fmt.Sprintf(`{"table":"t%d","columns":[{"name":"a","type":"text"}]}`, i) }
	for i := range maxTables {
		play[oneTable](t, call, "create_custom_table", args(i))
	}
	tooltest.Run(t, Set, "create_custom_table", call, []tooltest.Case{
		{Name: "one more", Args: args(maxTables), Fails: tool.RateLimited, Message: "delete_custom_table"},
	})
	call.User = "bob"
	play[oneTable](t, call, "create_custom_table", args(0))
}
