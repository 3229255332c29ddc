package desktop

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type browserOpenURLArgs struct {
	URL string `json:"url" min:"1" max:"8192" doc:"Address of the page, http or https."`
}

type browserOpenURLResult struct {
	Opened bool   `json:"opened"`
	URL    string `json:"url"`
}

var _ = tool.Add(Set, tool.Spec[browserOpenURLArgs, browserOpenURLResult]{
	Name: "browser.open_url",
	Description: "Show the person a web page in their own browser, when they want to see it themselves, and return that it was opened; " +
		"the page's text is not returned.",
	Tags:       []string{"browser", "url", "open", "web", "page", "link", "website", "desktop"},
	Pool:       pool,
	Risk:       tool.Medium,
	Mutates:    true,
	Idempotent: false,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Hosts: []string{"*"}},
	Verbatim:   []string{"url"},
	Needs:      tool.NeedDesktop,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"url":"https://example.com"}`,
	Timeout:    15 * time.Second,
	Check:      checkPage,
	Run:        browserOpenURL,
})

// checkPage refuses calls for which no person needs to be asked. The port decides which
// addresses the call may reach.
func checkPage(_ context.Context, _ *tool.Call, args browserOpenURLArgs) error {
	u, err := url.Parse(strings.TrimSpace(args.URL))
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "":
		return tool.Fail(tool.ValidationError, "This is not a URL; write one such as https://example.com/page.").Because(err)
	case u.Scheme != "http" && u.Scheme != "https":
		return tool.Fail(tool.ValidationError, "Only http and https pages can be opened.")
	case u.Hostname() == "":
		return tool.Fail(tool.ValidationError, "The URL names no host; write one such as https://example.com/page.")
	case u.User != nil:
		return tool.Fail(tool.ValidationError, "The URL must not hold a user name or password.")
	}
	return nil
}

func browserOpenURL(ctx context.Context, call *tool.Call, args browserOpenURLArgs) (browserOpenURLResult, error) {
	address := strings.TrimSpace(args.URL)
	if err := call.Desktop.OpenURL(ctx, address); err != nil {
		return browserOpenURLResult{}, err
	}
	return browserOpenURLResult{Opened: true, URL: address}, nil
}
