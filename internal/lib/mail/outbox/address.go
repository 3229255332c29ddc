package outbox

import (
	netmail "net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/helve-dev/helve/tool"
)

const (
	// MaxRecipients bounds the recipients of a mail.
	MaxRecipients = 100
	// longestAddress is the longest address that SMTP can carry, in bytes.
	longestAddress = 254
)

// Valid reports whether a text is one plain address, local@domain, with a dot in its domain.
func Valid(address string) bool {
	if len(address) > longestAddress || !utf8.ValidString(address) || strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}) {
		return false
	}
	a, err := netmail.ParseAddress(address)
	if err != nil || a.Name != "" || a.Address != address {
		return false
	}
	domain := address[strings.LastIndexByte(address, '@')+1:]
	return strings.Contains(strings.Trim(domain, "."), ".") && !strings.HasPrefix(domain, "[")
}

// CheckRecipients returns an error if a list of addresses is empty, too long, or has an
// address that is none.
func CheckRecipients(to, cc, bcc []string) error {
	if len(to) == 0 {
		return tool.Fail(tool.ValidationError, "At least one recipient is required")
	}
	if n := len(to) + len(cc) + len(bcc); n > MaxRecipients {
		return tool.Fail(tool.ValidationError, "The mail has %d recipients; at most %d are allowed", n, MaxRecipients)
	}
	for _, list := range [][]string{to, cc, bcc} {
		for _, address := range list {
			if !Valid(address) {
				return tool.Fail(tool.ValidationError, "Invalid email address: %s", shown(address))
			}
		}
	}
	return nil
}

// CheckReplyTo returns an error if an address is none; an empty one is left out.
func CheckReplyTo(address string) error {
	if address != "" && !Valid(address) {
		return tool.Fail(tool.ValidationError, "Invalid replyTo address: %s", shown(address))
	}
	return nil
}

// shown returns an invalid address for a message, on one line and cut.
func shown(address string) string {
	const most = 100
	runes := []rune(strings.ToValidUTF8(address, "�"))
	cut := len(runes) > most
	runes = runes[:min(len(runes), most)]
	for i, r := range runes {
		if unicode.IsControl(r) {
			runes[i] = '�'
		}
	}
	if cut {
		return string(runes) + "..."
	}
	return string(runes)
}

// ascii returns an address with its domain in ASCII, and whether all of it is.
func ascii(address string) (string, bool) {
	at := strings.LastIndexByte(address, '@')
	local, domain := address[:at], address[at+1:]
	if d, err := idna.Lookup.ToASCII(domain); err == nil {
		domain = d
	}
	address = local + "@" + domain
	for i := range len(address) {
		if address[i] >= utf8.RuneSelf {
			return address, false
		}
	}
	return address, true
}
