package tooltest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestCaseProblems(t *testing.T) {
	missing := tool.Fail(tool.FileNotFound, "File not found: a")
	looked := func(*testing.T, tool.Result) {}
	for _, tt := range []struct {
		name  string
		c     Case
		value string
		text  string
		err   error
		want  string // in the one problem; "" for none
	}{
		{"equal", Case{Want: `{"a":1,"b":[2]}`}, `{"b": [2.0], "a": 1e0}`, "", nil, ""},
		{"differs", Case{Want: `{"a":1}`}, `{"a":2}`, "", nil, "result differs"},
		{"every digit", Case{Want: `9007199254740993`}, `9007199254740992`, "", nil, "result differs"},
		{"number and string", Case{Want: `1`}, `"1"`, "", nil, "result differs"},
		{"bad want", Case{Want: `{`}, `{}`, "", nil, "wanted result is not JSON"},
		{"two wants", Case{Want: `1 2`}, `1`, "", nil, "wanted result is not JSON"},
		{"bad result", Case{Want: `{}`}, `{`, "", nil, "the result is not JSON"},
		{"text", Case{WantText: "x"}, `1`, "x", nil, ""},
		{"other text", Case{WantText: "x"}, `1`, "y", nil, `text = "y"`},
		{"failed", Case{Want: `1`}, ``, "", missing, "want success"},
		{"failed a check", Case{Check: looked}, ``, "", missing, "want success"},
		{"right failure", Case{Fails: tool.FileNotFound, Message: "not found: a"}, ``, "", missing, ""},
		{"wrong kind", Case{Fails: tool.Timeout}, ``, "", missing, "want kind timeout"},
		{"wrong message", Case{Fails: tool.FileNotFound, Message: "b"}, ``, "", missing, `hold "b"`},
		{"no failure", Case{Fails: tool.Timeout}, `1`, "", nil, "want error timeout"},
		{"nothing expected", Case{}, `1`, "", nil, "expects nothing"},
		{"message alone", Case{Want: `1`, Message: "x"}, `1`, "", nil, "no Fails"},
	} {
		got := tt.c.problems(tool.Result{Value: json.RawMessage(tt.value), Text: tt.text}, tt.err)
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("%s: problems = %q, want %q", tt.name, got, tt.want)
		}
	}
}
