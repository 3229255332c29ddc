package message

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// read reads a mail with \n as line end.
func read(t *testing.T, text string, save Save) *Message {
	t.Helper()
	m, err := Read(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")), save)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const everything = `From: =?utf-8?q?J=C3=BCrgen?= <j@example.net>
To: Ann <ann@example.com>, =?iso-8859-1?q?Ren=E9?= <rene@example.com>
Cc: undisclosed
Reply-To: list@example.net
Subject: =?utf-8?b?R3LDvMOfZQ==?=
 =?utf-8?q?_und_mehr?=
Date: Mon, 23 Nov 2026 10:00:00 +0100
Message-ID: <m1@example.net>
In-Reply-To: <m0@example.net>
References: <a@example.net> junk
 <m0@example.net>
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe
--inner
Content-Type: text/html; charset=utf-8

<p>Grüße</p>
--inner--
--outer
Content-Type: application/pdf; name="a.pdf"
Content-Transfer-Encoding: base64

JVBERg==
--outer
Content-Type: text/plain
Content-Disposition: attachment; filename*=utf-8''%C3%BC.txt

x
--outer
Content-Type: message/rfc822

Subject: inside

y
--outer--
`

func TestRead(t *testing.T) {
	saved := map[string]string{}
	m := read(t, everything, func(name string, r io.Reader) (string, error) {
		b, err := io.ReadAll(r)
		saved[name] = string(b)
		return "dir/" + name, err
	})
	if got := Strings(m.From); !slices.Equal(got, []string{"Jürgen <j@example.net>"}) {
		t.Errorf("from %q", got)
	}
	if got := Strings(m.To); !slices.Equal(got, []string{"Ann <ann@example.com>", "René <rene@example.com>"}) {
		t.Errorf("to %q", got)
	}
	if m.Subject != "Grüße und mehr" || m.Text != "Grüße" || m.HTML != "<p>Grüße</p>" || m.Cut != "" {
		t.Errorf("subject %q, text %q, html %q, cut %q", m.Subject, m.Text, m.HTML, m.Cut)
	}
	if m.MessageID != "<m1@example.net>" || m.InReplyTo != "<m0@example.net>" ||
		!slices.Equal(m.References, []string{"<a@example.net>", "<m0@example.net>"}) ||
		Strings(m.ReplyTo)[0] != "list@example.net" || Strings(m.Cc)[0] != "undisclosed" {
		t.Errorf("thread %q %q %q, reply to %q, cc %q", m.MessageID, m.InReplyTo, m.References, m.ReplyTo, m.Cc)
	}
	var files []string
	for _, f := range m.Files {
		files = append(files, fmt.Sprintf("%s %s %d %s", f.Name, f.Type, f.Size, f.Path))
	}
	want := []string{
		"a.pdf application/pdf 4 dir/a.pdf", "ü.txt text/plain 1 dir/ü.txt", "attachment-3.eml message/rfc822 20 dir/attachment-3.eml",
	}
	if !slices.Equal(files, want) || saved["a.pdf"] != "%PDF" {
		t.Errorf("files %q, want %q; saved %q", files, want, saved)
	}
}

// Mails that break rules are read as far as they go.
func TestBroken(t *testing.T) {
	bomb := "Content-Type: multipart/mixed; boundary=b\n\n"
	for range 2000 {
		bomb += "--b\n\nx\n"
	}
	nested := ""
	for i := range 200 {
		nested += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	for _, tt := range []struct{ name, text, want, cut string }{
		{"plain", "Subject: x\n\nhi\n", "hi", ""},
		{"no body", "Subject: x\n\n", "", ""},
		{"unknown charset", "Content-Type: text/plain; charset=klingon\n\nhi \xe4", "hi �", ""},
		{"unknown encoding", "Content-Transfer-Encoding: rot13\n\nhi", "hi", ""},
		{"broken base64", "Content-Transfer-Encoding: base64\n\naGk=!!!", "hi", "a text of the mail is broken, and was read up to there"},
		{"no boundary", "Content-Type: multipart/mixed\n\nhi", "", "the mail is broken, and was read up to there"},
		{
			"boundary without end", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhi\n", "hi",
			"a text of the mail is broken, and was read up to there",
		},
		{"broken type", "Content-Type: ;;;\n\nhi", "hi", ""},
		{"only HTML", "Content-Type: text/html\n\n<style>x</style><p>one<p>two <b>words</b>", "one\n\ntwo words", ""},
		{
			"a bounce",
			"Content-Type: multipart/report; boundary=b\n\n--b\n\nNot delivered.\n--b\nContent-Type: message/delivery-status\n\nAction: " +
				"failed\n--b--",
			"Not delivered.\n\nAction: failed", "",
		},
		{"raw UTF-8", "Subject: x\n\nhä\x00", "hä", ""},
		{"many parts", bomb, "", "the mail has more parts than are read"},
		{"nested", nested, "", "the mail has more parts than are read"},
		{"long text", "Subject: x\n\n" + strings.Repeat("word ", 100<<10), "", "the text of the mail is longer than is read"},
	} {
		m := read(t, tt.text, nil)
		if tt.want != "" && m.Text != tt.want || m.Cut != tt.cut {
			t.Errorf("%s: text %.80q, cut %q, want %q, %q", tt.name, m.Text, m.Cut, tt.want, tt.cut)
		}
		if len(m.Text) > maxText+10 || !utf8.ValidString(m.Text) {
			t.Errorf("%s: %d bytes of text, valid %v", tt.name, len(m.Text), utf8.ValidString(m.Text))
		}
	}
	if _, err := Read(strings.NewReader("X: "+strings.Repeat("y", maxHeader)), nil); err == nil {
		t.Error("a header without end was read")
	}
}

// Fields cannot smuggle line ends into what is made of them, nor look like others.
func TestFieldsAreOneLine(t *testing.T) {
	m := read(t,
		"From: =?utf-8?q?a=0D=0ABcc:_x?= <a@example.net>\nSubject: =?utf-8?q?a=0D=0ABcc:_x=E2=80=AEtxt?=\nMessage-ID: "+
			"<a b@example.net> <ok@example.net>\nReferences: <x\n y>\nIn-Reply-To: none\n\nhi",
		nil)
	all := fmt.Sprint(m.From, m.Subject, m.MessageID, m.InReplyTo, m.References)
	if strings.ContainsAny(all, "\r\n") || strings.ContainsRune(all, '\u202e') || m.MessageID != "<ok@example.net>" || m.InReplyTo != "" ||
		len(m.References) != 0 {
		t.Errorf("fields %q", all)
	}
	long := "Message-ID: <own@x>\nReferences:"
	for i := range 60 {
		long += fmt.Sprintf(" <r%d@x>\n", i)
	}
	if m = read(t, long+"\n\nhi", nil); len(m.References) != maxReferences || m.References[0] != "<r0@x>" ||
		m.References[maxReferences-1] != "<r59@x>" {
		t.Errorf("a long thread: %q", m.References)
	}
}

func TestLargeFiles(t *testing.T) {
	big := strings.Repeat("x", MaxFile/2+100)
	part := "--b\nContent-Disposition: attachment; filename=big.bin\n\n" + big + "\n"
	m := read(t, "Content-Type: multipart/mixed; boundary=b\n\n"+part+part+part+"--b--\n", func(name string, r io.Reader) (string, error) {
		_, err := io.Copy(io.Discard, r)
		return name, err
	})
	if len(m.Files) != 3 || m.Files[0].Path == "" || m.Files[1].Path != "" || m.Files[2].Path != "" || !strings.Contains(m.Cut, "too large") {
		t.Errorf("files %+v, cut %q, want the first only", m.Files, m.Cut)
	}
}

// The failure of a source or of saving is one of the mail's reading, not of the mail.
func TestFailures(t *testing.T) {
	lost := errors.New("connection lost")
	source := io.MultiReader(strings.NewReader("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi"), failing{lost})
	if _, err := Read(source, nil); !errors.Is(err, lost) {
		t.Errorf("error %v, want that of the source", err)
	}
	full := tool.Fail(tool.FileTooLarge, "full")
	if _, err := Read(strings.NewReader(strings.ReplaceAll(everything, "\n", "\r\n")), func(string, io.Reader) (string, error) {
		return "", full
	}); !errors.Is(err, full) {
		t.Errorf("error %v, want that of saving", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzRead(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(everything, "\n", "\r\n")))
	f.Add([]byte("Content-Type: text/html\r\n\r\n<a href=http://x>y</a><script>z"))
	f.Add(
		[]byte("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment; filename=\"../../x\"\r\n\r\n=\r\n--b--"),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(strings.NewReader(string(text)), func(name string, r io.Reader) (string, error) {
			_, err := io.Copy(io.Discard, r)
			return name, err
		})
		if err != nil {
			return
		}
		for _, s := range []string{m.Text, m.Subject, fmt.Sprint(m.From, m.To, m.Cc, m.ReplyTo)} {
			if !utf8.ValidString(s) {
				t.Errorf("%q is not UTF-8", s)
			}
		}
		if strings.ContainsAny(m.Subject+fmt.Sprint(m.From, m.To, m.References, m.MessageID), "\r\n\x00") {
			t.Errorf("a field has several lines: %q %v", m.Subject, m.From)
		}
		for _, file := range m.Files {
			if file.Name == "" || strings.ContainsAny(file.Name, "/\\\x00") || file.Name[0] == '.' {
				t.Errorf("the name %q", file.Name)
			}
		}
	})
}
