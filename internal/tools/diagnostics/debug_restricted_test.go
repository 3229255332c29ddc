package diagnostics

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDebugRestricted(t *testing.T) {
	tooltest.Run(t, Set, "debug.restricted", tool.Call{}, []tooltest.Case{
		{Name: "plain", Args: `{}`, Want: `{"ok":true}`},
	})
	for _, tl := range Set.Tools() {
		want := tl.Name == "debug.restricted"
		if got := slices.Contains(tl.RequiredPermissions, "debug.permission"); got != want {
			t.Errorf("%s requires debug.permission: %v, want %v", tl.Name, got, want)
		}
	}
}
