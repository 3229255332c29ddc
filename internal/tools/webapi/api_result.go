package webapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// apiResult is the answer of an API.
type apiResult struct {
	Status int `json:"status" doc:"Status code."`
	// Data is the JSON of the answer, its text if it is not JSON, or the selected values.
	Data        json.RawMessage `json:"data" doc:"The answer as JSON, a text where it is not JSON, null where it is empty; with select the list of the selected values."`
	NotModified bool            `json:"notModified,omitempty" doc:"true with status 304: what the caller has is current."`
	Pages       int             `json:"pages,omitempty" doc:"With maxPages, the pages whose lists were joined."`
	Truncated   bool            `json:"truncated,omitempty" doc:"Set where pages are missing in data."`
}

// Present returns the text for a model, cut to maxShown.
func (r *apiResult) Present(res *tool.Result) {
	res.Metadata = map[string]any{"status": r.Status}
	res.Truncated = r.Truncated
	shown := string(r.Data)
	var text string
	if json.Unmarshal(r.Data, &text) == nil && strings.HasPrefix(shown, `"`) {
		shown = text
	}
	if r.NotModified {
		shown = "(not modified)"
	}
	if len(shown) > maxShown {
		size := len(shown)
		shown = textcut.Head(shown, maxShown) + fmt.Sprintf("\n\n(The answer has %s; use select to choose a part.)", kilobytes(size+1023))
	}
	res.Text = fmt.Sprintf("HTTP %d\nNote: %s\n\n%s", r.Status, outward.Untrusted, shown)
}
