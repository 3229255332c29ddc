package telemetry

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestToolLabel: no label is a name that a caller or a model chose.
func TestToolLabel(t *testing.T) {
	for _, tt := range []struct {
		def  *tool.Definition
		want string
	}{
		{nil, "unknown"},
		{&tool.Definition{Name: "read_file", Kind: tool.KindBuiltin}, "read_file"},
		{&tool.Definition{Name: "greet", Kind: tool.KindJS}, "greet"},
		{&tool.Definition{Name: "made_by_a_model", Kind: tool.KindDynamic}, "custom"},
	} {
		if got := ToolLabel(tt.def); got != tt.want {
			t.Errorf("ToolLabel(%+v) = %s, want %s", tt.def, got, tt.want)
		}
	}
}
