package tasks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

// item is one task of a batch. What is wrong with it is known when the others are.
type item struct {
	input

	wrong error
}

// UnmarshalJSON implements [json.Unmarshaler].
func (it *item) UnmarshalJSON(data []byte) error {
	it.wrong = batch.Decode(data, &it.input)
	return nil
}

type batchArgs struct {
	Tasks  []item `json:"tasks" doc:"The tasks, 1 to 100." min:"1" max:"100"`
	Atomic *bool  `json:"atomic,omitempty" doc:"Whether all tasks are added or none; if false, each is added that can be. The default is true."`
}

type batchResult struct {
	Message string          `json:"message"`
	Tasks   []task          `json:"tasks" doc:"The tasks that were added."`
	Count   int             `json:"count" doc:"How many were added."`
	Results []batch.Outcome `json:"results,omitempty" doc:"The outcome of each task in the order given, if atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name: "batch_add_tasks",
	Description: "Add several tasks to the person's to-do list in one call, all or none unless atomic is false, and return them with " +
		"their ids.",
	Tags:          []string{"bulk tasks", "batch", "multiple tasks"},
	Example:       `{"tasks":[{"title":"Buy milk","category":"shopping"},{"title":"Call the dentist","dueDate":"2026-11-25T09:00"}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"tasks"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           batchAddTasks,
})

func batchAddTasks(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	atomic := args.Atomic == nil || *args.Atomic
	values := make([]stored, len(args.Tasks))
	res := &batchResult{Tasks: []task{}}
	outcomes, err := batch.Create(len(values), atomic, func(i int) (err error) {
		if args.Tasks[i].wrong != nil {
			return args.Tasks[i].wrong
		}
		values[i], err = args.Tasks[i].new()
		return err
	}, func(i int) (string, error) {
		r, err := tasks.Insert(ctx, call.Store, values[i])
		if err == nil {
			res.Tasks = append(res.Tasks, show(r))
		}
		return r.ID, err
	})
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Tasks)
	res.Message = fmt.Sprintf("Added %d task(s).", res.Count)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Added %d of %d task(s); results has the outcome of each.", res.Count, len(values))
	}
	return res, nil
}
