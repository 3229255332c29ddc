package dataextraction

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExtractTableData(t *testing.T) {
	tooltest.Run(t, Set, "extract_table_data", tool.Call{}, []tooltest.Case{
		{
			Name: "csv",
			Args: `{"text":"name,age\nann,\"4,1\"\n"}`,
			Want: `{"format":"csv","tableCount":1,"tables":[{"headers":["name","age"],"rows":[["ann","4,1"]]}]}`,
		},
		{
			Name: "semicolons",
			Args: `{"content":"name;age\nann;1,5"}`,
			Want: `{"format":"csv","tableCount":1,"tables":[{"headers":["name","age"],"rows":[["ann","1,5"]]}]}`,
		},
		{
			Name: "no header",
			Args: `{"text":"1,2\n3,4","hasHeader":false}`,
			Want: `{"format":"csv","tableCount":1,"tables":[{"rows":[["1","2"],["3","4"]]}]}`,
		},
		{Name: "html",
			Args: `{"text":"<p>x</p><table><tr><th>a<th>b &amp; c</tr><tr><td><b>1</b><br>2</td><td>3</td></table><TABLE><tr><td>z</table>"}`,
			Want: `{"format":"html","tableCount":2,"tables":[{"headers":["a","b & c"],"rows":[["1 2","3"]]},{"headers":["z"],"rows":[]}]}`},
		{Name: "a table in a cell", Args: `{"text":"<table><tr><td>out<table><tr><td>in</table>side</table>","hasHeader":false}`,
			Want: `{"format":"html","tableCount":2,"tables":[{"rows":[["in"]]},{"rows":[["outside"]]}]}`},
		{Name: "markdown", Args: `{"text":"Text\n\n| a | b |\n|---|:-:|\n| **1** | x\\|y |\n\n| c |\n|---|\n| 2 |\n"}`,
			Want: `{"format":"markdown","tableCount":2,"tables":[{"headers":["a","b"],"rows":[["1","x|y"]]},{"headers":["c"],"rows":[["2"]]}]}`},
		{
			Name: "columns",
			Args: `{"text":"name   age\n----   ---\nann    41\n"}`,
			Want: `{"format":"text","tableCount":1,"tables":[{"headers":["name","age"],"rows":[["ann","41"]]}]}`,
		},
		{
			Name: "drawn",
			Args: `{"text":"+---+---+\n| a | b |\n+---+---+\n| 1 |   |\n","format":"text"}`,
			Want: `{"format":"text","tableCount":1,"tables":[{"headers":["a","b"],"rows":[["1",""]]}]}`,
		},
		{Name: "no table", Args: `{"text":"nothing","format":"html"}`, Want: `{"format":"html","tableCount":0,"tables":[]}`},
		{Name: "blank", Args: `{"text":" "}`, Fails: tool.ValidationError, Message: "Content is required for table extraction"},
		{Name: "a bad delimiter", Args: `{"text":"a,b\nc,d","delimiter":"ab","format":"csv"}`, Fails: tool.ValidationError, Message: "delimiter"},
	})
}

// TestHostileTables: however a table is made, the cells of a result are bounded, and depth
// costs nothing.
func TestHostileTables(t *testing.T) {
	for name, page := range map[string]string{
		"cells": "<table>" + strings.Repeat("<td>", maxCells+10),
		"depth": strings.Repeat("<table><tr><td>", 100_000),
		"ends":  strings.Repeat("</table></tr></td>", 10_000) + "<td>",
	} {
		all, cut, err := htmlTables(t.Context(), page)
		cells := 0
		for _, rows := range all {
			for _, row := range rows {
				cells += len(row)
			}
		}
		if err != nil || cells > maxCells+1 || cut != (name == "cells" || name == "depth" && cells > maxCells) {
			t.Errorf("%s: %d cells, cut %v, %v", name, cells, cut, err)
		}
	}
	if rows, cut := columns(strings.Repeat("a\tb\n", maxCells), ""); len(rows) != maxCells/2 || !cut {
		t.Errorf("%d rows, cut %v; want %d rows and cut", len(rows), cut, maxCells/2)
	}
}

func FuzzTables(f *testing.F) {
	f.Add("<table><tr><td>a</table>")
	f.Add("|a|b|\n|-|-|\n|1|2|")
	f.Add("a,b\n1,\"2")
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func() ([][][]string, bool, error){
			func() ([][][]string, bool, error) { return htmlTables(t.Context(), text) },
			func() ([][][]string, bool, error) { return markdownTables(t.Context(), text) },
		} {
			all, _, err := read()
			if err != nil {
				continue
			}
			for _, rows := range all {
				if len(rows) == 0 {
					t.Errorf("a table of %q has no rows", text)
				}
			}
		}
		columns(text, "")
	})
}
