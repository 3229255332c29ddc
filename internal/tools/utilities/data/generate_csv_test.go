package data

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// rowsCase formats rows, given as text, and expects CSV with this number of rows.
func rowsCase(name, data, rest, csv string, rows int) tooltest.Case {
	quoted, _ := json.Marshal(data)
	wanted, _ := json.Marshal(csv)
	return tooltest.Case{
		Name: name, Args: `{"data":` + string(quoted) + rest + `}`,
		Want: fmt.Sprintf(`{"csv":%s,"rowCount":%d}`, wanted, rows), WantText: csv,
	}
}

func TestGenerateCSV(t *testing.T) {
	tooltest.Run(t, Set, "generate_csv", tool.Call{}, []tooltest.Case{
		rowsCase("objects", `[{"name":"Alice","age":30},{"name":"Bob","age":25}]`, ``, "name,age\nAlice,30\nBob,25", 3),
		rowsCase("quotes", `[{"note":"She said \"hi\""}]`, ``, "note\n\"She said \"\"hi\"\"\"", 2),
		rowsCase("comma", `[{"name":"Alice, Bob"}]`, ``, "name\n\"Alice, Bob\"", 2),
		rowsCase("lines", `[["a\nb","c\rd"]]`, ``, "\"a\nb\",\"c\rd\"", 1),
		rowsCase("another delimiter", `[{"a;b":"1,2","c":"3"}]`, `,"delimiter":";"`, "\"a;b\";c\n1,2;3", 2),
		rowsCase("tab", `[[1,2]]`, `,"delimiter":"\\t"`, "1\t2", 1),
		rowsCase("no header", `[{"a":1}]`, `,"includeHeader":false`, "1", 1),
		rowsCase("members of all", `[{"a":1},{"b":2,"a":3}]`, ``, "a,b\n1,\n3,2", 3),
		rowsCase("arrays", `[["x",1],["y"]]`, ``, "x,1\ny", 2),
		rowsCase("types", `[{"t":true,"n":null,"o":{"k": [1, "é"]},"d":1.10,"e":1e400}]`, ``,
			"t,n,o,d,e\ntrue,,\"{\"\"k\"\":[1,\"\"é\"\"]}\",1.10,1e400", 2),
		rowsCase("an empty value alone", `[{"a":""},{"a":null}]`, ``, "a\n\"\"\n\"\"", 3),
		rowsCase("formulas", `[["=1+1","+1 (x)","-x","@cmd","\tx","\rx","x=1"]]`, ``, "'=1+1,'+1 (x),'-x,'@cmd,'\tx,\"'\rx\",x=1", 1),
		rowsCase("numbers with a sign", `[[-5,"-5","+3.5e2","-"]]`, ``, "-5,-5,+3.5e2,-", 1),
		rowsCase("phone numbers", `[["+90 532 123 45 67","+1 (415) 555-2671","+1;2"]]`, ``, "+90 532 123 45 67,+1 (415) 555-2671,'+1;2", 1),
		rowsCase("a formula as a name", `[{"=a":1}]`, ``, "'=a\n1", 2),
		{Name: "a real array", Args: `{"data":[{"a":1}]}`, Want: `{"csv":"a\n1","rowCount":2}`},
	})
}

func TestGenerateCSVRefused(t *testing.T) {
	var columns []string
	for i := range 2000 {
		columns = append(columns, fmt.Sprintf(`{"%d":1}`, i))
	}
	wide, err := json.Marshal("[" + strings.Join(columns, ",") + "]")
	if err != nil {
		t.Fatal(err)
	}
	long, err := json.Marshal(`[{"a":"` + strings.Repeat("=", 1000) + `"}` + strings.Repeat(`,{}`, 1) + `]`)
	if err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "generate_csv", tool.Call{}, []tooltest.Case{
		{Name: "an object", Args: `{"data":"{\"a\":1}"}`, Fails: tool.ValidationError, Message: "non-empty array"},
		{Name: "no rows", Args: `{"data":"[]"}`, Fails: tool.ValidationError, Message: "non-empty array"},
		{Name: "a string", Args: `{"data":"\"x\""}`, Fails: tool.ValidationError, Message: "non-empty array"},
		{Name: "not JSON", Args: `{"data":"a,b"}`, Fails: tool.ValidationError, Message: "Invalid JSON in data: "},
		{
			Name:    "mixed",
			Args:    `{"data":"[{\"a\":1},[2]]"}`,
			Fails:   tool.ValidationError,
			Message: "Item 2 of data is of type array although the first one is of type object",
		},
		{Name: "a value among rows", Args: `{"data":"[[1],2]"}`, Fails: tool.ValidationError, Message: "Item 2"},
		{Name: "values", Args: `{"data":"[1,\"x\",null]"}`, Fails: tool.ValidationError, Message: "non-empty array of objects or of arrays"},
		{Name: "objects without members", Args: `{"data":"[{},{}]"}`, Fails: tool.ValidationError, Message: "no columns"},
		{Name: "delimiter", Args: `{"data":"[[1]]","delimiter":"ab"}`, Fails: tool.ValidationError, Message: "delimiter"},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "data"},
		{
			Name:    "as many columns as rows",
			Args:    `{"data":` + string(wide) + `}`,
			Fails:   tool.ValidationError,
			Message: "A table of 2000 rows and 2000 columns is too large",
		},
		{
			Name: "a long formula",
			Args: `{"data":` + string(long) + `}`,
			Want: `{"csv":"a\n'` + strings.Repeat("=", 1000) + `\n\"\"","rowCount":3}`,
		},
	})
}
