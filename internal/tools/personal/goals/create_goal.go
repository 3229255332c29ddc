package goals

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type createArgs struct {
	Title       string `json:"title" doc:"What the person wants to reach." min:"1" max:"500"`
	Description string `json:"description,omitempty" doc:"Details, such as why and how to tell that it is reached." max:"900000"`
	Priority    int    `json:"priority" doc:"How important it is, from 1 to 10, the most important." default:"5" min:"1" max:"10"`
	DueDate     string `json:"dueDate,omitempty" doc:"When it is to be reached: YYYY-MM-DD or YYYY-MM-DDTHH:mm:ss, with an offset such as +01:00 if it matters."`
	ParentID    string `json:"parentId,omitempty" doc:"The id of the goal that this one is a part of." max:"64"`
}

type one struct {
	Message string `json:"message"`
	Goal    goal   `json:"goal"`
}

var _ = tool.Add(Set, tool.Spec[createArgs, *one]{
	Name: "create_goal",
	Description: "Create a long-term goal of the person, such as learning a language, and return it with its id; " +
		"decompose_goal then adds steps to it.",
	Tags:          []string{"goal", "objective", "target", "plan", "vision", "create", "learn", "want to"},
	Example:       `{"title":"Run a marathon","priority":8,"dueDate":"2026-10-04"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           createGoal,
})

func createGoal(ctx context.Context, call *tool.Call, args createArgs) (*one, error) {
	v := stored{
		Title:       args.Title,
		Description: args.Description,
		Status:      active,
		Priority:    args.Priority,
		ParentID:    strings.TrimSpace(args.ParentID),
	}
	if err := checkTitle(v.Title); err != nil {
		return nil, err
	}
	if err := v.due(args.DueDate); err != nil {
		return nil, err
	}
	if v.ParentID != "" {
		if _, err := find(ctx, call, v.ParentID); err != nil {
			return nil, err
		}
	}
	r, err := goals.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &one{Message: fmt.Sprintf("Goal created: %q (%s).", v.Title, r.ID), Goal: show(r)}, nil
}
