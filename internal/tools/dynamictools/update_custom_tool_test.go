package dynamictools

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpdateCustomTool(t *testing.T) {
	t.Parallel()
	call := office(t)
	tooltest.Run(t, Set, "update_custom_tool", call, []tooltest.Case{
		{
			Name: "one part", Args: `{"name":"adder","code":"return 2","permissions":[]}`,
			Check: func(t *testing.T, res tool.Result) {
				if member(t, res, "version") != 2.0 {
					t.Errorf("result %s, want version 2", res.Value)
				}
			},
		},
		{Name: "to what is wrong", Args: `{"name":"adder","code":"require('x')"}`, Fails: tool.ValidationError, Message: "require("},
		{Name: "no sandbox", Args: `{"name":"adder","code":"return 'uncaged'"}`, Fails: tool.NotConfigured, Message: "on this worker"},
		{Name: "sandbox ended", Args: `{"name":"adder","code":"return 'crash'"}`, Fails: tool.ExecutionError, Message: "ended"},
		{Name: "nobody", Args: `{"name":"nobody","code":"return 1"}`, Fails: tool.ToolNotFound, Message: "list_custom_tools"},
	})
	got, err := call.CustomTools.Get(t.Context(), &call, "adder")
	if err != nil || got.Code != "return 2" || len(got.Permissions) != 0 || got.Description != "Adds." || got.Category != "Sums" {
		t.Errorf("the tool is %+v, %v: want only code and permissions changed", got, err)
	}
}
