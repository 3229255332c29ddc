package customdata

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestSearchCustomRecords(t *testing.T) {
	call := withBooks(t)
	add(t, call, "books", `{"title":"Crème brûlée at home","isbn":"978-1","bought":"2026-11-20"}`)
	add(t, call, "books", `{"title":"100% café_","extra":{"author":{"name":"Łucja"},"tags":["sweet",1,true]}}`)
	add(t, call, "books", `{"title":"ספר הבישול 🍲"}`)
	for query, want := range map[string]string{
		"creme":          "Crème brûlée at home",
		"BRUL cre":       "Crème brûlée at home",
		"978":            "Crème brûlée at home",
		"2026-11-20":     "Crème brûlée at home",
		"cafe":           "100% café_",
		"sweet":          "100% café_",
		"100%":           "100% café_",
		"author":         "", // a name, not a text
		"הבישול":         "ספר הבישול 🍲",
		"🍲":              "ספר הבישול 🍲",
		"%":              "",
		"*":              "",
		"\\\" OR 1=1":    "",
		"words : home":   "",
		"home NOT xyz":   "",
		"NEAR(home)":     "",
		"ome":            "",
		"' UNION SELECT": "",
	} {
		if got := found(t, call, "search_custom_records", `{"table":"books","limit":20,"query":"`+query+`"}`, "title"); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	tooltest.Run(t, Set, "search_custom_records", call, []tooltest.Case{
		{Name: "blank", Args: `{"table":"books","limit":20,"query":" "}`, Fails: tool.ValidationError, Message: "query is missing or blank"},
		{Name: "none", Args: `{"table":"books","limit":20}`, Fails: tool.ValidationError, Message: "query"},
	})
	unknownTable(t, "search_custom_records", `,"limit":20,"query":"x"`)
}
