package utilities

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/helve-dev/helve/tool"
)

type validateURLArgs struct {
	URL string `json:"url" doc:"The URL."`
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
	Name:        "validate_url",
	Description: "Check whether a text is a complete web, FTP or WebSocket URL and return the verdict with its parts, or with the reason; it does not fetch it.",
	Tags:        []string{"url check", "validate", "link", "address", "valid url", "parse url"},
	Group:       "validation",
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Errors:      []tool.Kind{},
	Example:     `{"url":"https://example.org:8443/search?q=helve#top"}`,
	Run:         validateURL,
})

func validateURL(_ context.Context, _ *tool.Call, args validateURLArgs) (validateURLResult, error) {
	u, reason := parseURL(args.URL)
	res := validateURLResult{URL: validateShown(args.URL), Valid: reason == "", Reason: reason}
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

// urlSchemes are those of addresses that can be opened. javascript:, data: and
// file: are URLs too, but nobody who asks whether a link is valid means them.
var urlSchemes = []string{"http", "https", "ftp", "ftps", "sftp", "ws", "wss"}

const notURL = "Invalid URL format"

// parseURL reads a complete URL, or says why it is none.
func parseURL(text string) (u *url.URL, reason string) {
	const longest = 8192
	u, err := url.Parse(text)
	switch {
	case len(text) > longest:
		return nil, notURL + ": it is longer than 8192 bytes"
	case err != nil || strings.ContainsFunc(text, unicode.IsSpace) || u.Scheme == "":
		return nil, notURL
	case !slices.Contains(urlSchemes, u.Scheme):
		return nil, notURL + ": the scheme " + jsonClip(u.Scheme) + " is not one of " + strings.Join(urlSchemes, ", ")
	case u.Host == "":
		return nil, notURL + ": the host is missing"
	}
	if problem := hostProblem(u.Hostname()); problem != "" {
		return nil, notURL + ": " + problem
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, notURL + ": the port must be between 1 and 65535"
		}
	}
	return u, ""
}

// hostProblem says why a name cannot be a host's, or "". Names in other scripts
// are taken as they are written.
func hostProblem(host string) string {
	const longest, longestLabel = 253, 63
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > longest {
		return "the host name is empty or too long"
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > longestLabel {
			return "a part of the host name is empty or too long"
		}
		if label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, notInHost) {
			return "the host name has a character that it cannot have"
		}
	}
	if onlyDigits(labels[len(labels)-1]) {
		return "the host is neither a name nor an IP address"
	}
	return ""
}

func notInHost(r rune) bool {
	return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
