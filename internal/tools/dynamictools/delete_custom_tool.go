package dynamictools

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type deleteArgs struct {
	Name    string `json:"name" alias:"tool_name" doc:"The tool to delete." min:"1" max:"64"`
	Confirm *bool  `json:"confirm,omitempty" doc:"false calls it off; a person is asked in any case."`
}

type deleteResult struct {
	Message string `json:"message"`
	Name    string `json:"name"`
	Deleted bool   `json:"deleted"`
}

var _ = tool.Add(Set, tool.Spec[deleteArgs, deleteResult]{
	Name: "delete_custom_tool",
	Description: "Delete one of your custom tools for good, also for those it was shared with, where toggle_custom_tool only " +
		"switches it off, and return its name.",
	Tags:                 []string{"tool delete", "remove tool"},
	Errors:               []tool.Kind{},
	Example:              `{"name":"add_tax","confirm":true}`,
	Risk:                 tool.Medium,
	RequiresConfirmation: true,
	Mutates:              true,
	Destructive:          true,
	Needs:                tool.NeedCustomTools,
	Timeout:              10 * time.Second,
	Check: func(ctx context.Context, call *tool.Call, args deleteArgs) error {
		if args.Confirm != nil && !*args.Confirm {
			return tool.Fail(tool.ValidationError, "confirm: is false, so nothing was deleted")
		}
		t, err := call.CustomTools.Get(ctx, call, args.Name)
		if err != nil {
			return err
		}
		call.About = version(&t)
		return mine(&t)
	},
	Changes: func(ctx context.Context, call *tool.Call, args deleteArgs) ([]tool.Change, error) {
		t, err := call.CustomTools.Get(ctx, call, args.Name)
		if err != nil {
			return nil, err
		}
		return []tool.Change{{Path: t.Name + ".js", Held: &t.Code}}, nil
	},
	Run: func(ctx context.Context, call *tool.Call, args deleteArgs) (deleteResult, error) {
		if err := call.CustomTools.Delete(ctx, call, args.Name); err != nil {
			return deleteResult{}, err
		}
		return deleteResult{Message: fmt.Sprintf("Tool '%s' was deleted.", args.Name), Name: args.Name, Deleted: true}, nil
	},
})
