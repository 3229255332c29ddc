package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateTable(t *testing.T) {
	long := strings.Repeat("x", 100)
	tooltest.Run(t, Set, "create_table", tool.Call{}, []tooltest.Case{
		{
			Name: "objects", Args: `{"rows":[{"name":"Ada","born":1815},{"name":"Grace"}]}`,
			Want:     `{"table":"| name  | born |\n| ----- | ---- |\n| Ada   | 1815 |\n| Grace |      |","rowCount":2,"columnCount":2}`,
			WantText: "| name  | born |\n| ----- | ---- |\n| Ada   | 1815 |\n| Grace |      |",
		},
		{Name: "text of rows", Args: `{"rows":"[{\"a\":1}]"}`, WantText: "| a   |\n| --- |\n| 1   |"},
		{Name: "empty headers", Args: `{"rows":[{"a":1}],"headers":[]}`, WantText: "| a   |\n| --- |\n| 1   |"},
		{
			Name: "arrays",
			Args: `{"rows":[["a","b"],[1,true],[null]]}`,
			Want: `{"table":"| a   | b    |\n| --- | ---- |\n| 1   | true |\n|     |      |","rowCount":2,"columnCount":2}`,
		},
		{
			Name: "arrays with headers",
			Args: `{"rows":[[1,2,3]],"headers":["a"]}`,
			Want: `{"table":"| a   |     |     |\n| --- | --- | --- |\n| 1   | 2   | 3   |","rowCount":1,"columnCount":3}`,
		},
		{Name: "chosen members", Args: `{"rows":[{"a":1,"b":2}],"headers":["b","z"]}`, WantText: "| b   | z   |\n| --- | --- |\n| 2   |     |"},
		{Name: "values", Args: `{"rows":[1,2]}`, Fails: tool.ValidationError, Message: "non-empty array of objects or of arrays"},
		{Name: "one row", Args: `{"rows":[[1,2]],"headers":["x","y"]}`, WantText: "| x   | y   |\n| --- | --- |\n| 1   | 2   |"},
		{
			Name: "what breaks cells", Args: `{"rows":[["a|b"],["x\ny\r\nz"],["C:\\|"],["\t\u0001é  "]]}`,
			WantText: "| a\\|b        |\n| ----------- |\n| x<br>y<br>z |\n| C:\\\\\\|      |\n| é           |",
		},
		{Name: "nested", Args: `{"rows":[["a"],[{"k":[1, 2]}]]}`, WantText: "| a           |\n| ----------- |\n| {\"k\":[1,2]} |"},
		{
			Name:     "a long cell",
			Args:     `{"rows":[["a"],["` + long + `"]]}`,
			WantText: "| a" + strings.Repeat(" ", 59) + " |\n| " + strings.Repeat("-", 60) + " |\n| " + long + " |",
		},
		{Name: "no rows", Args: `{"rows":[]}`, Fails: tool.ValidationError, Message: "non-empty array"},
		{Name: "no columns", Args: `{"rows":[[]]}`, Fails: tool.ValidationError, Message: "no columns"},
		{Name: "not JSON", Args: `{"rows":"a,b"}`, Fails: tool.ValidationError, Message: "Invalid JSON in rows"},
		{Name: "mixed", Args: `{"rows":[[1],{"a":1}]}`, Fails: tool.ValidationError, Message: "Item 2 of rows"},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "data"},
	})
}

func TestCreateTableBounded(t *testing.T) {
	headers := strings.TrimSuffix(strings.Repeat(`"a",`, 3000), ",")
	rows := strings.TrimSuffix(strings.Repeat(`{"a":1},`, 3000), ",")
	arrays := fmt.Sprintf(`[1],[%s]`, strings.TrimSuffix(strings.Repeat(`1,`, 300_000), ","))
	tooltest.Run(t, Set, "create_table", tool.Call{}, []tooltest.Case{
		{Name: "many headers", Args: `{"rows":[` + rows + `],"headers":[` + headers + `]}`, Fails: tool.ValidationError, Message: "too large"},
		{Name: "a wide row", Args: `{"rows":[` + arrays + `]}`, Fails: tool.ValidationError, Message: "larger than 4 MiB"},
	})
}
