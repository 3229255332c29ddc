package webapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

type fetchWebPageArgs struct {
	URL             string `json:"url" min:"1" max:"16384" doc:"Full address of the page, http:// or https://."`
	ExtractText     bool   `json:"extractText,omitempty" default:"true" doc:"Return the readable text."`
	ExtractLinks    bool   `json:"extractLinks,omitempty" default:"false" doc:"Return the links with their texts."`
	ExtractMetadata bool   `json:"extractMetadata,omitempty" default:"true" doc:"Return title, description and other metadata."`
	IncludeRawHTML  bool   `json:"includeRawHtml,omitempty" default:"false" doc:"Return the HTML itself."`
}

type fetchWebPageResult struct {
	URL         string            `json:"url" doc:"Address that answered, after redirects."`
	Status      int               `json:"status" doc:"Status code."`
	ContentType string            `json:"contentType,omitempty" doc:"Media type of the page."`
	Charset     string            `json:"charset,omitempty" doc:"Encoding that the page was read in."`
	Title       string            `json:"title,omitempty"`
	Language    string            `json:"language,omitempty" doc:"Language that the page declares, such as de."`
	Metadata    map[string]string `json:"metadata,omitzero" doc:"title, and what the page says with meta tags: description, author, og:title, og:image …"`
	Text        string            `json:"text,omitempty" doc:"Readable text as Markdown, cut at 50,000 characters."`
	Links       []pageLink        `json:"links,omitzero" doc:"Links to web addresses, at most 1,000."`
	HTML        string            `json:"html,omitempty" doc:"HTML of the page, cut at 5 MB."`
	Truncated   bool              `json:"truncated,omitempty" doc:"Set where text, links or html were cut."`
}

type pageLink struct {
	Text string `json:"text"`
	Href string `json:"href"`
}

var _ = tool.Add(Set, tool.Spec[fetchWebPageArgs, *fetchWebPageResult]{
	Name: "fetch_web_page",
	Description: "Fetch a web page, feed or PDF and return its readable text as Markdown with title, language and metadata, and its links " +
		"or HTML if asked.",
	Tags:       []string{"web", "page", "site", "url", "scrape", "read", "html"},
	Errors:     []tool.Kind{tool.NetworkError, tool.ExecutionError, tool.Unsupported},
	Example:    `{"url":"https://example.com/","extractLinks":true}`,
	Risk:       tool.Medium,
	Mutates:    false,
	Idempotent: true,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Hosts: []string{"*"}},
	Needs:      tool.NeedHTTP | tool.NeedCache,
	Timeout:    longest,
	Check: func(_ context.Context, _ *tool.Call, args fetchWebPageArgs) error {
		_, err := parseURL(args.URL)
		return err
	},
	Run: fetchWebPage,
})

func fetchWebPage(ctx context.Context, call *tool.Call, args fetchWebPageArgs) (*fetchWebPageResult, error) {
	u, err := parseURL(args.URL)
	if err != nil {
		return nil, err
	}
	if call.Settings.Robots {
		if err := robotsAllow(ctx, call, u); err != nil {
			return nil, err
		}
	}
	resp, err := outward.Retry(ctx, call.Clock, func() (*http.Response, error) {
		req, err := requestTo(ctx, http.MethodGet, u, http.NoBody, map[string]string{
			"Accept": "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.5",
		})
		if err != nil {
			return nil, err
		}
		return call.HTTP.Do(req)
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, pageRefused(call, resp)
	}
	res := &fetchWebPageResult{Status: resp.StatusCode, URL: u.String()}
	if resp.Request != nil {
		res.URL = resp.Request.URL.String()
	}
	if err := res.read(ctx, call, &args, resp); err != nil {
		return nil, err
	}
	outward.MarkUntrusted(call)
	return res, nil
}

// pageRefused returns the error for an answer that is no page.
func pageRefused(call *tool.Call, resp *http.Response) error {
	code, host := resp.StatusCode, ""
	if resp.Request != nil {
		host = resp.Request.URL.Host
	}
	if code == http.StatusTooManyRequests {
		wait := outward.RetryAfter(resp.Header, call.Clock)
		return tool.Fail(tool.RateLimited, "%s had too many requests (status 429); try again in %d seconds",
			host, wait).With("status", code).With("retryAfter", wait)
	}
	failed := tool.Fail(tool.NetworkError, "%s answered with status %s, so there is no page to read; check the address, or try again later",
		host, strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))).With("status", code)
	if resp.Header.Get("Retry-After") != "" {
		failed = failed.With("retryAfter", outward.RetryAfter(resp.Header, call.Clock))
	}
	return failed
}

// Present returns the text for a model: where it comes from, the text and the links.
func (r *fetchWebPageResult) Present(res *tool.Result) {
	res.Metadata = map[string]any{"status": r.Status}
	res.Truncated = r.Truncated
	var w strings.Builder
	fmt.Fprintf(&w, "%s\n%s\n\n", r.URL, outward.Untrusted)
	switch {
	case r.Text != "":
		w.WriteString(r.Text)
	case r.HTML != "":
		w.WriteString(clipped(r.HTML, maxTextChars, contentTruncated))
	case r.Title != "":
		w.WriteString("# " + r.Title)
	default:
		w.WriteString("(the page holds no readable text)")
	}
	if len(r.Links) > 0 {
		w.WriteString("\n\nLinks:")
		for _, l := range r.Links {
			fmt.Fprintf(&w, "\n- %s: %s", l.Text, l.Href)
		}
	}
	res.Text = w.String()
}
