package dynamictools

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGetCustomTool(t *testing.T) {
	t.Parallel()
	call := office(t)
	tooltest.Run(t, Set, "get_custom_tool", call, []tooltest.Case{
		{
			Name: "with its code", Args: `{"name":"adder"}`,
			Check: func(t *testing.T, res tool.Result) {
				if member(t, res, "code") != "return 1" || member(t, res, "createdBy") != "u1" || member(t, res, "status") != "active" {
					t.Errorf("result %s", res.Value)
				}
			},
		},
		{Name: "nobody", Args: `{"name":"nobody"}`, Fails: tool.ToolNotFound},
	})
	call.Tenant = "other"
	tooltest.Run(t, Set, "get_custom_tool", call, []tooltest.Case{
		{Name: "another tenant's", Args: `{"name":"adder"}`, Fails: tool.ToolNotFound},
	})
}
