package data

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// arrayCase is a call on an array, given as text, and the wanted result.
func arrayCase(name, array, rest, want string) tooltest.Case {
	text, _ := json.Marshal(array)
	return tooltest.Case{Name: name, Args: fmt.Sprintf(`{"array":%s,%s}`, text, rest), Want: want}
}

func TestArrayOperations(t *testing.T) {
	const people = `[{"n":"Bo","age":41},{"n":"Al","age":9},{"n":"Cy"},{"n":"Di","age":"10"}]`
	tooltest.Run(t, Set, "array_operations", tool.Call{}, []tooltest.Case{
		arrayCase("sort", "[3,1,2]", `"operation":"sort"`, `{"operation":"sort","inputLength":3,"result":[1,2,3]}`),
		arrayCase("sort by value",
			"[10,9,-1.5,1e1,0.5]", `"operation":"sort"`, `{"operation":"sort","inputLength":5,"result":[-1.5,0.5,9,10,1e1]}`),
		arrayCase("sort text", `["b","a","B"]`, `"operation":"sort"`, `{"operation":"sort","inputLength":3,"result":["B","a","b"]}`),
		arrayCase("sort numbers in strings",
			`["10","9","x"]`, `"operation":"sort"`, `{"operation":"sort","inputLength":3,"result":["9","10","x"]}`),
		arrayCase("sort what is mixed",
			`[null,{"a":1},[2],"x",true,1]`, `"operation":"sort"`, `{"operation":"sort","inputLength":6,"result":[1,"x",true,[2],{"a":1},null]}`),
		arrayCase("sort large numbers", `[9007199254740993,9007199254740992]`, `"operation":"sort"`,
			`{"operation":"sort","inputLength":2,"result":[9007199254740992,9007199254740993]}`),
		arrayCase("sort by member", people, `"operation":"sort","options":{"sortKey":"age"}`,
			`{"operation":"sort","inputLength":4,"result":[{"n":"Al","age":9},{"n":"Di","age":"10"},{"n":"Bo","age":41},{"n":"Cy"}]}`),
		arrayCase("sort downwards", people, `"operation":"sort","options":{"sortKey":"age","sortOrder":"desc"}`,
			`{"operation":"sort","inputLength":4,"result":[{"n":"Bo","age":41},{"n":"Di","age":"10"},{"n":"Al","age":9},{"n":"Cy"}]}`),
		arrayCase("reverse", "[1,2,3]", `"operation":"reverse"`, `{"operation":"reverse","inputLength":3,"result":[3,2,1]}`),
		arrayCase("unique", "[1,2,2,3,3,3]", `"operation":"unique"`, `{"operation":"unique","inputLength":6,"result":[1,2,3]}`),
		arrayCase("unique by value", `[{"a":1,"b":2},{"b":2.0,"a":1},"1",1,1.0,"\u0031"]`, `"operation":"unique"`,
			`{"operation":"unique","inputLength":6,"result":[{"a":1,"b":2},"1",1]}`),
		arrayCase("unique by member", `[{"a":1,"b":2},{"a":1},{"b":1}]`, `"operation":"unique","options":{"sortKey":"a"}`,
			`{"operation":"unique","inputLength":3,"result":[{"a":1,"b":2},{"b":1}]}`),
		arrayCase("chunk", "[1,2,3,4]", `"operation":"chunk"`, `{"operation":"chunk","inputLength":4,"result":[[1,2],[3,4]]}`),
		arrayCase("chunk of a size",
			"[1,2,3,4,5]", `"operation":"chunk","options":{"chunkSize":3}`, `{"operation":"chunk","inputLength":5,"result":[[1,2,3],[4,5]]}`),
		arrayCase("chunk of nothing", "[]", `"operation":"chunk"`, `{"operation":"chunk","inputLength":0,"result":[]}`),
		arrayCase("one chunk",
			"[1]", `"operation":"chunk","options":{"chunkSize":2000000000}`, `{"operation":"chunk","inputLength":1,"result":[[1]]}`),
		arrayCase("flatten", "[1,[2,[3,[]]],[[4]]]", `"operation":"flatten"`, `{"operation":"flatten","inputLength":3,"result":[1,2,3,4]}`),
		arrayCase("first", "[1,2,3]", `"operation":"first"`, `{"operation":"first","inputLength":3,"result":[1]}`),
		arrayCase("first of nothing", "[]", `"operation":"first"`, `{"operation":"first","inputLength":0,"result":[]}`),
		arrayCase("last", "[10,20,30]", `"operation":"last"`, `{"operation":"last","inputLength":3,"result":[30]}`),
		arrayCase("last two", "[1,2,3,4,5]", `"operation":"last","options":{"count":2}`, `{"operation":"last","inputLength":5,"result":[4,5]}`),
		arrayCase("last two and a half",
			"[1,2,3]", `"operation":"last","options":{"count":2.5}`, `{"operation":"last","inputLength":3,"result":[2,3]}`),
		arrayCase("last of fewer", "[1]", `"operation":"last","options":{"count":9}`, `{"operation":"last","inputLength":1,"result":[1]}`),
		arrayCase("count", "[1,2,3,4]", `"operation":"count"`, `{"operation":"count","inputLength":4,"result":4}`),
		arrayCase("sample of all that are alike",
			"[7,7,7]", `"operation":"sample","options":{"sampleSize":2}`, `{"operation":"sample","inputLength":3,"result":[7,7]}`),
		{Name: "a real array", Args: `{"array":[3,1,2],"operation":"sort"}`, Want: `{"operation":"sort","inputLength":3,"result":[1,2,3]}`},
		{Name: "digits and spelling stay", Args: `{"array":"[1.10, \"<\\u00e9>\" ]","operation":"reverse"}`,
			Check: func(t *testing.T, res tool.Result) {
				if got := string(res.Value); !strings.Contains(got, `["<\u00e9>",1.10]`) {
					t.Errorf("result %s, want the items as they were written", got)
				}
			}},
	})
}

func TestArrayNumbers(t *testing.T) {
	tooltest.Run(t, Set, "array_operations", tool.Call{}, []tooltest.Case{
		arrayCase("sum", "[5,3,8.5]", `"operation":"sum"`, `{"operation":"sum","inputLength":3,"result":16.5}`),
		arrayCase("an exact sum", "[0.1,0.2,9007199254740993,1e-20]", `"operation":"sum"`,
			`{"operation":"sum","inputLength":4,"result":9007199254740993.30000000000000000001}`),
		arrayCase("sum of powers", "[1e3,2E+2,-1200]", `"operation":"sum"`, `{"operation":"sum","inputLength":3,"result":0}`),
		arrayCase("sum of nothing", "[]", `"operation":"sum"`, `{"operation":"sum","inputLength":0,"result":0}`),
		arrayCase("sum with others", `[1,"2",null,3]`, `"operation":"sum"`, `{"operation":"sum","inputLength":4,"result":4,"skipped":2}`),
		arrayCase("sum of strings", `["1","2.5","x"]`, `"operation":"sum"`, `{"operation":"sum","inputLength":3,"result":0,"skipped":3}`),
		arrayCase("avg", "[1,2]", `"operation":"avg"`, `{"operation":"avg","inputLength":2,"result":1.5}`),
		arrayCase("avg that does not end", "[10,0,0]", `"operation":"avg"`, `{"operation":"avg","inputLength":3,"result":3.3333333333333335}`),
		arrayCase("avg beyond floats",
			"[1e350,1e350,1e350,0,0,0,0]", `"operation":"avg"`, `{"operation":"avg","inputLength":7,"result":4.2857142857142857e+349}`),
		arrayCase("avg of nothing", "[]", `"operation":"avg"`, `{"operation":"avg","inputLength":0,"result":0}`),
		arrayCase("max", "[5,3,8,1,9]", `"operation":"max"`, `{"operation":"max","inputLength":5,"result":9}`),
		arrayCase("max of large ones",
			"[9007199254740993,9007199254740992]", `"operation":"max"`, `{"operation":"max","inputLength":2,"result":9007199254740993}`),
		arrayCase("min", "[5,-3e2,8]", `"operation":"min"`, `{"operation":"min","inputLength":3,"result":-300}`),
		arrayCase("min of nothing", "[]", `"operation":"min"`, `{"operation":"min","inputLength":0,"result":null}`),
		arrayCase("max of words", `["a","b"]`, `"operation":"max"`, `{"operation":"max","inputLength":2,"result":null,"skipped":2}`),
		arrayCase("max of strings", `["10","9"]`, `"operation":"max"`, `{"operation":"max","inputLength":2,"result":null,"skipped":2}`),
		arrayCase("max of a member", `[{"a":1},{"a":7},{"b":9}]`, `"operation":"max","options":{"sortKey":"a"}`,
			`{"operation":"max","inputLength":3,"result":7,"skipped":1}`),
		{Name: "too large to add", Args: `{"array":"[1,1e999999999999]","operation":"sum"}`, Fails: tool.ValidationError, Message: "Item 2"},
		{
			Name:    "too long to add",
			Args:    `{"array":"[` + strings.Repeat("1", 500) + `]","operation":"sum"}`,
			Fails:   tool.ValidationError,
			Message: "Item 1",
		},
		arrayCase("but it can be sorted", "[1e999999999999,1e-99999999999999999999,2]", `"operation":"sort"`,
			`{"operation":"sort","inputLength":3,"result":[1e-99999999999999999999,2,1e999999999999]}`),
	})
}

func TestArrayRefused(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	tooltest.Run(t, Set, "array_operations", tool.Call{}, []tooltest.Case{
		{Name: "operation", Args: `{"array":"[1,2]","operation":"unknown"}`, Fails: tool.ValidationError, Message: "operation"},
		{Name: "no operation", Args: `{"array":"[1,2]"}`, Fails: tool.ValidationError, Message: "operation"},
		{Name: "no array", Args: `{"operation":"sort"}`, Fails: tool.ValidationError, Message: "array"},
		{
			Name:    "an object",
			Args:    `{"array":"{}","operation":"sort"}`,
			Fails:   tool.ValidationError,
			Message: "must be a JSON array, but it is of type object",
		},
		{
			Name:    "a number",
			Args:    `{"array":5,"operation":"sort"}`,
			Fails:   tool.ValidationError,
			Message: "must be a JSON array, but it is of type number",
		},
		{
			Name:    "not JSON",
			Args:    `{"array":"[1,\n 2","operation":"sort"}`,
			Fails:   tool.ValidationError,
			Message: "Invalid JSON in array: it ends too early at line 2, column 3.",
		},
		{
			Name:    "deep",
			Args:    `{"array":"` + deep + `","operation":"flatten"}`,
			Fails:   tool.ValidationError,
			Message: "nested more than 128 deep at line 1, column 129",
		},
		{
			Name:    "negative chunks",
			Args:    `{"array":"[1]","operation":"chunk","options":{"chunkSize":-1}}`,
			Fails:   tool.ValidationError,
			Message: "options.chunkSize must be 1 or more, not -1",
		},
		{
			Name:    "negative count",
			Args:    `{"array":"[1]","operation":"last","options":{"count":-1}}`,
			Fails:   tool.ValidationError,
			Message: "options.count",
		},
		{
			Name:    "negative sample",
			Args:    `{"array":"[1]","operation":"sample","options":{"sampleSize":-2}}`,
			Fails:   tool.ValidationError,
			Message: "options.sampleSize",
		},
		{
			Name:    "no chunks",
			Args:    `{"array":"[1]","operation":"chunk","options":{"chunkSize":0}}`,
			Fails:   tool.ValidationError,
			Message: "options.chunkSize must be 1 or more, not 0",
		},
		{
			Name:    "half a chunk",
			Args:    `{"array":"[1]","operation":"chunk","options":{"chunkSize":0.5}}`,
			Fails:   tool.ValidationError,
			Message: "options.chunkSize must be 1 or more, not 0.5",
		},
		{
			Name:    "no items",
			Args:    `{"array":"[1]","operation":"first","options":{"count":0}}`,
			Fails:   tool.ValidationError,
			Message: "options.count must be 1 or more, not 0",
		},
		{
			Name:    "no sample",
			Args:    `{"array":"[1]","operation":"sample","options":{"sampleSize":0}}`,
			Fails:   tool.ValidationError,
			Message: "options.sampleSize must be 1 or more, not 0",
		},
		{
			Name:    "direction",
			Args:    `{"array":"[1]","operation":"sort","options":{"sortOrder":"up"}}`,
			Fails:   tool.ValidationError,
			Message: "sortOrder",
		},
	})
}

// Random operations draw from the array, each item once.
func TestArrayLots(t *testing.T) {
	drawn := func(n int) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			var got struct{ Result []int }
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			slices.Sort(got.Result)
			if len(slices.Compact(got.Result)) != n || slices.Min(got.Result) < 1 || slices.Max(got.Result) > 5 {
				t.Errorf("drawn %v, want %d different numbers from 1 to 5", got.Result, n)
			}
		}
	}
	tooltest.Run(t, Set, "array_operations", tool.Call{}, []tooltest.Case{
		{Name: "shuffle", Args: `{"array":"[1,2,3,4,5]","operation":"shuffle"}`, Check: drawn(5)},
		{Name: "sample", Args: `{"array":"[1,2,3,4,5]","operation":"sample","options":{"sampleSize":3}}`, Check: drawn(3)},
		{Name: "sample of one", Args: `{"array":"[1,2,3,4,5]","operation":"sample"}`, Check: drawn(1)},
		{Name: "sample of all", Args: `{"array":"[1,2,3,4,5]","operation":"sample","options":{"sampleSize":50}}`, Check: drawn(5)},
	})
}
