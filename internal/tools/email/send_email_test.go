package email

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// took returns the mail that the server took last, read.
func (w *world) took() *message.Message {
	w.t.Helper()
	all := w.smtp.Mails()
	if len(all) == 0 {
		w.t.Fatal("the server took no mail")
	}
	m, err := message.Read(strings.NewReader(all[len(all)-1].Text), func(name string, r io.Reader) (string, error) {
		b, err := io.ReadAll(r)
		return string(b), err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func TestSendEmail(t *testing.T) {
	w := newWorld(t)
	if _, err := w.files.Write("Grüße.txt", strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	var res sent
	out := w.play("send_email",
		`{"to":["ben@example.net"],"cc":["cid@example.net"],"bcc":["dan@example.net"],"replyTo":"team@example.com","subject":"Grüße 👋",
		"body":"`+strings.Repeat("ä", 101)+`","priority":"high","attachments":["Grüße.txt"]}`, &res)
	if res.Status != "sent" || !slices.Equal(res.Accepted, []string{"ben@example.net", "cid@example.net", "dan@example.net"}) ||
		res.Message.BodyPreview != strings.Repeat("ä", 100)+"..." || res.Message.AttachmentCount != 1 || res.Message.Priority != "high" {
		t.Errorf("%s", out.Value)
	}
	m := w.took()
	if m.MessageID != res.MessageID || m.Subject != "Grüße 👋" || m.Text != strings.Repeat("ä", 101) || m.Files[0].Name != "Grüße.txt" ||
		m.Files[0].Path != "hello" || m.ReplyTo[0].Address != "team@example.com" || m.From[0].String() != "Ann <ann@example.com>" {
		t.Errorf("the server took %+v", m)
	}
	if strings.Contains(w.smtp.Mails()[0].Text, "dan@") {
		t.Error("the mail names the recipient of bcc")
	}
	w.play("send_email", `{"to":["ben@example.net"],"subject":"","body":"`+strings.Repeat("x", 100)+`","html":true}`, &res)
	if res.Message.BodyPreview != strings.Repeat("x", 100) || !res.Message.IsHTML || w.took().HTML == "" {
		t.Errorf("%+v", res)
	}
	if err := w.files.MkdirAll("dir"); err != nil {
		t.Fatal(err)
	}
	large := bytes.NewReader(make([]byte, 13<<20))
	for _, name := range []string{"a.bin", "b.bin"} {
		if _, err := w.files.Write(name, large); err != nil {
			t.Fatal(err)
		}
		large.Reset(make([]byte, 13<<20))
	}
	taken := len(w.smtp.Mails())
	mail := func(more string) string { return `{"to":["ben@example.net"],"subject":"s","body":"b"` + more + `}` }
	tooltest.Run(t, Set, "send_email", w.call(), []tooltest.Case{
		{
			Name: "no recipients", Args: `{"to":[],"subject":"s","body":"b"}`, Fails: tool.ValidationError,
			Message: "At least one recipient is required",
		},
		{Name: "no subject", Args: `{"to":["ben@example.net"],"body":"b"}`, Fails: tool.ValidationError},
		{
			Name: "line end in an address", Args: `{"to":["ben@example.net\r\nBcc: x@example.net"],"subject":"s","body":"b"}`,
			Fails: tool.ValidationError, Message: "Invalid email address: ben@example.net",
		},
		{Name: "cc", Args: mail(`,"cc":["no address"]`), Fails: tool.ValidationError, Message: "Invalid email address: no address"},
		{Name: "bcc", Args: mail(`,"bcc":["a\tb@example.net"]`), Fails: tool.ValidationError, Message: "Invalid email address: a"},
		{
			Name: "replyTo", Args: mail(`,"replyTo":"x y@example.net"`), Fails: tool.ValidationError,
			Message: "Invalid replyTo address: x y@example.net",
		},
		{
			Name: "subject", Args: `{"to":["ben@example.net"],"subject":"s\r\nBcc: x","body":"b"}`, Fails: tool.ValidationError, Message: "one line",
		},
		{Name: "priority", Args: mail(`,"priority":"now"`), Fails: tool.ValidationError},
		{
			Name: "absolute attachment", Args: mail(`,"attachments":["/etc/passwd"]`), Fails: tool.PathNotAllowed,
			Message: "Attachment path is not within the allowed workspace.",
		},
		{
			Name: "attachment above", Args: mail(`,"attachments":["../x"]`), Fails: tool.PathNotAllowed,
			Message: "Attachment path is not within the allowed workspace.",
		},
		{Name: "no attachment", Args: mail(`,"attachments":["none.txt"]`), Fails: tool.FileNotFound, Message: "Attachment not found: none.txt"},
		{Name: "a directory", Args: mail(`,"attachments":["dir"]`), Fails: tool.ValidationError, Message: "not a file"},
		{Name: "large attachments", Args: mail(`,"attachments":["a.bin","b.bin"]`), Fails: tool.FileTooLarge, Message: "more than 25 MB"},
		{
			Name: "many attachments", Args: mail(`,"attachments":[` + strings.TrimSuffix(strings.Repeat(`"a.bin",`, 101), ",") + `]`),
			Fails: tool.ValidationError, Message: "at most 100",
		},
	})
	if got := len(w.smtp.Mails()); got != taken {
		t.Errorf("%d mails went with calls that failed", got-taken)
	}
	w.play("send_email", mail(`,"attachments":["a.bin"]`), &res)
	if m := w.took(); m.Files[0].Size != 13<<20 {
		t.Errorf("the attachment arrived as %+v", m.Files)
	}
}

// The same call always has the same Message-ID, and search_emails finds the mail by it.
func TestMessageIDOfACall(t *testing.T) {
	w := newWorld(t)
	w.secrets["imap"][0].Data["sent"] = "Sent"
	var res sent
	w.play("send_email", `{"to":["ben@example.net"],"subject":"s","body":"b"}`, &res)
	if want := uncertain(&tool.Call{Tenant: "default", ID: "call-1"}); !strings.Contains(want, res.MessageID) {
		t.Errorf("the Message-ID %s is not in %q", res.MessageID, want)
	}
	var found listed
	args, err := json.Marshal(map[string]string{"query": res.MessageID})
	if err != nil {
		t.Fatal(err)
	}
	if w.play("search_emails", string(args), &found); found.Count != 1 || found.Emails[0].Folder != "Sent" || found.Emails[0].Unread {
		t.Errorf("found %+v, want the copy in Sent", found)
	}
	w.secrets["imap"][0].Data["sent"] = "Nowhere"
	out := w.play("send_email", `{"to":["ben@example.net"],"subject":"s","body":"b"}`, &res)
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "The mail was sent, but could not be stored") {
		t.Errorf("notes %q, want one about the copy", out.Notes)
	}
}

func TestReplyEmail(t *testing.T) {
	w := newWorld(t)
	w.imap.Put("INBOX",
		letter("Plan", "x", "Message-ID: <m@x>\n", "References: <a@x>\n", "Cc: cid@example.net, Ann <ANN@example.com>, ben@example.net\n"), noon)
	id := w.first("INBOX")
	for _, tt := range []struct {
		all    bool
		action string
		want   []string
	}{{false, "reply", []string{"ben@example.net"}}, {true, "reply_all", []string{"ben@example.net", "cid@example.net"}}} {
		var res replyResult
		w.play("reply_email", fmt.Sprintf(`{"emailId":%q,"body":"Fine.","replyAll":%v}`, id, tt.all), &res)
		if res.Action != tt.action || !slices.Equal(res.Accepted, tt.want) || res.Message.Subject != "Re: Plan" ||
			res.Message.To[0] != "ben@example.net" || res.Details.OriginalID != id || res.Details.BodyPreview != "Fine." {
			t.Errorf("%+v", res)
		}
		if m := w.took(); m.InReplyTo != "<m@x>" || !slices.Equal(m.References, []string{"<a@x>", "<m@x>"}) || m.Subject != "Re: Plan" ||
			m.MessageID != res.MessageID {
			t.Errorf("the server took %+v", m)
		}
	}
	w.imap.Put("INBOX", "From: nobody\nSubject: x\n\nx\n", noon)
	tooltest.Run(t, Set, "reply_email", w.call(), []tooltest.Case{
		{Name: "no body", Args: fmt.Sprintf(`{"emailId":%q}`, id), Fails: tool.ValidationError},
		{Name: "no such mail", Args: `{"emailId":"fkzuPPL9p1wAAAABAAAAKg","body":"b"}`, Fails: tool.NotFound},
		{
			Name:    "nobody to answer",
			Args:    fmt.Sprintf(`{"emailId":%q,"body":"b"}`, w.first("INBOX")),
			Fails:   tool.ValidationError,
			Message: "no address that can be answered",
		},
		{
			Name:    "no attachment",
			Args:    fmt.Sprintf(`{"emailId":%q,"body":"b","attachments":["x"]}`, id),
			Fails:   tool.FileNotFound,
			Message: "Attachment not found: x",
		},
	})
}

func TestAnswer(t *testing.T) {
	one := func(address string) []message.Address { return []message.Address{{Address: address}} }
	for name, tt := range map[string]struct {
		h       message.Header
		all     bool
		to, cc  string
		subject string
		thread  string
	}{
		"reply-to": {
			message.Header{From: one("a@x.example"), ReplyTo: one("list@x.example"), Subject: "RE: x", MessageID: "<m>", InReplyTo: "<p>"}, false,
			"list@x.example", "", "RE: x", "<p> <m>",
		},
		"useless reply-to": {
			message.Header{From: one("a@x.example"), ReplyTo: one("a b"), Subject: "x"}, false, "a@x.example", "", "Re: x", "",
		},
		"own mail": {
			message.Header{From: one("ann@example.com"), To: one("b@x.example"), MessageID: "<m>", References: []string{"<m>"}}, false,
			"b@x.example", "", "Re:", "<m>",
		},
		"a note to oneself": {message.Header{From: one("ann@example.com"), To: one("Ann@example.com")}, true, "ann@example.com", "", "Re:", ""},
		"all but the person": {
			message.Header{
				From: one("a@x.example"),
				To:   append(one("ann@example.com"), one("B@x.example")...),
				Cc:   append(one("A@x.example"), one("b@x.example")...),
			},
			true, "a@x.example", "B@x.example", "Re:", "",
		},
	} {
		m, err := answer(&tt.h, tt.all, "ann@example.com", "ann")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if to, cc, thread := strings.Join(m.To, " "), strings.Join(m.Cc, " "), strings.Join(m.References, " "); to != tt.to || cc != tt.cc ||
			m.Subject != tt.subject || thread != tt.thread {
			t.Errorf("%s: to %q, cc %q, subject %q, thread %q, want %+v", name, to, cc, m.Subject, thread, tt)
		}
	}
}
