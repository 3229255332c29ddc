package data

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// formatCase formats a text and expects this text.
func formatCase(name, text, rest, want string) tooltest.Case {
	quoted, _ := json.Marshal(text)
	return tooltest.Case{Name: name, Args: `{"json":` + string(quoted) + rest + `}`, WantText: want}
}

func TestFormatJSON(t *testing.T) {
	const nested = `{"z":{"b":2,"a":1},"m":0}`
	tooltest.Run(t, Set, "format_json", tool.Call{}, []tooltest.Case{
		{
			Name: "prettify", Args: `{"json":"{\"a\":1,\"b\":2}","operation":"prettify"}`,
			Want: `{"operation":"prettify","result":"{\n  \"a\": 1,\n  \"b\": 2\n}"}`,
		},
		formatCase("prettify by default", `{"a":[]}`, ``, "{\n  \"a\": []\n}"),
		formatCase("indent", `{"a":1}`, `,"indent":4`, "{\n    \"a\": 1\n}"),
		formatCase("one line", `{ "a" : 1 }`, `,"indent":0`, `{"a":1}`),
		formatCase("minify", " {\n\"a\" : [ 1 , \"x y\" ] } ", `,"operation":"minify"`, `{"a":[1,"x y"]}`),
		formatCase("every digit",
			`[1.10,12345678901234567890123456789,-0,1E+2]`, `,"operation":"minify"`, `[1.10,12345678901234567890123456789,-0,1E+2]`),
		formatCase("order of members", `{"b":1,"a":2}`, `,"operation":"minify"`, `{"b":1,"a":2}`),
		formatCase("byte order mark", "\ufeff{}", ``, `{}`),
		formatCase("a scalar", `"x"`, ``, `"x"`),
		formatCase("sort keys", nested, `,"operation":"sort_keys"`, "{\n  \"m\": 0,\n  \"z\": {\n    \"a\": 1,\n    \"b\": 2\n  }\n}"),
		formatCase("sort keys in arrays", `[{"b":1,"a":[]},2]`, `,"operation":"sort_keys","indent":0`, `[{"a":[],"b":1},2]`),
		formatCase("keys", nested, `,"operation":"get_keys","indent":0`, `["z","m"]`),
		formatCase("keys of an array", `["x","y"]`, `,"operation":"get_keys","indent":0`, `[0,1]`),
		formatCase("keys of a number", `1`, `,"operation":"get_keys"`, `[]`),
		formatCase("values", nested, `,"operation":"get_values","indent":0`, `[{"b":2,"a":1},0]`),
		formatCase("values of an array", `[1]`, `,"operation":"get_values","indent":0`, `[1]`),
		formatCase("values of a number", `1`, `,"operation":"get_values","indent":0`, `[1]`),
		formatCase("flatten", `{"a":{"b":{"c":1},"d.e":[{"f":2}],"":{}},"g":null}`, `,"operation":"flatten","indent":0`,
			`{"a.b.c":1,"a[\"d.e\"]":[{"f":2}],"a[\"\"]":{},"g":null}`),
		formatCase("flatten an array", `[{"a":{"b":1}},2]`, `,"operation":"flatten","indent":0`, `{"0.a.b":1,"1":2}`),
		formatCase("flatten nothing", `{}`, `,"operation":"flatten"`, `{}`),
		formatCase("flatten a number", `1`, `,"operation":"flatten"`, `1`),
		{Name: "a real object", Args: `{"json":{"a": 1},"operation":"minify"}`, WantText: `{"a":1}`},
		{
			Name: "path", Args: `{"json":"{\"items\":[{\"id\":1},{\"id\":2}]}","operation":"get_path","path":"items[0].id"}`,
			Want: `{"operation":"get_path","result":"1"}`,
		},
	})
}

func TestFormatJSONPath(t *testing.T) {
	const text = `{"items":[{"id":1},{"id":"two"}],"a.b":{"":3,"]\"]":4},"$":5,"$ref":6,"7":8}`
	var cases []tooltest.Case
	for path, want := range map[string]string{
		"items[1].id": "two", "items.1.id": "two", "$.items[-1].id": "two", "$['items'][0].id": "1", `items[0]["id"]`: "1",
		`["a.b"][""]`: "3", `["a.b"]['\]\"\]']`: "", `$["$"]`: "5", "$ref": "6", "7": "8", ".7": "8", "[7]": "8",
		"items[0]": "{\n  \"id\": 1\n}",
	} {
		if want == "" {
			path, want = `["a.b"][']"]']`, "4"
		}
		quoted, _ := json.Marshal(path)
		cases = append(cases, formatCase(path, text, `,"operation":"get_path","path":`+string(quoted), want))
	}
	for path, message := range map[string]string{
		"":             "Path is required for get_path operation",
		"items[2]":     `There is nothing at the path "items[2]": the value at items is an array of 2 items`,
		"items[-3]":    "array of 2 items",
		"items.x":      `the value at items is an array, which has no "x"`,
		"nope":         `the whole value has no member "nope", only items, a.b, $, $ref, 7`,
		"items[0].id.": "a name is missing", "items[0].id.x": "is of type number, which has no parts",
		"items[": "not valid", "items[]": "not valid", `["a`: "a quoted name does not end", "items..id": "a name is missing",
		"items[99999999999999999999]": "is an array", strings.Repeat("a", 5000): "longer than 4096 bytes",
	} {
		quoted, _ := json.Marshal(path)
		c := formatCase("not "+path, text, `,"operation":"get_path","path":`+string(quoted), "")
		c.WantText, c.Fails, c.Message = "", tool.ValidationError, message
		cases = append(cases, c)
	}
	tooltest.Run(t, Set, "format_json", tool.Call{}, cases)
}

func TestFormatJSONRefused(t *testing.T) {
	wide := `{"` + strings.Repeat("n", 100_000) + `":{` + strings.TrimSuffix(strings.Repeat(`"a":{},`, 1), ",")
	for i := range 100 {
		wide += `,"k` + strings.Repeat("x", i) + `":1`
	}
	wide += "}}"
	indented := strings.Repeat("[", 120) + strings.TrimSuffix(strings.Repeat("1,", 20_000), ",") + strings.Repeat("]", 120)
	refused := func(name, text, rest, message string) tooltest.Case {
		c := formatCase(name, text, rest, "")
		c.Fails, c.Message = tool.ValidationError, message
		return c
	}
	tooltest.Run(t, Set, "format_json", tool.Call{}, []tooltest.Case{
		refused("empty", ``, ``, "there is nothing in it"),
		refused("blank", " \n", ``, "there is nothing in it"),
		refused("place", "{\n  \"ä\": 1,\n  \"b\" 2}", ``, "at line 3, column 7"),
		refused("single quotes", `{'a':1}`, ``, "at line 1, column 2"),
		refused("trailing comma", `[1,]`, ``, "at line 1, column 3"),
		refused("cut off", `{"a":[1`, ``, "it ends too early at line 1, column 8"),
		refused("two values", "{}\n {}", ``, "something follows the value at line 2, column 2"),
		refused("duplicate", "{\"a\":1,\n\"a\":2}", ``, `the member "a" is there twice at line 2, column 1`),
		refused("lone surrogate", `"\ud800"`, ``, "line 1, column"),
		refused("not a number", `[NaN]`, ``, "line 1, column 2"),
		refused("deep", strings.Repeat(`{"a":`, 129)+"1"+strings.Repeat("}", 129), ``, "nested more than 128 deep"),
		refused("large when indented", indented, `,"indent":10`, "larger than 4 MiB"),
		refused("large when flat", wide, `,"operation":"flatten"`, "larger than 4 MiB"),
		refused("operation", `{}`, `,"operation":"beautify"`, "operation"),
		refused("indent", `{}`, `,"indent":11`, "indent"),
		{Name: "no json", Args: `{}`, Fails: tool.ValidationError, Message: "json"},
	})
}
