package customdata

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// books is a table with a column of each type.
const books = `{"table":"books","columns":[
	{"name":"title","displayName":"Title","type":"text","required":true},
	{"name":"isbn","displayName":"ISBN","type":"text","unique":true},
	{"name":"pages","displayName":"Pages","type":"number"},
	{"name":"read","displayName":"Read","type":"boolean","defaultValue":false},
	{"name":"bought","displayName":"Bought","type":"date"},
	{"name":"due","displayName":"Due","type":"datetime"},
	{"name":"extra","displayName":"Extra","type":"json"}]}`

// ann returns a call of ann's, over an empty store.
func ann(t testing.TB) tool.Call {
	t.Helper()
	return tool.Call{
		User:  "ann",
		Store: tooltest.NewStore(t),
		Clock: tooltest.Clock{T: time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)},
	}
}

// withBooks returns a call of ann's, who has the table books.
func withBooks(t testing.TB) tool.Call {
	t.Helper()
	call := ann(t)
	play[oneTable](t, call, "create_custom_table", books)
	return call
}

// try makes a call.
func try(t testing.TB, call tool.Call, name, args string) (tool.Result, error) {
	t.Helper()
	for _, tl := range Set.Tools() {
		if tl.Name == name {
			return tooltest.Play(t.Context(), tl, call, args)
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Result{}, nil
}

// play makes a call that must succeed, and decodes its result.
func play[T any](t testing.TB, call tool.Call, name, args string) T {
	t.Helper()
	var out T
	res, err := try(t, call, name, args)
	if err != nil {
		t.Fatalf("%s(%.200s): %v", name, args, err)
	}
	if err := json.Unmarshal(res.Value, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// add adds a record to a table and returns its id.
func add(t testing.TB, call tool.Call, table, data string) string {
	t.Helper()
	return text(t, play[oneRecord](t, call, "add_custom_record", `{"table":"`+table+`","data":`+data+`}`).Record, "id")
}

// text returns a member of an object that is a text.
func text(t testing.TB, object tool.Object, name string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(object, &members); err != nil {
		t.Fatal(err)
	}
	value, _ := members[name].(string)
	return value
}

// documents returns what is stored for the records of a table of ann's.
func documents(t testing.TB, call tool.Call, tableID string) []string {
	t.Helper()
	page, err := call.Store.(*tooltest.Store).For("default", "ann").Query(t.Context(), &tool.Shape{Name: collection(tableID)}, tool.Query{})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(page.Rows))
	for i, row := range page.Rows {
		list[i] = string(row.Doc)
	}
	return list
}

// found returns the texts of one column of the records that a call lists.
func found(t testing.TB, call tool.Call, name, args, column string) string {
	t.Helper()
	list := ""
	for _, r := range play[listResult](t, call, name, args).Records {
		if list != "" {
			list += ", "
		}
		list += text(t, r, column)
	}
	return list
}

// unknownTable holds a tool to its refusal of tables: of no such table, of another
// person's, and of hostile names.
func unknownTable(t *testing.T, name, more string) {
	t.Helper()
	call := withBooks(t)
	id := play[listTablesResult](t, call, "list_custom_tables", `{}`).Tables[0].ID
	call.User = "bob"
	tooltest.Run(t, Set, name, call, []tooltest.Case{
		{Name: "no such table", Args: `{"table":"nope"` + more + `}`, Fails: tool.NotFound, Message: "Table not found: nope; list_custom_tables"},
		{Name: "another person's", Args: `{"table":"books"` + more + `}`, Fails: tool.NotFound, Message: "Table not found: books"},
		{Name: "another person's by id", Args: `{"table":"` + id + `"` + more + `}`, Fails: tool.NotFound},
		{Name: "hostile table", Args: `{"table":"x'; DROP TABLE store_row; --"` + more + `}`, Fails: tool.NotFound},
		{Name: "table with NUL", Args: `{"table":"a\u0000b"` + more + `}`, Fails: tool.NotFound},
		{Name: "blank table", Args: `{"table":"  "` + more + `}`, Fails: tool.ValidationError, Message: "table is missing or blank"},
	})
}

// unknownRecord holds a tool to its refusal of ids of records.
func unknownRecord(t *testing.T, name, more string) {
	t.Helper()
	call := withBooks(t)
	id := add(t, call, "books", `{"title":"Dune"}`)
	play[oneTable](t, call, "create_custom_table", `{"table":"other","columns":[{"name":"title","displayName":"Title","type":"text"}]}`)
	refusals := func(id string) []tooltest.Case {
		return []tooltest.Case{
			{
				Name:    "no record",
				Args:    `{"recordId":"nope"` + more + `}`,
				Fails:   tool.NotFound,
				Message: "Record not found: nope; list_custom_records",
			},
			{Name: "no record of a table", Args: `{"recordId":"` + id + `x"` + more + `}`, Fails: tool.NotFound},
			{Name: "hostile id", Args: `{"recordId":"' OR 1=1 -- -%_*"` + more + `}`, Fails: tool.NotFound},
			{Name: "id with NUL", Args: `{"recordId":"a-\u0000b"` + more + `}`, Fails: tool.NotFound},
		}
	}
	tooltest.Run(t, Set, name, call, append(refusals(id),
		tooltest.Case{
			Name:    "in another table",
			Args:    `{"table":"other","recordId":"` + id + `"` + more + `}`,
			Fails:   tool.NotFound,
			Message: "Record not found: " + id,
		},
		tooltest.Case{
			Name:    "in no table",
			Args:    `{"table":"nope","recordId":"` + id + `"` + more + `}`,
			Fails:   tool.NotFound,
			Message: "Table not found",
		},
	))
	call.User = "bob"
	tooltest.Run(t, Set, name, call, append(refusals(id),
		tooltest.Case{
			Name:    "another person's",
			Args:    `{"recordId":"` + id + `"` + more + `}`,
			Fails:   tool.NotFound,
			Message: "Record not found: " + id,
		},
	))
}
