package text

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTestRegex(t *testing.T) {
	tooltest.Run(t, Set, "test_regex", tool.Call{}, []tooltest.Case{
		{
			Name: "matches", Args: `{"pattern":"^([a-z]+)-\\d{2,}$","text":"item-042"}`,
			Want: `{"valid":true,"matches":true,"count":1,"first":[{"match":"item-042","groups":["item"],"index":0}]}`,
		},
		{Name: "matches nothing", Args: `{"pattern":"x","text":"item"}`, Want: `{"valid":true,"matches":false,"count":0,"first":[]}`},
		{Name: "the pattern alone", Args: `{"pattern":"[a-z]{2}"}`, Want: `{"valid":true,"matches":false,"count":0,"first":[]}`},
		{
			Name: "flags",
			Args: `{"pattern":"A","text":"a","flags":"gi"}`,
			Want: `{"valid":true,"matches":true,"count":1,"first":[{"match":"a","groups":[],"index":0}]}`,
		},
		{
			Name: "broken",
			Args: `{"pattern":"[z-a]","text":"a"}`,
			Want: `{"valid":false,"error":"Invalid regular expression: [z-a] range in reverse order.","matches":false,"count":0,"first":[]}`,
		},
		{
			Name: "broken flags",
			Args: `{"pattern":"a","text":"a","flags":"q"}`,
			Want: `{"valid":false,"error":"Invalid flag 'q': flags are letters of g, i, m, s, u, x, y and d.","matches":false,"count":0,"first":[]}`,
		},
		{
			Name: "many", Args: `{"pattern":"a","text":"` + strings.Repeat("a", 30) + `"}`,
			Check: func(t *testing.T, res tool.Result) {
				if got := string(res.Value); strings.Count(got, `"match"`) != 10 || !strings.Contains(got, `"count":30`) {
					t.Errorf("result %s, want 10 of 30 matches", got)
				}
			},
		},
		{
			Name:    "for ever",
			Args:    `{"pattern":"(.*)*x","text":"` + strings.Repeat("ab", 30) + `"}`,
			Fails:   tool.Timeout,
			Message: "repetitions within repetitions",
		},
		{Name: "no pattern", Args: `{"text":"a"}`, Fails: tool.ValidationError, Message: "pattern"},
	})
}
