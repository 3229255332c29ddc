package dynamictools

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateTool(t *testing.T) {
	t.Parallel()
	tooltest.Run(t, Set, "create_tool", office(t), []tooltest.Case{
		{
			Name: "made", Args: `{"name":"other","description":"Does it.","parameters":"{\"type\":\"object\"}","code":"return 1"}`,
			Check: func(t *testing.T, res tool.Result) {
				if member(t, res, "status") != "active" || !strings.HasPrefix(member(t, res, "toolId").(string), "ct_") ||
					member(t, res, "version") != 1.0 {
					t.Errorf("result %s", res.Value)
				}
			},
		},
		{
			Name:    "twice",
			Args:    `{"name":"adder","description":"Adds.","parameters":"{\"type\":\"object\"}","code":"return 1"}`,
			Fails:   tool.ValidationError,
			Message: "update_custom_tool",
		},
		{
			Name:    "built-in",
			Args:    `{"name":"read_file","description":"Adds.","parameters":"{\"type\":\"object\"}","code":"return 1"}`,
			Fails:   tool.ValidationError,
			Message: "built-in",
		},
		{
			Name:    "everything wrong",
			Args:    `{"name":"A","description":" ","parameters":"[]","code":"process.exit()","permissions":["root"]}`,
			Fails:   tool.ValidationError,
			Message: "name: must match",
		},
		{
			Name:    "schema",
			Args:    `{"name":"b","description":"B.","parameters":"{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"http://a/\"}}}","code":"return 1"}`,
			Fails:   tool.ValidationError,
			Message: "parameters",
		},
		{
			Name:    "no sandbox",
			Args:    `{"name":"b","description":"B.","parameters":"{\"type\":\"object\"}","code":"return 'uncaged'"}`,
			Fails:   tool.NotConfigured,
			Message: "on this worker",
		},
		{
			Name:    "sandbox ended",
			Args:    `{"name":"b","description":"B.","parameters":"{\"type\":\"object\"}","code":"return 'crash'"}`,
			Fails:   tool.ExecutionError,
			Message: "ended",
		},
		{
			Name:    "service",
			Args:    `{"name":"b","description":"B.","parameters":"{\"type\":\"object\"}","code":"return 1","required_api_keys":[{"name":"a b"}]}`,
			Fails:   tool.ValidationError,
			Message: "required_api_keys",
		},
	})
}
