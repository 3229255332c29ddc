package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestRecall(t *testing.T) {
	call := ann(t)
	play[batchResult](t, call, "batch_remember", `{"memories":[
		{"content":"Drinks green tea in the morning","type":"preference","tags":["drinks","morning"]},
		{"content":"Drinks coffee at work","type":"preference","importance":0.9,"tags":["drinks"]},
		{"content":"Her sister is called Zoë","type":"fact","importance":0.9},
		{"content":"Learned to make green curry, 100% from scratch_","type":"skill","importance":0.2},
		{"content":"🛒 קונה חלב","type":"event"}]}`)
	for args, want := range map[string]string{
		`"query":"green tea"`:                               "Drinks green tea in the morning|Learned to make green curry, 100% from scratch_",
		`"query":"What TEA does she drink?"`:                "Drinks green tea in the morning|Drinks coffee at work",
		`"query":"drinks"`:                                  "Drinks coffee at work|Drinks green tea in the morning",
		`"query":"zoe"`:                                     "Her sister is called Zoë",
		`"query":"drinks green","type":"skill"`:             "Learned to make green curry, 100% from scratch_",
		`"query":"drinks","tags":["drinks","morning"," "]`:  "Drinks green tea in the morning",
		`"query":"drinks","tags":["Drinks"]`:                "",
		`"query":"morning"`:                                 "Drinks green tea in the morning",
		`"query":"חלב"`:                                     "🛒 קונה חלב",
		`"query":"🛒"`:                                       "🛒 קונה חלב",
		`"query":"100%"`:                                    "Learned to make green curry, 100% from scratch_",
		`"query":"%"`:                                       "",
		`"query":"\" UNION SELECT * --"`:                    "",
		`"query":"a\u0000b"`:                                "Drinks coffee at work",
		`"query":"zebra"`:                                   "",
		`"query":"drinks","limit":1,"offset":1`:             "Drinks green tea in the morning",
		`"query":"drinks","limit":1,"offset":-1`:            "Drinks coffee at work",
		`"query":"drinks","limit":1,"offset":9000000000000`: "",
	} {
		if !strings.Contains(args, "limit") {
			args += `,"limit":10`
		}
		got := play[recallResult](t, call, "recall", "{"+args+"}")
		if list := contents(got.Memories); list != want || got.Count != len(got.Memories) ||
			(got.Count == 0) != (got.Message == "No memories found.") {
			t.Errorf("%s recalls %q (%s), want %q", args, list, got.Message, want)
		}
	}
	tooltest.Run(t, Set, "recall", call, []tooltest.Case{
		{Name: "no query", Args: `{}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "blank query", Args: `{"query":" "}`, Fails: tool.ValidationError, Message: "query is blank"},
		{Name: "1 MB", Args: `{"query":"` + strings.Repeat("a ", 1<<19) + `"}`, Fails: tool.ValidationError},
		{Name: "long", Args: `{"query":"` + strings.Repeat("a ", 5001) + `"}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "type", Args: `{"query":"x","type":"all"}`, Fails: tool.ValidationError, Message: "type"},
		{Name: "long query", Args: `{"limit":1,"query":"` + strings.Repeat("word tea ", 1000) + `"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), "green tea") {
				t.Errorf("result %s", res.Value)
			}
		}},
	})
	call.User = "bob"
	tooltest.Run(t, Set, "recall", call, []tooltest.Case{
		{
			Name: "nothing of others",
			Args: `{"query":"green tea","limit":5}`,
			Want: `{"message":"No memories found.","memories":[],"total":0,"count":0,"truncated":false}`,
		},
	})
}

// TestRecallIsAnAccess: what is recalled has its importance again, and only that.
func TestRecallIsAnAccess(t *testing.T) {
	call := ann(t)
	add(t, call, "green tea", `,"importance":0.8`)
	add(t, call, "black coffee", `,"importance":0.8`)
	call = later(call, 90)
	for range 2 {
		if got := play[recallResult](t, call, "recall", `{"query":"tea","limit":5}`); got.Memories[0].Importance != 0.8 {
			t.Errorf("recalled: %+v", got)
		}
	}
	for _, m := range play[listResult](t, call, "list_memories", `{"limit":5}`).Memories {
		if want := map[string]float64{"green tea": 0.8, "black coffee": 0.4}[m.Content]; m.Importance != want {
			t.Errorf("%s has the importance %v, want %v", m.Content, m.Importance, want)
		}
	}
}

// TestRecallOfMany: with more matches than one search reads, the best ones are found.
func TestRecallOfMany(t *testing.T) {
	call := ann(t)
	for part := range 2 {
		var list []string
		for i := range 100 {
			list = append(list, fmt.Sprintf(`{"content":"the day number %d","type":"event","importance":%v}`, 100*part+i, float64(i)/100))
		}
		play[batchResult](t, call, "batch_remember", `{"memories":[`+strings.Join(list, ",")+`]}`)
	}
	add(t, call, "the rare word", `,"importance":0`)
	got := play[recallResult](t, call, "recall", `{"query":"the rare day","limit":50}`)
	if got.Memories[0].Content != "the rare word" || got.Memories[1].Importance != 0.99 || !got.Truncated || got.Count != 50 ||
		got.Total != 101 {
		t.Errorf("recalled %d of %d, truncated %v: %.100s", got.Count, got.Total, got.Truncated, contents(got.Memories))
	}
}
