package webapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// httpResponse is the answer of a server, with any status.
type httpResponse struct {
	Status     int               `json:"status" doc:"Status code."`
	StatusText string            `json:"statusText" doc:"Reason phrase."`
	Headers    map[string]string `json:"headers" doc:"Response headers, names in lower case, several values joined by a comma."`
	// Body is a string, or a value if the server declares JSON.
	Body      any    `json:"body"`
	URL       string `json:"url" doc:"Address that answered, after redirects."`
	Truncated bool   `json:"truncated,omitempty" doc:"Set where body was cut."`

	page page
}

// maxHeaders limits the headers of a result, in bytes.
const maxHeaders = 64 << 10

func newResponse(resp *http.Response, p page) httpResponse {
	out := httpResponse{
		Status:     resp.StatusCode,
		StatusText: statusText(resp),
		Headers:    flatten(resp.Header),
		Body:       p.text,
		Truncated:  p.cut,
		page:       p,
	}
	if resp.Request != nil {
		out.URL = resp.Request.URL.String()
	}
	if p.json && !p.cut && isJSON(p.text) {
		out.Body = json.RawMessage(p.text)
	}
	return out
}

// Present returns the text for a model: status line, the two headers that matter for
// reading, and the body with a note if it was cut.
func (r httpResponse) Present(res *tool.Result) {
	var w strings.Builder
	fmt.Fprintf(&w, "HTTP %d %s\n", r.Status, r.StatusText)
	for _, name := range []string{"Content-Type", "Content-Length"} {
		if v := r.Headers[strings.ToLower(name)]; v != "" {
			fmt.Fprintf(&w, "%s: %s\n", name, v)
		}
	}
	fmt.Fprintf(&w, "Note: %s\n\n", outward.Untrusted)
	switch {
	case r.page.text != "":
		w.WriteString(r.page.text)
	case r.page.empty != "":
		w.WriteString(r.page.empty)
	default:
		w.WriteString("(empty response body)")
	}
	if r.Truncated {
		fmt.Fprintf(&w, "\n\n(Response truncated. Showing first %s of %s total.)", kilobytes(len(r.page.text)+1023), r.page.size)
		res.Truncated = true
		res.Metadata = r.page.size.metadata()
	}
	res.Text = w.String()
}

func statusText(resp *http.Response) string {
	_, phrase, _ := strings.Cut(resp.Status, " ")
	if phrase = valid(strings.TrimSpace(phrase)); phrase != "" {
		return phrase
	}
	return http.StatusText(resp.StatusCode)
}

// flatten lists headers by name until maxHeaders is reached.
func flatten(h http.Header) map[string]string {
	flat := map[string]string{}
	left := maxHeaders
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := valid(strings.Join(h[name], ", "))
		if left -= len(name) + len(value); left < 0 {
			break
		}
		flat[strings.ToLower(name)] = value
	}
	return flat
}

// maxJSONDepth protects readers that recurse.
const maxJSONDepth = 256

// isJSON reports whether text is one JSON value that all readers interpret alike:
// without duplicate members and not too deep.
func isJSON(text string) bool {
	dec := jsontext.NewDecoder(strings.NewReader(text))
	for {
		if _, err := dec.ReadToken(); err != nil || dec.StackDepth() > maxJSONDepth {
			return false
		}
		if dec.StackDepth() == 0 {
			break
		}
	}
	return strings.TrimSpace(text[dec.InputOffset():]) == ""
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func kilobytes(n int) string { return fmt.Sprintf("%dKB", n>>10) }
