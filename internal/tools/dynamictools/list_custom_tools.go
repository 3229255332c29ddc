package dynamictools

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Category string `json:"category,omitempty" doc:"Only tools of this category, in whatever case."`
	Status   string `json:"status,omitempty" enum:"active,disabled,pending_approval" doc:"Only tools in this state. None is ever pending: what was not approved was not made."`
}

type listedTool struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Status      string   `json:"status" enum:"active,disabled"`
	Category    string   `json:"category"`
	Permissions []string `json:"permissions"`
	Version     int      `json:"version"`
	Owner       string   `json:"owner"`
	Shared      bool     `json:"shared" doc:"Somebody else made it and shared it with everybody."`
	CreatedBy   string   `json:"createdBy"`
}

type listStats struct {
	Total           int `json:"total"`
	Active          int `json:"active"`
	PendingApproval int `json:"pendingApproval"`
}

type listResult struct {
	Message   string       `json:"message"`
	Tools     []listedTool `json:"tools"`
	Stats     listStats    `json:"stats"`
	Total     int          `json:"total"`
	Count     int          `json:"count"`
	Truncated bool         `json:"truncated"`
}

var _ = tool.Add(Set, tool.Spec[listArgs, listResult]{
	Name: "list_custom_tools",
	Description: "List your custom tools and those shared with you, by name, with state, category and permissions; " +
		"get_custom_tool shows the code of one.",
	Tags:    []string{"tools", "list", "custom tools"},
	Errors:  []tool.Kind{},
	Example: `{"status":"active"}`,
	Risk:    tool.Low,
	Mutates: false,
	Needs:   tool.NeedCustomTools,
	Timeout: 10 * time.Second,
	Run: func(ctx context.Context, call *tool.Call, args listArgs) (listResult, error) {
		all, err := call.CustomTools.List(ctx, call)
		if err != nil {
			return listResult{}, err
		}
		res := listResult{Tools: []listedTool{}}
		for _, t := range all {
			res.Stats.Total++
			if t.Enabled {
				res.Stats.Active++
			}
			category := cmp.Or(t.Category, unsorted)
			if args.Category != "" && !strings.EqualFold(category, args.Category) || args.Status != "" && status(&t) != args.Status {
				continue
			}
			res.Tools = append(res.Tools, listedTool{
				t.ID, t.Name, t.Description, status(&t), category, t.Permissions, t.Version, t.Owner, t.Shared, t.CreatedBy,
			})
		}
		res.Total, res.Count = len(res.Tools), len(res.Tools)
		res.Message = counted(res.Count, "custom tool") + "."
		return res, nil
	},
})
