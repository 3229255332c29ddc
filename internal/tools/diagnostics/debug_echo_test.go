package diagnostics

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDebugEcho(t *testing.T) {
	cases := []tooltest.Case{
		{Name: "nothing", Args: `{}`, Want: `null`},
		{Name: "digits", Args: `{"value":12345678901234567890.123456789012345678901234567890}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			if got := string(res.Value); got != "12345678901234567890.123456789012345678901234567890" {
				t.Errorf("the number became %s", got)
			}
		}},
	}
	for _, value := range []string{`null`, `true`, `0`, `""`, `"<&>"`, `[]`, `{}`, `{"a":[1,{"b":null}],"A":2}`} {
		cases = append(cases, tooltest.Case{Name: value, Args: `{"value":` + value + `}`, Want: value})
	}
	tooltest.Run(t, Set, "debug.echo", tool.Call{}, cases)
}
