package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type recallArgs struct {
	Query  string   `json:"query" doc:"What to look for, in plain words." min:"1" max:"10000"`
	Type   string   `json:"type,omitempty" doc:"Only memories of this type." enum:"fact,preference,event,skill"`
	Tags   []string `json:"tags,omitempty" doc:"Only memories that have all of these tags." max:"50"`
	Limit  int      `json:"limit,omitempty" doc:"The most memories to return, 1 to 50."`
	Offset int      `json:"offset,omitempty" doc:"How many of the best memories to skip."`
}

type recallResult struct {
	Message  string   `json:"message"`
	Memories []memory `json:"memories" doc:"The best match first."`

	listing.Counts
}

// It counts as an access to what it finds, which only keeps that from fading. Nobody
// decides about that, so the definition has no change.
var _ = tool.Add(Set, tool.Spec[recallArgs, *recallResult]{
	Name: "recall",
	Description: "Recall what is remembered about the person that fits a question or some words, by words and, where embeddings are " +
		"configured, by meaning, best match first, and return it with its ids.",
	Aliases:      []string{"search_memories"},
	Tags:         []string{"retrieve", "search memory", "remember", "find", "query", "know about me", "preferences"},
	Example:      `{"query":"Where does she like to sit on a train?","limit":5}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 10, Max: 50},
	Scopes:       tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:        tool.NeedStore | tool.NeedCache | tool.NeedHTTP | tool.NeedSecrets,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          recall,
})

func recall(ctx context.Context, call *tool.Call, args recallArgs) (*recallResult, error) {
	if strings.TrimSpace(args.Query) == "" {
		return nil, tool.Fail(tool.ValidationError, "query is blank")
	}
	s := &search{store: call.Store, now: call.Clock.Now(), found: map[string]tool.Record[stored]{}}
	if args.Type != "" {
		s.where = append(s.where, tool.Where("type", tool.Equal, args.Type))
	}
	for _, tag := range args.Tags {
		if tag = strings.TrimSpace(tag); tag != "" {
			s.where = append(s.where, tool.Where("tags", tool.Has, tag))
		}
	}
	words, err := s.words(ctx, args.Query)
	if err != nil {
		return nil, err
	}
	meaning, err := s.meaning(ctx, call, args)
	if err != nil {
		return nil, err
	}
	ids := fuse(words, meaning)
	first := min(max(args.Offset, 0), len(ids))
	part := ids[first:min(first+args.Limit, len(ids))]
	res := &recallResult{Memories: make([]memory, len(part)), Counts: listing.CountsOf(len(ids), args.Offset, len(part))}
	res.Truncated = res.Truncated || s.more
	for i, id := range part {
		r := s.found[id]
		if r.Value.access(s.now) {
			if r, err = memories.Update(ctx, call.Store, r); err != nil {
				return nil, err
			}
		}
		res.Memories[i] = show(r, s.now)
	}
	if res.Message = fmt.Sprintf("%d memory(ies) found, the best match first.", res.Count); res.Count == 0 {
		res.Message = "No memories found."
	}
	return res, nil
}
