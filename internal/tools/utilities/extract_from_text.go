package utilities

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type extractArgs struct {
	Text    string `json:"text" doc:"Text to search."`
	Pattern string `json:"pattern" doc:"What to find." enum:"urls,emails,phones,dates,numbers,hashtags,mentions"`
}

type extracted struct {
	Pattern          string   `json:"pattern"`
	Matches          []string `json:"matches" doc:"As they are written in the text, each once, at most 10000."`
	Count            int      `json:"count" doc:"Number of matches listed."`
	TotalOccurrences int      `json:"totalOccurrences" doc:"With repetitions."`

	found foundText
}

// Present tells of matches that are not listed.
func (r *extracted) Present(res *tool.Result) { r.found.present(res) }

var _ = tool.Add(Set, tool.Spec[extractArgs, *extracted]{
	Name:        "extract_from_text",
	Description: "Find all addresses, mail addresses, phone numbers, dates, numbers, hashtags or mentions in a text and return each once, in order, with how many there are.",
	Tags:        []string{"extract", "regex", "pattern", "find", "parse", "urls", "emails", "phone numbers", "hashtags"},
	Group:       "utilities",
	Errors:      []tool.Kind{},
	Example:     `{"text":"Visit https://example.com and http://test.org today","pattern":"urls"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         extractFromText,
})

func extractFromText(ctx context.Context, _ *tool.Call, args extractArgs) (*extracted, error) {
	found, err := search(ctx, textFinders[args.Pattern], args.Text, true)
	if err != nil {
		return nil, err
	}
	return &extracted{
		Pattern: args.Pattern, Matches: found.matches, Count: len(found.matches), TotalOccurrences: found.all, found: found,
	}, nil
}
