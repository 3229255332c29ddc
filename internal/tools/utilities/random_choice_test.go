package utilities

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestRandomChoice(t *testing.T) {
	oneOf := func(total string, choices ...string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			choice, index := fieldOf(t, res, "choice"), fieldOf(t, res, "index")
			if at := slices.Index(choices, choice); at < 0 || !strings.HasPrefix(index, string(rune('0'+at))) || fieldOf(t, res, "total") != total {
				t.Errorf("%s, want one of %q with its index", res.Value, choices)
			}
		}
	}
	shuffled := func(t *testing.T, res tool.Result) {
		t.Helper()
		got := textsOf(t, res, "choices")
		slices.Sort(got)
		if !slices.Equal(got, []string{"a", "b", "c"}) || fieldOf(t, res, "count") != "3" {
			t.Errorf("%s, want a, b and c in some order", res.Value)
		}
	}
	tooltest.Run(t, Set, "random_choice", tool.Call{}, []tooltest.Case{
		{Name: "array", Args: `{"choices":["a","b","c"]}`, Check: oneOf("3", `"a"`, `"b"`, `"c"`)},
		{Name: "array as text", Args: `{"choices":"[\"a\", 2, {\"n\": 1.10}, null]"}`, Check: oneOf("4", `"a"`, `2`, `{"n":1.10}`, `null`)},
		{Name: "commas", Args: `{"choices":"red, green ,,blue"}`, Check: oneOf("3", `"red"`, `"green"`, `"blue"`)},
		{Name: "lines", Args: `{"choices":"one, two\nthree\n"}`, Check: oneOf("2", `"one, two"`, `"three"`)},
		{Name: "one", Args: `{"choices":["only"]}`, Want: `{"choice":"only","index":0,"count":1,"total":1}`},
		{Name: "shuffle", Args: `{"choices":["a","b","c"],"count":3}`, Check: shuffled},
		{Name: "put back", Args: `{"choices":["x"],"count":3,"unique":false}`, Want: `{"choices":["x","x","x"],"count":3,"total":1}`},
		{Name: "least", Args: `{"choices":["x","x"],"count":0}`, Check: hasField("choice", `"x"`)},
		{Name: "most", Args: `{"choices":["x"],"count":99999,"unique":false}`, Check: hasField("count", "1000")},
		{Name: "too few", Args: `{"choices":["a","b"],"count":3}`, Fails: tool.ValidationError, Message: "3 cannot be chosen of 2"},
		{Name: "none", Args: `{"choices":[]}`, Fails: tool.ValidationError, Message: "nothing to choose from"},
		{Name: "empty", Args: `{"choices":" , "}`, Fails: tool.ValidationError, Message: "nothing to choose from"},
		{Name: "null", Args: `{"choices":null}`, Fails: tool.ValidationError, Message: "nothing to choose from"},
		{Name: "object", Args: `{"choices":{"a":1}}`, Fails: tool.ValidationError, Message: "nothing to choose from"},
		{Name: "broken", Args: `{"choices":"[1,"}`, Fails: tool.ValidationError, Message: "JSON array"},
		{
			Name:    "too many",
			Args:    `{"choices":[` + strings.Repeat("1,", maxChoices) + `1]}`,
			Fails:   tool.ValidationError,
			Message: "at most 10000",
		},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "items"},
	})
}

// Every order of three items occurs about equally often.
func TestRandomChoiceIsFair(t *testing.T) {
	counts := map[string]int{}
	count := 3
	for range 6000 {
		res, err := randomChoice(t.Context(), nil, randomChoiceArgs{Items: json.RawMessage(`["a","b","c"]`), Count: &count, Unique: true})
		if err != nil {
			t.Fatal(err)
		}
		var order strings.Builder
		for _, c := range res.Choices {
			order.Write(c)
		}
		counts[order.String()]++
	}
	for order, n := range counts {
		if n < 800 || n > 1200 { // 6.9 standard deviations
			t.Errorf("%s came %d times of 6000, want about 1000", order, n)
		}
	}
	if len(counts) != 6 {
		t.Errorf("%d orders, want 6", len(counts))
	}
}
