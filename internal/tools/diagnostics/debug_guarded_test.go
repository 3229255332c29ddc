package diagnostics

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDebugGuarded(t *testing.T) {
	files := tooltest.Files{ledger: "first\n"}
	tooltest.Run(t, Set, "debug.guarded", tool.Call{ID: "c-2", Files: files, Clock: aMoment}, []tooltest.Case{
		{Name: "once", Args: `{"key":"g"}`, Want: `{"written":true}`},
		{Name: "space", Args: `{"key":"a b"}`, Fails: tool.ValidationError, Message: "white space"},
		{Name: "no key", Args: `{}`, Fails: tool.ValidationError, Message: "key"},
	})
	const want = "first\ng c-2 1700000000000000042\n"
	if got := files[ledger]; got != want {
		t.Errorf("the ledger is %q, want %q", got, want)
	}
}
