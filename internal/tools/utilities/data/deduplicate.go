package data

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/tool"
)

type deduplicateArgs struct {
	Items         json.RawMessage `json:"items" alias:"array" doc:"The list: a JSON array, or text with one item on each line, or on one line between commas."`
	Key           string          `json:"key,omitempty" doc:"Member that tells items apart, if they are objects; the whole object by default."`
	CaseSensitive bool            `json:"caseSensitive" default:"true" doc:"Take capital and small letters for different."`
}

type deduplicateResult struct {
	listResult
	Removed int `json:"removed" doc:"Number of items left out because they were there before."`
}

var _ = tool.Add(Set, tool.Spec[deduplicateArgs, deduplicateResult]{
	Name: "deduplicate",
	Description: "Remove repeated items from a list, given as a JSON array or as lines, and return the first of each in the order they had, " +
		"with how many were removed.",
	Tags:       []string{"unique", "distinct", "duplicates", "list", "remove duplicates"},
	Group:      "listOps",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"items":"red\ngreen\nred\nblue"}`,
	Run:        deduplicate,
})

func deduplicate(_ context.Context, _ *tool.Call, args deduplicateArgs) (deduplicateResult, error) {
	items, err := listItems(args.Items)
	if err != nil {
		return deduplicateResult{}, err
	}
	distinct := jsonvalue.Distinct(items, args.Key, !args.CaseSensitive)
	return deduplicateResult{listResult: listOf(distinct), Removed: len(items) - len(distinct)}, nil
}
