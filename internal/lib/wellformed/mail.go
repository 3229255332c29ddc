package wellformed

import (
	"net/mail"
	"net/netip"
	"strings"
)

const notEmail = "Invalid email format"

// EmailProblem returns the reason why an address is not well-formed, or "". The text must be
// only the address: a local part, quoted or not, and a host with a domain or an address
// literal of RFC 5321, such as [192.0.2.1] or [IPv6:2001:db8::1].
func EmailProblem(address string) string {
	const longest, longestLocal = 254, 64 // RFC 5321
	at := strings.LastIndexByte(address, '@')
	switch {
	case at < 0:
		return notEmail + ": there is no @"
	case len(address) > longest:
		return notEmail + ": it is longer than 254 bytes"
	case at > longestLocal:
		return notEmail + ": the part before the @ is longer than 64 bytes"
	}
	local, domain := address[:at], address[at+1:]
	// Behind a domain that is known to be right, the parser judges the local part alone.
	parsed, err := mail.ParseAddress(local + "@example.org")
	quoted := len(local) > 1 && local[0] == '"' && local[len(local)-1] == '"'
	if err != nil || parsed.Name != "" || !quoted && parsed.Address != local+"@example.org" {
		return notEmail
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		return literalProblem(literal)
	}
	if _, err := netip.ParseAddr(domain); err == nil {
		return notEmail + ": an IP address is written in brackets, such as [192.0.2.1] or [IPv6:2001:db8::1]"
	}
	switch {
	case domain == "" || strings.HasSuffix(domain, ".") || strings.ContainsAny(domain, " \t\r\n()<>,;"):
		return notEmail
	case !strings.Contains(domain, "."):
		return notEmail + ": the domain has no dot in it"
	}
	if problem := hostProblem(domain); problem != "" {
		return notEmail + ": " + problem
	}
	return ""
}

// literalProblem judges an address literal behind its opening bracket.
func literalProblem(literal string) string {
	const tag = "IPv6:" // in any case
	const problem = notEmail + ": brackets hold an IPv4 address, or IPv6: and an IPv6 address without a zone"
	text, closed := strings.CutSuffix(literal, "]")
	six := len(text) >= len(tag) && strings.EqualFold(text[:len(tag)], tag)
	if six {
		text = text[len(tag):]
	}
	addr, err := netip.ParseAddr(text)
	if err != nil || !closed || addr.Is6() != six || addr.Zone() != "" {
		return problem
	}
	return ""
}
