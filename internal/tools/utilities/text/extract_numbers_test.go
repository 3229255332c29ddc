package text

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/textfind"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExtractNumbers(t *testing.T) {
	tooltest.Run(t, Set, "extract_numbers", tool.Call{}, []tooltest.Case{
		{
			Name: "all", Args: `{"text":"Got 42 items for 1,234.50 in total, down -7%, 007 .5 −8 1e3 0 -0.50 42"}`,
			Want: `{"numbers":[42,1234.50,-7,7,0.5,-8,1e3,0,-0.50,42],"count":10,"total":10,"truncated":false}`,
		},
		{Name: "each once", Args: `{"text":"1 2 1","unique":true}`, Want: `{"numbers":[1,2],"count":2,"total":2,"truncated":false}`},
		{
			Name: "equal ones once",
			Args: `{"text":"1 1.0 1,000 1e3 1000.00 007 7 0.50 .5 -0 0 -1 10e-1","unique":true}`,
			Want: `{"numbers":[1,1000,7,0.50,-0,-1],"count":6,"total":6,"truncated":false}`,
		},
		{
			Name: "every digit",
			Args: `{"text":"12345678901234567890.123456789"}`,
			Want: `{"numbers":[12345678901234567890.123456789],"count":1,"total":1,"truncated":false}`,
		},
		{
			Name: "beyond numbers",
			Args: `{"text":"1e999 2 ` + strings.Repeat("9", 400) + `"}`,
			Want: `{"numbers":[2],"count":1,"total":3,"truncated":true}`,
		},
		{Name: "very many", Args: `{"text":"` + strings.Repeat("1 ", textfind.MaxFound+1) + `"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.HasSuffix(string(res.Value), `"count":10000,"total":10001,"truncated":true}`) {
				t.Errorf("result ends in %s", res.Value[len(res.Value)-80:])
			}
		}},
		{Name: "none", Args: `{"text":"one"}`, Want: `{"numbers":[],"count":0,"total":0,"truncated":false}`},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
	})
}
