package wellformed

import (
	"github.com/helve-dev/helve/internal/lib/textcut"

	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// urlSchemes lists the schemes of addresses that can be opened. javascript:, data: and
// file: are URLs too, but a caller who validates a link does not mean them.
var urlSchemes = []string{"http", "https", "ftp", "ftps", "sftp", "ws", "wss"}

const notURL = "Invalid URL format"

// URL parses a complete URL, or returns the reason why it is invalid.
func URL(text string) (u *url.URL, reason string) {
	const longest = 8192
	u, err := url.Parse(text)
	switch {
	case len(text) > longest:
		return nil, notURL + ": it is longer than 8192 bytes"
	case err != nil || strings.ContainsFunc(text, unicode.IsSpace) || u.Scheme == "":
		return nil, notURL
	case !slices.Contains(urlSchemes, u.Scheme):
		return nil, notURL + ": the scheme " + textcut.Excerpt(u.Scheme, 60) + " is not one of " + strings.Join(urlSchemes, ", ")
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

// hostProblem returns the reason why a name cannot be a host name, or "". Names in
// other scripts are accepted as written.
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
	if OnlyDigits(labels[len(labels)-1]) {
		return "the host is neither a name nor an IP address"
	}
	return ""
}

func notInHost(r rune) bool {
	return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
