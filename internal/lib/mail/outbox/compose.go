package outbox

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	netmail "net/mail"
	"strings"
	"time"
	"unicode/utf8"

	gomail "github.com/emersion/go-message/mail"

	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/tool"
)

// MaxAttachments bounds all attachments of a mail, in bytes.
const MaxAttachments = 25 << 20

// Mail is a mail to send. Its addresses have been checked.
type Mail struct {
	// ID is the Message-ID, with angle brackets.
	ID   string
	Date time.Time
	// From is the sender as the account has it, such as Ann <ann@example.com>.
	From        string
	To, Cc, Bcc []string
	ReplyTo     string
	Subject     string
	Body        string
	// HTML is set if Body is HTML; a readable text is sent beside it.
	HTML bool
	// Priority is high, normal or low.
	Priority string
	// InReplyTo and References are Message-IDs, with angle brackets.
	InReplyTo  string
	References []string
	// Attachments are read when the mail is written.
	Attachments []Attachment
}

// Attachment is a file that goes with a mail.
type Attachment struct {
	Name, Type string
	Size       int64
	Open       func() (io.ReadCloser, error)
}

// Recipients returns the addresses of to, cc and bcc, each once.
func (m *Mail) Recipients() []string {
	var all []string
	seen := map[string]bool{}
	for _, list := range [][]string{m.To, m.Cc, m.Bcc} {
		for _, address := range list {
			if !seen[address] {
				seen[address] = true
				all = append(all, address)
			}
		}
	}
	return all
}

// sender returns the parsed address that the mail comes from.
func (m *Mail) sender() (*netmail.Address, error) {
	a, err := netmail.ParseAddress(m.From)
	if err != nil || !Valid(a.Address) {
		return nil, tool.Fail(tool.NotConfigured,
			"The field from of the service \"smtp\" is not an address such as Ann <ann@example.com>. Correct it: helve config set smtp from=ADDRESS")
	}
	return a, nil
}

// size returns about how many bytes WriteTo writes, rather too many.
func (m *Mail) size() int64 {
	size := int64(8<<10) + 4*int64(len(m.Body))
	for _, a := range m.Attachments {
		size += a.Size*14/10 + 1<<10
	}
	return size
}

// header returns the fields of the mail. The recipients of bcc are in none.
func (m *Mail) header(from *netmail.Address) gomail.Header {
	var h gomail.Header
	h.SetDate(m.Date)
	h.SetAddressList("From", []*gomail.Address{{Name: from.Name, Address: from.Address}})
	for _, field := range []struct {
		name string
		list []string
	}{{"To", m.To}, {"Cc", m.Cc}, {"Reply-To", single(m.ReplyTo)}} {
		if len(field.list) == 0 {
			continue
		}
		var list []*gomail.Address
		for _, address := range field.list {
			address, _ = ascii(address)
			list = append(list, &gomail.Address{Address: address})
		}
		h.SetAddressList(field.name, list)
	}
	h.Set("Subject", encodedSubject(m.Subject))
	h.SetMessageID(strings.Trim(m.ID, "<>"))
	if m.InReplyTo != "" {
		h.SetMsgIDList("In-Reply-To", bare(single(m.InReplyTo)))
	}
	if len(m.References) > 0 {
		h.SetMsgIDList("References", bare(m.References))
	}
	switch m.Priority {
	case "high":
		h.Set("X-Priority", "1 (Highest)")
		h.Set("Importance", "high")
	case "low":
		h.Set("X-Priority", "5 (Lowest)")
		h.Set("Importance", "low")
	default: // normal is no field
	}
	return h
}

func single(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func bare(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = strings.Trim(id, "<>")
	}
	return out
}

// write writes the mail with CRLF line ends.
func (m *Mail) write(w io.Writer, from *netmail.Address) error {
	mw, err := gomail.CreateWriter(w, m.header(from))
	if err != nil {
		return err
	}
	if err := m.writeText(mw); err != nil {
		return err
	}
	for i := range m.Attachments {
		if err := m.Attachments[i].write(mw); err != nil {
			return err
		}
	}
	return mw.Close()
}

// Bytes returns the mail as it was sent, but for the separators of its parts.
func (m *Mail) Bytes() ([]byte, error) {
	from, err := m.sender()
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	err = m.write(&w, from)
	return w.Bytes(), err
}

// writeText writes the body: as plain text, or as HTML and plain text.
func (m *Mail) writeText(mw *gomail.Writer) error {
	bodies := []struct{ kind, text string }{{"text/plain", m.Body}}
	if m.HTML {
		bodies = []struct{ kind, text string }{{"text/plain", message.Readable(m.Body)}, {"text/html", m.Body}}
	}
	alternatives, err := mw.CreateInline()
	if err != nil {
		return err
	}
	for _, b := range bodies {
		var h gomail.InlineHeader
		h.SetContentType(b.kind, map[string]string{"charset": "utf-8"})
		h.Set("Content-Transfer-Encoding", "quoted-printable")
		part, err := alternatives.CreatePart(h)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(part, strings.ToValidUTF8(b.text, "�")); err != nil {
			return err
		}
		if err := part.Close(); err != nil {
			return err
		}
	}
	return alternatives.Close()
}

func (a *Attachment) write(mw *gomail.Writer) error {
	source, err := a.Open()
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	var h gomail.AttachmentHeader
	h.SetContentType(a.Type, nil)
	// Other than the library, mime writes a name beyond ASCII as RFC 2231 has it.
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": message.SafeName(a.Name, a.Type, 1)}))
	h.Set("Content-Transfer-Encoding", "base64")
	part, err := mw.CreateAttachment(h)
	if err != nil {
		return err
	}
	// A file that grows meanwhile is cut: the server was told a size.
	if _, err := io.Copy(part, io.LimitReader(source, a.Size)); err != nil {
		return err
	}
	return part.Close()
}

// international reports whether an address of the mail is not ASCII, which the server must
// be able to take.
func (m *Mail) international(from string) bool {
	for _, address := range append(m.Recipients(), append(single(m.ReplyTo), from)...) {
		if _, all := ascii(address); !all {
			return true
		}
	}
	return false
}

// encodedSubject returns a subject as a field. A text that looks like an encoded word is
// encoded too: sent as it is, the reader of the mail would decode it.
func encodedSubject(subject string) string {
	if !strings.Contains(subject, "=?") {
		return mime.QEncoding.Encode("utf-8", subject)
	}
	var words []string
	for text := subject; text != ""; {
		n := min(len(text), 42) // an encoded word has at most 75 bytes
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		words, text = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?="), text[n:]
	}
	return strings.Join(words, " ")
}

// CheckSubject returns an error if a subject is longer than a line or has several lines.
func CheckSubject(subject string) error {
	const longest = 900
	switch {
	case strings.ContainsAny(subject, "\r\n\x00"):
		return tool.Fail(tool.ValidationError, "The subject must be one line: it must not contain a line end or NUL")
	case utf8.RuneCountInString(subject) > longest:
		return tool.Fail(tool.ValidationError, "The subject is longer than %d characters", longest)
	}
	return nil
}
