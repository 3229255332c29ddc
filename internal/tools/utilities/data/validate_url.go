package data

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/wellformed"
	"github.com/helve-dev/helve/tool"
)

type validateURLArgs struct {
	URL string `json:"url" alias:"value" doc:"The URL."`
}

type validateURLResult struct {
	URL      string            `json:"url"`
	Valid    bool              `json:"valid"`
	Reason   string            `json:"reason,omitempty" doc:"Why it is not valid."`
	Scheme   string            `json:"scheme,omitempty"`
	Host     string            `json:"host,omitempty" doc:"In lower case, without the port."`
	Port     int               `json:"port,omitzero" doc:"Where the URL names one."`
	Path     string            `json:"path,omitempty"`
	Query    map[string]string `json:"query,omitempty" doc:"Parameters; of one that is there twice the first."`
	Fragment string            `json:"fragment,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[validateURLArgs, validateURLResult]{
	Name: "validate_url",
	Description: "Check whether a text is a complete web, FTP or WebSocket URL and return the verdict with its parts, or with the reason; " +
		"it does not fetch it.",
	Tags:       []string{"url check", "validate", "link", "address", "valid url", "parse url"},
	Group:      "validation",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"url":"https://example.org:8443/search?q=helve#top"}`,
	Run:        validateURL,
})

func validateURL(_ context.Context, _ *tool.Call, args validateURLArgs) (validateURLResult, error) {
	u, reason := wellformed.URL(args.URL)
	res := validateURLResult{URL: textcut.Excerpt(args.URL, longestShown), Valid: reason == "", Reason: reason}
	if !res.Valid {
		return res, nil
	}
	res.Scheme, res.Host, res.Path, res.Fragment = u.Scheme, strings.ToLower(u.Hostname()), u.Path, u.Fragment
	res.Port, _ = strconv.Atoi(u.Port()) // there may be none
	for name, values := range u.Query() {
		if res.Query == nil {
			res.Query = map[string]string{}
		}
		res.Query[name] = values[0]
	}
	return res, nil
}
