package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/textfind"
	"github.com/helve-dev/helve/tool"
)

type extractURLsArgs struct {
	Text   string `json:"text" doc:"Text to search."`
	Unique *bool  `json:"unique,omitempty" doc:"List each once." default:"true"`
}

type extractedURLs struct {
	URLs      []string `json:"urls" doc:"As they are written, at most 10000."`
	Count     int      `json:"count" doc:"Number of addresses listed."`
	Total     int      `json:"total" doc:"Number there are."`
	Truncated bool     `json:"truncated" doc:"Whether there are more than are listed."`
}

var _ = tool.Add(Set, tool.Spec[extractURLsArgs, *extractedURLs]{
	Name:        "extract_urls",
	Description: "Find the web addresses in a text, those with a scheme or www., and return them in order.",
	Tags:        []string{"extract", "urls", "links", "find", "parse"},
	Group:       "extraction",
	Errors:      []tool.Kind{},
	Example:     `{"text":"See https://example.com/a, then www.example.org."}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         extractURLs,
})

func extractURLs(ctx context.Context, call *tool.Call, args extractURLsArgs) (*extractedURLs, error) {
	found, err := textfind.Search(ctx, textfind.Finders["urls"], args.Text, args.Unique == nil || *args.Unique)
	if err != nil {
		return nil, err
	}
	noteMatches(call, len(found.Matches), found.Total)
	return &extractedURLs{URLs: found.Matches, Count: len(found.Matches), Total: found.Total, Truncated: found.Total > len(found.Matches)}, nil
}
