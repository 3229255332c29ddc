package memory

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type idArgs struct {
	MemoryID string `json:"memoryId" doc:"The id of the memory, as recall and list_memories show it." min:"1" max:"64"`
}

type forgetResult struct {
	Message string `json:"message"`
	Deleted memory `json:"deleted" doc:"The memory as it was."`
}

var _ = tool.Add(Set, tool.Spec[idArgs, *forgetResult]{
	Name:          "forget",
	Description:   "Forget something that was remembered about the person, for ever, and return what was deleted.",
	Aliases:       []string{"delete_memory"},
	Tags:          []string{"delete memory", "remove", "clear", "forget"},
	Example:       `{"memoryId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args idArgs) error {
		_, err := find(ctx, call, args.MemoryID) // nobody is asked about an id that does not exist
		return err
	},
	Run: forget,
})

func forget(ctx context.Context, call *tool.Call, args idArgs) (*forgetResult, error) {
	r, err := find(ctx, call, args.MemoryID)
	if err != nil {
		return nil, err
	}
	if err := memories.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	if err := dropVectors(ctx, call.Store, r.ID); err != nil {
		return nil, err
	}
	return &forgetResult{Message: fmt.Sprintf("Memory deleted: %q.", excerpt(r.Value.Content)), Deleted: show(r, call.Clock.Now())}, nil
}
