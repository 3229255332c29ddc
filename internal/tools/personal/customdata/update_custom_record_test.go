package customdata

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpdateCustomRecord(t *testing.T) {
	call := withBooks(t)
	other := add(t, call, "books", `{"title":"Solaris","isbn":"2"}`)
	id := add(t, call, "books", `{"title":"Dune","isbn":"1","pages":412}`)
	args := func(data string) string { return `{"recordId":"` + id + `","data":` + data + `}` }
	got := play[updateResult](t, call, "update_custom_record", args(`{"read":true,"pages":null,"isbn":"1","Title":"Dune Messiah"}`))
	if diff := cmp.Diff([]string{"title", "pages", "read"}, got.Changed); diff != "" ||
		got.Message != "Record of books updated (title, pages, read)." {
		t.Errorf("%q, changed (-want +got):\n%s", got.Message, diff)
	}
	if want := `{"id":"` + id + `","title":"Dune Messiah","isbn":"1","read":true,"_createdAt":`; !strings.HasPrefix(string(got.Record), want) {
		t.Errorf("record %s, want %s…", got.Record, want)
	}
	if again := play[updateResult](t, call, "update_custom_record", args(`{"read":true}`)); len(again.Changed) != 0 ||
		!strings.Contains(again.Message, "nothing changed") {
		t.Errorf("the same again: %+v", again)
	}
	if got := found(t, call, "search_custom_records", `{"table":"books","limit":20,"query":"messiah"}`, "title"); got != "Dune Messiah" {
		t.Errorf("search after the update finds %q", got)
	}
	tooltest.Run(t, Set, "update_custom_record", call, []tooltest.Case{
		{Name: "nothing", Args: args(`{}`), Fails: tool.ValidationError, Message: "nothing to change was given"},
		{Name: "required", Args: args(`{"title":null}`), Fails: tool.ValidationError, Message: "requires a value for title"},
		{
			Name:    "taken",
			Args:    args(`{"isbn":"2"}`),
			Fails:   tool.ValidationError,
			Message: `isbn must be unique, and "2" is taken: the record ` + other + " has it",
		},
		{Name: "type", Args: args(`{"read":"yes"}`), Fails: tool.ValidationError, Message: "data.read"},
		{Name: "unknown column", Args: args(`{"writer":"x"}`), Fails: tool.ValidationError, Message: "has no column"},
		{Name: "reserved", Args: args(`{"_createdAt":"2026-01-01"}`), Fails: tool.ValidationError, Message: "has no column"},
		{Name: "no data", Args: `{"recordId":"` + id + `"}`, Fails: tool.ValidationError, Message: "data"},
	})
	play[deleteResult](t, call, "delete_custom_record", `{"recordId":"`+other+`"}`)
	play[updateResult](t, call, "update_custom_record", args(`{"isbn":"2"}`)) // it is free now
	unknownRecord(t, "update_custom_record", `,"data":{"title":"x"}`)
}
