package dynamictools

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type groupsArgs struct {
	EnabledOnly bool `json:"enabled_only,omitempty" doc:"Only groups whose tools you can call."`
}

type groupsResult struct {
	Groups    []tool.GroupState `json:"groups"`
	Total     int               `json:"total"`
	Count     int               `json:"count"`
	Enabled   int               `json:"enabled"`
	Tools     int               `json:"tools" doc:"How many tools you can call."`
	Truncated bool              `json:"truncated"`
}

var _ = tool.Add(Set, tool.Spec[groupsArgs, groupsResult]{
	Name:        "list_tool_groups",
	Description: "List the groups of tools with what they are for, whether you have them, and the names of their tools.",
	Tags:        []string{"groups", "categories", "what can you do", "capabilities", "enabled tools", "toolset"},
	Errors:      []tool.Kind{},
	Example:     `{"enabled_only":true}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Needs:       tool.NeedCatalogue,
	Timeout:     10 * time.Second,
	Run: func(_ context.Context, call *tool.Call, args groupsArgs) (groupsResult, error) {
		res := groupsResult{Groups: []tool.GroupState{}}
		for _, g := range call.Catalogue.Groups() {
			res.Total++
			if g.Enabled {
				res.Enabled++
				res.Tools += len(g.Tools)
			}
			if g.Enabled || !args.EnabledOnly {
				res.Groups = append(res.Groups, g)
			}
		}
		res.Count = len(res.Groups)
		return res, nil
	},
})
