package email

import (
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// breaks are line ends, as far as any reader takes them for one.
var breaks = []string{"\r\n", "\n", "\r", "\x00", "\u2028", "\u0085", "\v"}

// TestNoInjection puts line ends and commands into every field of a mail. Such a call fails
// and sends nothing, or it sends one mail, to its recipients alone and without the fields
// that were put in.
func TestNoInjection(t *testing.T) {
	w := newWorld(t)
	for _, br := range breaks {
		evil := br + "Bcc: eve@example.net" + br + "X-Injected: 1" + br + br + "." + br + "MAIL FROM:<eve@example.net>" + br
		if _, err := w.files.Write("a"+evil+".txt", strings.NewReader("x")); err != nil && br != "\x00" { // no file has such a name
			t.Fatal(err)
		}
		for field, value := range map[string]any{
			"to": []string{"ben@example.net" + evil}, "cc": []string{"ben@example.net" + evil}, "bcc": []string{"ben@example.net" + evil},
			"replyTo": "ben@example.net" + evil, "subject": "s" + evil, "body": "b" + evil, "attachments": []string{"a" + evil + ".txt"},
		} {
			args := map[string]any{"to": []string{"ben@example.net"}, "subject": "s", "body": "b"}
			args[field] = value
			for _, html := range []bool{false, true} {
				args["html"] = html
				w.harmless("send_email", fmt.Sprintf("%s with %q", field, br), args)
			}
		}
	}
}

// TestNoInjectionByReply answers mails whose fields carry line ends in encoded words, and
// folded ones.
func TestNoInjectionByReply(t *testing.T) {
	w := newWorld(t)
	for _, br := range breaks {
		evil := mime.BEncoding.Encode("utf-8", "s"+br+"Bcc: eve@example.net"+br+"X-Injected: 1")
		w.imap.Put("INBOX",
			"From: "+evil+" <ben@example.net>\nReply-To: "+evil+" <ben@example.net>\nSubject: "+evil+
				"\nMessage-ID: <m@x>\n\tX-Injected: 1\nReferences: <a@x>\n "+evil+"\n\nx\n",
			noon)
		w.harmless("reply_email", fmt.Sprintf("a mail with %q", br), map[string]any{
			"emailId": w.first("INBOX"), "body": "b" + br + "." + br + "MAIL FROM:<eve@example.net>" + br,
		})
	}
}

// harmless makes a call, and fails the test if it did more than its recipients know of.
func (w *world) harmless(name, what string, args map[string]any) {
	w.t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		w.t.Fatal(err)
	}
	before := len(w.smtp.Mails())
	_, err = w.try(name, string(text))
	mails := w.smtp.Mails()[before:]
	if err != nil {
		if kind := tool.AsError(err).Kind; len(mails) > 0 ||
			kind != tool.ValidationError && kind != tool.FileNotFound && kind != tool.PathNotAllowed {
			w.t.Errorf("%s: %v, and %d mails", what, err, len(mails))
		}
		return
	}
	if len(mails) != 1 || !slices.Equal(mails[0].To, []string{"ben@example.net"}) || mails[0].From != "ann@example.com" {
		w.t.Errorf("%s sent %+v", what, mails)
	}
	head, _, _ := strings.Cut(mails[0].Text, "\r\n\r\n")
	for _, line := range strings.FieldsFunc(head, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if field := strings.ToLower(line); strings.HasPrefix(field, "bcc:") || strings.HasPrefix(field, "x-injected:") {
			w.t.Errorf("%s: the head of the mail is\n%s", what, head)
		}
	}
	if strings.ContainsAny(strings.ReplaceAll(mails[0].Text, "\r\n", ""), "\r\n\x00") {
		w.t.Errorf("%s: the mail has a bare line end or NUL", what)
	}
}

// TestNoInjectionIntoIMAP puts line ends and commands into what is sent to an IMAP server.
// No call deletes the mail or makes a folder.
func TestNoInjectionIntoIMAP(t *testing.T) {
	w := newWorld(t)
	w.imap.Put("INBOX", letter("kept", "x"), noon)
	id := w.first("INBOX")
	for _, br := range breaks {
		for _, ending := range []string{"", `"`, ")", "{5+}"} {
			evil := "INBOX" + ending + br + "A9 CREATE evil" + br + "A10 UID STORE 1:* +FLAGS (\\Deleted)" + br + "A11 EXPUNGE" + br
			for name, all := range map[string][]map[string]any{
				"list_emails":   {{"folder": evil}, {"from": evil}, {"subject": evil}, {"since": evil}},
				"search_emails": {{"query": evil}, {"query": "x", "folder": evil}},
				"read_email": {
					{"emailId": evil}, {"emailId": id, "folder": evil}, {"emailId": id, "attachmentDir": evil, "downloadAttachments": true},
				},
				"delete_email": {{"emailId": evil}, {"emailId": id + evil, "folder": evil}},
			} {
				for _, args := range all {
					text, err := json.Marshal(args)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := w.try(name, string(text)); err != nil {
						if kind := tool.AsError(err).Kind; !slices.Contains([]tool.Kind{tool.ValidationError, tool.NotFound, tool.PathNotAllowed}, kind) {
							t.Errorf("%s %q: %v", name, args, err)
						}
					}
				}
			}
		}
	}
	var res listed
	if w.play("list_emails", `{}`, &res); res.Total != 1 || res.Emails[0].Subject != "kept" {
		t.Errorf("the mailbox has %+v", res)
	}
	if _, err := w.try("list_emails", `{"folder":"evil"}`); err == nil || tool.AsError(err).Kind != tool.NotFound {
		t.Errorf("the folder evil was made: %v", err)
	}
}
