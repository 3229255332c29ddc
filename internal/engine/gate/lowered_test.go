package gate

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestLowered: a call's own risk counts only where it is below that of the definition.
func TestLowered(t *testing.T) {
	for _, tt := range []struct{ def, call, want tool.Risk }{
		{tool.High, tool.Low, tool.Low}, {tool.High, tool.Medium, tool.Medium}, {tool.Medium, tool.Low, tool.Low},
		{tool.High, "", tool.High}, {tool.Low, tool.Medium, tool.Low}, {tool.Low, tool.High, tool.Low}, {tool.Medium, tool.High, tool.Medium},
		{tool.High, "none", tool.High},
	} {
		def := &tool.Definition{Risk: tt.def}
		if got := lowered(def, tt.call).Risk; got != tt.want || def.Risk != tt.def {
			t.Errorf("lowered(%s, %q) = %s, want %s", tt.def, tt.call, got, tt.want)
		}
	}
}
