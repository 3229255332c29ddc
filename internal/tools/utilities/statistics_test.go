package utilities

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/sample"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestStatistics(t *testing.T) {
	const oneToFive = `{"count":5,"sum":15,"mean":3,"median":3,"mode":"no mode","variance":2,"standardDeviation":1.4142,"min":1,"max":5,"range":4,"quartiles":{"q1":2,"q2":3,"q3":4}`
	tooltest.Run(t, Set, "statistics", tool.Call{}, []tooltest.Case{
		{Name: "JSON as text", Args: `{"numbers":"[1, 2, 3, 4, 5]"}`, Want: oneToFive + `}`},
		{Name: "JSON", Args: `{"numbers":[5,4,3,2,1]}`, Want: oneToFive + `}`},
		{Name: "commas", Args: `{"numbers":"1, 2,3,4,5"}`, Want: oneToFive + `}`},
		{Name: "lines and semicolons", Args: `{"numbers":" 1;2\n3\t4  5 "}`, Want: oneToFive + `}`},
		{Name: "quoted", Args: `{"numbers":"[\"1\", 2, \" 3 \", 4.0, 5e0]"}`, Want: oneToFive + `}`},
		{
			Name: "the minus of typography", Args: `{"numbers":"−1, 1"}`,
			Want: `{"count":2,"sum":0,"mean":0,"median":0,"mode":"no mode","variance":1,"standardDeviation":1,"min":-1,"max":1,"range":2,"quartiles":{"q1":-0.5,"q2":0,"q3":0.5}}`,
		},
		{Name: "ignored", Args: `{"numbers":"1, two, 2, 3, 4, NaN, 5, Infinity"}`, Want: oneToFive + `,"ignored":["two","NaN","Infinity"]}`},
		{
			Name: "ignored of JSON", Args: `{"numbers":[1,null,2,3,[9],4,5,{"a":1},true]}`,
			Want: oneToFive + `,"ignored":["null","[9]","{\"a\":1}","true"]}`,
		},
		{
			Name: "percentile", Args: `{"numbers":"[1,2,3,4,5,6,7,8,9,10]","percentile":90}`,
			Want: `{"count":10,"sum":55,"mean":5.5,"median":5.5,"mode":"no mode","variance":8.25,"standardDeviation":2.8723,"min":1,"max":10,"range":9,"quartiles":{"q1":3.25,"q2":5.5,"q3":7.75},"requestedPercentile":{"percentile":90,"value":9.1}}`,
		},
		{
			Name: "percentile 0", Args: `{"numbers":"3,1","percentile":0}`,
			Want: `{"count":2,"sum":4,"mean":2,"median":2,"mode":"no mode","variance":1,"standardDeviation":1,"min":1,"max":3,"range":2,"quartiles":{"q1":1.5,"q2":2,"q3":2.5},"requestedPercentile":{"percentile":0,"value":1}}`,
		},
		{
			Name: "two modes", Args: `{"numbers":"[3,1,1,2,3]"}`,
			Want: `{"count":5,"sum":10,"mean":2,"median":2,"mode":[1,3],"variance":0.8,"standardDeviation":0.8944,"min":1,"max":3,"range":2,"quartiles":{"q1":1,"q2":2,"q3":3}}`,
		},
		{
			Name: "one mode",
			Args: `{"numbers":"[1,2,2,3]"}`,
			Want: `{"count":4,"sum":8,"mean":2,"median":2,"mode":[2],"variance":0.5,"standardDeviation":0.7071,"min":1,"max":3,"range":2,"quartiles":{"q1":1.75,"q2":2,"q3":2.25}}`,
		},
		{
			Name: "one number", Args: `{"numbers":"-2.5","percentile":100}`,
			Want: `{"count":1,"sum":-2.5,"mean":-2.5,"median":-2.5,"mode":"no mode","variance":0,"standardDeviation":0,"min":-2.5,"max":-2.5,"range":0,"quartiles":{"q1":-2.5,"q2":-2.5,"q3":-2.5},"requestedPercentile":{"percentile":100,"value":-2.5}}`,
		},
		{
			Name: "a bare number",
			Args: `{"numbers":7}`,
			Want: `{"count":1,"sum":7,"mean":7,"median":7,"mode":"no mode","variance":0,"standardDeviation":0,"min":7,"max":7,"range":0,"quartiles":{"q1":7,"q2":7,"q3":7}}`,
		},
		{Name: "no dust", Args: `{"numbers":"0.1, 0.2, 1e16, -1e16"}`, Check: hasField("sum", "0.3")},
		{Name: "tiny", Args: `{"numbers":"0.00001, 0.00002"}`, Check: hasField("mean", "0.000015")},
		{Name: "every digit", Args: `{"numbers":[9007199254740993, 9007199254740993, 0.00001, -1]}`,
			Want: `{"count":4,"sum":18014398509481985.00001,"mean":4503599627370496.2500025,"median":4503599627370496.500005,"mode":[9007199254740993],` +
				`"variance":20282409603651677179324174343623.83501875001875,"standardDeviation":4503599627370496.75,"min":-1,"max":9007199254740993,"range":9007199254740994,"quartiles":{"q1":-0.2499925,"q2":4503599627370496.500005,"q3":9007199254740993}}`},
		{Name: "digits without end", Args: `{"numbers":"0.1, 0.1, 0.2"}`, Check: hasField("mean", "0.1333")},
		{Name: "small digits without end", Args: `{"numbers":"0.0001, 0.0001, 0.0002"}`, Check: hasField("mean", "0.0001333")},
		{Name: "too small for a float", Args: `{"numbers":"1e-999999999, 2"}`, Check: hasField("sum", "2")},
		{
			Name: "huge and tiny", Args: `{"numbers":"1e150, 1e-150"}`,
			Check: hasField("range", strings.Repeat("9", 150)+"."+strings.Repeat("9", 150)),
		},
		{Name: "none", Args: `{"numbers":"[]"}`, Fails: tool.ValidationError, Message: "No valid numbers provided"},
		{Name: "empty", Args: `{"numbers":""}`, Fails: tool.ValidationError, Message: "No valid numbers provided"},
		{Name: "null", Args: `{"numbers":null}`, Fails: tool.ValidationError, Message: "No valid numbers provided"},
		{Name: "words", Args: `{"numbers":"one two"}`, Fails: tool.ValidationError, Message: "No valid numbers provided"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "numbers"},
		{Name: "broken JSON", Args: `{"numbers":"[1, 2"}`, Fails: tool.ValidationError, Message: "JSON array"},
		{Name: "too large", Args: `{"numbers":"1e308, 1e308, -1e308"}`, Fails: tool.ValidationError, Message: "too large"},
		{Name: "percentile above", Args: `{"numbers":"1","percentile":101}`, Fails: tool.ValidationError, Message: "percentile"},
		{Name: "percentile below", Args: `{"numbers":"1","percentile":-1}`, Fails: tool.ValidationError, Message: "percentile"},
		{
			Name: "too many", Args: `{"numbers":"` + strings.Repeat("1,", sample.MaxSample+1) + `"}`, Fails: tool.ValidationError,
			Message: "at most 100000",
		},
		{Name: "most", Args: `{"numbers":"` + strings.Repeat("0.1,", sample.MaxSample) + `"}`, Check: hasField("sum", "10000")},
	})
}

// hasField checks one field of a result, by path with dots, as JSON.
func hasField(path, want string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		if got := fieldOf(t, res, path); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
}

func fieldOf(t *testing.T, res tool.Result, path string) string {
	t.Helper()
	value := res.Value
	for name := range strings.SplitSeq(path, ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			t.Fatalf("%s: %s is no object: %v", path, value, err)
		}
		value = object[name]
	}
	return string(value)
}

// textsOf returns the strings of a result's list.
func textsOf(t *testing.T, res tool.Result, path string) []string {
	t.Helper()
	var list []string
	if err := json.Unmarshal([]byte(fieldOf(t, res, path)), &list); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return list
}
