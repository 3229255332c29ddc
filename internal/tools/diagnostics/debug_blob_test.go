package diagnostics

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDebugBlob(t *testing.T) {
	size := func(want int) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			if got := len(res.Value) - len(`""`); got != want {
				t.Errorf("the string has %d bytes, want %d", got, want)
			}
		}
	}
	tooltest.Run(t, Set, "debug.blob", tool.Call{}, []tooltest.Case{
		{Name: "none", Args: `{"bytes":0}`, Want: `""`},
		{Name: "few", Args: `{"bytes":3}`, Want: `"xxx"`},
		{Name: "most", Args: `{"bytes":67108864}`, Check: size(64 << 20)},
		{Name: "too many", Args: `{"bytes":67108865}`, Fails: tool.ValidationError, Message: "bytes"},
		{Name: "negative", Args: `{"bytes":-1}`, Fails: tool.ValidationError, Message: "bytes"},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "bytes"},
	})
}
