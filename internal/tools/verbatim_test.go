package tools

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestWhatRunsIsVerbatim: a tool that runs code or programs of its arguments shows every
// text among them in full, so that none hides behind a name.
func TestWhatRunsIsVerbatim(t *testing.T) {
	found := 0
	for _, tl := range every() {
		if tl.Needs&(tool.NeedPrograms|tool.NeedContainers) == 0 || tl.Risk != tool.High {
			continue
		}
		var schema struct {
			Properties map[string]struct {
				Type json.RawMessage
				Enum []string
			}
		}
		if err := json.Unmarshal(tl.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		for name, p := range schema.Properties {
			if kind := string(p.Type); kind == `"number"` || kind == `"integer"` || kind == `"boolean"` || len(p.Enum) > 0 {
				continue
			}
			if found++; !slices.Contains(tl.Verbatim, name) && tl.Name != "install_cli_tool" { // which takes names of its list
				t.Errorf("%s: %s is not shown verbatim", tl.Name, name)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d parameters", found)
	}
}
