package text

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/lib/textfind"
	"github.com/helve-dev/helve/tool"
)

type extractNumbersArgs struct {
	Text   string `json:"text" doc:"Text to search."`
	Unique bool   `json:"unique,omitempty" doc:"List each once." default:"false"`
}

type extractedNumbers struct {
	Numbers   []json.RawMessage `json:"numbers" doc:"As numbers, without commas between thousands, at most 10000."`
	Count     int               `json:"count" doc:"Number of numbers listed."`
	Total     int               `json:"total" doc:"Number there are."`
	Truncated bool              `json:"truncated" doc:"Whether there are more than are listed."`
}

var _ = tool.Add(Set, tool.Spec[extractNumbersArgs, *extractedNumbers]{
	Name:        "extract_numbers",
	Description: "Find the numbers in a text and return them as numbers, in order, ready for calculation.",
	Tags:        []string{"extract", "numbers", "digits", "find", "parse", "amounts"},
	Group:       "extraction",
	Errors:      []tool.Kind{},
	Example:     `{"text":"Got 42 items for 1,234.50 in total, down -7%"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         extractNumbers,
})

func extractNumbers(ctx context.Context, call *tool.Call, args extractNumbersArgs) (*extractedNumbers, error) {
	find := textfind.Numbers
	if args.Unique {
		find = textfind.Values
	}
	found, err := textfind.Search(ctx, find, args.Text, false)
	if err != nil {
		return nil, err
	}
	numbers := []json.RawMessage{}
	for _, match := range found.Matches {
		if value := textfind.NumberValue(match); value != nil {
			numbers = append(numbers, value)
		}
	}
	noteMatches(call, len(numbers), found.Total)
	return &extractedNumbers{Numbers: numbers, Count: len(numbers), Total: found.Total, Truncated: found.Total > len(numbers)}, nil
}
