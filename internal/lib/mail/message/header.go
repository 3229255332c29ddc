package message

import (
	netmail "net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"

	gomessage "github.com/emersion/go-message"
	gomail "github.com/emersion/go-message/mail"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

const (
	// maxField bounds the characters of a field that are shown.
	maxField = 1000
	// maxAddresses bounds the addresses of a field that are read.
	maxAddresses = 500
	// maxReferences bounds the Message-IDs of a thread that are kept.
	maxReferences = 20
)

// Header holds the fields of a mail, decoded and on one line each.
type Header struct {
	From, ReplyTo, To, Cc []Address
	Subject               string
	// Date is zero if there is none that can be read.
	Date time.Time
	// MessageID, InReplyTo and References have angle brackets.
	MessageID, InReplyTo string
	References           []string
}

// Address is a name, which may be empty, and an address.
type Address struct{ Name, Address string }

// String returns the address as people write it.
func (a Address) String() string {
	if a.Name == "" {
		return a.Address
	}
	return a.Name + " <" + a.Address + ">"
}

// Strings returns the addresses as people write them.
func Strings(list []Address) []string {
	all := make([]string, len(list))
	for i, a := range list {
		all[i] = a.String()
	}
	return all
}

func readHeader(h *gomessage.Header) Header {
	fields := gomail.Header{Header: *h}
	out := Header{
		From: addresses(&fields, "From"), ReplyTo: addresses(&fields, "Reply-To"), To: addresses(&fields, "To"), Cc: addresses(&fields, "Cc"),
		Subject: text(&fields, "Subject"), References: ids(fields.Get("References")),
	}
	if out.Date, _ = fields.Date(); out.Date.Year() < 1 || out.Date.Year() > 9999 {
		out.Date = time.Time{} // RFC 3339 has no other years
	}
	if id := ids(fields.Get("Message-Id")); len(id) > 0 {
		out.MessageID = id[0]
	}
	if id := ids(fields.Get("In-Reply-To")); len(id) > 0 {
		out.InReplyTo = id[0]
	}
	return out
}

// text returns a field, decoded as far as it can be.
func text(h *gomail.Header, name string) string {
	decoded, err := h.Text(name)
	if err != nil {
		decoded = h.Get(name)
	}
	return oneLine(decoded)
}

// oneLine returns a text without line ends and other control characters, cut.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case hidden(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	return textcut.Excerpt(strings.Join(strings.Fields(text), " "), maxField)
}

// hidden reports whether a character changes the order of others, which makes one name look
// like another.
func hidden(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0xFEFF
}

// addresses returns the addresses of a field. A field that cannot be parsed is returned as one
// address, unchanged.
func addresses(h *gomail.Header, name string) []Address {
	raw := h.Get(name)
	if strings.TrimSpace(raw) == "" {
		return nil
	}
	if len(raw) > maxHeader/2 {
		raw = raw[:maxHeader/2]
	}
	list, err := h.AddressList(name)
	if err != nil {
		return []Address{{Address: text(h, name)}}
	}
	var out []Address
	for _, a := range list[:min(len(list), maxAddresses)] {
		out = append(out, Address{Name: oneLine(a.Name), Address: oneLine(a.Address)})
	}
	return out
}

// idForm is a Message-ID. Texts of a mail become fields of its replies, so nothing else is
// taken.
var idForm = regexp.MustCompile(`<[!-;=?-~]{1,250}>`)

// ids returns the Message-IDs of a field: the first, and the last of a long thread.
func ids(field string) []string {
	all := idForm.FindAllString(textcut.Head(field, maxHeader), -1)
	if n := len(all); n > maxReferences {
		all = append(all[:1:1], all[n-maxReferences+1:]...)
	}
	return all
}

// Plain reports whether an address can be written to.
func (a Address) Plain() bool {
	parsed, err := netmail.ParseAddress(a.Address)
	return err == nil && parsed.Address == a.Address
}
