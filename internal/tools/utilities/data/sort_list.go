package data

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/tool"
)

type sortListArgs struct {
	Items         json.RawMessage `json:"items" alias:"array" doc:"The list: a JSON array, or text with one item on each line, or on one line between commas."`
	Order         string          `json:"order,omitempty" enum:"asc,desc" default:"asc" doc:"Direction."`
	Key           string          `json:"key,omitempty" doc:"Member to sort by, if the items are objects."`
	CaseSensitive bool            `json:"caseSensitive,omitempty" default:"false" doc:"Sort capital letters before small ones."`
}

type listResult struct {
	Items []json.RawMessage `json:"items"`
	Count int               `json:"count" doc:"Number of items."`
}

var _ = tool.Add(Set, tool.Spec[sortListArgs, listResult]{
	Name: "sort_list",
	Description: "Sort a list of texts, numbers or objects, given as a JSON array or as lines, and return it in order: " +
		"numbers by value before texts, what is missing last.",
	Tags:       []string{"sort", "order", "list", "alphabetical", "arrange", "rank"},
	Group:      "listOps",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"items":["pear","Apple","fig"]}`,
	Run:        sortList,
})

func sortList(_ context.Context, _ *tool.Call, args sortListArgs) (listResult, error) {
	items, err := listItems(args.Items)
	if err != nil {
		return listResult{}, err
	}
	order := jsonvalue.Order{Member: args.Key, Descending: args.Order == "desc", FoldCase: !args.CaseSensitive}
	return listOf(order.Sorted(items)), nil
}

func listOf(items []jsontext.Value) listResult {
	res := listResult{Items: make([]json.RawMessage, len(items)), Count: len(items)}
	for i, item := range items {
		res.Items[i] = json.RawMessage(item)
	}
	return res
}

// listItems parses a list in the forms that people and models use: an array, the text
// of an array, or lines without the empty ones. A single line is split at its commas.
func listItems(raw json.RawMessage) ([]jsontext.Value, error) {
	text, err := jsonvalue.ArgumentText("items", raw)
	if err != nil {
		return nil, err
	}
	lines := len(raw) > 0 && raw[0] == '"' && !strings.HasPrefix(strings.TrimSpace(string(text)), "[")
	if !lines {
		return jsonvalue.Array("items", raw)
	}
	separator := ","
	if strings.Contains(strings.TrimSpace(string(text)), "\n") {
		separator = "\n"
	}
	var items []jsontext.Value
	for item := range strings.SplitSeq(string(text), separator) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, jsonwalk.AppendString(nil, item))
		}
	}
	return items, nil
}
