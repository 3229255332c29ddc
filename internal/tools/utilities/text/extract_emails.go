package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/textfind"
	"github.com/helve-dev/helve/tool"
)

type extractEmailsArgs struct {
	Text   string `json:"text" doc:"Text to search."`
	Unique *bool  `json:"unique,omitempty" doc:"List each once." default:"true"`
}

type extractedEmails struct {
	Emails    []string `json:"emails" doc:"As they are written, at most 10000."`
	Count     int      `json:"count" doc:"Number of emails listed."`
	Total     int      `json:"total" doc:"Number there are."`
	Truncated bool     `json:"truncated" doc:"Whether there are more than are listed."`
}

var _ = tool.Add(Set, tool.Spec[extractEmailsArgs, *extractedEmails]{
	Name:        "extract_emails",
	Description: "Find the mail addresses in a text and return them in order.",
	Tags:        []string{"extract", "emails", "mail addresses", "find", "parse"},
	Group:       "extraction",
	Errors:      []tool.Kind{},
	Example:     `{"text":"Write to ann@example.com or bob@example.org."}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         extractEmails,
})

func extractEmails(ctx context.Context, call *tool.Call, args extractEmailsArgs) (*extractedEmails, error) {
	found, err := textfind.Search(ctx, textfind.Finders["emails"], args.Text, args.Unique == nil || *args.Unique)
	if err != nil {
		return nil, err
	}
	noteMatches(call, len(found.Matches), found.Total)
	return &extractedEmails{
		Emails:    found.Matches,
		Count:     len(found.Matches),
		Total:     found.Total,
		Truncated: found.Total > len(found.Matches),
	}, nil
}
