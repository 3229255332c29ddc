package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/textfind"
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

	found textfind.Found
}

// Present adds a note about unlisted matches.
func (r *extracted) Present(res *tool.Result) { presentFound(res, &r.found) }

var _ = tool.Add(Set, tool.Spec[extractArgs, *extracted]{
	Name: "extract_from_text",
	Description: "Find all addresses, mail addresses, phone numbers, dates, numbers, hashtags or mentions in a text and return each once, " +
		"in order, with how many there are.",
	Tags:       []string{"extract", "regex", "pattern", "find", "parse", "urls", "emails", "phone numbers", "hashtags"},
	Group:      "utilities",
	Errors:     []tool.Kind{},
	Example:    `{"text":"Visit https://example.com and http://test.org today","pattern":"urls"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run:        extractFromText,
})

func extractFromText(ctx context.Context, call *tool.Call, args extractArgs) (*extracted, error) {
	found, err := textfind.Search(ctx, textfind.Finders[args.Pattern], args.Text, true)
	if err != nil {
		return nil, err
	}
	noteMatches(call, len(found.Matches), found.Total)
	return &extracted{
		Pattern: args.Pattern, Matches: found.Matches, Count: len(found.Matches), TotalOccurrences: found.All, found: found,
	}, nil
}

// noteMatches adds a note if not all matches are listed.
func noteMatches(call *tool.Call, listed, total int) {
	if listed < total {
		call.Note("showing %d of %d matches; send the text in parts for the others.", listed, total)
	}
}

// presentFound marks res as truncated if not all matches are listed.
func presentFound(res *tool.Result, f *textfind.Found) {
	if f.Total > len(f.Matches) {
		res.Truncated = true
		res.Metadata = map[string]any{"total": f.Total}
	}
}
