package text

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/textfind"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExtractFromText(t *testing.T) {
	tooltest.Run(t, Set, "extract_from_text", tool.Call{}, []tooltest.Case{
		{
			Name: "urls", Args: `{"text":"Visit https://example.com and http://test.org today","pattern":"urls"}`,
			Want: `{"pattern":"urls","matches":["https://example.com","http://test.org"],"count":2,"totalOccurrences":2}`,
		},
		{
			Name: "each once", Args: `{"text":"Visit https://example.com then https://example.com again and https://example.com","pattern":"urls"}`,
			Want: `{"pattern":"urls","matches":["https://example.com"],"count":1,"totalOccurrences":3}`,
		},
		{
			Name: "numbers",
			Args: `{"text":"Got 42 items and 3.14 liters","pattern":"numbers"}`,
			Want: `{"pattern":"numbers","matches":["42","3.14"],"count":2,"totalOccurrences":2}`,
		},
		{
			Name: "hashtags",
			Args: `{"text":"Love #TypeScript and #Vitest!","pattern":"hashtags"}`,
			Want: `{"pattern":"hashtags","matches":["#TypeScript","#Vitest"],"count":2,"totalOccurrences":2}`,
		},
		{
			Name: "nothing",
			Args: `{"text":"no urls here","pattern":"urls"}`,
			Want: `{"pattern":"urls","matches":[],"count":0,"totalOccurrences":0}`,
		},
		{Name: "no text", Args: `{"text":"","pattern":"dates"}`, Want: `{"pattern":"dates","matches":[],"count":0,"totalOccurrences":0}`},
		{
			Name: "very many", Args: `{"text":"` + manyTags() + `","pattern":"hashtags"}`,
			Check: func(t *testing.T, res tool.Result) {
				var got extracted
				if err := json.Unmarshal(res.Value, &got); err != nil || got.Count != textfind.MaxFound || got.TotalOccurrences != 12_000 ||
					!res.Truncated || res.Metadata["total"] != 12_000 {
					t.Errorf("%d of %d, truncated %t, metadata %v, error %v", got.Count, got.TotalOccurrences, res.Truncated, res.Metadata, err)
				}
				if want := "showing 10000 of 12000 matches; send the text in parts for the others."; !slices.Equal(res.Notes, []string{want}) {
					t.Errorf("notes %q, want %q", res.Notes, want)
				}
			},
		},
		{Name: "unknown", Args: `{"text":"a","pattern":"colors"}`, Fails: tool.ValidationError, Message: "pattern: must be one of: urls"},
		{Name: "no pattern", Args: `{"text":"a"}`, Fails: tool.ValidationError, Message: "pattern"},
	})
}

func manyTags() string {
	var b strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&b, "#t%d ", i)
	}
	return b.String()
}

func TestExtractCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for sort, find := range textfind.Finders {
		if _, err := textfind.Search(ctx, find, strings.Repeat("@a 1 ", 2000), true); !errors.Is(err, context.Canceled) {
			t.Errorf("search for %s in a cancelled call: error %v, want %v", sort, err, context.Canceled)
		}
	}
}
