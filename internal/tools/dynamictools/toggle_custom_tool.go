package dynamictools

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type toggleArgs struct {
	Name    string `json:"name" alias:"tool_name" doc:"The tool to switch." min:"1" max:"64"`
	Enabled bool   `json:"enabled" doc:"true switches it on, false off."`
}

type toggleResult struct {
	Message string `json:"message"`
	Name    string `json:"name"`
	Status  string `json:"status" enum:"active,disabled"`
}

var _ = tool.Add(Set, tool.Spec[toggleArgs, toggleResult]{
	Name:        "toggle_custom_tool",
	Description: "Switch a custom tool on or off without deleting it, and return its new status.",
	Tags:        []string{"tool toggle", "enable", "disable"},
	Errors:      []tool.Kind{tool.ExecutionError},
	Example:     `{"name":"add_tax","enabled":false}`,
	Risk:        tool.Low,
	Mutates:     true,
	Idempotent:  true,
	Needs:       tool.NeedCustomTools,
	Timeout:     10 * time.Second,
	Run: func(ctx context.Context, call *tool.Call, args toggleArgs) (toggleResult, error) {
		t, err := call.CustomTools.Update(ctx, call, args.Name, func(t *tool.CustomTool) error {
			t.Enabled = args.Enabled
			return nil
		})
		if err != nil {
			return toggleResult{}, err
		}
		return toggleResult{Message: fmt.Sprintf("Tool '%s' is %s.", t.Name, status(&t)), Name: t.Name, Status: status(&t)}, nil
	},
})
