package customdata

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// begun is a call that has run and is not committed yet.
type begun struct {
	store      *tooltest.Store
	name, args string
}

func begin(t *testing.T, call tool.Call, id, name, args string) begun {
	t.Helper()
	s := call.Store.(*tooltest.Store).For("default", "ann")
	call.ID, call.Store = id, s
	for _, tl := range Set.Tools() {
		if tl.Name != name {
			continue
		}
		inv, err := tl.Bind([]byte(args))
		if err == nil {
			_, err = inv.Run(t.Context(), &call)
		}
		if err != nil {
			t.Fatalf("%s(%s): %v", name, args, err)
		}
	}
	return begun{s, name, args}
}

// TestCallsMeanwhile: a call that ran before another one was committed runs again if the
// other one matters to it, and then sees what that has stored.
func TestCallsMeanwhile(t *testing.T) {
	const (
		list   = `{"table":"books","limit":20}`
		tableA = `{"table":"wines","columns":[{"name":"a","type":"text"}]}`
		tableB = `{"table":"Wines","columns":[{"name":"b","type":"text"}]}`
	)
	record := func(data string) string { return `{"table":"books","data":` + data + `}` }
	for _, c := range []struct {
		title       string
		first, args string // runs, and then
		other, then string // is committed
		fails       tool.Kind
		message     string
		check       func(t *testing.T, call tool.Call)
	}{
		{
			title: "two tables of a name", first: "create_custom_table", args: tableA, other: "create_custom_table", then: tableB,
			fails: tool.ValidationError, message: "there is a table Wines already",
		},
		{
			title: "two values of a unique column", first: "add_custom_record", args: record(`{"title":"a","isbn":"9"}`),
			other: "add_custom_record", then: record(`{"title":"b","isbn":"9"}`), fails: tool.ValidationError, message: "isbn must be unique",
		},
		{
			title: "a column dropped while a record is added", first: "add_custom_record", args: record(`{"title":"a","pages":1}`),
			other: "update_custom_table", then: `{"table":"books","drop":["pages"]}`, fails: tool.ValidationError, message: `no column "pages"`,
		},
		{
			title: "a column dropped while a record is changed", first: "update_custom_record", args: `{"recordId":"ID","data":{"pages":2}}`,
			other: "update_custom_table", then: `{"table":"books","drop":["pages"]}`, fails: tool.ValidationError, message: `no column "pages"`,
		},
		{
			title: "a record added while a column is dropped", first: "update_custom_table",
			args:  `{"table":"books","drop":["extra"],"add":[{"name":"stars","type":"number","defaultValue":3}]}`,
			other: "add_custom_record", then: record(`{"title":"a","extra":"secret"}`),
			check: func(t *testing.T, call tool.Call) {
				table := play[listTablesResult](t, call, "list_custom_tables", `{}`).Tables[0]
				for _, doc := range documents(t, call, table.ID) {
					if strings.Contains(doc, "secret") {
						t.Errorf("a dropped value is left in %s", doc)
					}
				}
				if got := play[listResult](t, call, "list_custom_records", `{"table":"books","limit":9,"filter":{"stars":3}}`); got.Total != 2 {
					t.Errorf("%d records have the default value, want 2", got.Total)
				}
			},
		},
		{
			title: "a record added while its table is deleted", first: "delete_custom_table", args: `{"table":"books"}`,
			other: "add_custom_record", then: record(`{"title":"a"}`),
			check: func(t *testing.T, call tool.Call) {
				tooltest.Run(t, Set, "list_custom_records", call, []tooltest.Case{{Name: "gone", Args: list, Fails: tool.NotFound}})
			},
		},
		{
			title: "a table deleted while a record is added", first: "add_custom_record", args: record(`{"title":"a"}`),
			other: "delete_custom_table", then: `{"table":"books"}`, fails: tool.NotFound, message: "Table not found",
		},
		{
			title: "columns changed twice", first: "update_custom_table", args: `{"table":"books","add":[{"name":"x","type":"text"}]}`,
			other: "update_custom_table", then: `{"table":"books","drop":["title"],"add":[{"name":"y","type":"text"}]}`,
			check: func(t *testing.T, call tool.Call) {
				if got := names(play[listTablesResult](t, call, "list_custom_tables", `{}`).Tables[0]); got != "isbn pages read bought due extra y x" {
					t.Errorf("columns %s", got)
				}
			},
		},
	} {
		t.Run(c.title, func(t *testing.T) {
			call := withBooks(t)
			id := add(t, call, "books", `{"title":"Dune","pages":1}`)
			c.args = strings.Replace(c.args, "ID", id, 1)
			first := begin(t, call, "first", c.first, c.args)
			call.ID = "second"
			play[any](t, call, c.other, c.then)
			if err := first.store.Commit(t.Context()); err == nil {
				t.Fatal("the first call is committed, and had to run again")
			}
			call.ID = "first"
			_, err := try(t, call, first.name, first.args)
			if e := tool.AsError(err); c.fails != "" && (e == nil || e.Kind != c.fails || !strings.Contains(e.Msg, c.message)) ||
				c.fails == "" && err != nil {
				t.Errorf("the first call again: %v, want %s %q", err, c.fails, c.message)
			}
			if c.check != nil {
				c.check(t, call)
			}
		})
	}
}

// TestAddsBeside: calls that add records do not have to run again because of each other.
func TestAddsBeside(t *testing.T) {
	call := withBooks(t)
	first := begin(t, call, "call-1", "add_custom_record", `{"table":"books","data":{"title":"a"}}`)
	second := begin(t, call, "call-2", "add_custom_record", `{"table":"books","data":{"title":"b"}}`)
	for _, b := range []begun{first, second} {
		if err := b.store.Commit(t.Context()); err != nil {
			t.Errorf("%s: %v", b.args, err)
		}
	}
}
