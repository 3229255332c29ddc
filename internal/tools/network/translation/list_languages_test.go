package translation

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListLanguages(t *testing.T) {
	count := func(least int) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			var got languagesResult
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			if got.Count != len(got.Languages) || got.Count < least || got.Total < 100 || least == 0 && got.Count != 0 {
				t.Errorf("count %d of %d, %d languages, want %d", got.Count, got.Total, len(got.Languages), least)
			}
		}
	}
	tooltest.Run(t, Set, "list_languages", tool.Call{}, []tooltest.Case{
		{Name: "all", Args: `{}`, Check: count(100)},
		{Name: "by name", Args: `{"filter":" PORTUG "}`, Check: count(3)},
		{Name: "by its own name", Args: `{"filter":"日本"}`, Check: count(1)},
		{Name: "by code", Args: `{"filter":"zh-h"}`, Check: count(2)},
		{Name: "none", Args: `{"filter":"klingon"}`, Check: count(0)},
		{Name: "no text", Args: `{"filter":7}`, Fails: tool.ValidationError, Message: "filter"},
	})
}
