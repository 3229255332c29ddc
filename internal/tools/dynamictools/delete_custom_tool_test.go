package dynamictools

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteCustomTool(t *testing.T) {
	t.Parallel()
	tooltest.Run(t, Set, "delete_custom_tool", office(t), []tooltest.Case{
		{Name: "called off", Args: `{"name":"adder","confirm":false}`, Fails: tool.ValidationError, Message: "confirm"},
		{Name: "nobody", Args: `{"name":"nobody"}`, Fails: tool.ToolNotFound},
		{Name: "deleted", Args: `{"name":"adder","confirm":true}`, Want: `{"message":"Tool 'adder' was deleted.","name":"adder","deleted":true}`},
		{Name: "again", Args: `{"name":"adder"}`, Fails: tool.ToolNotFound},
	})
}
