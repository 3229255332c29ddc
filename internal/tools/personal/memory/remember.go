package memory

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type rememberResult struct {
	Message      string `json:"message"`
	Memory       brief  `json:"memory"`
	Deduplicated bool   `json:"deduplicated" doc:"Whether the same was remembered before; then memory is that one."`
}

var _ = tool.Add(Set, tool.Spec[input, *rememberResult]{
	Name: "remember",
	Description: "Remember a fact, preference, event or skill of the person for later conversations, and return its id; " +
		"what is remembered already is not stored twice.",
	Aliases:       []string{"create_memory"},
	Tags:          []string{"save", "store", "note", "memorize", "remember", "keep", "keep in mind", "prefer", "allergic"},
	Example:       `{"content":"Prefers window seats on trains","type":"preference","importance":0.7,"tags":["travel"]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Scopes:        tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:         tool.NeedStore | tool.NeedCache | tool.NeedHTTP | tool.NeedSecrets,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           remember,
})

func remember(ctx context.Context, call *tool.Call, in input) (*rememberResult, error) {
	v, err := in.new(call.Clock.Now())
	if err != nil {
		return nil, err
	}
	k, err := newKeeper(ctx, call, []stored{v})
	if err != nil {
		return nil, err
	}
	r, merged, err := k.keep(ctx, v)
	if err != nil {
		return nil, err
	}
	res := &rememberResult{Memory: showBrief(r, k.now), Deduplicated: merged}
	if res.Message = fmt.Sprintf("Remembered as %s %s: %q.", v.Type, r.ID, excerpt(v.Content)); merged {
		res.Message = fmt.Sprintf("Memory %s already exists: %q; it was merged with this one.", r.ID, excerpt(r.Value.Content))
	}
	return res, nil
}
