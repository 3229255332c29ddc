package outbox

import (
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/tool"
)

// TestSubjectIsText: a subject that looks like an encoded word arrives as it was written.
func TestSubjectIsText(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{
		"=?utf-8?q?Your_account=0D=0A?=", "Re: =?utf-8?B?" + strings.Repeat("UGF5", 30) + "?= Grüße", "=?", "plain", "Grüße",
	} {
		got, err := new(mime.WordDecoder).DecodeHeader(encodedSubject(subject))
		if err != nil || got != subject {
			t.Errorf("%q arrives as %q, %v", subject, got, err)
		}
		for _, word := range strings.Fields(encodedSubject(subject)) {
			if len(word) > 75 {
				t.Errorf("the word %q is longer than 75 bytes", word)
			}
		}
	}
}

func TestCompose(t *testing.T) {
	m := letter("ben@example.net", "jo@bücher.example")
	m.Cc, m.Bcc, m.ReplyTo, m.Subject, m.From = []string{"cid@example.net"}, []string{"dan@example.net"}, "team@example.com",
		"Grüße 👋 "+strings.Repeat("lang ", 40), "Änn <ann@example.com>"
	m.Body, m.HTML, m.Priority = "<p>Hallo <b>Welt</b></p>"+strings.Repeat("x", 2000), true, "high"
	m.InReplyTo, m.References = "<b@x>", []string{"<a@x>", "<b@x>"}
	m.Attachments = []Attachment{
		{
			Name: "übersicht 2026.pdf",
			Type: "application/pdf",
			Size: 4,
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("%PDF and more")), nil },
		},
	}
	text, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") || strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
			t.Errorf("the line %.80q is too long, or not ASCII", line)
		}
	}
	if strings.Contains(string(text), "dan@") || !strings.Contains(string(text), "X-Priority: 1") ||
		!strings.Contains(string(text), "filename*=utf-8''%C3%BCbersicht%202026.pdf") {
		t.Errorf("the mail is\n%s", text)
	}
	saved := ""
	got, err := message.Read(strings.NewReader(string(text)), func(name string, r io.Reader) (string, error) {
		b, err := io.ReadAll(r)
		saved = name + "=" + string(b)
		return name, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Subject != strings.TrimSpace(m.Subject) || got.From[0].String() != m.From || got.MessageID != m.ID || got.InReplyTo != "<b@x>" ||
		!slices.Equal(got.References, m.References) {
		t.Errorf("read back: %+v", got.Header)
	}
	if got.HTML != m.Body || !strings.HasPrefix(got.Text, "Hallo Welt") || saved != "übersicht 2026.pdf=%PDF" {
		t.Errorf("read back: html %.40q, text %.40q, saved %q", got.HTML, got.Text, saved)
	}
	if want := []string{"ben@example.net", "jo@xn--bcher-kva.example"}; !slices.Equal(message.Strings(got.To), want) ||
		message.Strings(got.ReplyTo)[0] != "team@example.com" || !got.Date.Equal(m.Date) {
		t.Errorf("read back: to %q, reply to %q, date %v", got.To, got.ReplyTo, got.Date)
	}
}

func TestCheckRecipients(t *testing.T) {
	many := func(n int) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("a%d@example.com", i))
		}
		return all
	}
	for _, tt := range []struct {
		to, cc, bcc []string
		want        string
	}{
		{[]string{"ann@example.com"}, nil, nil, ""},
		{[]string{"jürgen@bücher.example", "o'neil+x@sub.example.co.uk"}, nil, nil, ""},
		{nil, []string{"ann@example.com"}, nil, "At least one recipient is required"},
		{many(100), nil, nil, ""},
		{many(60), many(30), many(11), "The mail has 101 recipients; at most 100 are allowed"},
		{many(10_000), nil, nil, "The mail has 10000 recipients; at most 100 are allowed"},
		{[]string{"ann@example.com\r\nBcc: x@example.com"}, nil, nil, "Invalid email address: ann@example.com��Bcc: x@example.com"},
		{[]string{"ok@example.com"}, []string{"ann @example.com"}, nil, "Invalid email address: ann @example.com"},
		{[]string{"ok@example.com"}, nil, []string{"ann\t@example.com"}, "Invalid email address: ann�@example.com"},
		{[]string{"ann\x00@example.com"}, nil, nil, "Invalid email address: ann�@example.com"},
		{[]string{"ann\u00a0x@example.com"}, nil, nil, "Invalid email address: ann\u00a0x@example.com"},
		{[]string{"Ann <ann@example.com>"}, nil, nil, "Invalid email address: Ann <ann@example.com>"},
		{[]string{"<ann@example.com>"}, nil, nil, "Invalid email address: <ann@example.com>"},
		{[]string{"ann@example.com,ben@example.com"}, nil, nil, "Invalid email address: ann@example.com,ben@example.com"},
		{[]string{"ann"}, nil, nil, "Invalid email address: ann"},
		{[]string{"ann@localhost"}, nil, nil, "Invalid email address: ann@localhost"},
		{[]string{"@example.com"}, nil, nil, "Invalid email address: @example.com"},
		{[]string{"ann@"}, nil, nil, "Invalid email address: ann@"},
		{[]string{"ann@[127.0.0.1]"}, nil, nil, "Invalid email address: ann@[127.0.0.1]"},
		{[]string{""}, nil, nil, "Invalid email address: "},
		{[]string{"\xff@example.com"}, nil, nil, "Invalid email address: �@example.com"},
		{[]string{strings.Repeat("a", 300) + "@example.com"}, nil, nil, "Invalid email address: " + strings.Repeat("a", 100) + "..."},
	} {
		err := CheckRecipients(tt.to, tt.cc, tt.bcc)
		got := ""
		if err != nil {
			got = tool.AsError(err).Msg
		}
		if got != tt.want || err != nil && kind(err) != tool.ValidationError {
			t.Errorf("%.60q %.60q %.60q: %q, want %q", tt.to, tt.cc, tt.bcc, got, tt.want)
		}
	}
	if err := CheckReplyTo("a b@example.com"); err == nil || tool.AsError(err).Msg != "Invalid replyTo address: a b@example.com" {
		t.Errorf("replyTo: %v", err)
	}
	for subject, want := range map[string]tool.Kind{
		"":                       "",
		"Grüße\tx":               "",
		"a\r\nBcc: x":            tool.ValidationError,
		"a\nb":                   tool.ValidationError,
		"a\x00":                  tool.ValidationError,
		strings.Repeat("x", 901): tool.ValidationError,
	} {
		if got := kind(CheckSubject(subject)); got != want {
			t.Errorf("subject %.20q: %q, want %q", subject, got, want)
		}
	}
}

func TestMessageID(t *testing.T) {
	one := MessageID("default", "call-1")
	for _, other := range []string{MessageID("default", "call-2"), MessageID("defaultc", "all-1"), MessageID("", "defaultcall-1")} {
		if one == other {
			t.Errorf("two calls have the Message-ID %s", one)
		}
	}
	if one != MessageID("default", "call-1") || !strings.HasPrefix(one, "<") || !strings.HasSuffix(one, "@helve.internal>") {
		t.Errorf("MessageID = %q", one)
	}
}
