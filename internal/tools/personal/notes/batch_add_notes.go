package notes

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

// item is one note of a batch. What is wrong with it is known when the others are.
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
	Notes  []item `json:"notes" doc:"The notes, 1 to 100." min:"1" max:"100"`
	Atomic *bool  `json:"atomic,omitempty" doc:"Whether all notes are saved or none; if false, each is saved that can be. The default is true."`
}

type batchResult struct {
	Message string          `json:"message"`
	Notes   []note          `json:"notes" doc:"The notes that were saved."`
	Count   int             `json:"count" doc:"How many were saved."`
	Results []batch.Outcome `json:"results,omitempty" doc:"The outcome of each note in the order given, if atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name:          "batch_add_notes",
	Description:   "Write several notes in one call, all or none unless atomic is false, and return them with their ids.",
	Tags:          []string{"bulk notes", "batch notes", "multiple notes"},
	Example:       `{"notes":[{"title":"Pancakes","content":"Flour, milk, eggs."},{"title":"Gift ideas","content":"A book, a plant."}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"notes"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           batchAddNotes,
})

func batchAddNotes(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	atomic := args.Atomic == nil || *args.Atomic
	values := make([]stored, len(args.Notes))
	res := &batchResult{Notes: []note{}}
	outcomes, err := batch.Create(len(values), atomic, func(i int) (err error) {
		if args.Notes[i].wrong != nil {
			return args.Notes[i].wrong
		}
		values[i], err = args.Notes[i].new()
		return err
	}, func(i int) (string, error) {
		r, err := notes.Insert(ctx, call.Store, values[i])
		if err == nil {
			res.Notes = append(res.Notes, show(r))
		}
		return r.ID, err
	})
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Notes)
	res.Message = fmt.Sprintf("Saved %d note(s).", res.Count)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Saved %d of %d note(s); results has the outcome of each.", res.Count, len(values))
	}
	return res, nil
}
