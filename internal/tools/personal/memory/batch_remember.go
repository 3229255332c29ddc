package memory

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

// item is one memory of a batch, or the error of its decoding.
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
	Memories []item `json:"memories" doc:"The memories, 1 to 100." min:"1" max:"100"`
	Atomic   *bool  `json:"atomic,omitempty" doc:"Whether all memories are stored or none; if false, each is stored that can be. The default is true."`
}

// kept is a memory of a batch.
type kept struct {
	brief

	Deduplicated bool `json:"deduplicated" doc:"Whether it was remembered before, also earlier in this batch."`
}

type batchResult struct {
	Message      string          `json:"message"`
	Created      int             `json:"created" doc:"How many memories are new."`
	Deduplicated int             `json:"deduplicated" doc:"How many were remembered before and are merged with that memory."`
	Count        int             `json:"count" doc:"How many were created or merged."`
	Memories     []kept          `json:"memories" doc:"The memories that were created or merged, in the order given."`
	Results      []batch.Outcome `json:"results,omitempty" doc:"The outcome of each memory in the order given, if atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name: "batch_remember",
	Description: "Remember several facts, preferences, events or skills of the person in one call, all or none unless atomic is false, " +
		"and return their ids.",

	Aliases: []string{"batch_create_memories"},
	Tags:    []string{"batch", "bulk save", "multiple save", "remember batch"},
	Example: `{"memories":[{"content":"Is allergic to nuts","type":"fact","importance":1},{"content":"Has a green passport","type":"fact"}]}`,
	Risk:    tool.Low,

	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"memories"},
	Scopes:        tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:         tool.NeedStore | tool.NeedCache | tool.NeedHTTP | tool.NeedSecrets,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           batchRemember,
})

func batchRemember(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	atomic := args.Atomic == nil || *args.Atomic
	values := make([]stored, len(args.Memories))
	res := &batchResult{Memories: []kept{}}
	var k *keeper
	outcomes, err := batch.Create(len(values), atomic, func(i int) (err error) {
		if args.Memories[i].wrong != nil {
			return args.Memories[i].wrong
		}
		values[i], err = args.Memories[i].new(call.Clock.Now())
		return err
	}, func(i int) (string, error) {
		if k == nil {
			var err error
			if k, err = newKeeper(ctx, call, values); err != nil {
				return "", err
			}
		}
		r, merged, err := k.keep(ctx, values[i])
		if err != nil {
			return "", err
		}
		if merged {
			res.Deduplicated++
		}
		res.Memories = append(res.Memories, kept{showBrief(r, k.now), merged})
		return r.ID, nil
	})
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Memories)
	res.Created = res.Count - res.Deduplicated
	res.Message = fmt.Sprintf("Remembered %d new memory(ies); %d already existed.", res.Created, res.Deduplicated)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Remembered %d new memory(ies) of %d; %d already existed; results has the outcome of each.",
			res.Created, len(values), res.Deduplicated)
	}
	return res, nil
}
