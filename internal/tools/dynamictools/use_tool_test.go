package dynamictools

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestUseTool(t *testing.T) {
	for _, tl := range Set.Tools() {
		if tl.Delegates() != (tl.Name == "use_tool") {
			t.Errorf("%s delegates: %v", tl.Name, tl.Delegates())
		}
		if !tl.Delegates() {
			continue
		}
		name, args, err := tl.Target(json.RawMessage(`{"tool_name":"adder","arguments":{"n":9007199254740993,"a":1.0}}`))
		if name != "adder" || string(args) != `{"n":9007199254740993,"a":1.0}` || err != nil {
			t.Errorf("Target = %s, %s, %v: want the call as it was written", name, args, err)
		}
		for _, kind := range tool.Kinds() { // any outcome of the named tool
			if !slices.Contains(tool.Universal(), kind) && !slices.Contains(tl.Errors, kind) {
				t.Errorf("use_tool does not declare %s", kind)
			}
		}
	}
}
