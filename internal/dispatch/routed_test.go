package dispatch

import (
	"testing"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// TestRouted: a call by way of another tool goes to the workers that have the tool
// it is for.
func TestRouted(t *testing.T) {
	shared := catalog.New()
	if err := shared.Put(
		tool.Definition{Name: catalog.UseTool, Pool: "default", Enabled: true},
		tool.Definition{Name: "clipboard.read", Pool: "desktop", Enabled: true},
	); err != nil {
		t.Fatal(err)
	}
	view := catalog.NewTenants(shared).Of("acme", "")
	for _, tt := range []struct{ tool, args, want string }{
		{catalog.UseTool, `{"tool_name":"clipboard.read","arguments":{}}`, "desktop"},
		{catalog.UseTool, `{"tool_name":"nobody","arguments":{}}`, "default"},
		{catalog.UseTool, `{"tool_name":7}`, "default"},
		{"clipboard.read", `{"tool_name":"use_tool"}`, "desktop"},
	} {
		def, _ := view.Lookup(tt.tool)
		asked := sent("", tt.tool, tt.args)
		got := routed(view, &asked, def).Def
		if got.Pool != tt.want || got.Name != tt.tool {
			t.Errorf("%s %s goes to %s of pool %s, want pool %s", tt.tool, tt.args, got.Name, got.Pool, tt.want)
		}
	}
	if def, _ := view.Lookup(catalog.UseTool); def.Pool != "default" {
		t.Error("the definition itself was changed")
	}
}
