package wellformed

import (
	"net/mail"
	"strings"
)

// EmailProblem returns the reason why an address is not well-formed, or "". The text
// must be only the address, at a host with a domain.
func EmailProblem(address string) string {
	const longest, longestLocal = 254, 64 // RFC 5321
	at := strings.LastIndexByte(address, '@')
	switch {
	case at < 0:
		return "Invalid email format: there is no @"
	case len(address) > longest:
		return "Invalid email format: it is longer than 254 bytes"
	case at > longestLocal:
		return "Invalid email format: the part before the @ is longer than 64 bytes"
	}
	parsed, err := mail.ParseAddress(address)
	domain := address[at+1:]
	if err != nil || parsed.Name != "" || parsed.Address != address && !strings.HasPrefix(address, `"`) || strings.HasPrefix(address, "<") {
		return "Invalid email format"
	}
	if !strings.Contains(domain, ".") || strings.HasSuffix(domain, ".") {
		return "Invalid email format: the domain has no dot in it"
	}
	if problem := hostProblem(domain); problem != "" {
		return "Invalid email format: " + problem
	}
	return ""
}
