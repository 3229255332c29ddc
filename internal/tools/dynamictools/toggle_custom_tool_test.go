package dynamictools

import (
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/dynamic"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestToggleCustomTool(t *testing.T) {
	t.Parallel()
	call := office(t)
	tooltest.Run(t, Set, "toggle_custom_tool", call, []tooltest.Case{
		{
			Name: "off",
			Args: `{"name":"adder","enabled":false}`,
			Want: `{"message":"Tool 'adder' is disabled.","name":"adder","status":"disabled"}`,
		},
		{
			Name: "off again",
			Args: `{"name":"adder","enabled":false}`,
			Want: `{"message":"Tool 'adder' is disabled.","name":"adder","status":"disabled"}`,
		},
		{Name: "on", Args: `{"name":"adder","enabled":true}`, Want: `{"message":"Tool 'adder' is active.","name":"adder","status":"active"}`},
		{Name: "nobody", Args: `{"name":"nobody","enabled":true}`, Fails: tool.ToolNotFound},
		{Name: "half", Args: `{"name":"adder"}`, Fails: tool.ValidationError, Message: "enabled"},
	})
}

func TestToggleContestedTool(t *testing.T) {
	t.Parallel()
	call := officeOver(t, func(b dynamic.Bucket) dynamic.Bucket { return contested{b} })
	tooltest.Run(t, Set, "toggle_custom_tool", call, []tooltest.Case{
		{Name: "others change it", Args: `{"name":"adder","enabled":false}`, Fails: tool.ExecutionError, Message: "try again"},
	})
}
