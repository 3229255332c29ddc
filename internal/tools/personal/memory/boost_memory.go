package memory

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type boostArgs struct {
	MemoryID string  `json:"memoryId" doc:"The id of the memory, as recall and list_memories show it." min:"1" max:"64"`
	Amount   float64 `json:"amount" doc:"How much to add to the importance, which is at most 1." default:"0.1" min:"0"`
}

type boosted struct {
	ID         string  `json:"id" doc:"For the memoryId of other tools."`
	Content    string  `json:"content"`
	Importance float64 `json:"importance" doc:"The importance from now on, at most 1."`
}

type boostResult struct {
	Message string  `json:"message"`
	Memory  boosted `json:"memory"`
}

var _ = tool.Add(Set, tool.Spec[boostArgs, *boostResult]{
	Name: "boost_memory",
	Description: "Make something remembered about the person more important, so that it is recalled earlier and fades later, " +
		"and return its importance.",
	Aliases:       []string{"update_memory_importance"},
	Tags:          []string{"priority", "boost", "highlight", "important"},
	Example:       `{"memoryId":"k3f9q2x7m5ab","amount":0.2}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           boostMemory,
})

func boostMemory(ctx context.Context, call *tool.Call, args boostArgs) (*boostResult, error) {
	r, err := find(ctx, call, args.MemoryID)
	if err != nil {
		return nil, err
	}
	now := call.Clock.Now()
	r.Value.set(min(1, r.Value.Importance+args.Amount), now) // the access undoes the decay
	if r, err = memories.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	importance := r.Value.importance(now)
	return &boostResult{
		Message: fmt.Sprintf("Memory boosted to importance %v: %q.", importance, excerpt(r.Value.Content)),
		Memory:  boosted{ID: r.ID, Content: r.Value.Content, Importance: importance},
	}, nil
}
