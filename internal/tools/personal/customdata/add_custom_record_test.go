package customdata

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddCustomRecord(t *testing.T) {
	call := withBooks(t)
	data := `{"TITLE":"Dune 📚 ספר","isbn":"1","pages":412.0,"bought":"2026-11-20","due":"2026-12-01 09:00","extra":{"z":1.10,"a":["x"]}}`
	got := play[oneRecord](t, call, "add_custom_record", `{"table":"Books","data":`+data+`}`)
	id := text(t, got.Record, "id")
	want := `{"id":"` + id + `","title":"Dune 📚 ספר","isbn":"1","pages":412,"read":false,"bought":"2026-11-20","due":"2026-12-01T09:00:00","extra":{"z":1.10,"a":["x"]},"_createdAt":"`
	if got.Message != "Record added to books." || !strings.HasPrefix(string(got.Record), want) || len(id) > 40 {
		t.Errorf("result %s %s, want %s…", got.Message, got.Record, want)
	}
	if read := play[oneRecord](t, call, "get_custom_record", `{"recordId":"`+id+`"}`); string(read.Record) != string(got.Record) {
		t.Errorf("read %s, want %s", read.Record, got.Record)
	}
	books := func(data string) string { return `{"table":"books","data":` + data + `}` }
	tooltest.Run(t, Set, "add_custom_record", call, []tooltest.Case{
		{Name: "required", Args: books(`{"isbn":"2"}`), Fails: tool.ValidationError, Message: "data: the table books requires a value for title"},
		{Name: "required and null", Args: books(`{"title":null}`), Fails: tool.ValidationError, Message: "requires a value for title"},
		{
			Name:    "unknown column",
			Args:    books(`{"title":"x","writer":"y"}`),
			Fails:   tool.ValidationError,
			Message: `data: the table books has no column "writer"; its columns are title, isbn`,
		},
		{Name: "hostile column", Args: books(`{"title":"x","$.c1') OR 1=1 --":"y"}`), Fails: tool.ValidationError, Message: "has no column"},
		{Name: "reserved column", Args: books(`{"title":"x","id":"y"}`), Fails: tool.ValidationError, Message: `no column "id"`},
		{Name: "column twice", Args: books(`{"title":"x","Title":"y"}`), Fails: tool.ValidationError, Message: "the column title is named twice"},
		{Name: "type", Args: books(`{"title":"x","pages":"412"}`), Fails: tool.ValidationError, Message: "data.pages: it must be a number"},
		{Name: "a word for a date", Args: books(`{"title":"x","bought":"tomorrow"}`), Fails: tool.ValidationError, Message: "data.bought: "},
		{
			Name:    "taken",
			Args:    books(`{"title":"x","isbn":"1"}`),
			Fails:   tool.ValidationError,
			Message: `data: isbn must be unique, and "1" is taken: the record ` + id + " has it",
		},
		{Name: "no object", Args: books(`[]`), Fails: tool.ValidationError, Message: "data"},
		{Name: "no data", Args: `{"table":"books"}`, Fails: tool.ValidationError, Message: "data"},
		{Name: "null", Args: books(`null`), Fails: tool.ValidationError, Message: "data"},
		{Name: "defaults and no unique value", Args: books(`{"title":"x"}`), Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"title":"x","read":false,"_createdAt"`) {
				t.Errorf("result %s", res.Value)
			}
		}},
		{Name: "null in place of the default", Args: books(`{"title":"y","read":null,"isbn":null}`), Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"title":"y","_createdAt"`) {
				t.Errorf("result %s", res.Value)
			}
		}},
	})
	if got := play[listResult](t, call, "list_custom_records", `{"table":"books","limit":20}`).Total; got != 3 {
		t.Errorf("%d records, want 3", got)
	}
	unknownTable(t, "add_custom_record", `,"data":{"title":"x"}`)
}

// TestLongText: a text of 900 kB is kept, and found by words in its beginning.
func TestLongText(t *testing.T) {
	call := withBooks(t)
	long := "needle " + strings.Repeat("hay ", maxText/4-2)
	id := add(t, call, "books", `{"title":"`+long+`"}`)
	if got := text(t, play[oneRecord](t, call, "get_custom_record", `{"recordId":"`+id+`"}`).Record, "title"); got != long {
		t.Errorf("a text of %d bytes is returned as %d", len(long), len(got))
	}
	if got := play[listResult](t, call, "search_custom_records", `{"table":"books","query":"needle","limit":5}`); got.Total != 1 {
		t.Errorf("search finds %d records", got.Total)
	}
}

// TestUniqueZero: zero and false are unique as other values are; no value and an empty
// text are not.
func TestUniqueZero(t *testing.T) {
	call := ann(t)
	play[oneTable](t, call, "create_custom_table", `{"table":"u","columns":[
		{"name":"n","type":"number","unique":true},{"name":"t","type":"text","unique":true},{"name":"b","type":"boolean","unique":true},{"name":"d","type":"date","unique":true}]}`)
	for _, data := range []string{`{"n":0}`, `{"b":false}`, `{"b":true}`, `{"d":"2026-11-23"}`, `{"n":-1.5}`, `{"t":"a"}`} {
		add(t, call, "u", `{}`)
		add(t, call, "u", data)
		tooltest.Run(t, Set, "add_custom_record", call, []tooltest.Case{
			{Name: data, Args: `{"table":"u","data":` + data + `}`, Fails: tool.ValidationError, Message: "must be unique"},
		})
	}
	add(t, call, "u", `{"t":"A"}`) // case counts
	add(t, call, "u", `{"t":""}`)
	add(t, call, "u", `{"t":""}`) // an empty text is not compared
}
